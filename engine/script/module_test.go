package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const disabled = "code mode module access is disabled."

// refusal prepares a cell and returns its error's text, empty if there is none.
func refusal(t *testing.T, code string, lang Language) string {
	t.Helper()
	source, err := Prepare(code, lang, Options{})
	if err == nil {
		require.NotNil(t, source)
		return ""
	}
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Nil(t, source)
	return e.Text
}

func TestModuleAccessIsRefused(t *testing.T) {
	for name, code := range map[string]string{
		"default import":                    `import fs from "fs"; return 1`,
		"side effect":                       `import "fs"; return 1`,
		"side effect in single quotes":      "import 'fs'",
		"named":                             `import {a} from "fs"`,
		"star":                              `import * as x from "fs"`,
		"default and named":                 `import a, {b as c} from "fs"`,
		"deferred":                          `import defer * as x from "y"`,
		"source phase":                      `import source x from "y"`,
		"with attributes":                   `import x from "y" with {type: "json"}`,
		"not on the first line":             "const a = 1\nimport x from 'y'\nreturn a",
		"behind a comment":                  "/* a */ import x from 'y'",
		"in a text with another error":      "import x from 'y'; const = 1",
		"require in a text with an error":   "const = 1; require('fs')",
		"import() in a text with an error":  "const = 1; import('fs')",
		"meta in a text with an error":      "const = 1; import.meta",
		"module in a text with an error":    "const = 1; module['require']('fs')",
		"import()":                          `return import("fs")`,
		"import() with a blank":             `return import ("fs")`,
		"import() over lines":               "return import\n(\"fs\")",
		"import() with a comment":           `return import/*c*/("fs")`,
		"import() with options":             `return import("x", {with: {type: "json"}})`,
		"import() awaited":                  `const {a} = await import("x"); return a`,
		"import.defer()":                    `return import.defer("x")`,
		"import.source()":                   `return import.source("x")`,
		"import.meta":                       `return import.meta.url`,
		"import. meta":                      "return import . meta",
		"require":                           `const fs=require("fs")`,
		"require with a blank":              `require ("fs")`,
		"alias":                             `const r=require; return r("fs")`,
		"parenthesised":                     `return (require)('a')`,
		"comma":                             `return (0, require)('a')`,
		"optional call":                     `return require?.('a')`,
		"tagged":                            "return require`fs`",
		"new":                               `new require('fs')`,
		"call()":                            `return require.call(null, 'fs')`,
		"resolve":                           `return require.resolve('fs')`,
		"shorthand":                         `return {require}`,
		"argument":                          `return load(require)`,
		"default parameter":                 `const f=(a=require('x'))=>a; return f()`,
		"destructuring default":             `const {a = require('x')} = {}; return a`,
		"array destructuring target":        `[require] = [1]`,
		"spread":                            `return [...require]`,
		"computed key":                      `return {[require('x')]: 1}`,
		"class heritage":                    `class A extends require('x') {}`,
		"class field":                       `class A { x = require('x') }`,
		"static block":                      `class A { static { require('x') } }`,
		"escaped":                           `return r\u0065quire('node:fs')`,
		"escaped with braces":               `return requir\u{65}('node:fs')`,
		"escaped module":                    `return m\u006fdule.require('fs')`,
		"escaped property":                  `return module.r\u0065quire('fs')`,
		"module.require":                    `return module.require("x")`,
		"module?.require":                   `return module?.require("x")`,
		"module index":                      `return module['require']('fs')`,
		"module index in double quotes":     `return module["require"]('fs')`,
		"module index in a template":        "return module[`require`]('fs')",
		"(module).require":                  `return (module).require("x")`,
		"template substitution":             "return `${import('node:fs')}`",
		"nested template":                   "return `${`${import('x')}`}`",
		"meta in a template":                "return `${import.meta.url}`",
		"after a quote in a regexp":         `const re=/'/; return import("x")`,
		"after a double quote in a regexp":  `const re=/"/; const s="ok"; return require("fs")`,
		"after a regexp":                    `const ok=/import x/.test('a'); return import('x')`,
		"a division, not a regexp":          `let value=4;return value++ / import('x')`,
		"a division behind a bracket":       `return a[0] / require('x') / 2`,
		"in an object":                      `return {v: import('x')}`,
		"in a conditional":                  `return true ? require : 1`,
		"in a with block":                   `with ({}) { require('x') }`,
		"in another scope than its double":  `{ let require = 1 } return require('x')`,
		"behind typeof of something":        `return typeof require('x')`,
		"behind typeof of a member":         `return typeof require.main`,
		"guarded by typeof":                 `return typeof require === 'function' ? require('fs') : 0`,
		"in a fence":                        "```js\nimport fs from 'fs'\n```",
		"behind a legacy octal":             "const a = 010; return require('fs')",
		"behind an unknown using":           "using x = y; return require('fs')",
		"in a decorated class":              "@d class A {}\nreturn require('fs')",
		"under too many braces to parse":    strings.Repeat("{", 1500) + "require('fs')" + strings.Repeat("}", 1500),
		"under too many names to parse":     strings.Repeat("{a b c d;", 900) + "require('fs')" + strings.Repeat("}", 900),
		"behind an HTML comment, next line": "x = 1 <!-- nothing\nrequire('fs')",
	} {
		t.Run("B3 "+name, func(t *testing.T) {
			require.Contains(t, refusal(t, code, JavaScript), disabled)
		})
	}
}

