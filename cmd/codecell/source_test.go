package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettingPaths(t *testing.T) {
	for path, want := range map[string]string{
		"listen": "listen", "engine.threads": "engine.threads", "tenants.a.maxSteps": "tenants.*.maxSteps",
		"tenants.a.b.codeMode": "tenants.*.codeMode", "hooks[3].headers": "hooks[].headers", "hooks[12].url": "hooks[].url",
		"mcpServers.files.env": "mcpServers.*.env", "agents.a.tools.codeMode": "agents.*.tools.codeMode",
	} {
		s := settingAt(path)
		require.NotNil(t, s, path)
		require.Equal(t, want, s.path)
	}
	for _, path := range []string{"", "x", "engine.thread", "hooks.url", "hooks[1]", "tenants.maxSteps", "listen.x"} {
		require.Nil(t, settingAt(path), path)
	}
}

func TestKeyLines(t *testing.T) {
	const text = `// a: 1
{ a: 1, /* b:
 */ 'b': {"c d": [1, {e: "x}", f: '\'{'}
   , 2]},
	h: -Infinity, "i": {}, j: []
}`
	require.Equal(t, map[string]int{
		"a": 2, "b": 3, "b.c d": 3, "b.c d[0]": 3, "b.c d[1]": 3, "b.c d[1].e": 3, "b.c d[1].f": 3, "b.c d[2]": 4, "h": 5, "i": 5, "j": 5,
	}, keyLines([]byte(text)))
}

func FuzzKeyLines(f *testing.F) {
	f.Add([]byte(`{a: [1, {b: "c"}], /* */ d: 'e'} // f`))
	f.Add([]byte("{a"))
	f.Fuzz(func(_ *testing.T, text []byte) { keyLines(text) })
}

func TestLayers(t *testing.T) {
	path := file(t, "c.json5", "{\n  listen: '127.0.0.1:1',\n  engine: {threads: 1,\n    queue: 2},\n  executors: {signingKey: 'from-file-from-file', hosts: []}\n}")
	t.Run("I1 variables win over the file, and flags over them", func(t *testing.T) {
		t.Setenv("CODECELL_ENGINE_THREADS", "5")
		t.Setenv("CODECELL_ENGINE_QUEUE", "6")
		t.Setenv("CODECELL_EXECUTORS_HOSTS", "public, 10.0.0.0/8")
		t.Setenv("CODECELL_TOOLS_CODE_MODE", "{timeoutMs: 700}")
		t.Setenv("CODECELL_SERVICE_HOST", "of somebody else")
		got := codecell(t, "", "config", "print", "--config", path, "--set", "engine.queue=7", "--log-level", "warn")
		require.Equal(t, exitOK, got.status, got.err)
		for _, line := range []string{
			`listen = "127.0.0.1:1" +// .*c.json5:2`, `engine.threads = 5 +// CODECELL_ENGINE_THREADS`, `engine.queue = 7 +// --set`,
			`logLevel = "warn" +// --log-level`, `executors.hosts = \["public","10.0.0.0/8"\] +// CODECELL_EXECUTORS_HOSTS`,
			`tools.codeMode.timeoutMs = 700 +// CODECELL_TOOLS_CODE_MODE`, `graceSeconds = 30 +// default`,
			`executors.signingKey = \(hidden\) +// .*c.json5:5`,
		} {
			require.Regexp(t, "(?m)^"+line+"$", got.out)
		}
		require.NotContains(t, got.out, "from-file")
		require.NotContains(t, got.out, "turns.max", "what nobody has set and the service decides")
	})
	t.Run("I1 secrets in lists and maps are not shown", func(t *testing.T) {
		got := codecell(t, "", "config", "print", "--config", file(t, "c.json5", `{
			hooks: [{url: "https://a.example", headers: {A: "secret-1"}}], executors: {signingKeys: {a: "secret-2-secret-2"}},
			snapshot: {key: "secret-3-secret-3"}, mcpServers: {a: {command: "x", env: {T: "secret-4"}}}}`))
		require.Equal(t, exitOK, got.status, got.err)
		require.NotContains(t, got.out, "secret-")
		require.Equal(t, 4, strings.Count(got.out, "(hidden)"))
	})
	for _, tc := range []struct {
		name string
		args []string
		env  map[string]string
		says string
	}{
		{"a mistake found later has its line too", []string{"--config", file(t, "c.json5", "{\n\n  engine: {\n    mode: 'fast'}}")}, nil, "c.json5:4: engine.mode must be one of auto"},
		{"so has one of code mode", []string{"--config", file(t, "c.json5", "{tools: {codeMode: {\n  timeoutMS: 1}}}")}, nil, "c.json5:2: tools.codeMode: unknown key"},
		{"a variable of the wrong kind", nil, map[string]string{"CODECELL_ENGINE_THREADS": "many"}, "CODECELL_ENGINE_THREADS: engine.threads must be an integer"},
		{"a variable whose value can't be", nil, map[string]string{"CODECELL_LOG_LEVEL": "loud"}, "CODECELL_LOG_LEVEL: logLevel must be debug"},
		{"a flag for a key that there is not", []string{"--set", "engine.thread=1"}, nil, `--set: unknown key "engine.thread"; did you mean "engine.threads"?`},
		{"a flag without a value", []string{"--set", "listen"}, nil, "KEY=VALUE"},
	} {
		t.Run("I1 "+tc.name, func(t *testing.T) {
			for name, value := range tc.env {
				t.Setenv(name, value)
			}
			got := codecell(t, "", append([]string{"config", "check"}, tc.args...)...)
			require.Equal(t, exitUsage, got.status)
			require.Contains(t, got.err, tc.says)
		})
	}
	t.Run("I1 a config that can be used", func(t *testing.T) {
		got := codecell(t, "", "config", "check", "--config", path)
		require.Equal(t, outcome{exitOK, "The config can be used.\n", ""}, got)
	})
}

