package catalog

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// filesOf are a catalog's virtual files by path.
func filesOf(t testing.TB, tools ...Tool) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, f := range gjson.ParseBytes(mustNew(t, tools...).Guest().Files).Array() {
		path, content := f.Get("path").String(), f.Get("content").String()
		require.NotContains(t, files, path)
		require.EqualValues(t, len(content), f.Get("bytes").Int(), "E3 bytes are UTF-8 bytes")
		require.NotEmpty(t, f.Get("description").String())
		files[path] = content
	}
	return files
}

func TestFiles(t *testing.T) {
	files := filesOf(t, mcpTools()...)
	t.Run("E3 one file a server and one an owner", func(t *testing.T) {
		require.Len(t, files, 5)
		for _, path := range []string{"mcp/index.d.ts", "mcp/chromeDevtools.d.ts", "mcp/docs.d.ts", "mcp/github.d.ts", "tools/lab.d.ts"} {
			require.Contains(t, files, path)
		}
	})
	t.Run("E3 index", func(t *testing.T) {
		index := files["mcp/index.d.ts"]
		for _, part := range []string{
			"/// <reference path=\"./github.d.ts\" />\n", "./chromeDevtools.d.ts", "readonly github: typeof MCP.github;",
			"$api(): Promise<McpApiHeader>;", "type McpApiHeader = { header: string; servers?: unknown[] };",
		} {
			require.Contains(t, index, part)
		}
	})
	t.Run("E3 a function with its comment and its input", func(t *testing.T) {
		require.Contains(t, files["mcp/github.d.ts"], `
  /**
   * Create a GitHub issue.
   * Second line.
   *
   * @param owner Repository owner
   * @param repo Repository name
   * @param title Issue title Shown in tracker
   */
  function createIssue(
    input: {
      /** Repository owner */
      owner: string;
      /** Repository name */
      repo: string;
      /** Issue title Shown in tracker */
      title: string;
      /** Default: "". */
      body?: string;
      /** Default: 3. */
      count?: number;
      labels?: string[];
      state?: "open" | "closed";
      "dash-key"?: string;
    }
  ): Promise<McpToolResult>;
`)
		require.Contains(t, files["mcp/github.d.ts"], "declare namespace MCP.github {\n")
		require.Contains(t, files["mcp/github.d.ts"], "function $api(toolName?: string")
	})
	t.Run("E3 groups", func(t *testing.T) {
		docs := files["mcp/docs.d.ts"]
		require.Contains(t, docs, `
  namespace resources {
    function list(
      input?: Record<string, never>
    ): Promise<McpToolResult>;

    function read(
      input: {
        uri: string;
      }
    ): Promise<McpToolResult>;
  }
}
`)
		require.Less(t, strings.Index(docs, "namespace prompts"), strings.Index(docs, "namespace resources"))
	})
	t.Run("E3 tools outside MCP", func(t *testing.T) {
		require.Equal(t, `interface CodeModeTools {
  /**
   * Keep a note
   */
  note(input?: Record<string, never>): Promise<unknown>;
}

declare var tools: CodeModeTools;
`, files["tools/lab.d.ts"])
	})
}

func TestFilesAreShort(t *testing.T) {
	wide := `{"type":"object","properties":{"` + strings.Repeat("k", 300) + `":{"description":"d"}}}`
	files := filesOf(t, mcpToolOf("s", "a", strings.Repeat("line\n", 50)).with(wide))
	t.Run("E3 at most twelve lines of description", func(t *testing.T) {
		require.Equal(t, 12, strings.Count(files["mcp/s.d.ts"], " * line"))
	})
	t.Run("E3 a key that no one would print", func(t *testing.T) {
		require.Contains(t, files["mcp/s.d.ts"], "function a(\n    input?: Record<string, unknown>\n  )")
		require.NotContains(t, files["mcp/s.d.ts"], "kkk")
	})
}

func TestFilesOfOddOwners(t *testing.T) {
	files := filesOf(t,
		tool("../../etc", "a", ""), tool("a/b", "b", ""), tool("aB", "c", ""), tool(".hidden", "d", ""),
		clientTool("aB", "e", ""), tool("日本", "f", ""), tool("..", "g", ""),
	)
	for path := range files {
		require.Regexp(t, `^tools/[A-Za-z0-9][A-Za-z0-9_.-]*\.d\.ts$`, path, "E3 no owner escapes its folder")
	}
	require.Len(t, files, 6, "E3 tools of one owner share a file, others never do")
}

