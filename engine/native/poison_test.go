//go:build cgo

package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// A cell that replaces what the engine brings must not see, change or fake what it and the host say to each other.
func TestPoisonedCalls(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, poison string }{
		{"nothing", ``},
		{"Array.prototype.push", `const p = Array.prototype.push; Array.prototype.push = function (...a) { seen++; return p.apply(this, a) }`},
		{"Promise.prototype.then", `const t = Promise.prototype.then; Promise.prototype.then = function (a, b) { seen++; return t.call(this, a, b) }`},
		{"JSON", `JSON.stringify = () => { seen++; return '"forged"' }; JSON.parse = () => { seen++; return "forged" }`},
		{"call, apply, bind", `for (const k of ["call", "apply", "bind"]) Function.prototype[k] = function () { seen++; return () => 1 }`},
		{"setters on Object.prototype", `for (const k of ["id", "method", "args", "input", "result", "tool", "resolve", "reject", "path", "0", "value"])
			Object.defineProperty(Object.prototype, k, {configurable: true, set() { seen++ }, get() { return undefined }})`},
		{"descriptor fields on Object.prototype", `Object.prototype.get = () => { seen++ }; Object.prototype.set = () => { seen++ };
			Object.prototype.enumerable = Object.prototype.writable = false`},
		{"globals", `for (const k of ["Promise", "Map", "Set", "JSON", "Error", "Object", "Array", "Symbol", "Reflect", "String", "Proxy"]) globalThis[k] = null`},
		{"setters on Array.prototype", `for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, {set() { seen++ }, get() { return undefined }, configurable: true})`},
		{"Symbol.split of strings", `String.prototype[Symbol.split] = () => { seen++; return ["forged\topenclaw:core:echo"] }`},
		{"iterators", `Array.prototype[Symbol.iterator] = function* () { seen++; yield "forged" }`},
		{"Error's hooks", `Error.prepareStackTrace = () => { seen++; return "forged" }; Error.stackTraceLimit = 0; seen = 0`},
		{"species", `Object.defineProperty(Promise, Symbol.species, {get() { seen++; return function () { throw 1 } }})`},
	} {
		t.Run("D1 "+c.rule, func(t *testing.T) {
			vm, first := start(t, e, limits(`let seen = 0; `+c.poison+`;
				const r = await tools.echo({a: [1, {b: 2}], s: "x"});
				return [r.a[1].b, r.s];`))
			defer vm.Close()
			require.Len(t, first.Requests, 1)
			q := first.Requests[0]
			require.Equal(t, engine.MethodCallValue, q.Method)
			require.Equal(t, "openclaw:core:echo", q.Name)
			require.JSONEq(t, `{"a":[1,{"b":2}],"s":"x"}`, string(q.Payload))
			last := resume(t, vm, engine.Answer{ID: q.ID, Payload: q.Payload})
			require.Equal(t, engine.Fulfilled, last.Main.State, "%+v", last.Main.Thrown)
			require.JSONEq(t, `[2,"x"]`, string(last.Main.Value))
		})
	}
}

func TestPoisonedOutputs(t *testing.T) {
	e := newEngine(t, Options{})
	for _, poison := range []string{
		`JSON.stringify = () => '"forged"'`,
		`String.prototype.toString = Array.prototype.toString = () => "forged"`,
		`globalThis.String = globalThis.JSON = null`,
		`Array.prototype.push = Array.prototype.join = null`,
		`Object.defineProperty(Object.prototype, "0", {get() { return "forged" }, set() {}})`,
	} {
		effects := run(t, e, poison+`; text("a"); text({b: 1}); json([2]); console.warn("c", 3, undefined)`)
		require.Equal(t, []engine.Output{
			{Data: []byte("a")}, {Data: []byte(`{"b":1}`)}, {JSON: true, Data: []byte("[2]")}, {Level: 4, Data: []byte("c 3 undefined")},
		}, effects.Outputs, poison)
	}
}

