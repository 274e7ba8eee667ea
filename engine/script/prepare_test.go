package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSize(t *testing.T) {
	exactly := "/*" + strings.Repeat("x", DefaultMaxBytes-4) + "*/"
	t.Run("B1 at the limit", func(t *testing.T) {
		require.Empty(t, refusal(t, exactly, JavaScript))
	})
	t.Run("B1 over the limit, before anything else", func(t *testing.T) {
		text := refusal(t, exactly+"\nimport 'fs'", JavaScript)
		require.Contains(t, text, "262156 bytes")
		require.Contains(t, text, "limit is 262144 bytes")
	})
	t.Run("B1 the operator's limit, in bytes", func(t *testing.T) {
		_, err := Prepare("'éé'", JavaScript, Options{MaxBytes: 5})
		require.ErrorContains(t, err, "6 bytes")
		_, err = Prepare("'éé'", JavaScript, Options{MaxBytes: 6})
		require.NoError(t, err)
	})
}

func TestOrder(t *testing.T) {
	t.Run("B1 shell before modules", func(t *testing.T) {
		require.Contains(t, refusal(t, "grep -rn require src", JavaScript), expected)
	})
	t.Run("B1 modules before TypeScript errors", func(t *testing.T) {
		require.Contains(t, refusal(t, "import x from 'y'; const z: = 1", TypeScript), disabled)
	})
}

func TestFence(t *testing.T) {
	for name, c := range map[string]struct{ code, body string }{
		"js":                   {"```js\nreturn 1\n```", "\nreturn 1\n"},
		"plain":                {"```\nreturn 1\n```", "\nreturn 1\n"},
		"javascript":           {"```JavaScript\nreturn 1\n```\n", "\nreturn 1\n\n"},
		"blank lines around":   {"\n \n```js\nreturn 1\n```\n\n", "\n\n\nreturn 1\n\n\n"},
		"templates inside":     {"```js\nconst a = `x`;\nreturn a;\n```", "\nconst a = `x`;\nreturn a;\n"},
		"four marks":           {"````js\nreturn 1\n````", "\nreturn 1\n"},
		"tildes":               {"~~~js\nreturn 1\n~~~", "\nreturn 1\n"},
		"carriage returns":     {"```js\r\nreturn 1\r\n```\r\n", "\r\nreturn 1\r\n\r\n"},
		"indented":             {"  ```js\n  return 1\n  ```", "\n  return 1\n"},
		"byte order mark":      {"\uFEFF```js\nreturn 1\n```", "\nreturn 1\n"},
		"no fence":             {"return 1", "return 1"},
		"never closed":         {"```js\nreturn 1", "```js\nreturn 1"},
		"prose before":         {"Here:\n```js\nreturn 1\n```", "\n\nreturn 1\n"},
		"prose after":          {"```js\nreturn 1\n```\nDone.", "\nreturn 1\n\n"},
		"one line":             {"```return 1```", "```return 1```"},
		"two marks":            {"``\nreturn 1\n``", "``\nreturn 1\n``"},
		"template expressions": {"``` + `a` + ```", "``` + `a` + ```"},
	} {
		t.Run("B4 "+name, func(t *testing.T) {
			s, err := Prepare(c.code, JavaScript, Options{})
			require.NoError(t, err)
			require.Equal(t, c.body, s.Body)
		})
	}
	for _, code := range []string{"", " \n", "```js\n```", "```\n\n  \n```\n"} {
		t.Run("B1 nothing in it: "+code, func(t *testing.T) {
			require.Equal(t, "code or command must be a non-empty string.", refusal(t, code, JavaScript))
			require.Equal(t, "code or command must be a non-empty string.", refusal(t, code, TypeScript))
		})
	}
}

// corpus seeds the fuzzers with a bit of everything that the rules turn on.
var corpus = []string{
	"return 1+1", "import x from 'y'", "return import('x')", "import.meta", "const {require} = a; require()",
	`r\u0065quire('a')`, `\u{72}equire`, "module['require']", "typeof require", "`${`${require}`}`", "/[/]require/.test(x)",
	"a = b / require / c", "```js\nreturn 1\n```", "```bash\nls\n```", "ls -la", "cd x && ls", "A=1 npm test", "#!/bin/sh\nls",
	"for f in x; do y; done", "/bin/ls -la", "cat <<EOF\nx\nEOF", "})(); (async()=>{ return 5", "}; async () => {",
	"enum E {A='x', B=`${A}${A}`}", "namespace N { export const a = 1 } await 1; return N.a", "using x = y; return 1",
	"@d class A { @e m() {} }", "type A = import('x').Y", "x = a ? (b) : c => d", "f<g<h>>(1)", "x=<T,>(a:T)=>a",
	"<!-- a\n--> b\n1", "return\n1", "#a in b", "1..x; .5; 0x1e+1; 1e+5; 08", "'\\\n'", "/* \u2028 */ a\n++b", "é\u200d = 𠮷",
}

func fuzz(f *testing.F, lang Language, check func(t *testing.T, code string, s *Source)) {
	for _, seed := range corpus {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		s, err := Prepare(code, lang, Options{MaxBytes: 4096, ShellTool: "openclaw:core:exec"})
		if err != nil {
			require.IsType(t, &Error{}, err)
			require.NotEmpty(t, err.Error())
			require.Nil(t, s)
			return
		}
		check(t, code, s)
	})
}

// B2: a JavaScript cell keeps its lines.
func FuzzPrepareJavaScript(f *testing.F) {
	fuzz(f, JavaScript, func(t *testing.T, code string, s *Source) {
		require.Equal(t, strings.Count(code, "\n"), strings.Count(s.Body, "\n"))
	})
}

// B5: positions of a TypeScript cell are inside the model's text.
func FuzzPrepareTypeScript(f *testing.F) {
	fuzz(f, TypeScript, func(t *testing.T, code string, s *Source) {
		lines := strings.Count(code, "\n") + 1
		for line := range strings.Count(s.Body, "\n") + 2 {
			at, column := s.Position(line, 3)
			require.True(t, 1 <= at && at <= lines, "line %d of %d", at, lines)
			require.True(t, 1 <= column && column <= len(code)+1)
		}
	})
}
