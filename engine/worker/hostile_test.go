package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// hostile are cells that don't want to end, or want more than there is, by how. Those of the first kind never look whether
// they should end, or hardly ever.
var hostile = map[string][]string{
	"unresponsive": {
		"return Array.prototype.%s.call({length: 2 ** 53 - 2}, 1)",
		"return [].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})",
		`return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`,
		`return "ab".repeat(5e6).lastIndexOf("ab".repeat(2e6) + "c")`,
		`return "a".repeat(1e6).replaceAll("a", "b".repeat(1e6).slice(0, 1))`,
		"for (const x = 7n ** 200000n, y = 3n ** 90000n; ;) x / y",
		`for (;;) new RegExp("(?:a|b)".repeat(20000))`,
		`return /^(a+)+$/.test("a".repeat(40) + "b")`,
		`for (const s = "x".repeat(1e6); ;) s.localeCompare(s + "y")`,
		"return JSON.stringify(new Proxy([], {get: (t, k) => k === 'length' ? 2 ** 53 - 1 : 0}))",
		"return Reflect.apply(Math.max, null, {length: 2 ** 31})",
		"return [...{[Symbol.iterator]: () => ({next: [].at.bind([{}])})}]",
		"return new Set([1]).isSubsetOf({size: Infinity, has: [].at.bind([1]), keys: () => ({next: [].at.bind([{}])})}) || (() => { for (;;) ; })()",
		"return Object.fromEntries({[Symbol.iterator]: () => ({next: () => ({value: [1, 2]})})})",
		"return await new Promise(() => { const f = () => queueMicrotask(f); f() })",
		"return parseInt('9'.repeat(3e7)) && (() => { for (;;) parseInt('9'.repeat(3e7)) })()",
	},
	// They move much at once, again and again, with hardly an iteration of a loop in between.
	"bulk": {
		"const u = new Uint8Array(3e7); for (;;) u.fill(1)",
		"const u = new Uint8Array(3e7); for (;;) u.copyWithin(0, 100)",
		"const u = new Uint8Array(3e7); for (;;) u.copyWithin(100, 0)",
		"const u = new Uint8Array(3e7); for (;;) u.set(u.subarray(0, 1e7), 2e7)",
		"const b = new ArrayBuffer(2e7); for (;;) b.slice(0)",
		"for (;;) new Uint8Array(5e7)",
		"for (const a = new Array(1e6).fill(1); ;) a.shift()",
		"for (const a = new Array(1e6).fill(1); ;) { a.splice(1, 1, 2, 3); a.splice(1, 2, 1) }",
		"for (const s = 'x'.repeat(1e7); ;) (s + 'y').slice(1).at(0)",
	},
	"greedy": {
		"const a = []; for (;;) a.push(a.slice())",
		"let s = 'x'; for (;;) s += s",
		"const m = new Map(); for (let i = 0; ; i++) m.set({}, [i])",
		"return new ArrayBuffer(2 ** 40)",
		"const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(7))",
		"let f = () => 1; for (;;) { const g = f; f = () => g() }",
		"return 'x'.repeat(2 ** 29) + 'x'.repeat(2 ** 29)",
		"class A { #a = new Array(1000).fill(this) } const all = []; for (;;) all.push(new A())",
		"return structuredClone(new Array(1e7).fill({}))",
	},
	"deep": {
		"const f = () => f() + 1; return f()",
		"return '('.repeat(1e5) && eval('('.repeat(1e5))",
		"let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x",
		"let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a).length",
		"const o = {toString() { return '' + this }}; return '' + o",
	},
}

// arrayMethods walk as far as an array says that it is long.
var arrayMethods = []string{
	"includes", "indexOf", "lastIndexOf", "join", "reverse", "fill", "copyWithin", "forEach", "map", "filter", "some", "every",
	"reduce", "reduceRight", "find", "findIndex", "findLast", "sort", "flat", "flatMap", "toReversed", "toSorted", "unshift", "splice",
}

// cells are the hostile cells of a kind.
func cells(kind string) []string {
	var all []string
	for n, cell := range hostile[kind] {
		if kind != "unresponsive" || n > 0 {
			all = append(all, cell)
			continue
		}
		for _, method := range arrayMethods {
			all = append(all, fmt.Sprintf(cell, method))
		}
	}
	return all
}

// TestHostile runs cells that are written to hang, exhaust or crash the engine, each beside a bystander that must not
// notice. No worker may be lost, so each of them ended before the watchdog came, which is the second line.
func TestHostile(t *testing.T) {
	const timeout = 200 * time.Millisecond
	for _, name := range realEngines() {
		e := workers(t, Options{Settings: Settings{Engine: name, CacheDir: t.TempDir()}})
		for kind := range hostile {
			for n, cell := range cells(kind) {
				t.Run(fmt.Sprintf("H1 H2 %s ends a %s cell: %d", name, kind, n), func(t *testing.T) {
					bystander := guestOf(t, e, nil)
					asked := <-stepAsync(t, bystander, begin("let n = 20; await tools.search('x'); return n + 1"), longEnough)
					require.NoError(t, asked.err)
					got := <-stepAsync(t, guestOf(t, e, nil), begin(cell), timeout)
					if got.err != nil {
						require.NotErrorIs(t, got.err, engine.ErrBroken, cell)
						require.NotErrorIs(t, got.err, engine.ErrLost, cell)
					}
					value(t, <-stepAsync(t, bystander, answer(asked.effects.Requests[0].ID, "[]"), longEnough), "21")
				})
			}
		}
		require.Zero(t, e.Workers().Lost, name)
	}
}
