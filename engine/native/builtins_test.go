//go:build cgo

package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDispose holds what guest/builtins.c replaces of DisposableStack. The collector's work is forced by making far
// more garbage than it lets lie; without the replacement, the process does not survive these cells.
func TestDispose(t *testing.T) {
	e := newEngine(t, Options{})
	const garbage = `const waste = () => { const junk = []; for (let i = 0; i < 1000; i++) junk[i] = {junk, a: [i]} };
		const ds = new DisposableStack(), log = [];
	`
	for rule, c := range map[string]struct{ cell, want string }{
		"H3 garbage is collected between disposers": {
			`for (let i = 0; i < 50; i++) ds.adopt({i}, (r) => { log.push(r.i); waste() });
			ds.dispose();
			return [log.length, log[0], log[49], ds.disposed]`, `[50,49,0,true]`,
		},
		"H3 and when one stack disposes of another": {
			`const inner = new DisposableStack();
			for (let i = 0; i < 20; i++) inner.use({[Symbol.dispose]() { log.push("i"); waste() }});
			for (let i = 0; i < 20; i++) ds.defer(() => { log.push("o"); waste(); inner.dispose() });
			ds[Symbol.dispose]();
			return log.join("")`, `"o` + "iiiiiiiiiiiiiiiiiiii" + "ooooooooooooooooooo" + `"`,
		},
		"H3 garbage is collected again afterwards": {
			`ds.defer(waste); ds.dispose();
			for (let i = 0; i < 2000; i++) waste();
			return true`, `true`,
		},
		"H3 what disposers throw is kept": {
			`ds.defer(() => { waste(); throw 1 }); ds.defer(() => { waste(); throw 2 });
			try { ds.dispose() } catch (e) { log.push(e.name, e.error, e.suppressed) }
			ds.dispose();
			return log`, `["SuppressedError",1,2]`,
		},
		"D10 it looks like the engine's": {
			`const own = DisposableStack.prototype, d = Object.getOwnPropertyDescriptor(own, "dispose");
			try { own.dispose.call({}) } catch (e) { log.push(e.name) }
			return [own.dispose === own[Symbol.dispose], d.writable, d.enumerable, d.configurable, own.dispose.name, own.dispose.length, ...log]`,
			`[true,true,false,true,"dispose",0,"TypeError"]`,
		},
		"D10 using disposes of a stack": {
			`{ using s = new DisposableStack(); s.defer(() => log.push("late")); log.push("early") }
			return log`, `["early","late"]`,
		},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, garbage+c.cell)) })
	}
}

