package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writtenCatalog has tools of several systems that look alike.
func writtenCatalog(t testing.TB) *Catalog {
	resource := mcpToolOf("git-hub", "resources_read", "Read a resource")
	resource.MCP.Operation = "resources_read"
	return mustNew(t,
		tool("desk", "create_ticket", "Create a support ticket"), tool("desk", "list_tickets", "List support tickets"),
		tool("web", "web-search", "Search the web"), tool("lab", "close", "Close it"), tool("mail", "close", "Close it"),
		mcpToolOf("git-hub", "create_issue", "Create an issue"), mcpToolOf("git-hub", "list_pull_requests", "List them"), resource,
		mcpToolOf("google-workspace", "calendar.updateEvent", "Update an event"),
		mcpToolOf("google-workspace", "gmail.get", "Get a mail"),
	)
}

func TestCallees(t *testing.T) {
	c := writtenCatalog(t)
	const issue = "MCP.gitHub.createIssue"
	for _, tc := range []struct {
		written string
		want    []string
	}{
		{"tools.createTicket", []string{"tools.create_ticket"}},
		{"tools.CREATE-TICKET", []string{"tools.create_ticket"}},
		{"tools.desk.create_ticket", []string{"tools.create_ticket"}},
		{"tools.desk_create_ticket", []string{"tools.create_ticket"}},
		{"create_ticket", []string{"tools.create_ticket"}},
		{"functions.createTicket", []string{"tools.create_ticket"}},
		{"tools.webSearch", []string{`tools.callValue("web-search", input)`}},
		{"tools.web_search", []string{`tools.callValue("web-search", input)`}},
		{"tools.lab.close", []string{`tools.callValue("openclaw:lab:close", input)`}},
		{"tools.creat_ticket", []string{"tools.create_ticket"}},

		{"tools.create_issue", []string{issue}},
		{"tools.mcp__github__create_issue", []string{issue}},
		{"mcp__git-hub__create_issue", []string{issue}},
		{"mcp__git_hub__createIssue", []string{issue}},
		{"mcp__gh__create_issue", []string{issue}},
		{"github.create_issue", []string{issue}},
		{"github/create_issue", []string{issue}},
		{"GitHub:createIssue", []string{issue}},
		{"github_create_issue", []string{issue}},
		{"githubCreateIssue", []string{issue}},
		{"create_issue_github", []string{issue}},
		{"mcp:git-hub:create_issue", []string{issue}},
		{"MCP.github.createIssue", []string{issue}},
		{"MCP.github.create_issue", []string{issue}},
		{"MCP.git-hub.create-issue", []string{issue}},
		{"MCP.createIssue", []string{issue}},
		{"MCP.github.resources_read", []string{"MCP.gitHub.resources.read"}},
		{"MCP.github.readResource", []string{"MCP.gitHub.resources.read"}},
		{"MCP.google-workspace.calendar.updateEvent", []string{"MCP.googleWorkspace.calendarUpdateEvent"}},
		{"MCP.googleWorkspace.updateEvent", []string{"MCP.googleWorkspace.calendarUpdateEvent"}},

		{"MCP.github", []string{"MCP.gitHub"}},
		{"MCP.jira", []string{"MCP.gitHub", "MCP.googleWorkspace"}},
		{"MCP.jira.find_sprint", []string{"MCP.gitHub", "MCP.googleWorkspace"}},
		{"tools", nil},
		{"tools.zzqx", nil},
	} {
		t.Run("D4 E2 "+tc.written, func(t *testing.T) {
			found := c.Callees(strings.Split(tc.written, "."))
			if tc.want == nil {
				require.Empty(t, found)
				return
			}
			require.GreaterOrEqual(t, len(found), len(tc.want))
			require.Equal(t, tc.want, found[:len(tc.want)])
		})
	}
	t.Run("D4 what is near is of the owner that was named", func(t *testing.T) {
		for _, written := range []string{"mcp__github__create_ticket_list", "MCP.gitHub.listPRs", "github.open_pull"} {
			found := c.Callees([]string{written})
			require.NotEmpty(t, found)
			for _, callee := range found {
				require.Contains(t, callee, "MCP.gitHub.")
			}
		}
	})
	t.Run("D4 the same name elsewhere stands before what is near at home", func(t *testing.T) {
		found := c.Callees([]string{"mcp__google-workspace__create_issue"})
		require.Equal(t, issue, found[0])
		require.Contains(t, found[1], "MCP.googleWorkspace.")
	})
	t.Run("A7 at most three, whatever is asked", func(t *testing.T) {
		for _, written := range []string{"", "__", "a", "t", strings.Repeat("create_issue.", 10_000), "\x00\xff", "tools.\"];x["} {
			require.LessOrEqual(t, len(c.Callees([]string{written})), maxSuggestions)
			require.LessOrEqual(t, len(c.Callees([]string{"MCP", written})), maxSuggestions)
		}
	})
	t.Run("A7 a catalog with nothing in it", func(t *testing.T) {
		require.Empty(t, mustNew(t).Callees([]string{"MCP", "github", "x"}))
	})
}

func TestSame(t *testing.T) {
	c := writtenCatalog(t)
	require.Equal(t, []string{"tools.create_ticket"}, c.Same("createTicket"))
	require.Equal(t, []string{"MCP.gitHub.createIssue"}, c.Same("create_issue"))
	require.Empty(t, c.Same("create_tickets"))
	require.Empty(t, c.Same(""))
}

func TestLookupOfMCP(t *testing.T) {
	c := writtenCatalog(t)
	for _, want := range []string{"create_issue", "createIssue", "mcp__github__create_issue", "mcp:git-hub:create_issue", "git-hub/create_issue"} {
		t.Run("D4 E1 "+want+" is unknown, and the error says where it is", func(t *testing.T) {
			_, err := c.Lookup(want)
			require.EqualError(t, err, "Unknown tool id: "+want+". Did you mean: MCP.gitHub.createIssue? "+unknownTail+mcpTail)
		})
	}
	t.Run("D4 a tool of another system is not offered alone", func(t *testing.T) {
		_, err := c.Lookup("mcp:git-hub:create_ticket_list")
		require.ErrorContains(t, err, "MCP.gitHub.createIssue")
		require.NotContains(t, err.Error(), "tickets")
	})
}

// Suggestions for a name that no tool has, over catalogs in which every tool is near.
func BenchmarkCallees(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var tools []Tool
			for i := range n {
				tools = append(tools, mcpToolOf(fmt.Sprintf("server-%d", i%20), fmt.Sprintf("create_thing_%d", i), "Create a thing"))
			}
			c := mustNew(b, tools...)
			for b.Loop() {
				c.Callees([]string{"mcp__server-3__create_thinf"})
			}
		})
	}
}
