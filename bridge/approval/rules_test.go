package approval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRules(t *testing.T) {
	rules, err := NewRules([]Rule{
		{"openclaw:mail:read", Never}, {"openclaw:mail:*", Always}, {" *_file ", First}, {"mcp:?:put", Always},
	})
	require.NoError(t, err)
	for _, c := range []struct {
		rule, id, name string
		want           Mode
		matched        bool
	}{
		{"the first rule that matches decides", "openclaw:mail:read", "read", Never, true},
		{"the next one has the others", "openclaw:mail:send", "send", Always, true},
		{"names are matched too", "openclaw:fs:write_file", "write_file", First, true},
		{"as a whole", "openclaw:fs:write_files", "write_files", "", false},
		{"a question mark is one character", "mcp:é:put", "put", Always, true},
		{"letter case counts", "openclaw:Mail:send", "send", "", false},
	} {
		t.Run("G4 "+c.rule, func(t *testing.T) {
			mode, matched := rules.Mode(c.id, c.name)
			require.Equal(t, c.want, mode)
			require.Equal(t, c.matched, matched)
		})
	}
	t.Run("G4 no rules match nothing", func(t *testing.T) {
		_, matched := Rules{}.Mode("a", "a")
		require.False(t, matched)
	})
}

func TestRulesRefuse(t *testing.T) {
	many := make([]Rule, maxRules+1)
	for i := range many {
		many[i] = Rule{"*", Never}
	}
	for _, c := range []struct {
		rule, says string
		list       []Rule
	}{
		{"an unknown mode", `[1].approval must be "always", "first" or "never", not "often"`, []Rule{{"a", Never}, {"b", "often"}}},
		{"no mode", "[0].approval", []Rule{{"a", ""}}},
		{"no tool", "[0].tool must be a glob", []Rule{{" ", Always}}},
		{"a glob of any size", "[0].tool must be at most", []Rule{{strings.Repeat("*", maxRuleBytes+1), Always}}},
		{"any number of rules", "at most 1000 rules", many},
	} {
		t.Run("G4 "+c.rule, func(t *testing.T) {
			_, err := NewRules(c.list)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestStricter(t *testing.T) {
	for _, c := range [][3]Mode{
		{Never, Never, Never},
		{Never, First, First},
		{First, Never, First},
		{First, Always, Always},
		{Always, Never, Always},
		{"unknown", "unknown", Always},
	} {
		require.Equal(t, c[2], Stricter(c[0], c[1]), "%s, %s", c[0], c[1])
	}
}
