package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scan returns a text's tokens, separated by blanks.
func scan(src string) string {
	var texts []string
	s := newScanner(src)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		texts = append(texts, s.text(t))
	}
	return strings.Join(texts, " ")
}

func TestScanner(t *testing.T) {
	for name, c := range map[string]struct{ src, tokens string }{
		"division":                    {"a/b/c", "a / b / c"},
		"division behind a call":      {"f()/b/c", "f ( ) / b / c"},
		"division behind an index":    {"a[0]/b/c", "a [ 0 ] / b / c"},
		"division behind ++":          {"a++/b/c", "a ++ / b / c"},
		"division behind an object":   {"x={}/b/c", "x = { } / b / c"},
		"division behind a template":  {"`a`/b/c", "`a` / b / c"},
		"regexp at the start":         {"/a b/g", "/a b/g"},
		"regexp behind return":        {"return /a b/", "return /a b/"},
		"regexp behind a condition":   {"if(x)/a b/", "if ( x ) /a b/"},
		"regexp behind a block":       {"{}/a b/", "{ } /a b/"},
		"regexp behind an operator":   {"a=/a b/", "a = /a b/"},
		"regexp with a class":         {"/[/'] /.x", "/[/'] / . x"},
		"regexp with an escape":       {`/\/ /`, `/\/ /`},
		"a keyword as a property":     {"a.return/b/c", "a . return / b / c"},
		"template":                    {"`a${b}c${`d`}e`", "`a${ b }c${ `d` }e`"},
		"braces in a template":        {"`${{a:1}}`", "`${ { a : 1 } }`"},
		"escapes in a template":       {"`\\`\\${`", "`\\`\\${`"},
		"strings":                     {`'a\'b' "c'd"`, `'a\'b' "c'd"`},
		"string that never closes":    {"'a\nb", "'a b"},
		"string over lines":           {"'a\\\nb'", "'a\\\nb'"},
		"comments":                    {"a//b\n/*c*/d<!--e\n-->f\ng", "a d g"},
		"--> within a line":           {"a-->b", "a -- > b"},
		"numbers":                     {"1_0n 0x1e+1 1e+5 .5 1..a", "1_0n 0x1e + 1 1e+5 .5 1..a"},
		"private names":               {"#a in b", "#a in b"},
		"hash alone":                  {"# a", "# a"},
		"optional chain":              {"a?.b?.[0]", "a ?. b ?. [ 0 ]"},
		"conditional with a number":   {"a?.5:b", "a ? .5 : b"},
		"longest operator first":      {"a>>>=b??=c**d=>e", "a >>>= b ??= c ** d => e"},
		"escaped name":                {`\u0061b c\u{64}`, `\u0061b c\u{64}`},
		"letters of other scripts":    {"é𠮷=\u00A0ℵ\u200D", "é𠮷 = ℵ\u200D"},
		"no letter":                   {"a 🎉 b", "a 🎉 b"},
		"stray brackets":              {")}]a", ") } ] a"},
		"template that never closes":  {"`a${b", "`a${ b"},
		"comment that never closes":   {"a /* b", "a"},
		"escape that is none":         {`\u{zz} \x`, `\ u { zz } \ x`},
		"invalid UTF-8":               {"a\xffb", "a \xff b"},
		"arrow function's body":       {"x=>{}/a b/", "x => { } /a b/"},
		"object behind a parenthesis": {"({a:{}}/b/c)", "( { a : { } } / b / c )"},
	} {
		t.Run("B3 "+name, func(t *testing.T) {
			require.Equal(t, c.tokens, scan(c.src))
		})
	}
}

func TestScannerSeesLines(t *testing.T) {
	for _, src := range []string{"a\nb", "a\r\nb", "a\u2028b", "a /*\n*/ b", "a // c\nb"} {
		t.Run("B2 "+src, func(t *testing.T) {
			s := newScanner(src)
			require.False(t, s.next().newline)
			require.True(t, s.next().newline)
		})
	}
}

func TestPlainNames(t *testing.T) {
	for src, plain := range map[string]string{
		`r\u0065quire(1)`:          "require     (1)",
		`m\u{6f}dule.x`:            "module     .x",
		`"r\u0065quire"`:           `"r\u0065quire"`,
		`a.r\u0065quire`:           "a.require     ",
		`im\u0070ort(1)`:           `im\u0070ort(1)`,
		"/r\\u0065quire/.test(a)":  "/r\\u0065quire/.test(a)",
		`a\u0062 + r\u0065quire()`: `a\u0062 + require     ()`,
	} {
		t.Run("B3 "+src, func(t *testing.T) {
			require.Equal(t, plain, plainNames(src))
		})
	}
}

func TestMeasure(t *testing.T) {
	nest := func(src string) int { return measure(src).nest }
	t.Run("H1 statements do not add up", func(t *testing.T) {
		for _, statement := range []string{
			"a = b;", "f();", "f()\n", "a.b.c(1)\n", "if (a) { b() }\n", "function f(a, b) { return a }\n", "const x = y => z\n",
			"if (a) b(); else c();", "let a = 1, b = 2\n", "for (const a of b) c(a)\n", "class A { m() { return 1 } }\n", "++a\n",
		} {
			require.Equal(t, nest(statement+statement), nest(strings.Repeat(statement, 200)), statement)
		}
	})
	t.Run("H1 elements do not add up", func(t *testing.T) {
		for _, around := range []string{"x=[%s]", "f(%s)", "x={a:[%s]}", "let %sz", "enum E {%s}"} {
			few := strings.Replace(around, "%s", strings.Repeat("a, ", 2), 1)
			many := strings.Replace(around, "%s", strings.Repeat("a, ", 200), 1)
			require.Equal(t, nest(few), nest(many), around)
		}
	})
	t.Run("H1 long sums do not add up", func(t *testing.T) {
		require.Equal(t, nest("x = 'a' + 'b'"), nest("x = 'a'"+strings.Repeat(" +\n 'b'", 500)))
	})
	t.Run("H1 what nests adds up", func(t *testing.T) {
		for _, unit := range []string{"a=>", "a=>\n", "if(a)\n", "a?", "!", "- ", "a=", "[", "f(", "a**", "new ", "await\n", "if(a);else ", "a,"} {
			require.GreaterOrEqual(t, nest(strings.Repeat(unit, 200)+"a"), 199, unit)
		}
	})
	t.Run("H1 counts names, scopes, angles and forks", func(t *testing.T) {
		e := measure("x = a ? (b) : c => { f<g<h>>(i) }")
		require.Equal(t, []int{8, 3, 2, 1}, []int{e.names, e.scopes, e.angles, e.forks})
	})
	t.Run("H1 counts what enums copy", func(t *testing.T) {
		e := measure("'outside'; enum E {a = 'xy', b = `${a}` + 'z'}; 'outside'")
		require.Equal(t, []int{12, 2}, []int{e.enumText, e.enumJoins})
	})
	t.Run("H1 counts redeclarations", func(t *testing.T) {
		require.Equal(t, 3, measure("let a; let a; class a {}; let b").repeats)
	})
}