// TestIteratorHelpers holds what guest/builtins.c and iterator.js replace of them; without the replacement, the process
// does not survive the long chains.
func TestIteratorHelpers(t *testing.T) {
	e := newEngine(t, Options{})
	const tooDeep = `"RangeError: Maximum call stack size exceeded"`
	const helpers = `const deep = (f) => { try { return f() } catch (e) { return e.name + ": " + e.message } };
		const wrapper = Object.getPrototypeOf(Iterator.from({next() {}}));
		let it = [1, 2, 3].values();
	`
	for rule, c := range map[string]struct{ cell, want string }{
		"H2 next of a long chain": {
			`for (let i = 0; i < 3e4; i++) it = it.map((x) => x); return deep(() => it.next())`, tooDeep,
		},
		"H2 return of a long chain": {
			`for (let i = 0; i < 1e5; i++) it = it.filter(Boolean); return deep(() => it.return())`, tooDeep,
		},
		"H2 taking a long chain apart": {
			`for (let i = 0; i < 1e5; i++) it = it.drop(0); return deep(() => [...it])`, tooDeep,
		},
		"H2 next of many wrappers": {
			`it = {next() { return {done: false, value: 7} }};
			for (let i = 0; i < 1e5; i++) {
				it = Object.setPrototypeOf(Iterator.from(it), null);
				it.next = wrapper.next; it.return = wrapper.return;
			}
			return [deep(() => it.next()), deep(() => it.return())]`, "[" + tooDeep + "," + tooDeep + "]",
		},
		"B2 what ends early on an array": {
			`for (const x of it.map((x) => x)) break;
			const [first] = [1, 2].values().map((x) => x);
			return [first, [1, 2, 3].values().map((x) => x).take(2).toArray(), [1, 2].values().filter(Boolean).some((x) => x), [1, 2].values().drop(1).find((x) => x),
				[1, 2].values().flatMap((x) => [x, x]).take(3).toArray(), new Map([[1, 2]]).entries().map(([k, v]) => k + v).take(1).toArray(), Iterator.concat([1], [2]).take(1).toArray(), [1, 2].values().map((x) => x).every((x) => x > 1)]`,
			`[1,[1,2],true,2,[1,1,2],[3],[1],false]`,
		},
		"B2 what is closed": {
			`const log = [], from = (name) => ({__proto__: Iterator.prototype, next: () => ({value: 1, done: false}), return() { log.push(name); return {} }, [Symbol.iterator]() { return this }});
			from("map").map((x) => x).return();
			from("take").take(1).toArray();
			from("none").take(0).next();
			const inner = from("outer").flatMap(() => from("inner")); inner.next(); inner.return(); inner.return();
			const joined = Iterator.concat(from("first"), from("second")); joined.next(); joined.return();
			for (const f of [(i) => i.map(() => { throw 1 }).next(), (i) => i.flatMap(() => 1).next(), (i) => i.map(1), (i) => i.take(NaN), (i) => i.drop(-1), (i) => i.take({valueOf() { throw 1 }})]) deep(() => f(from("failed")));
			return log`,
			`["map","take","none","inner","outer","first","failed","failed","failed","failed","failed","failed"]`,
		},
		"B2 limits": {`return [it.take(1.9).toArray(), [1, 2].values().drop(Infinity).toArray(), [1, 2].values().take("1").toArray(), [1].values().take(-0.5).toArray(), deep(() => it.take(-1)), deep(() => it.drop()).slice(0, 10)]`, `[[1],[],[1],[],"RangeError: the limit must be a positive number","RangeError"]`},
		"B2 what fails by itself is not closed, and is over": {
			`let closed = 0, opened = 0;
			const failing = [() => { throw 1 }, () => ({get done() { throw 1 }}), () => ({get value() { throw 1 }}), () => null];
			const from = (next) => ({__proto__: Iterator.prototype, next, return() { closed++; return {} }, [Symbol.iterator]() { opened++; return this }});
			const over = failing.flatMap((next) => [Iterator.concat(from(next), from(next)), from(next).map((x) => x), from(next).take(1), [1].values().flatMap(() => from(next))].map((h) => {
				deep(() => h.next()); const again = h.next(); return [again.done, h.return().done].join() }));
			return [closed, opened, [...new Set(over)]]`,
			`[0,8,["true,true"]]`,
		},
		"B2 a return that is none": {
			`const h = Iterator.concat({[Symbol.iterator]: () => ({next: () => ({done: false, value: 1}), return: 1})}); h.next();
			return [deep(() => h.return()).slice(0, 9), h.next(), h.return()]`,
			`["TypeError",{"done":true},{"done":true}]`,
		},
		"B2 next is read once": {
			`let reads = 0, closed = 0;
			class Mine extends Iterator { n = 0; get next() { reads++; return function () { return {done: this.n > 2, value: this.n++} } } return() { closed++; return {} } }
			const mapped = new Mine().map((x) => x); const before = reads;
			return [before, mapped.toArray(), reads, new Mine().take(1).toArray(), closed, deep(() => Iterator.prototype.map.call({}, (x) => x).next()).slice(0, 9)]`,
			`[1,[0,1,2],1,[0],1,"TypeError"]`,
		},
		"B2 a helper that is running": {`let h; h = it.map(() => h.next()); return deep(() => h.next())`, `"TypeError: cannot invoke a running generator"`},
		"B2 indexes and what is no iterator": {
			`return [[..."ab"].values().map((x, i) => x + i).toArray(), [..."ab"].values().filter((x, i) => i).toArray(), ["map", "filter", "flatMap", "take", "drop"].map((n) => [Iterator.prototype[n].name, Iterator.prototype[n].length, deep(() => Iterator.prototype[n].call(1, String)).slice(0, 9)].join()), deep(() => Iterator.concat(1)).slice(0, 9), Object.prototype.toString.call(it.map(String))]`,
			`[["a0","b1"],["b"],["map,1,TypeError","filter,1,TypeError","flatMap,1,TypeError","take,1,TypeError","drop,1,TypeError"],"TypeError","[object Iterator Helper]"]`,
		},
		"H3 RegExp.escape of a string in parts": {`let s = ""; for (let i = 0; i < 5000; i++) s += "a."; const joined = RegExp.escape(s); return [joined.length, joined === RegExp.escape([...s].join("")), new RegExp(joined).test(s), deep(() => RegExp.escape(1)).slice(0, 9)]`, `[15003,true,true,"TypeError"]`},
		"D10 short chains work": {
			`return [it.map((x) => x * 2).filter((x) => x > 2).take(5).drop(1).toArray(),
				[...Iterator.concat([1].values().map(String), [[2]]).flatMap((x) => [x, x])],
				Iterator.from({next() { return {done: false, value: 7} }, return() { return {x: 1} }}).return()]`,
			`[[6],["1","1",[2],[2]],{"x":1}]`,
		},
		"D10 what a helper's end does": {
			`let ended = 0;
			const from = {next() { return {done: false, value: 1} }, return() { ended++; return {} }};
			for (const x of Iterator.from(from).map((x) => x)) break;
			const taken = Iterator.from(from).take(1);
			return [ended, taken.next(), taken.return(), taken.next(), ended]`,
			`[1,{"value":1,"done":false},{"done":true},{"done":true},2]`,
		},
		"D10 they look like the engine's": {
			`const next = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(it.map((x) => x)), "next");
			return [next.writable, next.enumerable, next.configurable, next.value.name, next.value.length, deep(() => next.value.call({})).slice(0, 9)]`,
			`[true,false,true,"next",1,"TypeError"]`,
		},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, helpers+c.cell)) })
	}
}

