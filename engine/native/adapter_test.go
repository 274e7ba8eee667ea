//go:build cgo

package native

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// The text is compared byte by byte: JSON equality would hide order, escapes and duplicates.
func TestAdapter(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, expression, want string }{
		{"undefined at the top", `undefined`, `null`},
		{"a function at the top", `() => 1`, `null`},
		{"a symbol at the top", `Symbol("s")`, `null`},
		{"undefined, functions and symbols are dropped in objects", `{a: undefined, b() {}, c: Symbol("s"), d: 1}`, `{"d":1}`},
		{"and null in arrays", `[undefined, () => 1, Symbol("s"), , 1]`, `[null,null,null,null,1]`},
		{"numbers", `[1, -1.5, 1e21, 5e-324, 1e300, 2**53, -(2**31), 0.1]`, `[1,-1.5,1e+21,5e-324,1e+300,9007199254740992,-2147483648,0.1]`},
		{"no number, infinity", `[NaN, Infinity, -Infinity]`, `[null,null,null]`},
		{"negative zero", `[-0, {a: -0}]`, `[0,{"a":0}]`},
		{"big integers are decimal text", `[10n, -(2n ** 70n), {a: 0n}]`, `["10","-1180591620717411303424",{"a":"0"}]`},
		{"strings keep every escape", `"\0\x01\b\f\n\r\t\"\\/\x7f\u2028é😀\uffff"`, "\"\\u0000\\u0001\\b\\f\\n\\r\\t\\\"\\\\/\x7f\u2028é😀\uffff\""},
		{"lone surrogates", `["\ud800", "a\udc00b", "\ud83d\ude00", "\ud83d", "\ude00\ud83d"]`, `["�","a�b","😀","�","��"]`},
		{"lone surrogates in keys", `{["\ud800a"]: 1, ["\udfff"]: 2}`, `{"�a":1,"�":2}`},
		{"order of keys", `{b: 1, 2: 1, a: 1, 1: 1}`, `{"1":1,"2":1,"b":1,"a":1}`},
		{"own enumerable text keys only", `Object.create({x: 1}, {a: {value: 1, enumerable: true}, b: {value: 2}, [Symbol("s")]: {value: 3, enumerable: true}})`, `{"a":1}`},
		{
			"__proto__ and its kin are plain keys", `JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3,"toJSON":4,"then":5}')`,
			`{"__proto__":{"x":1},"constructor":2,"toString":3,"toJSON":4,"then":5}`,
		},
		{"no prototype", `Object.assign(Object.create(null), {a: 1})`, `{"a":1}`},
		{"dates", `[new Date(0), new Date(NaN), {d: new Date(1e12)}]`, `["1970-01-01T00:00:00.000Z",null,{"d":"2001-09-09T01:46:40.000Z"}]`},
		{
			"errors", `[new RangeError("r"), Object.assign(new Error("m"), {name: "N", code: 5}), new Error(), new AggregateError([1], "a")]`,
			`[{"name":"RangeError","message":"r"},{"name":"N","message":"m"},{"name":"Error","message":""},{"name":"AggregateError","message":"a"}]`,
		},
		{"an error with a toJSON", `Object.assign(new Error("m"), {toJSON() { return 7 }})`, `7`},
		{"maps and sets", `[new Map([[1, 2]]), new Set([1]), Object.assign(new Map(), {x: 1})]`, `[{},{},{"x":1}]`},
		{"promises are not awaited", `{p: Promise.resolve(1), q: [Promise.resolve()]}`, `{"p":{},"q":[{}]}`},
		{"regular expressions, weak things, iterators", `[/x/g, new WeakMap(), new WeakRef({}), [1].values()]`, `[{},{},{},{}]`},
		{"boxes", `[Object(1), Object("s"), Object(true), Object(false), Object(NaN), Object(2n ** 70n)]`, `[1,"s",true,false,null,"1180591620717411303424"]`},
		{
			"typed arrays", `[new Uint8Array([1, 2]), new Float64Array([1.5, NaN]), new BigInt64Array([1n]), new ArrayBuffer(2)]`,
			`[{"0":1,"1":2},{"0":1.5,"1":null},{"0":"1"},{}]`,
		},
		{"arguments are no array", `(function () { return arguments })(1, 2)`, `{"0":1,"1":2}`},
		{"array with further keys", `Object.assign([1], {x: 1})`, `[1]`},
		{"sparse array", `(() => { const a = []; a[3] = 1; return a })()`, `[null,null,null,1]`},
		{"array with an accessor", `Object.defineProperty([1, 2], 1, {get() { return 3 }})`, `[1,3]`},
		{"array of a class", `new (class A extends Array {})(1, 2)`, `[1,2]`},
		{
			"toJSON gets its key", `{a: {toJSON(k) { return k }}, b: [{toJSON(k) { return [k, typeof k] }}], c: {toJSON() { return undefined }}}`,
			`{"a":"a","b":[["0","string"]]}`,
		},
		{"toJSON at the top gets an empty key", `{toJSON(k) { return [k, this === globalThis] }}`, `["",false]`},
		{"toJSON of what toJSON returns is not asked", `{toJSON() { return {toJSON() { return 1 }, a: 2} }}`, `{"a":2}`},
		{"toJSON that is no function", `{toJSON: 1}`, `{"toJSON":1}`},
		{"toJSON of a prototype, for big integers too", `(BigInt.prototype.toJSON = function () { return "big" }, [1n, {a: 2n}])`, `["big",{"a":"big"}]`},
		{"toJSON of a number's prototype is not asked", `(Number.prototype.toJSON = () => 5, [1])`, `[1]`},
		{"getters run once each", `(() => { let n = 0; return {get a() { return ++n }, get b() { return ++n }} })()`, `{"a":1,"b":2}`},
		{"keys that a getter adds are not visited", `({get a() { this.z = 1; return 1 }, b: 2})`, `{"a":1,"b":2}`},
		{"keys that a getter removes are dropped", `({get a() { delete this.b; return 1 }, b: 2})`, `{"a":1}`},
		{"Symbol.toPrimitive is not asked of objects", `{[Symbol.toPrimitive]() { return 5 }, a: 1}`, `{"a":1}`},
		{"proxy of an object", `new Proxy({a: 1, b: 2}, {})`, `{"a":1,"b":2}`},
		{"proxy of an array", `new Proxy([1, [2]], {})`, `[1,[2]]`},
		{"proxy of a proxy of an array", `new Proxy(new Proxy([1], {}), {})`, `[1]`},
		{"proxy's traps are asked", `new Proxy({}, {ownKeys: () => ["x", "y"], getOwnPropertyDescriptor: (t, k) => ({value: 0, enumerable: k === "x", configurable: true}), get: (t, k) => k === "x" ? 7 : undefined})`, `{"x":7}`},
		{"proxy of a function", `[new Proxy(() => 1, {})]`, `[null]`},
		{
			"cycle, where it closes", `(() => { const o = {a: 1, l: []}; o.o = o; o.l.push(o, [o.l]); return o })()`,
			`{"a":1,"l":["[Circular]",["[Circular]"]],"o":"[Circular]"}`,
		},
		{"the same object twice is no cycle", `(() => { const o = {a: 1}; return [o, o, {o}] })()`, `[{"a":1},{"a":1},{"o":{"a":1}}]`},
		{"cycle through toJSON", `(() => { const o = {toJSON() { return {o} }}; return {o} })()`, ``},
	} {
		t.Run("B6 "+c.rule, func(t *testing.T) {
			if c.want == "" {
				require.Equal(t, "RangeError", thrown(t, e, `return (`+c.expression+`)`).Name)
				return
			}
			require.Equal(t, c.want, value(t, e, `return (`+c.expression+`)`))
		})
	}
}

