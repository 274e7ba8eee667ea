// Package codecell_test holds the repository to its own promises: what no single package can test.
package codecell_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/codecell/codecell/"

// mayImport says for each package which others of this module its code may know; tests may know more. Imports go one
// way: cmd, server, bridge, then catalog and engine side by side.
var mayImport = map[string][]string{
	"bench":                    {},
	"bench/growth":             {},
	"bench/peers":              {"bench/suite", "engine/aot", "engine/hybrid", "engine/native", "engine/purego", "engine/wasi"},
	"bench/rates":              {"bench", "bench/suite"},
	"bench/soak":               {},
	"bench/suite":              {"bench", "bridge", "bridge/config", "catalog", "engine", "server", "snapshot"},
	"bridge":                   {"bridge/approval", "bridge/config", "bridge/events", "bridge/executor", "bridge/hook", "bridge/internal/account", "bridge/internal/jsontext", "bridge/outbound", "bridge/redact", "bridge/store", "bridge/trajectory", "catalog", "engine", "engine/script", "namespaces", "snapshot"},
	"bridge/approval":          {"bridge/executor", "bridge/internal/account", "catalog"},
	"bridge/audit":             {},
	"bridge/config":            {"engine/typo"},
	"bridge/events":            {"bridge/internal/account"},
	"bridge/executor":          {"bridge/internal/breaker", "bridge/internal/jsontext", "bridge/outbound", "catalog", "engine/typo"},
	"bridge/hook":              {"bridge/executor", "bridge/internal/jsontext", "bridge/outbound", "catalog", "engine/typo"},
	"bridge/redact":            {"bridge/internal/jsontext"},
	"bridge/store":             {"bridge/internal/account"},
	"bridge/trajectory":        {"bridge/internal/account", "bridge/internal/jsontext", "bridge/redact"},
	"bridge/outbound":          {"bridge/tracecontext"},
	"bridge/tracecontext":      {},
	"bridge/internal/account":  {},
	"bridge/internal/breaker":  {},
	"bridge/internal/jsontext": {},
	"catalog":                  {"engine/typo"},
	"cmd/codecell":             {"bench/suite", "bridge", "bridge/approval", "bridge/audit", "bridge/config", "bridge/executor", "bridge/hook", "bridge/outbound", "bridge/redact", "engine", "engine/aot", "engine/hybrid", "engine/native", "engine/preparer", "engine/purego", "engine/wasi", "engine/worker", "namespaces/mcp", "server", "server/admin", "server/keyring", "server/mcpserver", "server/telemetry/logs", "server/telemetry/metrics", "server/telemetry/traces", "engine/typo"},
	"cmd/demo":                 {},
	"engine":                   {"engine/internal/wire"},
	"engine/aot":               {"engine", "engine/aot/code", "engine/guest", "engine/internal/courtesy", "engine/internal/linear", "engine/internal/sizes", "engine/internal/stepper", "engine/wasi"},
	"engine/aot/code":          {},
	"engine/differential":      {},
	"engine/enginetest":        {"engine"},
	"engine/internal/limiter":  {"engine"},
	"engine/guest":             {},
	"engine/hybrid":            {"engine", "engine/internal/journal"},
	"engine/internal/courtesy": {"engine/guest"},
	"engine/internal/journal":  {"engine"},
	"engine/internal/linear":   {"engine", "engine/guest", "engine/internal/stepper"},
	"engine/native":            {"engine", "engine/guest", "engine/internal/courtesy", "engine/internal/limiter", "engine/internal/sizes", "engine/internal/stepper"},
	"engine/purego":            {"engine", "engine/guest", "engine/internal/limiter", "engine/internal/sizes", "engine/internal/stepper", "engine/internal/wire"},
	"engine/internal/child":    {},
	"engine/internal/frame":    {},
	"engine/preparer":          {"engine/internal/child", "engine/internal/frame", "engine/internal/wire", "engine/script", "engine/worker/sandbox"},
	"engine/typo":              {},
	"engine/script":            {"engine/internal/wire", "engine/typo"},
	"engine/internal/sizes":    {},
	"engine/internal/stepper":  {"engine", "engine/internal/limiter", "engine/internal/thread"},
	"engine/internal/thread":   {},
	"engine/wasi":              {"engine", "engine/guest", "engine/internal/linear", "engine/internal/sizes", "engine/internal/stepper"},
	"engine/wasi/fuel":         {},
	"engine/internal/wire":     {},
	"engine/worker":            {"engine", "engine/internal/journal", "engine/internal/child", "engine/internal/frame", "engine/internal/limiter", "engine/internal/sizes", "engine/internal/wire", "engine/worker/sandbox"},

	"engine/worker/sandbox":             {},
	"engine/worker/sandbox/sandboxtest": {},

	"engine/internal/frame/frametest": {},

	"engine/wasi/fuel/addfuel": {"engine/wasi/fuel"},
	"namespaces":               {},
	"namespaces/mcp":           {"bridge/executor", "bridge/tracecontext", "catalog"},
	"server":                   {"bridge", "bridge/approval", "bridge/config", "bridge/events", "bridge/tracecontext", "catalog", "namespaces", "server/keyring", "engine/typo"},
	"server/admin":             {"server", "server/keyring"},
	"server/keyring":           {},
	"server/contracttest":      {},
	"server/mcpserver":         {"bridge"},
	"server/telemetry/logs":    {"bridge", "bridge/redact", "catalog"},
	"server/telemetry/metrics": {"bridge", "engine/preparer", "engine/worker"},
	"server/telemetry/traces":  {},
	"snapshot":                 {},
	"snapshot/storetest":       {"snapshot"},
}

