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
