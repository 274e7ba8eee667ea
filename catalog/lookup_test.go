package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const unknownTail = "Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name."

const mcpTail = " MCP tools are called as MCP.server.tool(input)."

func TestLookup(t *testing.T) {
	c := mustNew(t, searchTools()...)
	found := map[string]string{
		"openclaw:core:read": "openclaw:core:read", "client:app:read": "client:app:read",
		"write": "openclaw:core:write", " write\n": "openclaw:core:write", "日本": "openclaw:p1:日本",
		"with space": "openclaw:p1:with space", "web-search": "openclaw:web:web-search", "then": "openclaw:p1:then",
		"constructor": "openclaw:p1:constructor",
	}
	for want, id := range found {
		t.Run("D4 "+want, func(t *testing.T) {
			e, err := c.Lookup(want)
			require.NoError(t, err)
			require.Equal(t, id, e.ID())
		})
	}
	failing := []struct{ want, text string }{
		{"read", "Ambiguous tool name: read; use an exact tool id."},
		{"dup", "Ambiguous tool name: dup; use an exact tool id."},
		{"tool_search", "Unknown tool id: tool_search. Did you mean: search, web-search, web_search? " + unknownTail},
		{"file_write", "Unknown tool id: file_write. Did you mean: write, select_file, openclaw:core:read? " + unknownTail},
		{"zzzqqq", "Unknown tool id: zzzqqq. " + unknownTail},
		{"create_issue", "Unknown tool id: create_issue. Did you mean: MCP.github.createIssue, createIssue? " + unknownTail + mcpTail},
		{"Write", "Unknown tool id: Write. Did you mean: write? " + unknownTail},
		{"browser_requst", "Unknown tool id: browser_requst. Did you mean: browser_request? " + unknownTail},
		{"selectFile", "Unknown tool id: selectFile. Did you mean: select_file? " + unknownTail},
		{"mesage", "Unknown tool id: mesage. Did you mean: message? " + unknownTail},
		{"__proto__", "Unknown tool id: __proto__. " + unknownTail},
	}
	for _, tc := range failing {
		t.Run("D4 "+tc.want, func(t *testing.T) {
			_, err := c.Lookup(tc.want)
			require.EqualError(t, err, tc.text)
		})
	}
	t.Run("D4 E1 MCP ids and names are unknown, and never suggested as they are", func(t *testing.T) {
		for _, want := range []string{"mcp:github:create_issue", "list_issues", "github__create_issue"} {
			_, err := c.Lookup(want)
			require.ErrorContains(t, err, "Unknown tool id: "+want+". ")
			require.NotRegexp(t, `Did you mean[^?]*(mcp:|_issue)`, err.Error())
		}
	})
	t.Run("D4 an empty id suggests the first three by name", func(t *testing.T) {
		_, err := c.Lookup(" ")
		require.EqualError(t, err, "Unknown tool id: . Did you mean: $dollar, 123abc, browser_request? "+unknownTail)
	})
	t.Run("D4 a huge id is clipped", func(t *testing.T) {
		_, err := c.Lookup(strings.Repeat("é", 1_000_000))
		require.Less(t, len(err.Error()), 600)
		require.Contains(t, err.Error(), "é…. ")
		var lookup *LookupError
		require.ErrorAs(t, err, &lookup)
		require.False(t, lookup.Ambiguous)
	})
}
