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

// TestIteratorHelpers holds what guest/builtins.c replaces of them; without the replacement, the process does not
// survive the long chains.
func TestIteratorHelpers(t *testing.T) {
	e := newEngine(t, Options{})
	const tooDeep = `"RangeError: Maximum call stack size exceeded"`
	const helpers = `const deep = (f) => { try { return f() } catch (e) { return e.name + ": " + e.message } };
		const wrapper = Object.getPrototypeOf(Iterator.from({next() {}}));
		let it = [1, 2, 3].values();
	`
	for rule, c := range map[string]struct{ cell, want string }{
		"H2 next of a long chain": {
			`for (let i = 0; i < 1e5; i++) it = it.map((x) => x); return deep(() => it.next())`, tooDeep,
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
			`[true,false,true,"next",0,"TypeError"]`,
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
