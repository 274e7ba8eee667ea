package catalog

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPolicy(t *testing.T) {
	tools := []Tool{
		tool("core", "read", ""), tool("core", "exec", ""), tool("brave", "web_search", ""),
		mcpToolOf("github", "create_issue", ""), clientTool("app", "read", ""),
	}
	all := []string{"openclaw:core:read", "openclaw:core:exec", "openclaw:brave:web_search", "mcp:github:create_issue", "client:app:read"}
	cases := []struct {
		name   string
		policy string
		want   []string
	}{
		{"A1 no policy is everything", `{}`, all},
		{"A1 null allow is everything", `{"allow":null}`, all},
		{"A1 allow all", `{"allow":["*"]}`, all},
		{"A3 empty allow is nothing", `{"allow":[]}`, nil},
		{"G1 one id", `{"allow":["openclaw:core:read"]}`, all[:1]},
		{"G1 a name allows every tool of it", `{"allow":["read"]}`, []string{all[0], all[4]}},
		{"G1 glob over ids", `{"allow":["openclaw:core:*"]}`, all[:2]},
		{"G1 glob over names", `{"allow":["*_search"]}`, all[2:3]},
		{"G1 question mark is one character", `{"allow":["rea?"]}`, []string{all[0], all[4]}},
		{"G1 case counts", `{"allow":["READ","OpenClaw:*"]}`, nil},
		{"G1 deny wins", `{"allow":["*"],"deny":["openclaw:core:exec"]}`, []string{all[0], all[2], all[3], all[4]}},
		{"G1 deny by glob", `{"deny":["mcp:*","client:*"]}`, all[:3]},
		{"G1 white space around an entry", `{"allow":[" read "]}`, []string{all[0], all[4]}},
		{"G1 blank entries match nothing", `{"allow":["", " "]}`, nil},
		{"A1 an owner is no group outside the sandbox", `{"allow":["brave","bundle-mcp"]}`, nil},
		{"A1 a sandbox alone keeps MCP out", `{"sandbox":{}}`, []string{all[0], all[1], all[2], all[4]}},
		{"A1 sandbox allow does not pass MCP", `{"sandbox":{"allow":["*","bundle-mcp"]}}`, []string{all[0], all[1], all[2], all[4]}},
		{"A1 alsoAllow names an MCP tool", `{"sandbox":{"alsoAllow":["mcp:github:*"]}}`, all},
		{"A1 alsoAllow bundle-mcp", `{"sandbox":{"alsoAllow":["bundle-mcp"]}}`, all},
		{"A1 alsoAllow adds to allow", `{"sandbox":{"allow":["read"],"alsoAllow":["brave"]}}`, []string{all[0], all[2], all[4]}},
		{"A1 sandbox group of a plugin", `{"sandbox":{"allow":["brave"]}}`, all[2:3]},
		{"A1 sandbox empty allow", `{"sandbox":{"allow":[],"alsoAllow":["bundle-mcp"]}}`, all[3:4]},
		{"A1 sandbox deny wins", `{"sandbox":{"alsoAllow":["bundle-mcp"],"deny":["bundle-mcp","exec"]}}`, []string{all[0], all[2], all[4]}},
		{"A1 both layers must agree", `{"allow":["read"],"sandbox":{"allow":["exec"],"alsoAllow":["*"]},"deny":["client:*"]}`, all[:1]},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var p Policy
			require.NoError(t, json.Unmarshal([]byte(tc.policy), &p))
			c, err := New(tools, p)
			require.NoError(t, err)
			require.ElementsMatch(t, tc.want, ids(c.Entries()))
			require.Len(t, c.DirectTools(), len(tc.want))
		})
	}
}

func TestPolicyNoTools(t *testing.T) {
	for text, want := range map[string]bool{`{}`: false, `{"allow":null}`: false, `{"allow":[]}`: true, `{"allow":["x"]}`: false} {
		var p Policy
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		require.Equal(t, want, p.NoTools(), "A3 "+text)
	}
}

func TestPolicyHidesDenied(t *testing.T) {
	c, err := New(searchTools(), Policy{Allow: []string{"*"}, Deny: []string{"openclaw:core:exec"}})
	require.NoError(t, err)
	t.Run("A7 a denied tool is unknown, unsearchable and unsuggested", func(t *testing.T) {
		_, err := c.Lookup("openclaw:core:exec")
		require.ErrorContains(t, err, "Unknown tool id: openclaw:core:exec.")
		require.NotRegexp(t, `Did you mean[^?]*exec`, err.Error())
		for _, e := range c.Search("run shell command exec", 50) {
			require.NotEqual(t, "exec", e.Name())
		}
		require.NotContains(t, string(c.Guest().Entries), ":exec")
		require.NotContains(t, c.Surface(Budget{}, nil)[0].Description, "openclaw:core:exec")
	})
}

func TestPolicyBounds(t *testing.T) {
	_, err := New(nil, Policy{Deny: []string{"a", strings.Repeat("*", 1025)}})
	require.ErrorContains(t, err, "policy.deny[1]: must be at most 1024 bytes")
	_, err = New(nil, Policy{Sandbox: &SandboxPolicy{AlsoAllow: make([]string, 4097)}})
	require.ErrorContains(t, err, "policy.sandbox.alsoAllow: must have at most 4096 entries")
}

func TestGlob(t *testing.T) {
	cases := []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a:b", true},
		{"**", "x", true},
		{"?", "", false},
		{"?", "日", true},
		{"??", "日", false},
		{"a*b", "ab", true},
		{"a*b", "axxb", true},
		{"a*b", "axxbc", false},
		{"*a*", "bab", true},
		{"a?c", "abc", true},
		{"A*", "abc", false},
		{"*.ts", "x.tsx", false},
		{"[ab]", "a", false},
		{"[ab]", "[ab]", true},
		{`\*`, `\x`, true},
		{"日*", "日本", true},
	}
	for _, tc := range cases {
		require.Equal(t, tc.want, newGlob(tc.pattern).match(tc.s), "G1 %q against %q", tc.pattern, tc.s)
	}
	t.Run("G1 no pattern is slow", func(t *testing.T) {
		require.Less(t, cost(func() {
			newGlob(strings.Repeat("a*", 500) + "b").match(strings.Repeat("a", 256))
			newGlob(strings.Repeat("*a", 500) + "b").match(strings.Repeat("a", 100_000))
		}), 2*time.Second)
	})
}

// asRegexp is the same glob as a regular expression, the second opinion.
func asRegexp(pattern string) *regexp.Regexp {
	var b strings.Builder
	for _, r := range pattern {
		switch r {
		case '*':
			b.WriteString("(?s:.*)")
		case '?':
			b.WriteString("(?s:.)")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(`\A(?:` + b.String() + `)\z`)
}

func TestGlobAgainstRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOf(rapid.SampledFrom([]rune("ab*?:日"))).Draw(t, "pattern")
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab:日"))).Draw(t, "s")
		require.Equal(t, asRegexp(pattern).MatchString(s), newGlob(pattern).match(s), "%q %q", pattern, s)
	})
}
