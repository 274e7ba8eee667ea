//go:build cgo

package differential

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs cover the language and the guest's API. {wait} suspends; every program suspends while it holds on to things.
var programs = map[string]string{
	"closures":            `let n = 0; const up = () => ++n; up(); {wait}; up(); return [n, up()]`,
	"generators":          `function* g() { try { let x = 1; for (;;) x += yield x } finally { text("closed") } } const it = g(); it.next(); it.next(2); {wait}; return [it.next(3), it.return(9), it.next()]`,
	"async generators":    `async function* g() { for (let i = 0; i < 3; i++) yield tools.echo({i}).catch((e) => e.message) } const out = []; for await (const v of g()) out.push(v); return out`,
	"classes":             `class A { #p = 1; static #s = 2; static { A.t = A.#s } get p() { return this.#p } set p(v) { this.#p = v } #m() { return this.#p * 2 } m() { return this.#m() } static has(o) { return #p in o } } class B extends A { constructor() { super(); this.p = 5 } m() { return super.m() + 1 } } const b = new B(); {wait}; return [b.m(), A.t, A.has(b), A.has({}), b instanceof A]`,
	"maps":                `const k = {}, m = new Map([[k, 1], [NaN, 2], [-0, 3]]), s = new Set([1, "1", k]), w = new WeakMap([[k, "w"]]), ws = new WeakSet([k]); {wait}; m.delete(NaN); m.set("z", 0); return [[...m.keys()].length, m.get(0), s.has(k), w.get(k), ws.has(k), [...s].map(String)]`,
	"dates":               `const d = new Date(86400000 * 365.25 * 50 + 123); {wait}; return [d, d.getTimezoneOffset(), d.toString(), d.toLocaleString(), d.toUTCString(), new Date("2020-02-30T12:00Z"), Date.parse("Tue, 01 Dec 2026 10:00:00 GMT"), new Date(2020, 1, 29, 25).toISOString(), new Date(NaN).getTime(), Date.UTC(1, 2), new Date(d).setHours(NaN), (() => { const e = new Date(d); e.setDate(undefined); return e.getTime() })()]`,
	"dates of zones":      `const f = new Intl.DateTimeFormat("en-US", {dateStyle: "full", timeStyle: "long", timeZone: "America/New_York"}), show = f.format; show(0); Array.prototype.indexOf = Array.prototype[Symbol.iterator] = String.prototype.slice = String.prototype.indexOf = () => { throw new Error("not the cell's") }; Object.defineProperty(Array.prototype, 0, {set() { throw new Error("not the cell's") }}); Object.prototype.text = Object.prototype.timeZone = "X"; delete Object.prototype.timeZone; {wait}; return [show(1e12), f.formatRange(0, 36e5), new Date(1e12).toLocaleTimeString("en-GB", {timeZone: "Europe/London", timeZoneName: "long"}), new Date(-8.64e15).toLocaleDateString("en-US", {timeZone: "+05:30", era: "short"}), f.resolvedOptions().timeZone]`,
	"clock":               `const a = Date.now(), b = new Date().getTime(), p = performance.now(); {wait}; const c = Date.now(); let n = 0; while (Date.now() < c + 2) n = 1; return [b - a, c >= b, n, performance.now() >= p, typeof performance.now()]`,
	"chance":              `const r = [Math.random(), Math.random()]; {wait}; return [r, Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]`,
	"regexps":             `const r = /(?<y>\d{4})-(?<m>\d\d)/gu, s = /(?<=\$)\d+(?!\.)/; r.lastIndex = 2; {wait}; return ["x 2026-12-01 2025-01".replace(r, "$<m>/$<y>"), s.exec("$42 $4.2")?.[0], [..."a1b22".matchAll(/[a-z](\d+)/g)].map((m) => [m.index, m[1]]), /^\p{L}+$/u.test("éß日"), "aBc".replace(/b/i, (m) => m + m), /(a+)+$/.test("aaaaaaaaaaaaaaaa!"), "x".split(/(?:)/), RegExp("[" + "a-z".repeat(3) + "]").source]`,
	"bigints":             `const b = 2n ** 200n - 1n; {wait}; return [b, b * b, b / 7n, b % 1000003n, -b >> 3n, b & 0xffffffffffn, BigInt.asIntN(64, b), BigInt.asUintN(64, -1n), BigInt("0x" + "f".repeat(40)), (123456789n ** 20n).toString(36), b > 1e30, 5n == 5, typeof b]`,
	"numbers":             `const x = [0.1 + 0.2, 1e21, 1e-7, 123456789.123456789, 5e-324, 1.7976931348623157e308, -0, 2 ** 53, 0.000001, 100, 1 / 3]; {wait}; return [x.map(String), x.map((v) => v.toFixed(3)), x.map((v) => v.toExponential(5)), x.map((v) => v.toPrecision(4)), x.map((v) => v.toString(2)).map((s) => s.length), Number("0b101"), parseFloat("3.14abc"), parseInt("7f", 16), Number.EPSILON, (25).toString(36), NaN]`,
	"exact math":          `const x = [0, -0, 1, -1.5, 2.5, 1e10, -1e-10, 3.7, 255, 1 / 0]; {wait}; return ["abs", "ceil", "floor", "round", "trunc", "sign", "sqrt", "fround", "clz32"].map((f) => x.map((v) => String(Math[f](v)))).concat([[Math.imul(0xffffffff, 5), Math.max(...x), Math.min(), 7 % 3, -7 % 3, 5.5 % 2]])`,
	"typed arrays":        `const b = new ArrayBuffer(16), f = new Float64Array(b), u = new Uint8Array(b), v = new DataView(b); f[0] = Math.PI; v.setInt16(8, -2); {wait}; return [[...u], v.getInt16(8, true), u.subarray(2, 4).length, new Uint8ClampedArray([300, -1, 1.5])[0], new BigInt64Array([-1n])[0], b.slice(3).byteLength, new Float32Array([0.1])[0], [...new Int16Array([3, 1, 2]).sort()], b.resizable]`,
	"proxies":             `const log = [], p = new Proxy({a: 1}, {get: (t, k) => (log.push(String(k)), Reflect.get(t, k)), has: () => true, ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: () => ({value: 1, enumerable: true, configurable: true})}); p.a; {wait}; return [{...p}, "zz" in p, Object.keys(p), log]`,
	"json":                `const o = {a: [1, {b: "\u2028\ud800é"}], d: new Date(0), u: undefined, f() {}, n: null, x: NaN, big: 3n, toJSON: undefined}; {wait}; return [JSON.stringify(o, (k, v) => typeof v === "bigint" ? String(v) : v, 2), JSON.parse('{"__proto__":1,"a":[1e400,-0]}', (k, v) => v), o]`,
	"sorting":             `const a = Array.from({length: 200}, (_, i) => ({k: (i * 7919) % 13, i})); {wait}; return [a.toSorted((x, y) => x.k - y.k).map((e) => e.i), [3, undefined, 1, , 2].sort(), ["b", "a", "é", "Z"].sort(), ["b", "a", "é"].sort((x, y) => x.localeCompare(y)), [5, 1, 4].toSorted().with(0, 9)]`,
	"arrays":              `const a = [1, 2, [3, [4]]], sparse = [, 1, , 2]; sparse.length = 10; {wait}; return [a.flat(Infinity), sparse.length, 3 in sparse, a.flatMap((x) => [x, x]).length, a.at(-1), [1, 2, 3].copyWithin(0, 1), [1, 2, 3, 4].findLast((x) => x % 2), Object.groupBy([1, 2, 3], (x) => x % 2 ? "o" : "e"), Array.from("añ"), [..."ab"].entries().toArray(), [1, 2, 3].toSpliced(1, 1), [1, [2]].toString()]`,
	"iterator helpers":    `const it = [1, 2, 3, 4].values().map((x) => x * 2).filter((x) => x > 2).drop(1).take(5); it.next(); {wait}; return [[...it], Iterator.from([1, 2]).reduce((a, b) => a + b), [1, 2].values().some((x) => x > 1)]`,
	"iterator ends":       `const log = [], from = (name) => ({__proto__: Iterator.prototype, next: () => ({value: 1, done: false}), return() { log.push(name); return {} }, [Symbol.iterator]() { return this }}); const f = from("outer").flatMap(() => from("inner")); f.next(); {wait}; f.return(); for (const x of [1, 2].values().map((x) => x)) break; return [log, [1, 2, 3].values().map((x) => x).take(2).toArray(), Iterator.concat([1], [2]).take(1).toArray(), RegExp.escape("a.".repeat(3) + "b".repeat(5000)).length]`,
	"errors":              `function f() { null.x } let e1; try { f() } catch (e) { e1 = e } {wait}; const e2 = new Error("outer", {cause: e1}); class Mine extends TypeError { name = "Mine" } return [e1.message, e1.stack, e2.cause === e1, String(new Mine("m")), new AggregateError([1], "agg").errors, (() => { try { undefined.y } catch (e) { return e.message } })(), (() => { try { eval("1 +") } catch (e) { return String(e) } })(), (() => { try { x; let x } catch (e) { return String(e) } })()]`,
	"uncaught":            `{wait}; throw new RangeError("at the end")`,
	"thrown values":       `{wait}; throw {a: 1}`,
	"unhandled":           `Promise.reject(new Error("nobody")); {wait}; Promise.reject(7); return 1`,
	"eval":                `var outer = 1; {wait}; eval("var inner = outer + 1"); const F = new Function("a", "return a * 2"); return [inner, F(21), (0, eval)("typeof outer"), eval("(function () { return this === globalThis })()")]`,
	"labels":              `let out = []; a: for (let i = 0; i < 3; i++) { for (let j = 0; ; j++) { if (j === 2) continue a; if (i === 2) break a; out.push([i, j]) } } {wait}; switch (out.length) { case 4: out.push("four"); default: out.push("d") } do { out.push(1) } while (false); return out`,
	"destructuring":       `const {a = 1, b: {c, ...rest} = {c: 2, d: 3}, ...others} = {x: 1, y: 2}, [p, , q = 5, ...r] = [1, 2, undefined, 4, 5]; {wait}; return [a, c, rest, others, p, q, r, ((x, {y = x} = {}) => y)(3)]`,
	"templates":           "const tag = (s, ...v) => [s.raw.join('|'), v]; {wait}; return [tag`a${1}\\n${2}b`, `x${`y${1 + 1}`}`, String.raw`\\u00e9`]",
	"symbols":             `const s = Symbol("d"), o = {[s]: 1, [Symbol.toPrimitive]: (h) => h === "number" ? 7 : "str", get [Symbol.toStringTag]() { return "Tag" }}; {wait}; return [o[s], +o, String(o), Object.prototype.toString.call(o), s.description, Symbol.for("k") === Symbol.for("k"), Object.getOwnPropertySymbols(o).length]`,
	"strings":             `const s = "Straße 日本 😀 \ud800"; {wait}; return [s.length, [...s].length, s.toUpperCase(), s.normalize("NFD").length, s.codePointAt(11), s.isWellFormed(), s.toWellFormed(), "abc".padStart(5, "*"), "a-b-c".replaceAll("-", "+"), "ab".localeCompare("ac"), "x".repeat(3), "İ".toLowerCase().length, encodeURIComponent(s.toWellFormed()), escape("é"), "abc".substr(-2), "a,b".split(",", 1), " x ".trim(), "abcabc".lastIndexOf("b"), s.at(-1) === "\ud800"]`,
	"ropes":               `let s = ""; for (let i = 0; i < 3000; i++) s += String.fromCharCode(97 + i % 26); {wait}; s = s + s; return [s.length, s.slice(2990, 3010), s.indexOf("xyza", 2000), s.charCodeAt(4000)]`,
	"objects":             `const o = {b: 1, 2: "two", a: 2, 1: "one", [Symbol("x")]: 0}; Object.defineProperty(o, "hidden", {value: 1}); {wait}; delete o.a; o.a = 3; return [Object.keys(o), JSON.stringify(o), Object.entries(Object.getOwnPropertyDescriptors(o)).length, Object.isFrozen(Object.freeze({})), Object.fromEntries([["k", 1]]), structuredClone({d: new Date(1), m: new Map([[1, {a: 1}]])}).d]`,
	"many properties":     `const o = {}; for (let i = 0; i < 500; i++) o["k" + (i * 7919) % 1000] = i; {wait}; for (let i = 0; i < 200; i++) delete o["k" + i]; return [Object.keys(o).length, Object.keys(o).slice(0, 5)]`,
	"promises":            `const out = []; const p = Promise.allSettled([tools.echo({a: 1}), tools.read({b: 2}), Promise.reject(1)]); queueMicrotask(() => out.push("micro")); const r = await Promise.race([tools.echo(1).then(() => "a", () => "A"), tools.echo(2).then(() => "b", () => "B")]); out.push(r, (await p).map((x) => x.status)); const {promise, resolve} = Promise.withResolvers(); setTimeout(resolve, 5, "late"); out.push(await promise); return out`,
	"timers":              `const out = [], id = setTimeout(() => out.push("never"), 1); setTimeout((a) => out.push(a), 3, "arg"); clearTimeout(id); await new Promise((f) => setTimeout(f, 10)); return out`,
	"calls":               `const results = await Promise.all([1, 2, 3].map((n) => tools.callValue("echo", {n}).catch((e) => [e.name, e.message, e.code, Object.keys(e)]))); text(results); const found = await tools.search("x", {limit: 2}).catch((e) => e.message); return [results, found, ALL_TOOLS.map((t) => t.id), Object.keys(tools), await MCP.github.createIssue({t: 1}).catch((e) => e.message)]`,
	"search options":      `return await Promise.all([undefined, null, {}, {limit: 2}, {explain: true}, {limit: 3, explain: true}, {explain: false}, {explain: 1}, 5, {topK: 1}, [1]].map((o) => tools.search("x", o).then((v) => v, (e) => e.message)))`,
	"namespaces":          `const d = Desk, m = d.deep; {wait}; return [d === namespaces.Desk, d.team, await d.list({a: 1}, 2).catch((e) => e.message), await m[1].f().catch((e) => e.message), Object.keys(d), Object.isFrozen(m), Object.getPrototypeOf(m[1]), JSON.stringify(Object.getOwnPropertyDescriptor(globalThis, "Desk"))]`,
	"lost values":         `{wait}; json(new Map()); console.log(new Set()); return [/a/, new WeakMap(), new Uint8Array(2), new ArrayBuffer(1), (async function* () {})(), Iterator.from([]), new URLSearchParams("a=1"), {f() {}}, [() => 1], NaN, new Proxy({}, {})]`,
	"timers left over":    `setTimeout(() => text("early"), 1e6); {wait}; setTimeout(() => text("late"), 1e6); setTimeout(function named() { json(1) }, 1e6); clearTimeout(setTimeout(() => 1, 1e6)); return 1`,
	"circular causes":     `{wait}; const a = new Error("a"), b = new AggregateError([a], "b", {cause: a}); a.cause = b; console.error(a); throw b`,
	"console":             `console.log("a", new Error("x", {cause: new TypeError("y")})); console.log("%s is %d%% of %i, %j %o %c.", "n", 5.5, "7.9", {a: 1}, [2], "css", "rest"); console.table([{a: 1, b: "x"}, {a: 2}, 3]); console.group("G", 1); {wait}; console.log("in\nside"); console.groupEnd(); console.count(); console.count("c"); console.countReset("c"); console.count("c"); console.assert(1 === 2, "bad", 1); console.assert(true); console.trace("t"); console.dir({a: [1]}); console.time(); console.timeEnd("none"); console.table("x"); console.clear(); return Object.keys(console)`,
	"iterators":           `{wait}; return [new Map([[1, 2]]).keys(), (function* () {})(), [].values(), {}, {next: 1}, {next() {}}]`,
	"arguments":           `{wait}; return [await tools.echo({a: 1}, {b: 2}).catch((e) => e.message), await Promise.all([1, 2].map(tools.echo)).catch((e) => e.message), await tools.call("echo", {a: 1}, {b: 2}).catch((e) => e.message), await tools.callValue("echo", {}, 1).catch((e) => e.message), await Promise.all(["echo"].map(tools.call)).catch((e) => e.message), tools.call.length, tools.echo({a: 1}, undefined) instanceof Promise]`,
	"reasons":             `{wait}; const e = new AggregateError([new Error("one", {cause: "deep"}), "two", {three: 3}], "many", {cause: new TypeError("why")}); e.errors.push(e); throw e`,
	"output":              `text("a"); json({b: [1n, new Date(0)]}); console.warn("c", {d: 1}, [2]); console.log("%s is %d", "x", 5); {wait}; text(undefined); json(new Map()); text({toJSON: () => "t"}); return new Error("as a value")`,
	"adapter":             `const c = {n: 1}; c.self = c; {wait}; return [c, [undefined, () => 1, Symbol()], {a: undefined, f() {}}, -0, 1 / 0, new Set([1]), new (class X { y = 1 })(), Object.create({inherited: 1}), [,1], "\0\u001f", new Number(3), new String("s"), Promise.resolve(1), JSON.parse('{"__proto__":{"x":1}}')]`,
	"web":                 `const u = new URL("https://user:p@ex.com:8080/a/../b?q=1&q=2#f"); u.searchParams.append("r", "é"); {wait}; return [u.href, u.host, [...u.searchParams], new TextDecoder().decode(new TextEncoder().encode("é😀")), atob(btoa("abc")), new URL("../x", u).pathname, URL.canParse("nope")]`,
	"getters":             `let n = 0; const o = {get x() { return ++n }, set x(v) { n = v * 10 }}; o.x = 2; {wait}; return [o.x, o.x, Object.assign({}, o), {...o}]`,
	"with and arguments":  `function f(a) { arguments[0] = 9; return [a, arguments.length] } {wait}; const w = new Function("o", "with (o) { return x + 1 }"); return [f(1, 2), w({x: 41}), (function () { return typeof this }).call(1)]`,
	"tail of a deep call": `function f(n) { return n === 0 ? 0 : 1 + f(n - 1) } {wait}; return f(400)`,
	"caught overflow":     `function f() { return f() + 1 } {wait}; try { f() } catch (e) { return [e.name, e.message] }`,
	"disposables":         `const out = []; {wait}; { using a = {[Symbol.dispose]() { out.push("a") }}; using b = {[Symbol.dispose]() { out.push("b") }} } return out`,
	"weak references":     `const o = {v: 1}, r = new WeakRef(o), now = new WeakRef({v: 2}).deref().v; {wait}; return [now, r.deref() === o, typeof FinalizationRegistry]`,
	"globals":             `{wait}; return Object.getOwnPropertyNames(globalThis).sort()`,
	"builtin surface":     `{wait}; return Object.getOwnPropertyNames(globalThis).filter((n) => typeof globalThis[n] === "function" && globalThis[n].prototype).sort().map((n) => [n, Object.getOwnPropertyNames(globalThis[n]).length, Reflect.ownKeys(globalThis[n].prototype).length, globalThis[n].length])`,
	"a big heap":          `const a = Array.from({length: 20000}, (_, i) => ({i, s: "s" + i})); {wait}; let t = 0; for (const e of a) t += e.i + e.s.length; a.length = 0; {wait}; return t`,
	"a full heap":         `const a = []; {wait}; for (;;) a.push(new Array(10000).fill(a.length))`,
	"too much output":     `{wait}; for (;;) text("x".repeat(10000))`,
	"regexp sets":         `const r = /[[\p{L}--[aeiou]]\q{ab|😀x}]+/giv, n = /(?<y>\d{4})-(?<m>\d\d)|(?<m>\d\d)\/(?<y>\d{4})/; r.lastIndex = 1; {wait}; return [r.exec("abc😀xk")[0], r.lastIndex, "😀x".split(/(?:)/v), [..."😀x".matchAll(/(?:)/gv)].map((m) => m.index), "k1".replace(/[^\P{L}\u212a]/vi, "-"), "05/2024".match(n).groups, new RegExp("(?i:a)(?-i:b)", "i").exec("Ab")[0], /(z)((a+)?(b+)?(c))*(?:(x)|y)+/.exec("zaacbbbcacxy"), (() => { try { new RegExp("[a&&&b]", "v") } catch (e) { return String(e) } })()]`,
	"arrays from async":   `const log = [], src = (n) => ({[Symbol.asyncIterator]: () => ({next: async () => ({value: n, done: n-- === 0}), return: async () => { await null; log.push("closed"); return {} }})}); {wait}; return [await Array.fromAsync(src(3), async (v) => v * 2), await Array.fromAsync(src(3), () => { throw new Error("map") }).catch((e) => e.message), log, await Array.fromAsync({length: 2, 0: tools.echo(1).catch(() => 1)})]`,
}