func TestStringRaw(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, c := range map[string]struct{ expression, want string }{
		"B6 literals keep their escapes": {"String.raw`a\\n${1}b${{toString() { return 2 }}}`", `"a\\n1b2"`},
		"D10 any object may be a template": {
			`[String.raw({raw: "xyz"}, 1, 2, 3, 4), String.raw({raw: {length: 2.9, 0: "a", 1: "b"}}), String.raw({raw: {length: -1, 0: "a"}}), String.raw({raw: [undefined, null]})]`,
			`["x1y2z","ab","","undefinednull"]`,
		},
		"D10 what is none is a TypeError": {
			`[undefined, null, {}, {raw: null}, {raw: {length: 1n}}, {raw: [Symbol("s")]}].map((v) => { try { return String.raw(v) } catch (e) { return e.name } })`,
			`["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]`,
		},
		"H1 an absurd length is refused at once": {
			`[2 ** 31, 2 ** 53 - 1, Infinity].map((length) => { try { return String.raw({raw: {length}}) } catch (e) { return e.name } })`,
			`["RangeError","RangeError","RangeError"]`,
		},
		"D10 it looks like the engine's": {`[String.raw.name, String.raw.length, Object.keys(String).length]`, `["raw",1,0]`},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, "return "+c.expression)) })
	}
}

