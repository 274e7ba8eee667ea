package catalog

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// tool is an openclaw tool of a plugin, or of the core.
func tool(owner, name, description string) Tool {
	return Tool{
		Source: SourceOpenClaw, Owner: owner, Name: name, Description: description,
		Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
	}
}

func clientTool(owner, name, description string) Tool {
	t := tool(owner, name, description)
	t.Source = SourceClient
	return t
}

func mcpToolOf(server, name, description string) Tool {
	t := tool(server, name, description)
	t.Source, t.MCP = SourceMCP, &MCPTool{ServerName: server, ToolName: name}
	return t
}

func (t Tool) with(parameters string) Tool {
	t.Parameters = json.RawMessage(parameters)
	return t
}

func mustNew(t testing.TB, tools ...Tool) *Catalog {
	t.Helper()
	c, err := New(tools, Policy{})
	require.NoError(t, err)
	return c
}

func ids(entries []*Entry) []string {
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.ID())
	}
	return out
}

// searchTools is a mixed turn: shared names, odd names, controls, both kinds of plugins, client tools and MCP.
func searchTools() []Tool {
	read := tool("core", "read", "Read a file from disk")
	read.Label = "File reader"
	return []Tool{
		tool("core", "exec", "Run a shell command"),
		tool("core", "message", "Send a message to a channel"),
		read,
		tool("core", "tool_call", "legacy"),
		tool("core", "tool_describe", "legacy"),
		tool("core", "tool_search", "legacy"),
		tool("core", "tool_search_code", "legacy"),
		tool("core", "wait", "Core wait tool"),
		tool("core", "write", "Write a file"),
		tool("brave", "web_search", "Search the web quickly"),
		tool("browser", "browser_request", "Open a browser page"),
		tool("p1", "$dollar", "Handles dollars"),
		tool("p1", "123abc", "Digits first"),
		tool("p1", "class", "Reserved word"),
		tool("p1", "constructor", "Builds things"),
		tool("p1", "describe", "A tool whose name is describe"),
		tool("p1", "dup", "Dup one"),
		tool("p1", "search", "A tool whose name is search"),
		tool("p1", "then", "A tool whose name is then"),
		tool("p1", "toString", "Turns into strings"),
		tool("p1", "with space", "A name with a space"),
		tool("p1", "日本", "Japanese calendar"),
		tool("p2", "dup", "Dup two"),
		tool("tracker", "createIssue", "Open a new bug report"),
		tool("web", "web-search", "Search the web"),
		clientTool("app", "read", "Client side reader"),
		clientTool("app", "select_file", "Ask the client to pick a file"),
		mcpToolOf("github", "create_issue", "MCP create_issue"),
		mcpToolOf("github", "list_issues", "MCP list_issues"),
	}
}

// manyTools is a turn of n plausible tools, a tenth of them MCP.
func manyTools(n int) []Tool {
	verbs := []string{"create", "list", "update", "delete", "search", "archive", "export", "assign"}
	nouns := []string{"ticket", "invoice", "customer", "order", "report", "channel", "file", "calendar_event", "deployment"}
	tools := make([]Tool, n)
	for i := range tools {
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		t := tool(fmt.Sprintf("plugin%d", i%20), fmt.Sprintf("%s_%s_%d", verb, noun, i),
			fmt.Sprintf("Use it to %s one %s in the system of record and get its state back.", verb, noun))
		t.Parameters = json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer","description":"Number"},` +
			`"state":{"type":"string","enum":["open","closed"]},"tags":{"type":"array","items":{"type":"string"}},` +
			`"patch":{"type":"object","properties":{"title":{"type":"string"},"due":{"type":"string"}}}},"required":["id"]}`)
		if i%10 == 9 {
			t.Source, t.Owner = SourceMCP, fmt.Sprintf("server%d", i%4)
		}
		tools[i] = t
	}
	return tools
}
