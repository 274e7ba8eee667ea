//go:build cgo

package native

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

var position = regexp.MustCompile(`cell\.[jt]s:(\d+:\d+)`)

// at returns the position of the first frame that is the cell's own.
func at(stack string) string {
	if m := position.FindStringSubmatch(stack); m != nil {
		return m[1]
	}
	return ""
}

// A column is where the engine sees the failing operation: the name of what is made or called, the object whose
// property is read. For syntax errors only the line is sure.
func TestErrorPositions(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, name, at string }{
		{"first line", `throw new Error("x")`, "Error", "1:11"},
		{"a later line", "const a = 1;\n\n  throw new Error('x')", "Error", "3:13"},
		{"last line, without an end", "1;\n2;\nnull.x", "TypeError", "3:1"},
		{"after await", "await null;\nawait 0;\nundefined.x", "TypeError", "3:1"},
		{"in a nested function", "const f = () => {\n  const g = () => {\n    throw new RangeError('x')\n  };\n  g();\n};\nf()", "RangeError", "3:15"},
		{"in an async function", "async function f() {\n  await null;\n  throw new Error('x')\n}\nawait f()", "Error", "3:13"},
		{"in a callback of a builtin", "[1].map(\n  () => { throw new Error('x') })", "Error", "2:21"},
		{"in a class", "class A {\n  static m() {\n    nope();\n  }\n}\nA.m()", "ReferenceError", "3:5"},
		{"thrown again later", "let e;\ntry { null.x } catch (x) { e = x }\n\nthrow e", "TypeError", "2:7"},
		{"line ends of Windows", "1;\r\n2;\r\nthrow new Error('x')", "Error", "3:11"},
		{"a byte order mark moves no line", "\ufeff1;\nthrow new Error('x')", "Error", "2:11"},
		{"line separators count", "1;\u20282;\u2029throw new Error('x')", "Error", "3:11"},
		{"syntax, first line", "const = 1", "SyntaxError", "1:"},
		{"syntax, last line", "1;\n2;\nlet x = ;", "SyntaxError", "3:"},
		{"syntax, an end that is missing", "1;\nif (true) {", "SyntaxError", "3:"},
		{"syntax, a string that is not closed", "1;\n\"abc", "SyntaxError", "2:"},
	} {
		t.Run("B2 "+c.rule, func(t *testing.T) {
			got := thrown(t, e, c.cell)
			require.True(t, got.IsError)
			require.Equal(t, c.name, got.Name, got.Message)
			require.True(t, strings.HasPrefix(at(got.Stack), c.at), "%s: %s\n%s", c.at, got.Message, got.Stack)
		})
	}
	t.Run("B2 TypeScript has its own name", func(t *testing.T) {
		b := limits(`throw new Error("x")`)
		b.TypeScript = true
		vm, effects := start(t, e, b)
		defer vm.Close()
		require.Contains(t, effects.Main.Thrown.Stack, "(cell.ts:1:11)")
	})
	t.Run("B2 evaluated code is told apart", func(t *testing.T) {
		got := thrown(t, e, "1;\neval('\\n\\nnull.x')")
		require.Equal(t, "2:1", at(got.Stack), got.Stack)
		require.Contains(t, got.Stack, "<input>:3")
	})
	t.Run("D7 a failing call points at its line", func(t *testing.T) {
		vm, first := start(t, e, limits("1;\nawait tools.echo(1)"))
		defer vm.Close()
		last := resume(t, vm, engine.Answer{ID: first.Requests[0].ID, Kind: engine.AnswerError, Payload: []byte(`{"message":"m"}`)})
		require.Equal(t, "2:13", at(last.Main.Thrown.Stack), last.Main.Thrown.Stack)
	})
}

func TestThrown(t *testing.T) {
	e := newEngine(t, Options{})
	other := func(s string) engine.Thrown { return engine.Thrown{Other: s} }
	for _, c := range []struct {
		rule, cell string
		want       engine.Thrown
	}{
		{"a string", `throw "text"`, other("text")},
		{"null", `throw null`, other("null")},
		{"undefined", `throw undefined`, other("undefined")},
		{"a number", `throw -0`, other("0")},
		{"a symbol", `throw Symbol("s")`, other("a value that can't be shown as text")},
		{"an object", `throw {code: 5}`, other(`{"code":5}`)},
		{
			"an object that looks like an error", `throw {name: "Error", message: "m", stack: "    at host (/etc/passwd:1:1)"}`,
			other(`{"name":"Error","message":"m","stack":"    at host (/etc/passwd:1:1)"}`),
		},
		{"an object that can't be shown", `throw {get a() { throw 1 }}`, other("a value that can't be shown as text")},
		{"a function", `throw function f() {}`, other("function f() {}")},
	} {
		t.Run("B9 "+c.rule, func(t *testing.T) { require.Equal(t, c.want, thrown(t, e, c.cell)) })
	}
	t.Run("B9 properties of an error that are no text count as missing", func(t *testing.T) {
		got := thrown(t, e, `throw Object.defineProperties(new Error("m"), {name: {value: 5}, stack: {get() { throw 1 }}, message: {value: {}}})`)
		require.Equal(t, engine.Thrown{IsError: true}, got)
	})
	t.Run("B9 long texts are cut at a character", func(t *testing.T) {
		got := thrown(t, e, `throw new Error("x" + "é".repeat(1e5))`)
		require.LessOrEqual(t, len(got.Message), 1<<16)
		require.Equal(t, "x"+strings.Repeat("é", len(got.Message)/2), got.Message)
	})
	t.Run("B10 what is raised in a callback is reported beside the cell's own end", func(t *testing.T) {
		effects := run(t, e, `queueMicrotask(() => { throw new TypeError("late") }); Promise.reject(new Error("lost")); Promise.reject("kept").catch(() => {}); return 1`)
		require.Equal(t, "1", string(effects.Main.Value))
		require.Len(t, effects.Unhandled, 2)
		require.Equal(t, "late", effects.Unhandled[0].Message)
		require.Equal(t, "lost", effects.Unhandled[1].Message)
	})
	t.Run("B9 handling a rejection while it is reported does no harm", func(t *testing.T) {
		effects := run(t, e, `
			const es = [1, 2, 3].map((n) => {
				const e = new Error("m" + n);
				const p = Promise.reject(e);
				Object.defineProperty(e, "message", {get() { p.catch(() => {}); return "got" }});
				return e;
			});
			return es.length`)
		require.Equal(t, "3", string(effects.Main.Value))
		require.NotEmpty(t, effects.Unhandled)
	})
	t.Run("B1 a cell can't close the function that it is the body of", func(t *testing.T) {
		for _, cell := range []string{`})(); (async () => { return 5`, "});\n(async()=>{", `}), (async () => {`} {
			require.Equal(t, "SyntaxError", thrown(t, e, cell).Name, cell)
		}
	})
	t.Run("B9 no frame names a file of the host", func(t *testing.T) {
		for _, cell := range []string{`new URL("x")`, `tools.search({})`, `structuredClone(() => 1)`, `setTimeout(1)`, `await API.read("x")`} {
			got := thrown(t, e, `await `+cell)
			require.NotRegexp(t, `(?i)\.c:|\.go|/|codecell|\bguest\b`, got.Stack, cell)
		}
	})
}
