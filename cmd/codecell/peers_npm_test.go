//go:build npm

package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestMCPClients has others' clients use the service as an MCP server (contract E5).
func TestMCPClients(t *testing.T) {
	npm, err := filepath.Abs("../../namespaces/mcp/peers/node_modules")
	require.NoError(t, err)
	node := filepath.Join(npm, ".bin", "node")
	config := file(t, "config.json5", fmt.Sprintf(`{mcpServers: {wiki: {url: %q}}}`, wiki(t)))
	base, stop := serving(t, "--config", config)
	// What the suite asks of servers that have tools and nothing else, and no tools of the suite's own.
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		t.Run("E5 the conformance suite: "+scenario, func(t *testing.T) {
			suite := filepath.Join(npm, "@modelcontextprotocol/conformance/dist/index.js")
			out, err := exec.Command(node, suite, "server", "--url", base+"/mcp", "--scenario", scenario).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
	inspect := func(t *testing.T, args ...string) gjson.Result {
		t.Helper()
		cli := filepath.Join(npm, "@modelcontextprotocol/inspector/cli/build/cli.js")
		out, err := exec.Command(node, append([]string{cli, "--cli", base + "/mcp", "--transport", "http"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return gjson.ParseBytes(out)
	}
	t.Run("E5 the inspector lists the tools", func(t *testing.T) {
		require.Equal(t, `["exec","wait"]`, inspect(t, "--method", "tools/list").Get("tools.#.name").Raw)
	})
	t.Run("E5 the inspector runs a cell", func(t *testing.T) {
		r := inspect(t, "--method", "tools/call", "--tool-name", "exec", "--tool-arg", `code=return (await MCP.wiki.lookUp({page: "x"})).content[0].text`)
		require.Equal(t, "found", gjson.Get(r.Get("content.0.text").Str, "value").Str)
	})
	http.DefaultClient.CloseIdleConnections()
	require.Equal(t, exitOK, stop().status)
}
