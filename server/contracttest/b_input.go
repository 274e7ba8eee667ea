package contracttest

import (
	"strings"
	"testing"
)

const (
	textMismatch = "code and command must match when both are provided."
	textEmpty    = "code or command must be a non-empty string."
	textLanguage = "language must be javascript or typescript."
	textModules  = "code mode module access is disabled."
)

func inputs(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	noTypeScript := c.prepare(t, spec{config: object{"languages": []string{"javascript"}}})
	noJavaScript := c.prepare(t, spec{config: object{"languages": []string{"typescript"}}})
	disabled := c.prepare(t, spec{config: object{"enabled": false, "languages": []string{"javascript"}}})
	for _, in := range []struct {
		rule  string
		turn  *turn
		input object
		text  string
	}{
		{"both, different", tn, object{"code": "return 1", "command": "return 2"}, textMismatch},
		{"both, one empty", tn, object{"code": "return 1", "command": ""}, textMismatch},
		{"both, different by a blank", tn, object{"code": "return 1", "command": "return 1 "}, textMismatch},
		{"mismatch is judged before the language", tn, object{"code": "return 1", "command": "return 2", "language": "perl"}, textMismatch},
		{"neither", tn, object{}, textEmpty},
		{"empty", tn, object{"code": ""}, textEmpty},
		{"blank", tn, object{"code": " \n\t "}, textEmpty},
		{"both blank and the same", tn, object{"code": "  ", "command": "  "}, textEmpty},
		{"a number", tn, object{"code": 5}, textEmpty},
		{"null", tn, object{"code": nil, "command": nil}, textEmpty},
		{"an array", tn, object{"command": []string{"return 1"}}, textEmpty},
		{"emptiness is judged before the language", tn, object{"code": " ", "language": "perl"}, textEmpty},
		{"another language", tn, object{"code": "return 1", "language": "bash"}, textLanguage},
		{"a language in another case", tn, object{"code": "return 1", "language": "TypeScript"}, textLanguage},
		{"an abbreviated language", tn, object{"code": "return 1", "language": "ts"}, textLanguage},
		{"an empty language", tn, object{"code": "return 1", "language": ""}, textLanguage},
		{"a null language", tn, object{"code": "return 1", "language": nil}, textLanguage},
		{"a language that is no string", tn, object{"code": "return 1", "language": []string{"javascript"}}, textLanguage},
		{"the language is judged before the mode", disabled, object{"code": "return 1", "language": "perl"}, textLanguage},
		{"the mode is off", disabled, object{"code": "return 1"}, "code mode is disabled."},
		{"the mode is judged before the enabled languages", disabled, object{"code": "return 1", "language": "typescript"}, "code mode is disabled."},
		{"TypeScript is not enabled", noTypeScript, object{"code": "return 1", "language": "typescript"}, "code mode typescript input is disabled."},
		{"JavaScript is not enabled, also as the default", noJavaScript, object{"code": "return 1"}, "code mode javascript input is disabled."},
		{"the enabled languages are judged before modules", noTypeScript, object{"code": `import "fs"`, "language": "typescript"}, "code mode typescript input is disabled."},
		{"modules are judged before TypeScript", tn, object{"code": "import(\"fs\"); const x: = 5", "language": "typescript"}, textModules},
	} {
		t.Run("B1 "+in.rule, func(t *testing.T) { in.turn.execInput(t, in.input).refused(in.text) })
	}
	for _, in := range []struct {
		rule  string
		input object
		value string
	}{
		{"code", object{"code": "return 1"}, `1`},
		{"command is an alias", object{"command": "return 2"}, `2`},
		{"both and the same", object{"code": "return 3", "command": "return 3"}, `3`},
		{"an alias that is no string is ignored", object{"code": 5, "command": "return 4"}, `4`},
		{"a null alias is ignored", object{"code": "return 5", "command": nil}, `5`},
		{"unknown members are ignored", object{"code": "return 6", "timeout": 5, "__proto__": object{"code": "return 0"}}, `6`},
		{"JavaScript by name", object{"code": "return 7", "language": "javascript"}, `7`},
		{"TypeScript by name", object{"code": "return <number>8", "language": "typescript"}, `8`},
	} {
		t.Run("B1 "+in.rule, func(t *testing.T) { tn.execInput(t, in.input).completed(in.value) })
	}
	sourceSize(t, c)
}

