package contracttest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nested are values inside an object: the expression, and its JSON; empty means that the key is dropped.
var nested = []struct{ rule, expression, json string }{
	{"a string with every kind of escape", `"a\"\\\n\t\u0001\u007f/"`, `"a\"\\\n\t\u0001\u007f/"`},
	{"NUL is kept", `"a\0b"`, `"a\u0000b"`},
	{"astral characters", `"😀é日"`, `"😀é日"`},
	{"a lone high surrogate", `"a\ud800b"`, `"a\ufffdb"`},
	{"a lone low surrogate", `"\udc00"`, `"\ufffd"`},
	{"a lone surrogate in a key", `({["k\ud800"]: 1})`, `{"k\ufffd":1}`},
	{"a number", `1.5e-7`, `1.5e-7`},
	{"the largest safe integer", `9007199254740991`, `9007199254740991`},
	{"NaN", `NaN`, `null`},
	{"Infinity", `Infinity`, `null`},
	{"-Infinity in an array", `[-Infinity]`, `[null]`},
	{"minus zero", `-0`, `0`},
	{"a BigInt", `123456789012345678901234567890n`, `"123456789012345678901234567890"`},
	{"a BigInt in an array", `[1n, -2n]`, `["1","-2"]`},
	{"a Date", `new Date(0)`, `"1970-01-01T00:00:00.000Z"`},
	{"an invalid Date", `new Date(NaN)`, `null`},
	{"an Error", `new TypeError("bad")`, `{"name":"TypeError","message":"bad"}`},
	{"an Error of a class of its own", `new (class MyError extends Error { constructor() { super("own"); this.name = "MyError" } })()`, `{"name":"MyError","message":"own"}`},
	{"an Error in an array", `[new Error("x")]`, `[{"name":"Error","message":"x"}]`},
	{"toJSON", `({toJSON() { return {a: [1]} }})`, `{"a":[1]}`},
	{"toJSON gets its key", `({toJSON(key) { return key }})`, `"v"`},
	{"toJSON that gives undefined", `({toJSON() {}})`, ``},
	{"a Map", `new Map([[1, 2]])`, `{}`},
	{"a Set", `new Set([1])`, `{}`},
	{"a regular expression", `/x/g`, `{}`},
	{"undefined", `undefined`, ``},
	{"a function", `() => 1`, ``},
	{"a symbol", `Symbol("s")`, ``},
	{"these three in an array", `[undefined, () => 1, Symbol("s")]`, `[null,null,null]`},
	{"symbol keys", `({[Symbol("k")]: 1, a: 2})`, `{"a":2}`},
	{"holes", `[1, , 3]`, `[1,null,3]`},
	{"boxed primitives", `[new String("s"), new Number(2), new Boolean(false)]`, `["s",2,false]`},
	{"inherited properties", `Object.create({a: 1}, {b: {value: 2, enumerable: true}, c: {value: 3}})`, `{"b":2}`},
	{"a null-prototype object", `Object.assign(Object.create(null), {a: 1})`, `{"a":1}`},
	{"a getter", `({get a() { return 5 }})`, `{"a":5}`},
	{"a class instance", `new (class { x = 1; #y = 2 })()`, `{"x":1}`},
	{"a cycle, at that place only", `(() => { const a = {n: 1, list: []}; a.list.push(a, 2); return a })()`, `{"n":1,"list":["[Circular]",2]}`},
	{"an array in itself", `(() => { const a = [1]; a.push(a); return a })()`, `[1,"[Circular]"]`},
	{"an object twice is no cycle", `(() => { const a = {n: 1}; return [a, a, {a}] })()`, `[{"n":1},{"n":1},{"a":{"n":1}}]`},
	{"an own __proto__ key", `JSON.parse('{"__proto__":{"x":1},"constructor":2}')`, `{"__proto__":{"x":1},"constructor":2}`},
	{"keys that look like numbers", `({b: 1, 2: 2, 1: 3})`, `{"1":3,"2":2,"b":1}`},
	{"an empty key", `({"": 1})`, `{"":1}`},
	{"a promise", `Promise.resolve(1)`, `{}`},
}

