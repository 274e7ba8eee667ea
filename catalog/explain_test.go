package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func TestExplain(t *testing.T) {
	c := mustNew(t,
		tool("tracker", "create_issue", "Create a new issue in a repository"),
		tool("tracker", "list_branches", "List branches").with(`{"properties":{"repository":{"description":"Owner and name"}}}`),
		tool("chat", "open_whiteboard", "Start to draw"),
		tool("core", "wait_for", "Wait"),
	)
	cases := []struct{ name, query, path, want string }{
		{"a synonym", "bug", `0.why.terms.0`, `{"word":"bug","term":"issue","via":"synonym","in":["name","description"],"weight":1.45}`},
		{"the word itself", "branches", `0.why.terms.#.word`, `["branches",""]`},
		{"what is implied", "branches", `0.why.terms.1`, `{"word":"","term":"list","via":"implied","in":["name","description"],"weight":0.47}`},
		{"two words that are one", "white board", `0.why.terms.0.via`, `"joined"`},
		{"a prefix of a term", "bran", `0.why.terms.0`, `{"word":"bran","term":"branch","via":"prefix","in":["name","description"],"weight":0.97}`},
		{"a typo", "isseu", `0.why.terms.0.via`, `"typo"`},
		{"an input", "owner", `0.why.terms.0.in`, `["input"]`},
		{"the owner", "tracker", `0.why.terms.0.in`, `["owner"]`},
		{"a name", "createIssue", `0.why.named`, `true`},
		{"no name", "create an issue please", `0.why.named`, ``},
		{"a blank query", "", `#.why.score`, `[0,0,0,0]`},
		{"small talk", "hello", `@this`, `[]`},
	}
	for _, tc := range cases {
		t.Run("D3 explains "+tc.name, func(t *testing.T) {
			raw := AppendExplained(nil, c.Explain(tc.query, 8))
			require.Equal(t, tc.want, gjson.GetBytes(raw, tc.path).Raw, string(raw))
		})
	}
	t.Run("D3 the hits are those of the search, and their shape is otherwise the same", func(t *testing.T) {
		for _, query := range []string{"", "create issue", "bug", "screen", "the"} {
			hits := c.Explain(query, 8)
			var plain []*Entry
			for _, h := range hits {
				plain = append(plain, h.Entry)
			}
			require.Equal(t, ids(c.Search(query, 8)), ids(plain))
			raw := AppendExplained(nil, hits)
			require.True(t, gjson.ValidBytes(raw))
			require.Len(t, raw, ExplainedSize(hits))
			for i, h := range gjson.ParseBytes(raw).Array() {
				require.JSONEq(t, string(plain[i].JSON()), gjson.Parse(h.Raw[:len(h.Raw)-len(whyKey)-len(hits[i].Why)-1]+"}").Raw)
			}
		}
	})
}

func TestExplainIsBounded(t *testing.T) {
	const related = 20_000
	tools := make([]Tool, 40)
	for i := range tools {
		var text strings.Builder
		for n := range related / len(tools) {
			fmt.Fprintf(&text, "abc%dx%d ", i, n)
		}
		tools[i] = tool("o", fmt.Sprint("abc", i), text.String())
	}
	c := mustNew(t, tools...)
	require.Greater(t, len(c.find("abc", 50).wishes[0].readings), related/2)
	left := maxLookups
	for i := range tools {
		before := left
		require.LessOrEqual(t, len(c.grounds(int32(i), c.find("abc abc1x1", 50).wishes, &left)), maxGrounds)
		require.LessOrEqual(t, before-left, 3*maxReadings, "D3 few readings of each word")
	}
	left = 1
	require.Len(t, c.grounds(0, c.find("abc0 abc0x1 abc0x2", 50).wishes, &left), 1, "D3 no more than what is left")
}