// maxLines is where a file has got more than one noun.
const maxLines = 600

// sources calls f with every file of the repository that has one of the endings.
func sources(t *testing.T, endings []string, f func(t *testing.T, path string, text []byte)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "bin" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains(endings, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f(t, filepath.ToSlash(path), text)
		}
		return err
	}))
}

// packages parses the files of every package that are not tests, up to their imports.
func packages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	found := map[string][]*ast.File{}
	sources(t, []string{".go"}, func(t *testing.T, path string, text []byte) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata/") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		require.NoError(t, err)
		found[dir] = append(found[dir], file)
	})
	return found
}

func TestPackages(t *testing.T) {
	for dir, files := range packages(t) {
		t.Run(dir+" says what it owns", func(t *testing.T) {
			documented := slices.ContainsFunc(files, func(f *ast.File) bool { return f.Doc != nil })
			require.True(t, documented, "a package comment, in doc.go")
		})
		t.Run(dir+" knows only what it may", func(t *testing.T) {
			allowed, listed := mayImport[dir]
			require.True(t, listed, "say in mayImport what this package may import")
			for _, file := range files {
				for _, spec := range file.Imports {
					name := strings.Trim(spec.Path.Value, `"`)
					if own, ok := strings.CutPrefix(name, module); ok {
						require.Contains(t, allowed, own)
					}
					if name == "C" {
						require.Equal(t, "engine/guest", dir, "C is called from one package")
					}
				}
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Run("no file has outgrown its noun", func(t *testing.T) {
		sources(t, []string{".go", ".c", ".h", ".js", ".ts", ".sh"}, func(t *testing.T, path string, text []byte) {
			require.LessOrEqual(t, bytes.Count(text, []byte("\n")), maxLines, path)
		})
	})
	t.Run("no test is skipped and no work is put off", func(t *testing.T) {
		skipped := regexp.MustCompile(`\b[tb]\.[S]kip(f|Now)?\(`)
		putOff := regexp.MustCompile(`\b([T]ODO|[F]IXME|[X]XX)\b`)
		sources(t, []string{".go", ".c", ".h", ".js", ".sh", ".md"}, func(t *testing.T, path string, text []byte) {
			require.Empty(t, string(skipped.Find(text)), path)
			require.Empty(t, string(putOff.Find(text)), path)
		})
	})
	t.Run("the tests that SECURITY.md names are there", func(t *testing.T) {
		security, err := os.ReadFile("SECURITY.md")
		require.NoError(t, err)
		named := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllSubmatch(security, -1)
		require.NotEmpty(t, named)
		var tests bytes.Buffer
		sources(t, []string{".go"}, func(_ *testing.T, path string, text []byte) {
			if strings.HasSuffix(path, "_test.go") {
				tests.Write(text)
			}
		})
		for _, name := range named {
			require.Contains(t, tests.String(), "func "+string(name[1])+"(t *testing.T)")
		}
	})
}

func TestMaps(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	t.Run("ARCHITECTURE.md lists the packages that there are", func(t *testing.T) {
		_, list, _ := strings.Cut(string(text), "## Packages")
		_, list, _ = strings.Cut(list, "```\n")
		list, _, _ = strings.Cut(list, "\n```")
		var listed []string
		for line := range strings.Lines(list) {
			listed = append(listed, strings.Fields(line)[0])
		}
		there := map[string]bool{}
		sources(t, []string{".go"}, func(_ *testing.T, path string, _ []byte) {
			if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." && !strings.Contains(dir, "testdata") {
				there[dir] = true
			}
		})
		require.ElementsMatch(t, slices.Collect(maps.Keys(there)), listed)
	})

	words := map[string]bool{}
	word := regexp.MustCompile(`\w+`)
	sources(t, []string{".go", ".c", ".h", ".js", ".sh", ".json", ".md"}, func(_ *testing.T, path string, text []byte) {
		if filepath.Ext(path) == ".md" {
			text = nil // documents don't vouch for each other
		}
		for _, w := range word.FindAll(append([]byte(path+"\n"), text...), -1) {
			words[string(w)] = true
		}
	})
	quoted := regexp.MustCompile("`([^`\n]+)`")
	file := regexp.MustCompile(`^[a-z][\w-]*(/[\w.-]+)+\.(go|c|h|js|sh|md|json)$`)
	name := regexp.MustCompile(`^[A-Za-z]\w*(\.[A-Za-z]\w*)*$`)
	for _, document := range []string{"ARCHITECTURE.md", "RATIONALE.md"} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		found := 0
		t.Run("what "+document+" names is there", func(t *testing.T) {
			for _, m := range quoted.FindAllSubmatch(text, -1) {
				switch q := string(m[1]); {
				case file.MatchString(q):
					found++
					require.FileExists(t, q)
				case document == "ARCHITECTURE.md" && name.MatchString(q): // RATIONALE.md also names what was turned down
					for _, part := range word.FindAllString(q, -1) {
						require.True(t, words[part], "%s names %s, and no source has %s", document, q, part)
					}
				}
			}
			require.NotZero(t, found)
		})
	}
}