func values(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: []object{echo("echo")}})
	for _, v := range nested {
		t.Run("B6 one adapter: "+v.rule, func(t *testing.T) {
			r := tn.exec(t, "const make = () => ("+v.expression+");\njson({v: make()});\ntext({v: make()});\n"+
				"const back = (await tools.echo({v: make()})).input;\nreturn {v: make(), back}").result("completed")
			// toJSON and getters aside, text is the JSON of the same thing.
			require.True(t, decodes([]byte(r.str("output.1.text"))), r.story())
			for _, path := range []string{"value.v", "value.back.v", "output.0.value.v"} {
				if v.json == "" {
					r.lacks(path)
				} else {
					r.has(path, v.json)
				}
			}
		})
	}
	tn.completeAll(t, []cell{
		{"B6 undefined at the top", `return undefined`, `null`},
		{"B6 a function at the top", `return () => 1`, `null`},
		{"B6 a class at the top", `return class {}`, `null`},
		{"B6 a symbol at the top", `return Symbol("s")`, `null`},
		{"B6 NaN at the top", `return NaN`, `null`},
		{"B6 a BigInt at the top", `return 5n`, `"5"`},
		{"B6 a Date at the top", `return new Date(86400000)`, `"1970-01-02T00:00:00.000Z"`},
		{"B6 an Error at the top", `return new RangeError("r")`, `{"name":"RangeError","message":"r"}`},
		{"B6 the adapter does not use the cell's intrinsics", `const v = {a: [1, new Date(0)]};
JSON.stringify = () => "forged"; Array.prototype.map = null; Object.keys = () => []; Object.prototype.toJSON = undefined;
Array.prototype[Symbol.iterator] = null; return v`, `{"a":[1,"1970-01-01T00:00:00.000Z"]}`},
		{"B6 2,000 levels are no more trouble than they are", `let v = 1; for (let i = 0; i < 100; i++) v = [v]; return JSON.stringify(v).length`, `201`},
	})
	for rule, code := range map[string]string{
		"an array 100,000 deep":        `let v = []; for (let i = 0; i < 1e5; i++) v = [v]; return v`,
		"an object 100,000 deep":       `let v = {}; for (let i = 0; i < 1e5; i++) v = {v}; return v`,
		"an endless toJSON":            `const v = {toJSON() { return {deeper: {toJSON: v.toJSON}} }}; return v`,
		"an endless getter":            `class A { get next() { return new A() } } const o = {}; Object.defineProperty(o, "next", {enumerable: true, get() { return make() }}); function make() { return Object.defineProperty({}, "next", {enumerable: true, get: make}) } return o`,
		"json() of something too deep": `let v = []; for (let i = 0; i < 1e5; i++) v = [v]; json(v); return 1`,
	} {
		t.Run("B6 too deep is a clear error: "+rule, func(t *testing.T) {
			r := tn.exec(t, code).result("failed")
			require.Regexp(t, `(?i)deep|nest`, r.str("error"), r.story())
		})
	}
	t.Run("B6 what toJSON or a getter throws is the cell's error", func(t *testing.T) {
		tn.exec(t, `return {toJSON() { throw new Error("no json") }}`).failed("internal_error", "").mentions("error", "no json")
		tn.exec(t, `return {get a() { throw new Error("no a") }}`).failed("internal_error", "").mentions("error", "no a")
		tn.exec(t, `try { json({toJSON() { throw new Error("x") }}) } catch (e) { return e.message }`).completed(`"x"`)
	})
	t.Run("B6 a value goes through unchanged in bulk", func(t *testing.T) {
		big := strings.Repeat("é", 10000)
		tn.exec(t, `return "é".repeat(10000)`).completed(`"` + big + `"`)
	})
}
