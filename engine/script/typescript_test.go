package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiled prepares a TypeScript cell that must be one.
func compiled(t *testing.T, code string) *Source {
	t.Helper()
	s, err := Prepare(code, TypeScript, Options{})
	require.NoError(t, err)
	require.NotNil(t, parseBody(s.Body), "not JavaScript: %s", s.Body)
	return s
}

func TestTypeScriptBecomesJavaScript(t *testing.T) {
	for name, c := range map[string]struct{ code, body string }{
		"annotation":        {"const v: number = 40+2; return { v }", "  const v = 40 + 2;\n  return { v };\n"},
		"interface":         {"interface A{a:number} const x:A={a:1}; return x", "  const x = { a: 1 };\n  return x;\n"},
		"union":             {`type T=string|number; const t:T="s"; return t`, "  const t = \"s\";\n  return t;\n"},
		"generic":           {"function f<T>(x:T):T{return x} return f<number>(3)", "  function f(x) {\n    return x;\n  }\n  return f(3);\n"},
		"as const":          {`const x="a" as const; return x`, "  const x = \"a\";\n  return x;\n"},
		"cast":              {"return <number>x", "  return x;\n"},
		"definite":          {"let u!:number; u=3; return u", "  let u;\n  u = 3;\n  return u;\n"},
		"satisfies":         {"const o={a:1} satisfies {a:number}; return o", "  const o = { a: 1 };\n  return o;\n"},
		"non-null":          {"return a!.b!", "  return a.b;\n"},
		"generic arrow":     {"const id = <T,>(x: T): T => x; return id<string>('a')", "  const id = (x) => x;\n  return id(\"a\");\n"},
		"overloads":         {"function f(a: string): void; function f(a: any) {}\nreturn f", "  function f(a) {\n  }\n  return f;\n"},
		"this parameter":    {"function f(this: any, a: number) {}\nreturn f", "  function f(a) {\n  }\n  return f;\n"},
		"predicate":         {"return ((x: number): x is 5 => true)(5)", "  return /* @__PURE__ */ ((x) => true)(5);\n"},
		"declare":           {"declare const x: number; return x", "  return x;\n"},
		"mismatch":          {`const v: number = "s"; return v`, "  const v = \"s\";\n  return v;\n"},
		"await":             {"return await f() as any", "  return await f();\n"},
		"no return":         {"const a: number = 1", "  const a = 1;\n"},
		"only a type":       {"type A = string", ""},
		"comment at end":    {"return 1 as any // done", "  return 1;\n"},
		"sloppy":            {"with (o) { x as any }", "  with (o) {\n    x;\n  }\n"},
		"octal":             {"return 010 as number", "  return 8;\n"},
		"directive":         {"'use strict'; return 1 as any", "  \"use strict\";\n  return 1;\n"},
		"plain characters":  {"return 'é🎉' as string", "  return \"é🎉\";\n"},
		"modern syntax":     {"a ??= b?.c as any; return 1n ** 2n", "  a ??= b?.c;\n  return 1n ** 2n;\n"},
		"regexp sets":       {"return /[a--b]/v.test(x as any)", "  return /[a--b]/v.test(x);\n"},
		"dead code stays":   {"if (false) { f() }\nreturn 1 as any", "  if (false) {\n    f();\n  }\n  return 1;\n"},
		"fence":             {"```ts\nconst a: number = 3;\nreturn a\n```", "  const a = 3;\n  return a;\n"},
		"template with end": {"return `\n};\nasync () => {\n` as any", "  return `\n};\nasync () => {\n`;\n"},
	} {
		t.Run("B5 "+name, func(t *testing.T) {
			require.Equal(t, c.body, compiled(t, c.code).Body)
		})
	}
}