func TestPrograms(t *testing.T) {
	p := newPair(t)
	for name, source := range programs {
		t.Run("C4 C9 "+name, func(t *testing.T) {
			for seed, wait := range []string{`await yield_control("now")`, `await tools.echo({n: 1}).catch(() => 0)`, `await null`} {
				p.agree(t, expand(source, wait), uint64(seed))
			}
		})
	}
}

func expand(source, wait string) string {
	const mark = "{wait}"
	for at := 0; at+len(mark) <= len(source); at++ {
		if source[at:at+len(mark)] == mark {
			source = source[:at] + wait + source[at+len(mark):]
		}
	}
	return source
}

// roundings are the functions of Math that come from the C library, which is another one in each build: their results
// may differ in the last bit. A run in which they do keeps its heap (see ARCHITECTURE.md). It never goes on wrongly.
var roundings = []string{
	"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
	"exp", "expm1", "log", "log1p", "log2", "log10", "cbrt",
}

func TestRoundings(t *testing.T) {
	p := newPair(t)
	for _, f := range append(roundings, "pow", "atan2", "hypot") {
		source := fmt.Sprintf(`const out = []; let x = 0.1; for (let i = 0; i < 2000; i++) { x = (x * 16807 + 0.37) %% 1; const v = %q === "acosh" ? 1 + x * 9 : ["asin", "acos", "atanh"].includes(%q) ? x * 2 - 1 : x * 20 - (["log", "log2", "log10", "cbrt"].includes(%q) ? 0 : 10); out.push(String(%q === "pow" ? Math.pow(Math.abs(v), x * 7) : ["atan2", "hypot"].includes(%q) ? Math[%q](v, x) : Math[%q](v))) } return out`, f, f, f, f, f, f, f)
		native := play(t, p.native, source, newRand(1))
		wasi := play(t, p.portable["wasi"], source, newRand(1))
		differ := 0
		others := lines(wasi)
		for n, text := range lines(native) {
			a, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			b, err := strconv.ParseFloat(others[n], 64)
			require.NoError(t, err)
			if a != b {
				differ++
				require.InEpsilon(t, a, b, 1e-15, "Math.%s: more than the last bits", f)
			}
		}
		t.Logf("Math.%-6s differs in %5.2f %% of %d", f, 100*float64(differ)/2000, 2000)
		require.Equal(t, differ > 0, native[0].effects.Hash() != wasi[0].effects.Hash(), "a difference is always noticed")
	}
}
