//go:build cgo

package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextCoders(t *testing.T) {
	e := newEngine(t, Options{})
	const decode = `const decode = (bytes, options) => { try { return new TextDecoder("utf-8", options).decode(new Uint8Array(bytes)) } catch (e) { return e.name } };`
	for _, c := range []struct{ rule, cell, want string }{
		{"bytes of each length", `return [...new TextEncoder().encode("aé€😀")]`, `[97,195,169,226,130,172,240,159,152,128]`},
		{"lone surrogates", `return [...new TextEncoder().encode("\ud800x\udc00")]`, `[239,191,189,120,239,191,189]`},
		{"the result's buffer has its size", `return new TextEncoder().encode("aé").buffer.byteLength`, `3`},
		{"encode without text", `return [new TextEncoder().encode().length, new TextEncoder().encode(null).length]`, `[0,4]`},
		{
			"encodeInto stops at what fits", `const b = new Uint8Array(4); const r = new TextEncoder().encodeInto("a€é", b); return [r, [...b]]`,
			`[{"read":2,"written":4},[97,226,130,172]]`,
		},
		{"decode", decode + `return [decode([97, 195, 169, 226, 130, 172, 240, 159, 152, 128]), decode([])]`, `["aé€😀",""]`},
		{
			"each maximal wrong part is one replacement", decode + `return [[0xc0, 0x80], [0xe2, 0x82], [0xe2, 0x82, 0x41], [0xed, 0xa0, 0x80], [0xf0, 0x90, 0x8f], [0xf5], [0xf4, 0x90, 0x80, 0x80], [0x80]].map(b => decode(b))`,
			`["��","�","�A","���","�","�","����","�"]`,
		},
		{"fatal", decode + `return [decode([0xff], {fatal: true}), decode([0x41], {fatal: true}), decode([0xe2, 0x82], {fatal: true})]`, `["TypeError","A","TypeError"]`},
		{
			"byte order mark", decode + `return [decode([0xef, 0xbb, 0xbf, 65]), decode([0xef, 0xbb, 0xbf, 65], {ignoreBOM: true}), decode([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf])]`,
			`["A","\ufeffA","\ufeff"]`,
		},
		{"a stream in pieces", `const d = new TextDecoder(); let s = "";
			for (const b of [0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xe2]) s += d.decode(new Uint8Array([b]), {stream: true}) + ".";
			return s + d.decode()`, `".....€....😀..�"`},
		{"a stream that ends starts anew", `const d = new TextDecoder(); d.decode(new Uint8Array([0xe2, 0x82]), {stream: true}); return [d.decode(), d.decode(new Uint8Array([0xac]))]`, `["�","�"]`},
		{
			"labels", `const out = []; for (const l of ["UTF8", " utf-8\n", "unicode-1-1-utf-8", "latin1", "", "\u00a0utf-8"]) try { out.push(new TextDecoder(l).encoding) } catch (e) { out.push(e.name) } return out`,
			`["utf-8","utf-8","utf-8","RangeError","RangeError","RangeError"]`,
		},
		{"what can be decoded", `const out = []; const b = new Uint8Array([65, 66, 67, 68]).buffer;
			for (const v of [b, new DataView(b, 1, 2), new Uint16Array(b, 2), undefined, null, 5, "x", [65], {}]) try { out.push(new TextDecoder().decode(v)) } catch (e) { out.push(e.name) }
			return out`, `["ABCD","BC","CD","","TypeError","TypeError","TypeError","TypeError","TypeError"]`},
		{"options must be an object", `const out = []; for (const f of [() => new TextDecoder("utf8", 1), () => new TextDecoder().decode(undefined, "x"), () => TextDecoder(), () => TextEncoder.prototype.encodeInto.call({}, "", [])])
			try { f(); out.push(0) } catch (e) { out.push(e instanceof TypeError ? 1 : e.name) } return out`, `[1,1,1,1]`},
	} {
		t.Run("D10 "+c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
}

func TestStructuredClone(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, want string }{
		{"primitives", `return [1, "s", null, true, NaN].map(v => structuredClone(v))`, `[1,"s",null,true,null]`},
		{"big integers and undefined", `return [String(structuredClone(10n)), structuredClone(undefined) === undefined, Object.is(structuredClone(-0), -0)]`, `["10",true,true]`},
		{
			"plain objects, own enumerable text keys", `const o = Object.create({a: 1}, {b: {value: 2, enumerable: true}, c: {value: 3}}); o[Symbol("s")] = 4; const c = structuredClone(o); return [c, "a" in c, Object.getOwnPropertySymbols(c).length, c !== o]`,
			`[{"b":2},false,0,true]`,
		},
		{"__proto__ stays a key", `const c = structuredClone(JSON.parse('{"__proto__": {"x": 1}}')); return [Object.keys(c), Object.getPrototypeOf(c) === Object.prototype, c.x === undefined]`, `[["__proto__"],true,true]`},
		{"arrays with holes and keys", `const c = structuredClone(Object.assign([1, , 3], {x: 5})); return [c.length, 1 in c, c.x, Array.isArray(c)]`, `[3,false,5,true]`},
		{"cycles and identity", `const o = {}; o.o = o; o.m = new Map([[o, o]]); o.s = new Set([o]); const c = structuredClone(o); return [c !== o, c.o === c, c.m.get(c) === c, c.s.has(c)]`, `[true,true,true,true]`},
		{"dates, expressions, boxes", `const c = structuredClone([new Date(5), /a\/b/gi, Object(1), Object("s"), Object(false), Object(5n)]);
			return [c[0].getTime(), String(c[1]), c[1].lastIndex, typeof c[2], c[2] + 1, c[3] + "", c[4].valueOf(), String(c[5])]`, `[5,"/a\\/b/gi",0,"object",2,"s",false,"5"]`},
		{"buffers are copied and shared by their views", `const b = new ArrayBuffer(8), v = [new Uint8Array(b, 2, 3), new DataView(b, 1, 4), b]; v[0][0] = 7; const c = structuredClone(v); v[0][0] = 9;
			return [c[0][0], c[0].byteOffset, c[0].length, c[1].byteLength, c[0].buffer === c[2], c[1].buffer === c[2], c[2] !== b]`, `[7,2,3,4,true,true,true]`},
		{
			"errors", `const s = (e) => { const c = structuredClone(e); return [c.constructor.name, c.name, c.message, c.stack === e.stack, Object.keys(c).length, "cause" in c && c.cause] };
			return [s(new RangeError("r")), s(new (class Foo extends Error {})("q")), s(Object.assign(new Error("m"), {name: "Foo"})), s(new Error("c", {cause: 5}))]`,
			`[["RangeError","RangeError","r",true,0,false],["Error","Error","q",true,0,false],["Error","Error","m",true,0,false],["Error","Error","c",true,0,5]]`,
		},
		{"getters run", `return structuredClone({get a() { return 7 }})`, `{"a":7}`},
		{"what a getter throws comes out", `try { structuredClone({get a() { throw new RangeError("g") }}) } catch (e) { return e.message }`, `"g"`},
		{"what can't be cloned", `const out = [];
			for (const v of [() => 1, Symbol("s"), Promise.resolve(), new WeakMap(), new WeakSet(), new WeakRef({}), new Proxy({}, {}), (function* () {})(), [1][Symbol.iterator](), {a: {b: () => 1}}, new URL("a:b")])
				try { structuredClone(v); out.push(0) } catch (e) { out.push(e.name === "DataCloneError" && e.code === 25 ? 1 : String(e)) }
			return out.join("")`, `"11111111110"`},
		{"a tag fools nobody", `return [structuredClone({[Symbol.toStringTag]: "Promise", a: 1}), structuredClone(Object.setPrototypeOf(new Map([[1, 2]]), null)) instanceof Map]`, `[{"a":1},true]`},
		{"a map that grows while it is cloned", `const m = new Map(); m.set({get a() { m.set({}, 1); return 1 }}, 2); return structuredClone(m).size`, `1`},
		{"nothing is transferred", `try { structuredClone(1, {transfer: [new ArrayBuffer(1)]}) } catch (e) { return e.name }`, `"DataCloneError"`},
		{"it needs a value", `try { structuredClone() } catch (e) { return e.name }`, `"TypeError"`},
	} {
		t.Run("D10 "+c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
}

func TestCryptoAndClock(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, want string }{
		{"randomUUID is version 4", `return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`, `true`},
		{"getRandomValues fills and returns its view", `const v = new Uint8Array(64); return [crypto.getRandomValues(v) === v, new Set(v).size > 8]`, `[true,true]`},
		{"getRandomValues has a bound", `try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return e.name }`, `"RangeError"`},
		{"performance.now starts at 0 and never goes back", `const a = performance.now(); let last = a; for (let i = 0; i < 1e4; i++) { const n = performance.now(); if (n < last) return "back"; last = n } return a`, `0`},
		{"the clock never goes back", `let last = Date.now(); for (let i = 0; i < 1e4; i++) { const n = Date.now(); if (n < last) return "back"; last = n } return last > 1.6e12`, `true`},
		{
			"the zone is UTC", `return [new Date(0).getTimezoneOffset(), new Date(2020, 5, 1).toISOString(), String(new Date(0))]`,
			`[0,"2020-06-01T00:00:00.000Z","Thu Jan 01 1970 00:00:00 GMT+0000"]`,
		},
		{"atob and btoa", `return [btoa("a\xff"), atob("Yf8=").charCodeAt(1)]`, `["Yf8=",255]`},
		{"queueMicrotask", `const s = []; queueMicrotask(() => s.push(2)); s.push(1); await null; return s`, `[1,2]`},
	} {
		t.Run("D10 "+c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
}
