package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTypesAreBounded holds what a schema can make the rendering of its type cost: how many bytes are read, and how
// long the type gets.
func TestTypesAreBounded(t *testing.T) {
	padding := `"pad":"` + strings.Repeat("x", 200_000) + `"`
	schemas := map[string]string{
		"references to the whole":  `{"properties":{` + repeated(390, func(i int) string { return fmt.Sprintf(`"a%d":{"$ref":"#"}`, i) }) + `},` + padding + `}`,
		"references to nowhere":    `{"properties":{` + repeated(390, func(i int) string { return fmt.Sprintf(`"a%d":{"$ref":"#/$defs/%d"}`, i, i) }) + `},"$defs":{` + padding + `}}`,
		"a large enum, often":      `{"$defs":{"e":{"enum":[` + repeated(20_000, func(i int) string { return fmt.Sprint(i) }) + `]}},"properties":{` + repeated(390, func(i int) string { return fmt.Sprintf(`"a%d":{"$ref":"#/$defs/e"}`, i) }) + `}}`,
		"a reference that is long": `{"properties":{"a":{"$ref":"#` + strings.Repeat("/a", 100_000) + `"}}}`,
	}
	for name, schema := range schemas {
		t.Run("H6 "+name, func(t *testing.T) {
			types := newTyper([]byte(schema))
			e := mustNew(t, tool("core", "t", "").with(schema)).Entries()[0]
			text := types.of(e.schema(), 0)
			require.LessOrEqual(t, len(text), 2*maxTypeText)
			if strings.Contains(name, "often") {
				require.Less(t, types.bytes, len(schema), "reading ended because there was enough of it")
			}
		})
	}
	t.Run("D4 many references into one object are followed", func(t *testing.T) {
		schema := `{"$defs":{` + repeated(190, func(i int) string {
			return fmt.Sprintf(`"d~1%d":{"type":"string","description":"%s"}`, i, strings.Repeat("x", 500))
		}) +
			`},"properties":{` + repeated(190, func(i int) string { return fmt.Sprintf(`"a%d":{"$ref":"#/$defs/d~01%d"}`, i, i) }) + `},"required":["a0"]}`
		e := mustNew(t, tool("core", "t", "").with(schema)).Entries()[0]
		require.NotContains(t, e.Signature(), "unknown;")
		require.Equal(t, 190, strings.Count(e.Signature(), ": string"))
	})
	t.Run("D4 a type that nobody would read is general", func(t *testing.T) {
		schema := `{"properties":{` + repeated(300, func(i int) string { return fmt.Sprintf(`"%s%d":{}`, strings.Repeat("k", 200), i) }) + `}}`
		require.Less(t, len(mustNew(t, tool("core", "t", "").with(schema)).Entries()[0].Signature()), 200)
	})
}

func TestPolicyWork(t *testing.T) {
	globs := func(n int, pattern string) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = pattern
		}
		return list
	}
	tools := manyTools(1000)
	for name, tc := range map[string]struct {
		policy  Policy
		refused string
	}{
		"a hundred globs":      {Policy{Allow: globs(100, "openclaw:*:create_*")}, ""},
		"thousands of ids":     {Policy{Allow: globs(4096, "openclaw:core:read")}, ""},
		"long globs":           {Policy{Deny: globs(1000, strings.Repeat("*a", 300)+"b")}, "policy.deny: has too many globs"},
		"globs tried anywhere": {Policy{Sandbox: &SandboxPolicy{Allow: globs(10, "*"+strings.Repeat("?", 1000)+"*a")}}, "policy.sandbox.allow: has too many globs"},
	} {
		t.Run("H6 "+name, func(t *testing.T) {
			_, err := New(tools, tc.policy)
			if tc.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.refused)
		})
	}
}