// What follows is allowed: the guest may still refuse it, but not for modules.
func TestModuleWordsAreAllowed(t *testing.T) {
	for name, code := range map[string]string{
		"important":                    "const important=41;return important",
		"imports":                      "const imports=1; return imports",
		"importer":                     `const importer=(x)=>x; return importer("a")`,
		"importScripts":                "return importScripts",
		"$import":                      `return $import("a")`,
		"_require":                     `return _require("a")`,
		"requirement":                  `return requirement`,
		"string":                       `const message="import docs later";return message`,
		"string with a call":           `return 'require("fs")'`,
		"string with an escaped quote": `return 'it\'s require("fs")'`,
		"template text":                "return `import('x')`",
		"template prose":               "return `please import the module`",
		"nested template text":         "return `a ${`import('x')`} b`",
		"string in a template":         "const x = `a ${\"import('y')\"} b`; return x",
		"line comment":                 "// import fs from \"fs\"\nreturn 1",
		"block comment":                `/* require("x") */ return 1`,
		"comments in code":             "return 1 /* import('x') */ + 1 // require('y')",
		"HTML comment":                 "x = 1 <!-- require('x')",
		"regexp":                       `return /import x/.test("a")`,
		"regexp with a call":           `return /require\('x'\)/.test("a")`,
		"regexp with meta":             `return /import.meta/.test('import.meta')`,
		"division before a string":     `const a=1/2; return "import('x')"`,
		"concatenation":                `return "a" + /* x */ "import('x')"`,
		"property read":                "return {import:1}.import",
		"property write":               "const o={}; o.import = 1; return o.import",
		"member meta":                  "const api={import:{meta:42}};return api.import.meta",
		"member calls":                 "const api={import:x=>x,require:x=>x};return [api.import(42),api.require(42)]",
		"optional member":              "const api={import:x=>x};return api?.import?.(42)",
		"index member":                 "const api={require:x=>x};return api['require'](42)",
		"global member":                "return globalThis.require === undefined && globalThis.module === undefined",
		"this member":                  "return this.require",
		"class members":                "class A{import(x){return x} static require=3; require(){}} return new A().import(A.require)",
		"accessors":                    "return {get require(){return 1}, set require(v){}, async import(){}}",
		"local function":               `function require(x){return x} return require("a")`,
		"hoisted function":             `return require("a"); function require(x){return x}`,
		"function in a block":          "{ function require(x){return x} } return require('a')",
		"generator":                    "function* require(){ yield 1 } return [...require()]",
		"class":                        "class require {} return new require()",
		"let":                          "let require=5; return require+1",
		"var used before":              "require = 1; var require; return require",
		"destructured":                 "const {require} = {require: 1}; return require",
		"destructured under a name":    "const {a: require} = {a: 1}; return require",
		"destructured array":           "const [require] = [1]; return require",
		"catch":                        "try { throw 1 } catch (require) { return require }",
		"loop variable":                "for (const require of [1]) text(require)",
		"parameter":                    "return ((require)=>require('a'))(x=>x+'!')",
		"async parameter":              "return await (async require => require(1))(x => x)",
		"destructured parameter":       "return (({require}) => require)({require: 1})",
		"function expression's name":   "return (function require(){ return typeof require })()",
		"label":                        "require: for (;;) break require; return 1",
		"key":                          "return {require: 1, 'import': 2}",
		"typeof":                       "return typeof require",
		"typeof compared":              "return typeof require === 'undefined'",
		"local module":                 "const module = {require: x => x}; return module.require(1)",
		"other module members":         "return module.exports",
		"member module":                "return a.module.require",
		"built at run time":            `return Function("return imp"+"ort('fs')")()`,
		"escapes in a string":          `return "\u0072equire and \u{2028}"`,
		"an escaped name of its own":   `const r\u0065quire = x => x; return require(1)`,
		"export":                       "export const a=1",
		"a syntax error and strings":   `const = "import('x')" // require('y')`,
		"a syntax error and keys":      "const = {import: 1, require: 2}; o.import(1)",
		"a syntax error and a method":  "const = {import(x) { return x }, require(x) { return x }}",
		"a syntax error and a local":   "const = 1; function require() {} require()",
		"a legacy octal and a local":   "const a = 010, require = 1; return require",
		"prose":                        "Please import the file, you are required to.",
		"escaped keyword":              `im\u0070ort("fs")`,
		"a regexp behind a condition":  "if (x) /require('a')/.test(y)",
		"a regexp behind a block":      "{}\n/require('a')/.test(y)",
		"NUL in a string":              "return 'import\x00'",
	} {
		t.Run("B3 "+name, func(t *testing.T) {
			require.Empty(t, refusal(t, code, JavaScript))
		})
	}
}