// TestArrays holds what guest/builtins.c and array.js replace of Array.
func TestArrays(t *testing.T) {
	e := newEngine(t, Options{})
	const head = `const closing = [];
		const source = (n, ret) => ({[Symbol.asyncIterator]: () => ({i: 0, async next() { return {value: this.i, done: this.i++ >= n} }, return: ret})});
		const threw = (f) => { try { return f() } catch (e) { return e.name } };
	`
	for rule, c := range map[string]struct{ cell, want string }{
		"B2 push beyond the longest array": {
			`const a = []; a.length = 4294967295; return [threw(() => a.push("x", "y")), a.length, a[4294967295], a[4294967296]]`,
			`["RangeError",4294967295,"x","y"]`,
		},
		"B2 push where length can't be written": {
			`const a = Object.defineProperty([], "length", {writable: false}); return [threw(() => a.push(1)), threw(() => a.push()), a.length, 0 in a]`,
			`["TypeError","TypeError",0,false]`,
		},
		"B2 push with an inherited setter": {
			`const set = []; Object.defineProperty(Array.prototype, 0, {set(v) { set.x = v }, configurable: true});
			const a = []; a.push(7); delete Array.prototype[0]; return [a.length, 0 in a, set.x]`, `[1,false,7]`,
		},
		"B2 push, when a setter makes length one that can't be written": {
			`Object.defineProperty(Array.prototype, 0, {set() { Object.freeze(this) }, configurable: true});
			const a = [], r = threw(() => a.push(7)); delete Array.prototype[0]; return [r, a.length]`, `["TypeError",0]`,
		},
		"B2 push for what is no array": {
			`const o = {length: 2 ** 53 - 1}, p = new Proxy([1], {}); return [threw(() => [].push.call(o, 1)), [].push.call({}, 1, 2), [].push.call({length: -3}, 1), p.push(2), [...p]]`,
			`["TypeError",2,1,2,[1,2]]`,
		},
		"B2 fromAsync leaves an ended iterator alone": {
			`return [await Array.fromAsync(source(2, async () => { closing.push(1); return {} })), closing]`, `[[0,1],[]]`,
		},
		"B2 fromAsync waits for the one that it closes": {
			`const ret = async () => { await null; await null; closing.push("closed"); return {} };
			await Array.fromAsync(source(9, ret), () => { throw new Error("map") }).catch((e) => closing.push(e.message));
			await Array.fromAsync(source(9, ret), async () => { throw new Error("later") }).catch((e) => closing.push(e.message)); return closing`,
			`["closed","map","closed","later"]`,
		},
		"B2 fromAsync keeps the first failure": {
			`return await Array.fromAsync(source(9, async () => { throw new Error("close") }), () => { throw new Error("map") }).catch((e) => e.message)`, `"map"`,
		},
		"B2 fromAsync does not close an iterator that failed": {
			`return [await Array.fromAsync({[Symbol.asyncIterator]: () => ({next: async () => { throw new Error("next") }, return() { closing.push(1) }})}).catch((e) => e.message), closing]`,
			`["next",[]]`,
		},
		"B2 fromAsync of other things": {
			`return [await Array.fromAsync([1, Promise.resolve(2)], async (x, i) => x * 10 + i), await Array.fromAsync({length: 2, 0: Promise.resolve("a"), 1: "b"}), await Array.fromAsync("a😀"), await Array.fromAsync(new Set([1])), await Array.fromAsync(5),
				Object.keys(await Array.fromAsync([1])), await Array.fromAsync(null).catch((e) => e.name), await Array.fromAsync([], 5).catch((e) => e.name), await Array.fromAsync([Promise.reject(new Error("in it"))]).catch((e) => e.message)]`,
			`[[10,21],["a","b"],["a","😀"],[1],[],["0"],"TypeError","TypeError","in it"]`,
		},
		"B2 fromAsync makes what it is called on": {
			`class Mine extends Array {} return [(await Mine.fromAsync([1])) instanceof Mine, await Array.fromAsync.call(() => {}, [1]), await Array.fromAsync.call(function (n) { this.n = n }, {length: 1, 0: 5})]`,
			`[true,[1],{"0":5,"n":1,"length":1}]`,
		},
		"D10 they look like the engine's": {
			`return [[Array, "fromAsync"], [Array.prototype, "push"]].map(([o, k]) => { const d = Object.getOwnPropertyDescriptor(o, k); return [d.value.name, d.value.length, d.writable, d.enumerable, d.configurable, threw(() => new d.value())].join() })`,
			`["fromAsync,1,true,false,true,TypeError","push,1,true,false,true,TypeError"]`,
		},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, head+c.cell)) })
	}
}

// TestNumbers holds what guest/builtins.c and mended.js replace of BigInt and Math.
func TestNumbers(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, c := range map[string]struct{ expression, want string }{
		"B2 asUintN of negative numbers": {
			`[[64, -1n], [8, -257n], [65, -1n], [128, -5n], [32, -(2n ** 100n) - 7n], [1, -1n], [0, -1n]].map(([n, v]) => BigInt.asUintN(n, v))`,
			`["18446744073709551615","255","36893488147419103231","340282366920938463463374607431768211451","4294967289","1","0"]`,
		},
		"B2 asUintN of others": {`[BigInt.asUintN(8, 257n), BigInt.asUintN(2 ** 53 - 1, 5n), BigInt.asUintN("4", true), BigInt.asUintN(undefined, 7n), BigInt.asUintN(2.9, 7n)]`, `["1","5","1","0","3"]`},
		"B2 asUintN of what is none": {
			`[[-1, 1n], [2 ** 53, 1n], [1, 1], [1n, 1n], [2 ** 40, -1n]].map((a) => { try { return BigInt.asUintN(...a) } catch (e) { return e.name } })`,
			`["RangeError","RangeError","TypeError","TypeError","RangeError"]`,
		},
		"B2 a 64-bit hash":      {`BigInt.asUintN(64, [..."hash"].reduce((h, c) => BigInt.asIntN(64, (h ^ BigInt(c.charCodeAt(0))) * 1099511628211n), -3750763034362895579n)).toString(16)`, `"2e3d9ecc741a7811"`},
		"B2 cube roots":         {`[27, 8, 1000, -64, 0.001, 1e-300, 1e300, 3.375].map(Math.cbrt)`, `[3,2,10,-4,0.1,1e-100,1e+100,1.5]`},
		"B2 cube roots of none": {`[0, -0, Infinity, NaN, "8", 5e-324].map(Math.cbrt).map((v) => Object.is(v, -0) ? "-0" : String(v).slice(0, 6))`, `["0","-0","Infini","NaN","2","1.7031"]`},
		"D10 they look like the engine's": {
			`[[BigInt, "asUintN"], [Math, "cbrt"]].map(([o, k]) => { const d = Object.getOwnPropertyDescriptor(o, k); return [d.value.name, d.value.length, d.writable, d.enumerable, d.configurable].join() })`,
			`["asUintN,2,true,false,true","cbrt,1,true,false,true"]`,
		},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, "return "+c.expression)) })
	}
}