func TestTypeScriptThatMakesCode(t *testing.T) {
	for name, c := range map[string]struct{ code, contains string }{
		"enum":               {"enum E {A, B = 'x'} return E.A", `E2[E2["A"] = 0] = "A"`},
		"const enum":         {"const enum CE{X=3} return CE.X", "return 3 /* X */;"},
		"parameter property": {"class A { constructor(private x: number) {} }\nreturn new A(1)", "this.x = x;"},
		"abstract":           {"abstract class B{abstract x():number} class D extends B{x(){return 9}} return new D().x()", "class D extends B"},
		"fields":             {"class A { readonly x: number = 1; private y?: string; declare z: number; static w = 3 }", "x = 1;\n    y;\n    static w = 3;"},
		"static private":     {"class A{static #p=2; static get(){return A.#p}} return A.get()", "return A.#p;"},
		"accessor":           {"class A { accessor x: number = 1 }\nreturn new A().x", "get x()"},
		"namespace":          {"namespace N { export const a = 1 } return N.a", "return N.a;"},
		"nested namespaces":  {"namespace N.M { export const a: number = 1 }\nreturn N.M.a", "return N.M.a;"},
		"old namespace":      {"declare module M { const a: number }\nreturn 1", "return 1;"},
		"namespace, await":   {"namespace N { export const a = 1 }\nif (await f()) return\nreturn N.a + await g()", "return;"},
		"namespace, object":  {"namespace N { export const a = 1 }\nawait f({return: 1, x() { return N.a }})", "return N.a;"},
	} {
		t.Run("B5 "+name, func(t *testing.T) {
			body := compiled(t, c.code).Body
			require.Contains(t, body, c.contains)
			require.NotContains(t, body, returnLabel)
		})
	}
}

func TestTypeScriptLowersWhatTheGuestLacks(t *testing.T) {
	for name, code := range map[string]string{
		"using":            "using x = {[Symbol.dispose]() {}}; return 1",
		"await using":      "await using x = f(); return 1",
		"using in a loop":  "for (using x of y) f(x)\nreturn 1",
		"class decorator":  "@d class A {}\nreturn A",
		"method decorator": "class A { @d m() {} }\nreturn A",
		"using and strict": "'use strict'; using x = y; return 1",
	} {
		t.Run("B5 "+name, func(t *testing.T) {
			body := compiled(t, code).Body
			require.NotContains(t, body, "using x")
			require.NotContains(t, body, "@d")
			require.Contains(t, body, "\nreturn (async () => {\n")
			require.True(t, strings.HasSuffix(body, "})();\n"), body)
		})
	}
}

func TestTypeScriptErrors(t *testing.T) {
	for name, c := range map[string]struct {
		code, text   string
		line, column int
	}{
		"type missing":       {"const x: = 5", `Unexpected "=" (line 1, column 10)`, 1, 10},
		"third line":         {"const a: number = 1;\nconst b = 2;\nconst c: = 3;", `Unexpected "=" (line 3, column 10)`, 3, 10},
		"columns in letters": {"const é: = 1", `Unexpected "=" (line 1, column 10)`, 1, 10},
		"open expression":    {"return 1 +", "Unexpected end of the code (line 1, column 11)", 1, 11},
		"open parenthesis":   {"return (1\n", `Expected ")" but found end of the code (line 2, column 1)`, 2, 1},
		"open block":         {"if (x) {", "Unexpected end of the code (line 1, column 9)", 1, 9},
		"open template":      {"return `abc", "Unterminated string literal (line 1, column 12)", 1, 12},
		"open function":      {"function (", `Expected identifier but found "(" (line 1, column 10)`, 1, 10},
		"markup":             {"return <div/>", `Expected ">" but found "/" (line 1, column 12)`, 1, 12},
		"export":             {"export const a = 1", `Unexpected "export" (line 1, column 1)`, 1, 1},
		"twice declared":     {"let a; let a", `The symbol "a" has already been declared (line 1, column 12)`, 1, 12},
		"in a fence":         {"```ts\nconst x: = 5\n```", `Unexpected "=" (line 2, column 10)`, 2, 10},
		"with a namespace":   {"namespace N {}\nconst x: = 5", `Unexpected "=" (line 2, column 10)`, 2, 10},
		"break-out":          {"})(); (async()=>{ return 5", `Expected ";" but found ")" (line 1, column 2)`, 1, 2},
		"break-out, arrow":   {"}; async () => { return 5", `Unexpected "}" (line 1, column 1)`, 1, 1},
		"break-out, line":    {"f()\n}\nasync () => { return 5", `Unexpected "}" (line 2, column 1)`, 2, 1},
		"break-out, comma":   {"}, async () => { return 5", `Unexpected "}" (line 1, column 1)`, 1, 1},
		"break-out, using":   {"using x = y }; async () => {", `Unexpected "}" (line 1, column 13)`, 1, 13},
		"break-out, block":   {"} { await 1", `Expected ";" but found "{" (line 1, column 3)`, 1, 3},
	} {
		t.Run("B5 "+name, func(t *testing.T) {
			_, err := Prepare(c.code, TypeScript, Options{})
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Truef(t, strings.HasPrefix(e.Text, "typescript transform failed: "+c.text), "%s", e.Text)
			require.Equal(t, []int{c.line, c.column}, []int{e.Line, e.Column})
		})
	}
	t.Run("B5 tells the first five", func(t *testing.T) {
		text := refusal(t, strings.Repeat("let a;\n", 9), TypeScript)
		require.Equal(t, 6, strings.Count(text, "\n")+1)
		require.Contains(t, text, "(line 6, column 5)\nand 3 more")
	})
}

