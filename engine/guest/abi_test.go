//go:build cgo

package guest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// engineHeaders is where the engine's own headers are: in the module that its objects come from.
func engineHeaders(t *testing.T) string {
	t.Helper()
	const module = "github.com/buke/quickjs-go"
	// A module that was not downloaded yet has no folder.
	out, err := exec.Command("go", "mod", "download", module).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "deps", "quickjs")
}

// values runs abi_values.c against the abi.h in a directory.
func values(t *testing.T, abi string, flags ...string) (string, error) {
	t.Helper()
	program, err := build(t, "testdata/abi_values.c", append([]string{"-I", abi}, flags...)...)
	if err != nil {
		return "", err
	}
	out, err := exec.Command(program).Output()
	return string(out), err
}

// changed copies abi.h with one text replaced into a directory of its own.
func changed(t *testing.T, from, to string) string {
	t.Helper()
	abi, err := os.ReadFile("abi.h")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(abi), from), "%s", from)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "abi.h"), []byte(strings.Replace(string(abi), from, to, 1)), 0o600))
	return dir
}

func TestABI(t *testing.T) {
	check := []string{"-DCODECELL_ABI_CHECK", "-isystem", engineHeaders(t)}
	truth, err := values(t, ".", check...)
	require.NoError(t, err, "a prototype in abi.h is not the engine's")
	t.Run("H3 constants, sizes and layouts are the engine's", func(t *testing.T) {
		ours, err := values(t, ".")
		require.NoError(t, err)
		require.Equal(t, truth, ours)
	})
	t.Run("H3 all of the guest compiles against the engine's header", func(t *testing.T) {
		files, err := filepath.Glob("*.c")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if file == "wasi.c" {
				continue // it includes the engine itself, and is built by make guest
			}
			out, err := cc(t, append(check, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-include", "quickjs.h", file)...)
			require.NoError(t, err, "%s", out)
		}
	})
	for _, c := range []struct{ rule, from, to string }{
		{"a parameter more", "JSValue JS_ToString(JSContext *ctx, JSValueConst val)", "JSValue JS_ToString(JSContext *ctx, JSValueConst val, int x)"},
		{"another type", "int JS_ToInt32(JSContext *ctx, int32_t *pres", "int JS_ToInt32(JSContext *ctx, int64_t *pres"},
		{"another result", "bool JS_IsArray(JSValueConst val)", "int JS_IsArray(JSValueConst val)"},
		{"another callback", "typedef int JSInterruptHandler(JSRuntime *rt, void *opaque)", "typedef void JSInterruptHandler(JSRuntime *rt, void *opaque)"},
	} {
		t.Run("H3 a prototype with "+c.rule+" would be found", func(t *testing.T) {
			_, err := values(t, changed(t, c.from, c.to), check...)
			require.Error(t, err)
		})
	}
	for _, c := range []struct{ rule, from, to string }{
		{"constant", "#define JS_GPN_ENUM_ONLY (1 << 4)", "#define JS_GPN_ENUM_ONLY (1 << 5)"},
		{"tag", "JS_TAG_FLOAT64 = 8", "JS_TAG_FLOAT64 = 7"},
		{"layout", "\tint version;\n\tint eval_flags;", "\tint eval_flags;\n\tint version;"},
	} {
		t.Run("H3 another "+c.rule+" would be found", func(t *testing.T) {
			ours, err := values(t, changed(t, c.from, c.to))
			require.NoError(t, err)
			require.NotEqual(t, truth, ours)
		})
	}
}