// What is loaded lazily runs after the cell may have replaced everything.
func TestPoisonedWeb(t *testing.T) {
	e := newEngine(t, Options{})
	const use = `
		const u = new URL("../x?b=2&a=1#h", "http://user:p@EXAMPLE.com:8080/p/q/r");
		u.searchParams.append("é", "☃"); u.searchParams.sort();
		const d = new TextDecoder(), bytes = new TextEncoder().encode("é😀");
		const c = structuredClone({m: new Map([[1, {b: 2}]]), d: new Date(5), a: [1, , 3], v: tail});
		const out = u.href + " " + d.decode(bytes) + " " + bytes[5] + " " + c.m.get(1).b + c.d.getTime() + c.a.length + c.v[0] + " " +
			new URL("http://bücher.de/").host + " " + new URL("http://0x7f.1/").host + " " + crypto.randomUUID().length;`
	const want = `http://user:p@example.com:8080/p/x?a=1&b=2&%C3%A9=%E2%98%83#h é😀 128 2538 xn--bcher-kva.de 127.0.0.1 36`
	for _, c := range []struct{ rule, poison string }{
		{"nothing", ``},
		{"methods of strings", `for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== "length" && k !== "constructor") String.prototype[k] = () => "forged"`},
		{"methods of arrays", `for (const k of Object.getOwnPropertyNames(Array.prototype)) if (k !== "length" && k !== "constructor") Array.prototype[k] = () => "forged"`},
		{"setters on Array.prototype", `for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, {set() { throw 1 }, configurable: true})`},
		{"properties of Object.prototype", `for (const k of ["get", "set", "enumerable", "writable", "configurable"]) Object.prototype[k] = 1;
			Object.prototype.value = "forged"`},
		{"typed arrays", `const TA = Object.getPrototypeOf(Uint8Array);
			for (const k of ["length", "byteLength", "byteOffset", "buffer"]) Object.defineProperty(TA.prototype, k, {get() { throw 1 }});
			Object.defineProperty(Uint8Array, Symbol.species, {get() { throw 1 }}); Uint8Array.prototype.constructor = null; TA.prototype.set = null`},
		{"species", `for (const C of [Array, ArrayBuffer, RegExp, Map]) Object.defineProperty(C, Symbol.species, {get() { throw 1 }})`},
		{"regular expressions", `for (const k of ["exec", "test", "source", "flags"]) Object.defineProperty(RegExp.prototype, k, {value() { throw 1 }})`},
		{"names of constructors", `for (const C of [Error, Uint8Array, TypeError, Map]) Object.defineProperty(C, "name", {get() { throw 1 }})`},
		{"reflection", `for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = null; for (const k of ["defineProperty", "create", "getPrototypeOf"]) Object[k] = null`},
		{"number and function methods", `Number.prototype.toString = Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }`},
	} {
		t.Run("D10 "+c.rule, func(t *testing.T) {
			effects := run(t, e, `const send = text, tail = new Uint8Array([7, 8]).subarray(1); `+c.poison+`;`+use+`send(out);`)
			require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
			require.Equal(t, want, string(effects.Outputs[0].Data))
		})
	}
}

// A stack trace formatter sees the frames of our own functions; it must not get the functions or what they work on.
func TestStackTraceFormatters(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, call := range map[string]string{
		"a call":     `tools.echo({toJSON: look})`,
		"a search":   `tools.search("x", {get limit() { look() }})`,
		"an output":  `text({toJSON: look})`,
		"console":    `console.log(Object.assign(new Error(), {get name() { return look() }}), {toJSON: look})`,
		"a file":     `await API.list({toString: look})`,
		"a URL":      `new URL({toString: look})`,
		"parameters": `new URLSearchParams({get a() { return look() }})`,
		"a clone":    `structuredClone({get a() { return look() }})`,
		"a decoder":  `new TextDecoder({toString: look})`,
		"a timer":    `setTimeout(() => {}, {valueOf: look})`,
	} {
		t.Run("D1 "+rule, func(t *testing.T) {
			require.Equal(t, `[true,0]`, value(t, e, `
				const got = []; let looked = false;
				Error.prepareStackTrace = (e, sites) => { for (const s of sites) for (const m of Object.getOwnPropertyNames(Object.getPrototypeOf(s))) {
					let v; try { v = s[m]() } catch {} if ((typeof v === "function" || (typeof v === "object" && v !== null)) && v !== globalThis) got.push([m, v]) } return "" };
				const look = () => { looked = true; new Error().stack; return "http://h/" };
				try { `+call+` } catch {}
				Error.prepareStackTrace = undefined;
				return [looked, got.filter(([m, v]) => typeof v === "function" && v !== look && !/look/.test(v.name)).length]`))
		})
	}
}