func TestJavaScriptIsNotTransformed(t *testing.T) {
	for _, code := range []string{"return 1 as number", "const a = 1; return a as number", "enum E {A}", "using x = y", "return 1 +"} {
		t.Run("B5 "+code, func(t *testing.T) {
			s, err := Prepare(code, JavaScript, Options{})
			require.NoError(t, err)
			require.Equal(t, code, s.Body)
		})
	}
}

func TestPosition(t *testing.T) {
	// find returns where a mark stands in a text, 1-based.
	find := func(text, mark string) (int, int) { return position(text, strings.Index(text, mark)) }
	for name, code := range map[string]string{
		"types above":      "interface A { a: number }\n\nconst x: A = {a: 1};\nthrow new MARK('four')",
		"one line":         "const x: number = 1; const y: string = MARK(x); return y",
		"enum above":       "enum E {\n  A,\n  B,\n}\nconst a: number =\n  MARK(E.A)",
		"lowered":          "using a = b;\ntype T = {\n  a: 1,\n};\n\nMARK()",
		"namespace":        "namespace N {\n  export const a: number = 1\n}\ntype T = 1\nMARK(N.a)",
		"deep in function": "function f(a: number): void {\n  if (a) {\n\n    MARK(a)\n  }\n}\nf(1)",
		"fence":            "```ts\ntype A = 1\nMARK()\n```",
	} {
		t.Run("B2 "+name, func(t *testing.T) {
			s := compiled(t, code)
			line, column := s.Position(find(s.Body, "MARK"))
			wantLine, wantColumn := find(code, "MARK")
			require.Equal(t, []int{wantLine, wantColumn}, []int{line, column})
		})
	}
	t.Run("B2 JavaScript's positions are the model's", func(t *testing.T) {
		s, err := Prepare("```\nreturn 1\n```", JavaScript, Options{})
		require.NoError(t, err)
		line, column := s.Position(2, 8)
		require.Equal(t, []int{2, 8}, []int{line, column})
	})
	t.Run("B2 stays inside the text", func(t *testing.T) {
		s := compiled(t, "enum E {A}\nreturn E.A as any")
		for _, at := range [][2]int{{-5, -5}, {0, 0}, {1, 1 << 30}, {1 << 30, 1}} {
			line, column := s.Position(at[0], at[1])
			require.Contains(t, []int{1, 2}, line)
			require.Positive(t, column)
			require.LessOrEqual(t, column, 18)
		}
	})
	t.Run("B2 is safe for many goroutines", func(t *testing.T) {
		s := compiled(t, "type A = 1\nreturn f()")
		lines := make(chan int)
		for range 8 {
			go func() { line, _ := s.Position(1, 3); lines <- line }()
		}
		for range 8 {
			require.Equal(t, 2, <-lines)
		}
	})
}