func TestWeakRef(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, c := range map[string]struct{ cell, want string }{
		"B2 a target stays until its job has ended": {`const r = new WeakRef({a: 1}); return [r.deref().a, r.deref().a]`, `[1,1]`},
		"B2 and goes afterwards":                    {`const r = new WeakRef({a: 1}); await null; await null; await null; return r.deref() === undefined`, `true`},
		"B2 what is held stays":                     {`const o = {a: 1}, r = new WeakRef(o); await null; await null; return [r.deref() === o, r instanceof WeakRef, r.constructor === WeakRef, String(r)]`, `[true,true,true,"[object WeakRef]"]`},
		"B2 subclasses and what can't be held": {
			`class Mine extends WeakRef {} return [new Mine({b: 2}).deref().b, new WeakRef(Symbol("s")).deref().description, ...[() => new WeakRef(1), () => WeakRef({}), () => WeakRef.prototype.deref.call({})].map((f) => { try { f() } catch (e) { return e.name } })]`,
			`[2,"s","TypeError","TypeError","TypeError"]`,
		},
		"D10 it looks like the engine's": {`return [WeakRef.name, WeakRef.length, WeakRef.prototype.deref.name, Object.keys(globalThis).includes("WeakRef")]`, `["WeakRef",1,"deref",false]`},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, c.cell)) })
	}
}

func TestDateSetters(t *testing.T) {
	e := newEngine(t, Options{})
	const head = `const names = Object.getOwnPropertyNames(Date.prototype).filter((n) => n.startsWith("set") && n !== "setTime");
	`
	for rule, c := range map[string]struct{ cell, want string }{
		"B2 what is no number makes the date invalid": {
			`return names.filter((n) => [NaN, undefined, "x", Infinity].some((v) => { const d = new Date(5); const r = d[n](v); return r === r || !isNaN(d) }))`, `[]`,
		},
		"B2 nor a later argument":        {`const d = new Date(0); d.setHours(1, NaN); const m = new Date(0); m.setMonth(1, "x"); return [isNaN(d), isNaN(m)]`, `[true,true]`},
		"B2 an invalid date":             {`const d = new Date(NaN); d.setHours(1); const y = new Date(NaN); y.setFullYear(2024); return [isNaN(d), y]`, `[true,"2024-01-01T00:00:00.000Z"]`},
		"B2 numbers":                     {`const d = new Date(0); d.setMonth(1, 31); d.setHours(25, -1); d.setYear(99); return d`, `"1999-03-04T00:59:00.000Z"`},
		"B2 what throws changes nothing": {`const d = new Date(5); try { d.setDate(1n) } catch (e) { return [e.name, d.getTime()] }`, `["TypeError",5]`},
		"D10 they look like the engine's": {
			`return [names.length, ...["setHours", "setUTCDate", "setYear"].map((n) => { const d = Object.getOwnPropertyDescriptor(Date.prototype, n); return [d.value.name, d.value.length, d.writable, d.enumerable, d.configurable].join() }), (() => { try { Date.prototype.setDate.call({}, NaN) } catch (e) { return e.name } })()]`,
			`[15,"setHours,4,true,false,true","setUTCDate,1,true,false,true","setYear,1,true,false,true","TypeError"]`,
		},
	} {
		t.Run(rule, func(t *testing.T) { require.Equal(t, c.want, value(t, e, head+c.cell)) })
	}
}