func TestAdapterDepth(t *testing.T) {
	e := newEngine(t, Options{})
	t.Run("B6 500 levels", func(t *testing.T) {
		require.Equal(t, strings.Repeat("[", 500)+strings.Repeat("]", 500), value(t, e, `let v = []; for (let i = 1; i < 500; i++) v = [v]; return v`))
	})
	t.Run("B6 too deep is an error that says so", func(t *testing.T) {
		for _, cell := range []string{
			`let v = []; for (let i = 0; i < 500; i++) v = [v]; return v`,
			`let v = {}; for (let i = 0; i < 1e5; i++) v = {v}; return v`,
			`return new Proxy({}, {ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 1}), get: (t, k, r) => k === "a" ? new Proxy(r, {}) : undefined})`,
		} {
			got := thrown(t, e, cell)
			require.Equal(t, "RangeError", got.Name)
			require.Equal(t, "value is nested too deeply for JSON (over 500 levels)", got.Message)
		}
	})
}

func TestAdapterFailures(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, expression, want string }{
		{"a getter that throws", `{get a() { throw new TypeError("no") }}`, "TypeError: no"},
		{"a toJSON that throws", `[{toJSON() { throw new SyntaxError("no") }}]`, "SyntaxError: no"},
		{"a revoked proxy", `(() => { const {proxy, revoke} = Proxy.revocable({}, {}); const o = {proxy}; revoke(); return o })()`, "TypeError: revoked proxy"},
	} {
		t.Run("B6 "+c.rule, func(t *testing.T) {
			got := thrown(t, e, `return `+c.expression)
			require.Equal(t, c.want, got.Name+": "+got.Message)
			require.Equal(t, `"caught"`, value(t, e, `try { json(`+c.expression+`) } catch { return "caught" }`))
			require.Equal(t, `"caught"`, value(t, e, `try { await tools.echo(`+c.expression+`) } catch { return "caught" }`))
		})
	}
}

