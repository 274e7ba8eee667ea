//go:build npm

package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/catalog"
)

// bin is where the npm packages of the folder peers have their commands.
func bin(t *testing.T, command string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("peers", "node_modules", ".bin", command))
	require.NoError(t, err)
	require.FileExists(t, path, "run this with make peers")
	return path
}

// everything is the reference server with one of everything, at an HTTP endpoint.
func everything(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	cmd := exec.Command(bin(t, "mcp-server-everything"), "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
}

// declarations are the files of a turn with these tools, compiled.
func declarations(t *testing.T, tools []catalog.Tool) {
	t.Helper()
	entries, err := catalog.New(tools, catalog.Policy{})
	require.NoError(t, err)
	dir := t.TempDir()
	args := []string{"--strict", "--noEmit", "--target", "es2022"}
	for _, f := range gjson.ParseBytes(entries.Guest().Files).Array() {
		full := filepath.Join(dir, filepath.FromSlash(f.Get("path").Str))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(f.Get("content").Str), 0o644))
		args = append(args, full)
	}
	out, err := exec.Command(bin(t, "tsc"), args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestReferenceServers(t *testing.T) {
	docs := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(docs, "a.txt"), []byte("some text"), 0o644))
	s := open(t, map[string]Config{
		"everything": {Command: bin(t, "mcp-server-everything")}, "remote": {URL: everything(t)},
		"files":  {Command: bin(t, "mcp-server-filesystem"), Args: []string{docs}, Exclude: []string{"write_*", "edit_*"}},
		"memory": {Command: bin(t, "mcp-server-memory"), Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(docs, "memory.jsonl")}},
		"think":  {Command: bin(t, "mcp-server-sequential-thinking")},
		"rogue":  stdio(t, map[string]string{"FIXTURE": "hostile"}),
	})
	var all []catalog.Tool
	require.Eventually(t, func() bool { // the remote one may still have to begin listening
		var warnings []string
		all, warnings = s.Tools(t.Context(), "", []string{All})
		return len(warnings) == 0
	}, time.Minute, 100*time.Millisecond)
	t.Run("E3 their declarations compile", func(t *testing.T) { declarations(t, all) })
	for _, server := range []string{"everything", "remote"} {
		text := func(t *testing.T, tool, input string) string {
			t.Helper()
			r, err := call(t.Context(), t, s, "", server, tool, input, nil)
			require.NoError(t, err)
			return r.Get("content.0.text").Str
		}
		t.Run("E1 "+server, func(t *testing.T) {
			require.Equal(t, "Echo: hi", text(t, "echo", `{"message":"hi"}`))
			require.Contains(t, text(t, "get-sum", `{"a":1,"b":2}`), "3")
			r, err := call(t.Context(), t, s, "", server, "get-structured-content", `{"location":"New York"}`, nil)
			require.NoError(t, err)
			require.True(t, r.Get("structuredContent.temperature").Exists())
			r, err = call(t.Context(), t, s, "", server, "get-tiny-image", `{}`, nil)
			require.NoError(t, err)
			require.Contains(t, r.Get("content.#.type").Raw, "image")
			r, err = call(t.Context(), t, s, "", server, "get-resource-reference", `{"resourceType":"Text","resourceId":1}`, nil)
			require.NoError(t, err)
			require.Contains(t, r.Get("content.#.type").Raw, "resource")
			r, err = call(t.Context(), t, s, "", server, "resources_list", `{}`, nil)
			require.NoError(t, err)
			r, err = call(t.Context(), t, s, "", server, "resources_read", fmt.Sprintf(`{"uri":%q}`, r.Get("resources.0.uri").Str), nil)
			require.NoError(t, err)
			require.NotEmpty(t, r.Get("contents.0.uri").Str)
			r, err = call(t.Context(), t, s, "", server, "prompts_list", `{}`, nil)
			require.NoError(t, err)
			r, err = call(t.Context(), t, s, "", server, "prompts_get", fmt.Sprintf(`{"name":%q}`, r.Get("prompts.0.name").Str), nil)
			require.NoError(t, err)
			require.NotEmpty(t, r.Get("messages").Array())
		})
		t.Run("E4 progress of "+server, func(t *testing.T) {
			heard := make(chan float64, 64)
			_, err := call(t.Context(), t, s, "", server, "trigger-long-running-operation", `{"duration":1,"steps":2}`, func(done, _ float64, _ string) { heard <- done })
			require.NoError(t, err)
			require.NotEmpty(t, heard)
		})
	}
	t.Run("E4 a file server, filtered", func(t *testing.T) {
		require.False(t, slices.ContainsFunc(all, func(tool catalog.Tool) bool { return strings.HasPrefix(tool.Name, "write_") }))
		r, err := call(t.Context(), t, s, "", "files", "read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(docs, "a.txt")), nil)
		require.NoError(t, err)
		require.Equal(t, "some text", r.Get("content.0.text").Str)
		r, err = call(t.Context(), t, s, "", "files", "read_text_file", `{"path":"/etc/passwd"}`, nil)
		require.NoError(t, err)
		require.True(t, r.Get("isError").Bool())
	})
	t.Run("E4 a memory, and a thought", func(t *testing.T) {
		_, err := call(t.Context(), t, s, "", "memory", "create_entities", `{"entities":[{"name":"a","entityType":"b","observations":["c"]}]}`, nil)
		require.NoError(t, err)
		r, err := call(t.Context(), t, s, "", "memory", "read_graph", `{}`, nil)
		require.NoError(t, err)
		require.Equal(t, "a", r.Get("structuredContent.entities.0.name").Str)
		r, err = call(t.Context(), t, s, "", "think", "sequentialthinking", `{"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, nil)
		require.NoError(t, err)
		require.False(t, r.Get("isError").Bool())
	})
}

func TestReferenceBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	require.NoError(t, err, "run this with make peers")
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>A page</title><h1>Stock</h1><p id="n">41</p><button onclick="n.textContent++">More</button>`)
	}))
	defer page.Close()
	s := open(t, map[string]Config{"browser": {
		Command: bin(t, "playwright-mcp"),
		Args:    []string{"--headless", "--isolated", "--no-sandbox", "--executable-path", chromium, "--output-dir", t.TempDir()},
	}})
	tools, warnings := s.Tools(t.Context(), "", []string{All})
	require.Empty(t, warnings)
	t.Run("E3 its declarations compile", func(t *testing.T) { declarations(t, tools) })
	use := func(t *testing.T, tool, input string) gjson.Result {
		t.Helper()
		r, err := call(t.Context(), t, s, "", "browser", tool, input, nil)
		require.NoError(t, err)
		require.False(t, r.Get("isError").Bool(), r.Raw)
		return r
	}
	t.Run("E4 a browser reads a page and presses its button", func(t *testing.T) {
		require.Contains(t, use(t, "browser_navigate", fmt.Sprintf(`{"url":%q}`, page.URL)).Get("content.0.text").Str, "A page")
		use(t, "browser_click", `{"element":"More","target":"button"}`)
		require.Contains(t, use(t, "browser_evaluate", `{"function":"() => n.textContent"}`).Get("content.0.text").Str, `"42"`)
	})
	t.Run("E1 its picture of the page is a result", func(t *testing.T) {
		images := use(t, "browser_take_screenshot", `{"type":"png"}`).Get(`content.#(type=="image")`)
		require.Equal(t, "image/png", images.Get("mimeType").Str)
		require.NotEmpty(t, images.Get("data").Str)
	})
	t.Run("E1 what it refuses is a result that says so", func(t *testing.T) {
		r, err := call(t.Context(), t, s, "", "browser", "browser_navigate", `{"url":"no://such"}`, nil)
		require.NoError(t, err)
		require.True(t, r.Get("isError").Bool())
	})
	use(t, "browser_close", `{}`)
}