var update = flag.Bool("update", false, "write docs/config.md anew")

// TestConfigReference holds docs/config.md to the table.
func TestConfigReference(t *testing.T) {
	const path = "../../docs/config.md"
	want := reference(t)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "make it anew with go test ./cmd/codecell -run ConfigReference -update")
}

// reference is the table as a document, with the comments of the fields.
func reference(t *testing.T) string {
	var out strings.Builder
	out.WriteString("# The config file\n\nEvery key that `codecell serve --config FILE` knows. It is made of the table in the code, and a test compares the two. " +
		"`*` stands for any name, `[]` for each item of a list. A variable of the environment wins over the file, and `--set KEY=VALUE` over both; " +
		"a list of texts may be written with commas there, anything else that is no text in JSON5. What is *live* is read again at SIGHUP. " +
		"The keys of `tools.codeMode` are in the [README](../README.md#configuration).\n\n| key | | variable | |\n|---|---|---|---|\n")
	comments := map[string]map[string]string{}
	for _, s := range settings() {
		dir := strings.Replace(s.of.PkgPath(), "github.com/codecell/codecell", "../..", 1)
		if s.of.PkgPath() == "main" || strings.HasSuffix(dir, "cmd/codecell") {
			dir = "."
		}
		if comments[dir] == nil {
			comments[dir] = commentsOf(t, dir)
		}
		variable, live := s.variable(), ""
		if variable != "" {
			variable = "`" + variable + "`"
		}
		if s.live() {
			live = " *Live.*"
		}
		comment := comments[dir][s.of.Name()+"."+s.field.Name]
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s%s |\n", s.path, kindOf(s.field.Type), variable, strings.ReplaceAll(comment, "|", `\|`), live)
	}
	return out.String()
}

// commentsOf returns the comments of the fields of a package's structs, by type and field. One comment may be for several.
func commentsOf(t *testing.T, dir string) map[string]string {
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), dir+"/"+entry.Name(), nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			object, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			last := ""
			for _, field := range object.Fields.List {
				if text := field.Doc.Text(); text != "" {
					last = strings.Join(strings.Fields(text), " ")
				}
				for _, name := range field.Names {
					found[spec.Name.Name+"."+name.Name] = last
				}
			}
			return true
		})
	}
	return found
}

func TestSettings(t *testing.T) {
	variables := map[string]string{}
	for _, s := range settings() {
		require.NotEmpty(t, keyOf(s.field), "%s.%s has no key", s.of, s.field.Name)
		require.NotEqual(t, reflect.Interface, s.field.Type.Kind(), s.path)
		if v := s.variable(); v != "" {
			require.Empty(t, variables[v], "%s and %s have one variable", s.path, variables[v])
			variables[v] = s.path
		}
	}
	require.Equal(t, "tools.codeMode", variables["CODECELL_TOOLS_CODE_MODE"])
	require.Equal(t, "mcpServers", variables["CODECELL_MCP_SERVERS"])
	require.Equal(t, "http.maxTenantBodyBytes", variables["CODECELL_HTTP_MAX_TENANT_BODY_BYTES"])
}