func sourceSize(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	const whole = 256 << 10
	pad := func(size int) string { return "return 1;//" + strings.Repeat("x", size-len("return 1;//")) }
	t.Run("B1 256 KiB of source run", func(t *testing.T) { tn.exec(t, pad(whole)).completed(`1`) })
	t.Run("B1 a byte more is refused", func(t *testing.T) {
		tn.exec(t, pad(whole+1)).refused("").mentions("error", "262144")
	})
	t.Run("B1 the size is counted in UTF-8 bytes", func(t *testing.T) {
		tn.exec(t, "return 1;//"+strings.Repeat("é", whole/2)).refused("").mentions("error", "262144")
	})
	t.Run("B1 the size is judged before modules", func(t *testing.T) {
		tn.exec(t, "import 'fs';"+pad(whole)).refused("").mentions("error", "262144")
	})
	t.Run("B1 a turn may lower it", func(t *testing.T) {
		small := c.prepare(t, spec{config: object{"maxSourceBytes": 2048}})
		small.exec(t, pad(2048)).completed(`1`)
		small.exec(t, pad(2049)).refused("").mentions("error", "2048")
	})
}

func sources(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	tn.completeAll(t, []cell{
		{"B2 return gives the value", `return 6 * 7`, `42`},
		{"B2 no return is null", `6 * 7`, `null`},
		{"B2 a line break after return ends it", "return\n42", `null`},
		{"B2 await at the top", `return await Promise.resolve(3)`, `3`},
		{"B2 a returned promise is awaited", `return new Promise(r => r(Promise.resolve(4)))`, `4`},
		{"B2 for await at the top", `let n = 0; for await (const x of [1, Promise.resolve(2)]) n += x; return n`, `3`},
		{"B2 labels", `a: for (;;) { for (;;) break a } return 5`, `5`},
		{"B2 functions are hoisted", `return f(); function f() { return 6 }`, `6`},
		{"B2 sloppy: with", `with ({x: 7}) return x`, `7`},
		{"B2 sloppy: an implicit global", `implicit = 8; return globalThis.implicit`, `8`},
		{"B2 sloppy: an octal literal", `return 010`, `8`},
		{"B2 sloppy: this is the global object", `return this === globalThis`, `true`},
		{"B2 a comment at the end", `return 9 // done`, `9`},
		{"B2 an open comment line by itself", "return 10\n//", `10`},
		{"B2 a byte order mark", "\ufeffreturn 11", `11`},
		{"B2 Windows line ends", "const a = 1;\r\nreturn a + 11", `12`},
		{"B2 separators that are line ends in JavaScript", "return '\u2028'.length + 12", `13`},
		{"B2 a null byte in a string", "return '\\0a'.length", `2`},
		{"B2 let may shadow a global of ours", `let text = 1, tools = 2; return text + tools`, `3`},
		{"B2 eval works and has no modules", `return eval("1 + 1")`, `2`},
	})
	for rule, code := range map[string]string{
		"breaking out of the wrapper":      `})(); (async () => { return 5`,
		"breaking out with a plain brace":  `} return 5; {`,
		"an open block":                    `if (true) {`,
		"an open template":                 "return `x",
		"export":                           `export const a = 1`,
		"new.target":                       `return new.target`,
		"an unfinished block comment":      `return 1 /*`,
		"code after an unbalanced bracket": `return [1, 2))`,
	} {
		t.Run("B2 "+rule+" is a syntax error", func(t *testing.T) {
			tn.exec(t, code).failed("internal_error", "SyntaxError").conceals("completed")
		})
	}
	for _, at := range []struct {
		rule, language, code string
		line                 string
	}{
		{"the first line", "javascript", `throw new Error("here")`, `1`},
		{"a later line", "javascript", "const a = 1;\n\n\nthrow new Error('here')", `4`},
		{"inside a function", "javascript", "function f() {\n  return null.x;\n}\n\nf()", `2`},
		{"a property of nothing in a declaration", "javascript", "const o = {};\nconst x = o.a.b;", `2`},
		{"a property of nothing in a condition", "javascript", "const o = {};\n\nif (o.a.b) text('x')", `3`},
		{"a property of nothing in a return", "javascript", "const o = {};\nreturn o.a.b", `2`},
		{"after an await", "javascript", "await null;\nawait null;\nundefined.x", `3`},
		{"TypeScript", "typescript", "interface A {\n  x: number\n}\n\nconst a: A = { x: 1 };\nthrow new Error('here')", `6`},
		{"TypeScript after an enum", "typescript", "enum E {\n  A,\n  B,\n}\ntype T = E;\nnull!.x", `6`},
		{"in a fence", "javascript", "```js\nconst a = 1;\nthrow new Error('here')\n```", `3`},
	} {
		t.Run("B2 lines are those of the model's text: "+at.rule, func(t *testing.T) {
			tn.execInput(t, object{"code": at.code, "language": at.language}).
				failed("internal_error", "").has("detail.line", at.line)
		})
	}
	t.Run("B2 a syntax error has the model's line too", func(t *testing.T) {
		tn.exec(t, "const a = 1;\nconst b = ;\nreturn a").failed("internal_error", "SyntaxError").has("detail.line", `2`)
	})
}