func TestModuleErrorNamesThePlace(t *testing.T) {
	for name, c := range map[string]struct {
		code         string
		what         string
		line, column int
	}{
		"declaration":  {"const a = 1\n  import x from 'y'", "Line 2 uses an import declaration.", 2, 3},
		"call":         {"// import\nreturn import('x')", "Line 2 uses import().", 2, 8},
		"require":      {"/* require */\n\n'é'; require('x')", "Line 3 uses require.", 3, 6},
		"meta":         {"return import.meta", "Line 1 uses import.meta.", 1, 8},
		"module":       {"return module.require", "Line 1 uses module.require.", 1, 8},
		"behind fence": {"```\nrequire('x')\n```", "Line 2 uses require.", 2, 1},
	} {
		t.Run("B3 "+name, func(t *testing.T) {
			_, err := Prepare(c.code, JavaScript, Options{})
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, disabled+" "+c.what, e.Text[:len(disabled)+1+len(c.what)])
			require.Contains(t, e.Text, "tools.search")
			require.Equal(t, []int{c.line, c.column}, []int{e.Line, e.Column})
		})
	}
}

func TestModuleAccessInTypeScript(t *testing.T) {
	for name, code := range map[string]string{
		"require":             "const f = require('fs') as any; return f",
		"generic require":     "return require<string>('fs')",
		"import":              "import fs from 'fs'; return 1",
		"type import":         "import type {A} from 'b'; return 1",
		"import equals":       "import fs = require('fs'); return 1",
		"before other errors": "import x from 'y'; const z: = 1",
		"require and errors":  "const z: = 1; require('fs')",
		"import type":         "type A = import('x').Y; return 1",
		"import in a generic": "const a: Map<string, import('x').Y> = new Map(); return a",
		"typeof import":       "let a: typeof import('x'); return 1",
		"import()":            "return await import('x') as any",
		"import.meta":         "return import.meta.url!",
		"declared only":       "declare function require(x: string): any; return require('fs')",
		"module.require":      "return (module as any).require('fs')",
		"escaped":             `return r\u0065quire('fs') as any`,
		"with a namespace":    "namespace N { export const a = require('fs') } return N.a",
		"import in namespace": "import x from 'y'; namespace N { export const a = 1 } return N.a",
		"in a using cell":     "using x = require('fs'); return 1",
	} {
		t.Run("B3 refused "+name, func(t *testing.T) {
			require.Contains(t, refusal(t, code, TypeScript), disabled)
		})
	}
	for name, code := range map[string]string{
		"string":           "const s: string = \"import('x')\"; return s",
		"interface member": "interface I { import(x: string): void; require(x: string): any; import?: number }\nreturn 1",
		"typed local":      "const require = (x: string): string => x; return require('a')",
		"typed parameter":  "return ((require: any) => require('a'))((x: any) => x)",
		"class members":    "class A { private require = 1; import(x: number): number { return x } } return new A().import(1)",
		"property":         "return (api as any).import('x')",
		"typeof":           "return typeof require as string",
		"type text":        "type A = 'import' | 'require'; const a: A = 'import'; return a",
	} {
		t.Run("B3 allowed "+name, func(t *testing.T) {
			require.Empty(t, refusal(t, code, TypeScript))
		})
	}
}
