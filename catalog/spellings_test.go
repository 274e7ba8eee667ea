package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamedTools(t *testing.T) {
	c := mustNew(t,
		tool("hub", "search_code", "Search code"), tool("hub", "get_commit", "Get one commit"), tool("hub", "list_tags", "List tags"),
		tool("lab", "get_commit", "Get one commit"), tool("core", "read", "Read a file"), tool("core", "write", "Write a file"),
		tool("chat", "postMessage", "Post a message"), tool("chat", "list_everything", "search code, get commit, list tags, post message"),
		tool("odd", "--", "Nothing but dashes"), tool("odd", "日本", "Japan"), mcpToolOf("wiki", "look", "Look"),
	)
	cases := []struct {
		query string
		want  []string
	}{
		{"search_code get_commit list_tags", []string{"hub:search_code", "hub:get_commit", "hub:list_tags", "lab:get_commit"}},
		{"list_tags, search_code", []string{"hub:list_tags", "hub:search_code"}},
		{"`get_commit` and `postMessage`", []string{"hub:get_commit", "chat:postMessage", "lab:get_commit"}},
		{"what do GET_COMMIT and post-message do?", []string{"hub:get_commit", "chat:postMessage", "lab:get_commit"}},
		{"read write", []string{"core:read", "core:write"}},
		{"read and write", []string{"core:read", "core:write"}},
		{"lab.get_commit", []string{"lab:get_commit"}},
		{"mcp__lab__get_commit", []string{"lab:get_commit"}},
		{"tools.read", []string{"core:read"}},
		{"openclaw:lab:get_commit openclaw:hub:list_tags", []string{"lab:get_commit", "hub:list_tags"}},
		{"chat.postMessage", []string{"chat:postMessage"}},
		{"get commit", []string{"hub:get_commit", "lab:get_commit"}},
		{"--", []string{"odd:--"}},
		{"日本", []string{"odd:日本"}},
	}
	for _, tc := range cases {
		t.Run("D3 "+tc.query, func(t *testing.T) {
			got := ids(c.Search(tc.query, 8))
			for i, id := range tc.want {
				require.Equal(t, "openclaw:"+id, got[i], got)
			}
		})
	}
	t.Run("D3 one tool of each name before the second of any", func(t *testing.T) {
		var tools []Tool
		for i := range 40 {
			tools = append(tools, tool(fmt.Sprint("a", i), "get_thing", ""))
		}
		tools = append(tools, tool("b", "set_thing", ""))
		got := ids(mustNew(t, tools...).Search("get_thing set_thing", 3))
		require.Equal(t, []string{"openclaw:a0:get_thing", "openclaw:b:set_thing", "openclaw:a1:get_thing"}, got)
	})
	t.Run("D3 a word of a sentence names nothing", func(t *testing.T) {
		require.Empty(t, c.index().namedTools("read the commit", 8))
		require.Empty(t, c.index().namedTools(strings.Repeat("x", 5000), 8))
	})
}

// TestSearchGrows holds that nothing about names, synonyms or phrases makes a search cost more than its share of tools.
func TestSearchGrows(t *testing.T) {
	var verbs []string
	for _, line := range section(thesaurusText, "[verbs]") {
		verbs = append(verbs, strings.NewReplacer(" > ", " ", "=", " ", ",", " ", "!", " ").Replace(line))
	}
	all := strings.Join(verbs, " ")
	shelves := map[string]func(i int) Tool{
		"the same name": func(i int) Tool { return tool(fmt.Sprint("o", i), "get_thing", all) },
		"the same spelling": func(i int) Tool {
			return tool("o", "a"+strings.Repeat("-", 1+i%200)+fmt.Sprint(i%7)+strings.Repeat("_", i/200), all)
		},
	}
	queries := map[string]string{
		"verbs":     all,
		"names":     strings.Repeat("get_thing Get-Thing o1.get_thing o2.getThing a-1 a_2 ", 30),
		"stops":     strings.Repeat("what to the of on how ", 60),
		"phrases":   strings.Repeat("look it up, turn the thing off, pull that request ", 30),
		"ids":       strings.Repeat("openclaw:o1:get_thing openclaw:o2:get_thing ", 30),
		"one word":  strings.Repeat("getthing", 200),
		"open word": strings.Repeat("a:b:", 500),
	}
	for shelf, make := range shelves {
		size := func(n int) *Catalog {
			var tools []Tool
			for i := range n {
				tools = append(tools, make(i))
			}
			c := mustNew(t, tools...)
			c.Explain("warm up", 1)
			return c
		}
		few, many := size(200), size(2000)
		for name, query := range queries {
			t.Run("D3 "+shelf+", "+name, func(t *testing.T) {
				small, large := workOf(few, query), workOf(many, query)
				require.LessOrEqual(t, large, 12*small+1000, "ten times the tools")
				require.LessOrEqual(t, large, 400_000)
			})
		}
	}
}

// workOf counts the postings that a query visits, and the tools that it looks at as named.
func workOf(c *Catalog, query string) int {
	x := c.index()
	left := newAllowance()
	x.score(x.plan(readQuery(cutQuery(query)), left), left)
	return newAllowance().postings - left.postings + len(x.namedTools(query, 50))
}