var notCode = regexp.MustCompile(`(?s)/\*.*?\*/|"(\\.|[^"\\])*"`)

// code is a declaration without its comments and strings.
func code(content string) string { return notCode.ReplaceAllString(content, "") }

// hostileText tries to end whatever it is put into.
const hostileText = "x */ } declare const evil: any; /* ${1} ``` \u2028 // *\u0000/ **/ \r\n */"

func TestFilesResistText(t *testing.T) {
	schema := `{"type":"object","properties":{"title":{"type":"string","description":` + quote(hostileText) + `,"default":` + quote(hostileText) + `},` +
		quote(hostileText) + `:{"enum":[` + quote(hostileText) + `],"description":"d"}},"required":[` + quote(hostileText) + `]}`
	for path, content := range filesOf(t,
		mcpToolOf("github", "create_issue", hostileText).with(schema), tool("core", "read", hostileText).with(schema),
	) {
		require.NotContains(t, content, "*/ }", "E3 %s", path)
		require.NotContains(t, code(content), "evil", "E3 descriptions can't end a comment of %s", path)
		require.NotContains(t, code(content), "*/")
	}
}

// TestFilesCompile runs the declarations through the TypeScript compiler where
// there is one: TSC names the command, else tsc is looked for.
func TestFilesCompile(t *testing.T) {
	tsc := os.Getenv("TSC")
	if tsc == "" {
		found, err := exec.LookPath("tsc")
		if err != nil {
			t.Logf("no TypeScript compiler here: only the structure is checked")
		}
		tsc = found
	}
	files := filesOf(t, compilerTools()...)
	dir := t.TempDir()
	var paths []string
	for path, content := range files {
		require.Equal(t, strings.Count(code(content), "{"), strings.Count(code(content), "}"), "E3 braces of %s", path)
		full := filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
		paths = append(paths, full)
	}
	if tsc == "" {
		return
	}
	use := filepath.Join(dir, "use.ts")
	require.NoError(t, os.WriteFile(use, []byte(compilerUse), 0o644))
	runs := [][]string{append(paths, use)}
	for _, alone := range []string{"mcp/index", "mcp/gh", "mcp/docs", "tools/words"} {
		runs = append(runs, []string{filepath.Join(dir, filepath.FromSlash(alone+".d.ts"))})
	}
	for _, run := range runs {
		out, err := exec.Command(tsc, append([]string{"--strict", "--noEmit", "--target", "es2022"}, run...)...).CombinedOutput()
		require.NoError(t, err, "E3 %v\n%s", run, out)
	}
}

// compilerTools adds every word that JavaScript reserves, as a tool, as an MCP
// tool and as a server.
func compilerTools() []Tool {
	tools := append(mcpTools(), oddTools()...)
	for _, w := range strings.Fields(`break case catch class const continue debugger default delete do else enum export
		extends false finally for function if import in instanceof new null return super switch this throw true try typeof
		var void while with let static yield await async implements interface package private protected public abstract as
		any asserts bigint declare from get global infer is keyof module namespace never of object out readonly require set
		string symbol type undefined unique unknown eval arguments accessor satisfies using NaN Infinity constructor __proto__
		Record Promise2 McpToolResult McpApiHeader`) {
		tools = append(tools, tool("words", w, "d").with(createIssueSchema), mcpToolOf("words", w, "d"),
			mcpToolOf(w, "x", hostileText).with(createIssueSchema))
	}
	return append(tools,
		tool("core", "odd-name", hostileText).with(`{"type":"object","properties":{"*/":{"description":"a */ b"},"a b":{"enum":["*/",null,1]}}}`),
		clientTool("words", "client-side", ""), clientTool("app", "pick", ""))
}

const compilerUse = `
const made: Promise<unknown> = MCP.github.createIssue({ owner: "o", repo: "r", title: "t", state: "open", "dash-key": "x" });
const removed: Promise<unknown> = MCP.gh.delete();
const read: Promise<unknown> = MCP.docs.resources.read({ uri: "memo://one" });
const name: string = MCP.github.$serverName;
const root: Promise<{ header: string }> = MCP.$api();
const one: Promise<{ header: string }> = MCP.github.$api("createIssue", { schema: true });
const word: Promise<unknown> = tools.delete({ owner: "o", repo: "r", title: "t" });
const odd: Promise<unknown> = tools.callValue("openclaw:core:odd-name", { "a b": null });
// @ts-expect-error title is required
MCP.github.createIssue({ owner: "o", repo: "r" });
export { made, removed, read, name, root, one, word, odd };
`
