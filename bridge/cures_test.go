package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestCures(t *testing.T) {
	// fail is what the cell's text failed with, as a guest would tell it.
	cure := func(t *testing.T, code, name, message, stack string) []string {
		t.Helper()
		w := newWorld(t, enginetest.New(func(string) enginetest.Script {
			return enginetest.Script{func(_ *input, out *records) error {
				out.Reject(engine.Thrown{IsError: true, Name: name, Message: message, Stack: stack})
				return nil
			}}
		}), Options{})
		return w.execText(w.turn(`{"enabled":true}`), code).Hints
	}
	for code, tc := range map[string]struct{ name, message, stack, hint string }{
		`fetch("x")`:                    {"ReferenceError", "fetch is not defined", "", "There is no network in a cell"},
		`fs.readFileSync("x")`:          {"ReferenceError", "fs is not defined", "", "There are no files in a cell"},
		`process.env.X`:                 {"ReferenceError", "process is not defined", "", "There is no process in a cell"},
		`module.exports = 1`:            {"ReferenceError", "module is not defined", "", "pass its result on with return"},
		`document.title`:                {"ReferenceError", "document is not defined", "", "There is no browser page"},
		`print(1)`:                      {"ReferenceError", "print is not defined", "", "not Python"},
		`search("x")`:                   {"ReferenceError", "'search' is not defined", "", "Write await tools.search(query)"},
		`Buffer.from("x")`:              {"ReferenceError", "Buffer is not defined", "", "Uint8Array"},
		`export default 1`:              {"SyntaxError", "unsupported keyword: export", "    at cell.js:1:1", "A cell can't export"},
		`const a = “x”`:                 {"SyntaxError", "unexpected character", "    at cell.js:1:1", "typographic quotation marks"},
		`[1].map((x) => await f(x))`:    {"SyntaxError", "Unexpected identifier 'f'", "    at cell.js:1:1", "write async in front of that function"},
		`const x: number = 1; return x`: {"SyntaxError", "expecting ';'", "    at cell.js:1:1", `call exec with language "typescript"`},
		"return {\n  a: [1, 2":          {"SyntaxError", "unexpected token in expression: '}'", "    at cell.js:3:1", `before "[" of line 2, column 6`},
		`await tools.f({a 1})`:          {"SyntaxError", "expecting '}'", "    at cell.js:1:1", "A colon is missing on line 1: write one between a and 1"},
		"return [1,\n2 3]":              {"SyntaxError", "Unexpected number", "    at cell.js:1:1", "A comma is missing on line 2: write one between 2 and 3"},
		"return 1 /* a":                 {"SyntaxError", "unexpected end of comment", "    at cell.js:1:1", "The comment that /* opens on line 1 does not end"},
		"\nreturn `a":                   {"SyntaxError", "unexpected end of string", "    at cell.js:1:1", "The template that a backquote opens on line 2 does not end"},
		`return 'it's'`:                 {"SyntaxError", "Unexpected identifier 's'", "    at cell.js:1:1", `write \' for a quote inside of it`},
		`new AbortController()`:         {"ReferenceError", "AbortController is not defined", "", "Promise.race"},
		`await sleep(1)`:                {"ReferenceError", "sleep is not defined", "", "setTimeout(done, ms)"},
		`globalThis.fetch("x")`:         {"TypeError", "not a function", "    at <anonymous> (cell.js:1:12)", "There is no network in a cell"},
		`crypto.createHash("md5")`:      {"TypeError", "not a function", "    at <anonymous> (cell.js:1:8)", "There is no crypto.createHash"},
		`"a ".strip()`:                  {"TypeError", "not a function", "    at <anonymous> (cell.js:1:6)", "write text.trim()"},
		"def f(x):\n  return x":         {"SyntaxError", "expecting ';'", "    at cell.js:1:1", "is Python (def f(x):)"},
	} {
		t.Run("B7 "+code, func(t *testing.T) {
			hints := cure(t, code, tc.name, tc.message, tc.stack)
			require.Len(t, hints, 1)
			require.Contains(t, hints[0], tc.hint)
		})
	}
	for code, tc := range map[string]struct{ name, message, stack string }{
		`foo()`: {"ReferenceError", "foo is not defined", ""},
		`throw new Error("fetch is not defined")`: {"Error", "fetch is not defined", ""},
		`await tools.f({a 1 2})`:                  {"SyntaxError", "expecting '}'", "    at cell.js:1:1"},
		`const s = "it’s"; let s`:                 {"SyntaxError", "invalid redefinition of lexical identifier", "    at cell.js:1:1"},
		`return /(/.test("a")`:                    {"SyntaxError", "expecting ')'", "    at cell.js:1:1"},
		`return 1 +`:                              {"SyntaxError", "unexpected token in expression: '}'", "    at cell.js:1:1"},
	} {
		t.Run("B7 no cure where none is known: "+code, func(t *testing.T) {
			require.Empty(t, cure(t, code, tc.name, tc.message, tc.stack))
		})
	}
}
