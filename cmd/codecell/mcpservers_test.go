package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
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

func TestMCPCommand(t *testing.T) {
	config := file(t, "config.json5", fmt.Sprintf(`{mcpServers: {wiki: {url: %q}}}`, wiki(t)))
	const code = `return (await MCP.wiki.lookUp({page: "Go"})).content[0].text`
	use := func(t *testing.T, transport mcp.Transport) string {
		t.Helper()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		require.NoError(t, err)
		defer session.Close()
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"code": code}})
		require.NoError(t, err)
		return answer.Content[0].(*mcp.TextContent).Text
	}
	t.Run("E5 codecell mcp answers on stdin and stdout", func(t *testing.T) {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		status := make(chan int, 1)
		var errs lines
		go func() {
			term := &terminal{in: fromClient, out: toClient, err: &errs, ctx: t.Context(), now: t.Context()}
			status <- run(term, []string{"mcp", "--config", config})
			toClient.Close()
		}()
		require.Contains(t, use(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer}), `"value":"found"`)
		toServer.Close()
		require.Equal(t, exitOK, <-status, errs.String())
		http.DefaultClient.CloseIdleConnections()
	})
	t.Run("E5 codecell serve answers at /mcp, for each key its own", func(t *testing.T) {
		keys := file(t, "keys.json5", fmt.Sprintf(`{mcpServers: {wiki: {url: %q, tenants: ["a"]}}, auth: {keys: [{id: "a", sha256: %q}, {id: "b", sha256: %q}]}}`,
			wiki(t), hashOf("key-a"), hashOf("key-b")))
		base, stop := serving(t, "--config", keys)
		as := func(key string) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: base + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}}
		}
		require.Contains(t, use(t, as("key-a")), `"value":"found"`)
		require.Contains(t, use(t, as("key-b")), `"status":"failed"`)
		_, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), as("none"), nil)
		require.Error(t, err)
		http.DefaultClient.CloseIdleConnections()
		require.Equal(t, exitOK, stop().status)
	})
}

// bearer sends a key with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func hashOf(key string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(key))) }
