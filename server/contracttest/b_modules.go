package contracttest

import "testing"

func modules(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	for rule, code := range map[string]string{
		"a default import":                    `import fs from "fs"; return 1`,
		"a bare import":                       `import "fs"`,
		"a named import":                      `import { a as b } from "x"`,
		"a star import":                       `import * as all from 'x'`,
		"an import further down":              "const a = 1;\nimport x from 'x';\nreturn a",
		"a dynamic import":                    `return import("fs")`,
		"a dynamic import with a blank":       `return await import ("fs")`,
		"a dynamic import over lines":         "return import\n(\n'fs')",
		"a dynamic import behind a comment":   `return import/* x */("fs")`,
		"import.meta":                         `return import.meta.url`,
		"import in a template's substitution": "return `${import('x')}`",
		"import in a nested template":         "return `a${`b${import('x')}`}`",
		"import after a regular expression":   `/'/.test("x"); return import("x")`,
		"import after a division":             "const a = 4; return a / 2 / import('x')",
		"import in an arrow":                  `const load = () => import("x"); return 1`,
		"import in dead code":                 `if (false) import("x"); return 1`,
		"require":                             `return require("fs")`,
		"require with a blank":                `return require ("fs")`,
		"require by a comma":                  `return (0, require)("fs")`,
		"require as a value":                  `const r = require; return r("fs")`,
		"require passed on":                   `return ["fs"].map(require)`,
		"require with a unicode escape":       `return requ\u0069re("fs")`,
		"require in a template":               "return `${require('fs')}`",
		"module.require":                      `return module.require("fs")`,
		"typeof require called":               `return typeof require === "function" ? require("fs") : 1`,
	} {
		t.Run("B3 rejects "+rule, func(t *testing.T) { tn.exec(t, code).refused(textModules) })
	}
	t.Run("B3 rejects imports in TypeScript", func(t *testing.T) {
		tn.execInput(t, object{"code": `import { readFile } from "fs"; return readFile as any`, "language": "typescript"}).refused(textModules)
	})
	tn.completeAll(t, []cell{
		{"B3 allows words in strings", `return "import fs from 'fs'".length + 'require("x")'.length`, `31`},
		{"B3 allows words in a template", "return `please import('x') and require('y')`.length", `35`},
		{"B3 allows words in line comments", "// import x from 'x'\nreturn 1 // require('x')", `1`},
		{"B3 allows words in block comments", `/* import("x") */ return 1`, `1`},
		{"B3 allows words in regular expressions", `return /import("x")|require\(/.test("require(")`, `true`},
		{"B3 allows words after a quote in a regular expression", `return [/["']/.test("'"), "import('x')"].length`, `2`},
		{"B3 allows properties named import", `const o = {import: 1}; o.import = 2; return o.import`, `2`},
		{"B3 allows properties named require", `const o = {require: x => x}; return o.require("a") + o?.require("b")`, `"ab"`},
		{"B3 allows methods of those names", `class A { import() { return 1 } require() { return 2 } } const a = new A(); return a.import() + a.require()`, `3`},
		{"B3 allows identifiers that contain the words", `const important = 1, _require = x => x, $import = x => x; return important + _require(1) + $import(1)`, `3`},
		{"B3 allows a local function require", `function require(x) { return x + "!" } return require("a")`, `"a!"`},
		{"B3 allows a local constant require", `const require = x => x; return require("b")`, `"b"`},
		{"B3 allows a parameter require", `return (require => require("c"))(x => x)`, `"c"`},
		{"B3 allows a private name", `class A { #require = 3; get() { return this.#require } } return new A().get()`, `3`},
	})
	for rule, code := range map[string]string{
		"eval of an import":         `return await eval("imp" + "ort('fs')")`,
		"Function with an import":   `return await Function("return imp" + "ort('fs')")()`,
		"an async function's maker": `return await (async () => {}).constructor("return imp" + "ort('os')")()`,
		"eval of require":           `return eval("requ" + "ire('fs')")`,
	} {
		t.Run("B3 no loader exists for "+rule, func(t *testing.T) { tn.exec(t, code).failed("internal_error", "") })
	}
	t.Run("B3 a failed import can be caught and shows nothing of the host", func(t *testing.T) {
		tn.exec(t, `try { await eval("imp" + "ort('/etc/passwd')"); return "loaded" } catch (e) { return e instanceof Error }`).completed(`true`)
	})
}

