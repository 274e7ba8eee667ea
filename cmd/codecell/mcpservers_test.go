package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// wiki serves an MCP server with one tool.
func wiki(t *testing.T) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{
		Name: "look-up", Description: "Looks a page up.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"page":{"type":"string"},"lang":{"type":"string","default":"en"}},"required":["page"]}`),
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: r.Params.Arguments, Content: []mcp.Content{&mcp.TextContent{Text: "found"}}}, nil
	})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(h.Close)
	return h.URL
}

func TestMCPServers(t *testing.T) {
	config := file(t, "config.json5", fmt.Sprintf(`{mcpServers: {wiki: {url: %q}}}`, wiki(t)))
	base, stop := serving(t, "--config", config)
	cell := func(name, code, want string, turn string) {
		t.Run(name, func(t *testing.T) {
			got := codecell(t, "", "exec", file(t, "cell.js", code), "--server", base, "--catalog", file(t, "turn.json5", turn))
			require.Equal(t, exitOK, got.status, got.err)
			require.JSONEq(t, want, got.out)
		})
	}
	cell("E4 a turn that names a server has its tools", `const r = await MCP.wiki.lookUp({page: "Go"});
return [r.content[0].text, r.structuredContent, ALL_TOOLS.length, Object.keys(MCP)]`, `["found",{"page":"Go","lang":"en"},0,["$api","wiki"]]`, `{mcpServers: ["wiki"]}`)
	cell("E3 and their declarations", `return (await API.read("mcp/wiki.d.ts")).content.includes("function lookUp(")`, `true`, `{mcpServers: ["*"]}`)
	cell("E4 a turn that does not, has none", `return typeof MCP`, `"undefined"`, `{tools: []}`)
	cell("A1 policy holds for them", `return typeof MCP`, `"undefined"`, `{mcpServers: ["wiki"], policy: {deny: ["mcp:wiki:*"]}}`)
	http.DefaultClient.CloseIdleConnections()
	require.Equal(t, exitOK, stop().status)
}
