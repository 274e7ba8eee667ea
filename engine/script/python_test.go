package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPython(t *testing.T) {
	for code, want := range map[string]string{
		"try:\n  x = 1\nexcept KeyError as e:\n  pass": "try { … } catch (e) { … }",
		"x = 1\nexcept Exception:":                     "catch (e) { … }",
		"with open('a') as f:\n  f.read()":             "nothing has to be opened",
		"async with session.get(u) as r:\n  pass":      "nothing has to be opened",
		"x = [a * 2 for a in b]":                       "list.filter",
		"y = {k: v for k, v in d.items()}":             "list.filter",
		"f = lambda x: x + 1":                          "(x) => …",
		"if a:\n  b\nelif c:\n  d":                     "if (…) { … }",
		"return f\"a {b}\"":                            "a template",
		"def f(x, y=1):\n  return x":                   "function name",
		"for x in xs:\n  text(x)":                      "for (const item of list)",
		"while n > 0:\n  n -= 1":                       "while (…) { … }",
		"class A(B):\n  pass":                          "class Name",
		"from a.b import c\nc()":                       "no modules",
		"x = 1  # one\nreturn x":                       "// before comments",
		"return a and b":                               "&& and ||",
		"return not a":                                 "!value",
		"x = 1 if a else 2":                            "condition ? a : b",
		"if (x is None) { return 1 }":                  "===",
		"raise ValueError('a')":                        "throw new Error",
		"\"\"\"text\"\"\"":                             "backquotes",
		"return xs[1:]":                                "list.slice",
		"f(*args)":                                     "...list",
		"print 'a'":                                    "text(value)",
	} {
		t.Run("B7 "+code, func(t *testing.T) {
			require.Contains(t, Python(code, 1), want)
		})
	}
	for _, code := range []string{
		"return {a: 1 b: 2}", "await tools.py({code: `def f(x):\n  return x`}; 1", "// try:\nlet a let b", "switch (a) { case 1: b c }",
		"const o = {try: 1, for: 2} x", "a ? b : c d", "label: for (const x of y) { z q }", "for (const k in o) { a b }", "text('if x else y' 1)",
		"for await (const x of y) { a b }", "const r = /a and b/ x", "class A { constructor() { a b } }", "with (a) { b c }", "x = y as z w",
		"async () => { try { a b } finally {} }", "foo(x, ...y z)", "a[b ? c : d] e", "return await Promise.all(xs.map(async x => x) 1", "if (a) b else c d e",
	} {
		t.Run("B7 none in "+code, func(t *testing.T) {
			require.Empty(t, Python(code, 1))
			require.Empty(t, Python(code, 0))
		})
	}
	require.Empty(t, Python(strings.Repeat("\n", 3), 9))
}

func TestMissing(t *testing.T) {
	for _, tc := range []struct {
		code, want string
		line       int
	}{
		{"return {a: 1 b: 2}", "return {a: 1, b: 2}", 1},
		{"return [1\n2]", "return [1,\n2]", 2},
		{"f('a' 'b')", "f('a', 'b')", 1},
		{"return {a 1}", "return {a, 1}", 1},
		{"let x = [{a: 1} {b: 2}]", "let x = [{a: 1}, {b: 2}]", 1},
	} {
		t.Run("B7 "+tc.code, func(t *testing.T) {
			require.Equal(t, tc.want, Missing(tc.code, tc.line)[0].Repaired())
		})
	}
	for _, code := range []string{"a b", "if (a b) {}", "() => { a b }", "f(a in b)", "f(x `t`)", "class A { a b }", "f(a[0])", "[a (b)]", "f(async x)"} {
		t.Run("B7 none in "+code, func(t *testing.T) { require.Empty(t, Missing(code, 1)) })
	}
	t.Run("B7 the nearest to the error first, and few of them", func(t *testing.T) {
		all := Missing(strings.Repeat("f(a b)\n", 50), 40)
		require.Len(t, all, maxRepairs)
		require.Contains(t, all[0].Cure(), "A comma is missing on line 40")
	})
}

func TestUnended(t *testing.T) {
	for code, want := range map[string]string{
		"a /* b": "/*", "/* a */ /*/": "/*", "let a = `b ${c}": "`", "let a = 'b": "'", "let a = \"b\nc": "\"", "'it's'": "'",
		"a // /*": "", "a /* b */": "", "`a ${b} c`": "", "'a' /* b */ // c": "", "/'/.test(a)": "", "`\\``": "", "": "",
	} {
		t.Run("B7 "+code, func(t *testing.T) {
			what, _ := Unended(code)
			require.Equal(t, want, what)
		})
	}
}