func shellTexts(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	shelled := c.prepare(t, spec{tools: []object{with(echo("exec"), object{"owner": "core"})}})
	for _, command := range []string{
		"ls -la", "git status", "cd /tmp && ls", "cat README.md", "npm install left-pad", "pwd", "echo hello world",
		"grep -rn 'todo' src", "rm -rf ./build", "python3 script.py", "curl https://example.org", "mkdir -p a/b", "./run.sh --fast",
	} {
		t.Run("B4 refuses "+command, func(t *testing.T) {
			tn.exec(t, command).refused("").mentions("error", "JavaScript")
			shelled.exec(t, command).refused("").mentions("error", "JavaScript", "openclaw:core:exec")
		})
	}
	tn.completeAll(t, []cell{
		{"B4 runs a lone literal", `true;`, `null`},
		{"B4 runs a subtraction", `const ls = 3; return ls - 1`, `2`},
		{"B4 runs a subtraction first", "ls - 1; var ls = 2; return ls", `2`},
		{"B4 runs a declared name alone", "const git = 1, status = 2;\ngit\nstatus\nreturn git + status", `3`},
		{"B4 runs a function named like a command", `const echo = x => x; return echo("hi")`, `"hi"`},
		{"B4 runs a label", `find: for (;;) break find; return 1`, `1`},
		{"B4 runs a cell in a fence", "```js\nreturn 1\n```", `1`},
		{"B4 runs a fence with blank lines around", "\n```javascript\nreturn 2\n```\n\n", `2`},
		{"B4 runs a fence without a language", "```\nreturn 3\n```", `3`},
	})
	t.Run("B4 runs a TypeScript fence as TypeScript", func(t *testing.T) {
		tn.execInput(t, object{"code": "```ts\nconst n: number = 4; return n\n```", "language": "typescript"}).completed(`4`)
	})
}

func typeScript(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	for _, in := range []cell{
		{"interfaces and annotations", `interface P { x: number } const p: P = { x: 1 }; return p.x`, `1`},
		{"no type check", `const v: number = "s"; return v`, `"s"`},
		{"enums with their reverse map", `enum E { A = 3, B } return [E.B, E[3]]`, `[4,"A"]`},
		{"const enums", `const enum E { A = 7 } return E.A`, `7`},
		{"namespaces", `namespace N { export const x = 5 } return N.x`, `5`},
		{"parameter properties", `class A { constructor(private y: number) {} get() { return this.y } } return new A(6).get()`, `6`},
		{"generics", `function id<T>(x: T): T { return x } return id<number>(7)`, `7`},
		{"as, satisfies and !", `const a = { x: 1 } satisfies object; return (a as any)!.x`, `1`},
		{"angle casts", `return <any>8`, `8`},
		{"abstract classes and overloads", `abstract class A { abstract f(): number; f2(): number { return 9 } } class B extends A { f() { return 1 } } return new B().f2()`, `9`},
		{"declare", `declare const nothing: number; return typeof nothing`, `"undefined"`},
		{"top-level await", `const x: number = await Promise.resolve(3); return x`, `3`},
		{"optional chaining with types", `const a: { b?: { c: number } } = {}; return a?.b?.c ?? 4`, `4`},
	} {
		t.Run("B5 "+in.rule, func(t *testing.T) {
			tn.execInput(t, object{"code": in.code, "language": "typescript"}).completed(in.value)
		})
	}
	for rule, code := range map[string]string{
		"a missing type": "const a = 1;\nconst x: = 5", "a missing operand": "\nreturn 1 +", "a missing name": "\nfunction (",
	} {
		t.Run("B1 TypeScript errors name the line: "+rule, func(t *testing.T) {
			tn.execInput(t, object{"code": code, "language": "typescript"}).
				refused("typescript transform failed: ").mentions("error", "2")
		})
	}
	t.Run("B5 JavaScript is not read as TypeScript", func(t *testing.T) {
		tn.exec(t, `const a = 1, b = 2, c = 0; return a < b > (c)`).completed(`true`)
		tn.exec(t, `const x: number = 1; return x`).failed("internal_error", "SyntaxError")
	})
}