func TestAdapterHints(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct {
		rule, cell string
		want       engine.Hint
	}{
		{"nothing", `return 1`, 0},
		{"nothing returned", `1`, engine.HintUndefined},
		{"a promise inside", `return [Promise.resolve(1)]`, engine.HintPromise},
		{"a map inside", `return {m: new Map()}`, engine.HintMapOrSet},
		{"a set", `return new Set()`, engine.HintMapOrSet},
		{"a function inside", `return {f() {}}`, engine.HintFunction | engine.HintFunctions},
		{"a function beside something", `return {a: 1, f() {}}`, engine.HintFunction},
		{"a function in a list", `return [() => 1]`, engine.HintFunction | engine.HintFunctions},
		{"several", `return [new Map(), () => 1, Promise.resolve()]`, engine.HintMapOrSet | engine.HintFunction | engine.HintFunctions | engine.HintPromise},
		{"iterators", `return [new Map().keys(), new Set().entries(), [].values(), "a"[Symbol.iterator](), "a".matchAll(/a/g)]`, engine.HintIterator},
		{"a generator", `return (function* () {})()`, engine.HintIterator},
		{"an asynchronous one", `return (async function* () {})()`, engine.HintIterator},
		{"iterator helpers", `return [[].values().map((x) => x), Iterator.from([]), Iterator.from({next() {}})]`, engine.HintIterator},
		{"what is only iterable", `class L { #list = [1]; [Symbol.iterator]() { return this.#list.values() } } return [new L(), new URLSearchParams("a=1")]`, engine.HintIterator},
		{"an iterator that has something to show", `return {next: 1, [Symbol.iterator]() {}}`, 0},
		{"a class that has a method of that name", `class A { next() {} } return new A()`, 0},
		{"bytes", `return [new Uint8Array(2)]`, engine.HintBytes},
		{"no bytes", `return new BigInt64Array()`, engine.HintBytes},
		{"a buffer", `return new ArrayBuffer(2)`, engine.HintBytes},
		{"a view", `return {v: new DataView(new ArrayBuffer(2))}`, engine.HintBytes},
		{"a regular expression", `return /a/`, engine.HintOpaque},
		{"weak things", `return [new WeakMap(), new WeakSet(), new WeakRef({})]`, engine.HintOpaque},
		{"no number", `return [NaN]`, engine.HintNumber},
		{"an infinity", `return {a: -1 / 0}`, engine.HintNumber},
		{"a map that was put out", `json(new Map()); return 1`, engine.HintMapOrSet},
		{"a set in text", `text([new Set()]); return 1`, engine.HintMapOrSet},
		{"a set in the console", `console.log("a", new Set()); return 1`, engine.HintMapOrSet},
		{"an iterator given to a tool", `tools.echo({list: new Set().values()}).catch(() => 1); return 1`, engine.HintIterator},
		{"nothing of the value's alone elsewhere", `json([NaN, () => 1, 1 / 0]); return 1`, 0},
		{"what JSON shows", `return [{}, [], null, new Date(0), Object.create(null), new (class { #p = 1 })(), "", new Error("a")]`, 0},
	} {
		t.Run("B7 "+c.rule, func(t *testing.T) { require.Equal(t, c.want, run(t, e, c.cell).Main.Hints) })
	}
}

func TestOutputs(t *testing.T) {
	e := newEngine(t, Options{})
	text := func(s string) engine.Output { return engine.Output{Data: []byte(s)} }
	level := func(n byte, s string) engine.Output { return engine.Output{Level: n, Data: []byte(s)} }
	data := func(s string) engine.Output { return engine.Output{JSON: true, Data: []byte(s)} }
	for _, c := range []struct {
		rule, cell string
		want       []engine.Output
	}{
		{"D8 text is as it is", `text("a\0b\"é\ud800"); text("")`, []engine.Output{text("a\x00b\"é�"), text("")}},
		{
			"D8 anything else is JSON text", `text({a: 1}); text(5); text(null); text(undefined); text([1n]); text(Object("s"))`,
			[]engine.Output{text(`{"a":1}`), text("5"), text("null"), text("null"), text(`["1"]`), text(`"s"`)},
		},
		{
			"D8 json is a copy made at the call", `const o = {a: 1}; json(o); o.a = 2; json(o); json(undefined); json("s")`,
			[]engine.Output{data(`{"a":1}`), data(`{"a":2}`), data("null"), data(`"s"`)},
		},
		{"D8 in the order of the calls", `json(1); text("2"); console.log(3); json(4)`, []engine.Output{data("1"), text("2"), level(1, "3"), data("4")}},
		{
			"D10 console has levels", `console.log("a"); console.info("b"); console.debug("c"); console.warn("d"); console.error("e")`,
			[]engine.Output{level(1, "a"), level(2, "b"), level(3, "c"), level(4, "d"), level(5, "e")},
		},
		{
			"D10 console shows what JSON drops", `console.log(undefined, null, Symbol("s"), () => 1, new TypeError("t"), {a: [1n]}, "x y")`,
			[]engine.Output{level(1, `undefined null Symbol(s) [function] TypeError: t {"a":["1"]} x y`)},
		},
		{"D8 output of a toJSON that makes output", `text({toJSON() { text("inner"); return 1 }})`, []engine.Output{text("inner"), text("1")}},
	} {
		t.Run(c.rule, func(t *testing.T) { require.Equal(t, c.want, run(t, e, c.cell).Outputs) })
	}
}
