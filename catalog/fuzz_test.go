package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// FuzzNew makes a catalog of whatever a turn may hold and uses all of it.
func FuzzNew(f *testing.F) {
	seed := func(tools ...Tool) {
		raw, err := json.Marshal(tools)
		require.NoError(f, err)
		f.Add(raw, "create issue", `{"title":"t"}`)
	}
	seed(searchTools()...)
	seed(mcpTools()...)
	seed(oddTools()...)
	seed(tool("core", "t", hostileText).with(doubling))
	f.Add([]byte(`[{"source":"mcp","owner":"s","name":"__proto__","parameters":{"required":["a","a",1],"properties":{"a":{"$ref":"#"}}}}]`), "日本", `[]`)
	f.Add([]byte(`[{"source":"client","name":"\ud800","outputSchema":{"enum":[1e999,"*/"]}}]`), "\xff", `{"a":1e999}`)
	f.Fuzz(func(t *testing.T, raw []byte, query, input string) {
		var tools []Tool
		if len(raw) > 1<<16 || json.Unmarshal(raw, &tools) != nil {
			return
		}
		c, err := New(tools, Policy{Allow: []string{"*"}, Deny: []string{query}})
		if err != nil {
			return
		}
		for _, e := range c.Search(query, 50) {
			require.False(t, e.IsMCP())
		}
		if e, err := c.Lookup(query); err == nil {
			require.False(t, e.IsMCP())
		}
		g := c.Guest()
		require.True(t, json.Valid(g.Entries))
		require.True(t, g.MCP == nil || json.Valid(g.MCP))
		require.True(t, g.Files == nil || json.Valid(g.Files))
		for _, file := range gjson.ParseBytes(g.Files).Array() {
			content := code(file.Get("content").String())
			require.Equal(t, strings.Count(content, "{"), strings.Count(content, "}"))
		}
		for _, e := range c.Entries() {
			require.True(t, json.Valid(e.DescribeJSON()))
			_ = e.Validate([]byte(input))
			if e.IsMCP() {
				if filled, err := e.FillMCP(json.RawMessage(input)); err == nil {
					require.True(t, json.Valid(filled), "%s", filled)
				}
			}
		}
		c.Warnings()
		found, err := CheckPayload(must(Render("gemini", c.Surface(Budget{}, nil))))
		require.NoError(t, err)
		require.True(t, found.OK)
		must(Render("", c.DirectTools()))
	})
}

func must(raw json.RawMessage, err error) json.RawMessage {
	if err != nil {
		panic(err)
	}
	return raw
}

// FuzzCheckPayload holds the filter to the check: what it lets through is at most exec and wait.
func FuzzCheckPayload(f *testing.F) {
	for _, s := range []string{
		`[{"name":"exec"},{"name":"wait"}]`, `[{"type":"web_search"}]`, `[{"functionDeclarations":[{"name":"exec"}],"x":1}]`,
		`[{"type":"function","function":{"name":"exec"}}]`, `[{"name":"exec","name":"x"}]`, `null`, `[[[`, `[{"name":"\u0065xec"}]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		found, err := CheckPayload(raw)
		kept, ferr := FilterPayload(raw)
		require.Equal(t, err == nil, ferr == nil)
		if err != nil {
			return
		}
		require.True(t, json.Valid(kept), "%s", kept)
		again, err := CheckPayload(kept)
		require.NoError(t, err)
		for _, name := range again.Names {
			require.Contains(t, []string{"exec", "wait"}, name)
		}
		require.LessOrEqual(t, len(again.Names), 2)
		if found.OK {
			require.True(t, again.OK)
		}
	})
}

// FuzzGlob compares the matcher with regular expressions.
func FuzzGlob(f *testing.F) {
	f.Add("openclaw:*", "openclaw:core:read")
	f.Add("*a*b?", "xxaxxbz")
	f.Add("?", "日")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 200 || strings.ToValidUTF8(pattern, "") != pattern || strings.ToValidUTF8(s, "") != s {
			return
		}
		require.Equal(t, asRegexp(pattern).MatchString(s), newGlob(pattern).match(s))
	})
}

// FuzzPlainSchema holds the shortcut to the compiler.
func FuzzPlainSchema(f *testing.F) {
	f.Add(createIssueSchema)
	f.Add(`{"anyOf":[{"type":"string","minLength":1}],"const":1}`)
	f.Add(`{"items":{"additionalProperties":false,"required":["a"]}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		schema := json.RawMessage(raw)
		if len(raw) > 1<<14 || badSchema(&schema) != "" || schema == nil || !sureToCompile([]byte(raw)) {
			return
		}
		_, _, err := compileSchema(schema)
		require.NoError(t, err)
	})
}
