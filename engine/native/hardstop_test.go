//go:build cgo

package native

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// unresponsive are cells that spend their time where the engine never, or hardly ever, asks whether to go on (contract H1).
// Some end by themselves on a fast machine, or by an error about their absurd lengths; none may run on.
var unresponsive = map[string]string{
	"array concat":           `return [].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`,
	"array every":            `return Array.prototype.every.call({length: 2 ** 53 - 1}, Math.abs)`,
	"array filter":           `return Array.prototype.filter.call({length: 2 ** 53 - 1}, Math.abs)`,
	"array flat":             `return Array.prototype.flat.call({length: 2 ** 53 - 1})`,
	"array forEach":          `Array.prototype.forEach.call({length: 2 ** 53 - 1}, Math.abs)`,
	"array from":             `return Array.from({length: 2 ** 32 - 1})`,
	"array includes":         `return Array.prototype.includes.call({length: 2 ** 53 - 1}, 9)`,
	"array indexOf":          `return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 9)`,
	"array join":             `return new Array(2 ** 32 - 1).join("")`,
	"array toLocaleString":   `return new Array(2 ** 32 - 1).toLocaleString().length`,
	"array map":              `return Array.prototype.map.call({length: 2 ** 32 - 1}, Math.abs)`,
	"array reverse":          `return Array.prototype.reverse.call({length: 2 ** 53 - 1})`,
	"array shift":            `return Array.prototype.shift.call({length: 2 ** 53 - 1})`,
	"array slice":            `return Array.prototype.slice.call({length: 2 ** 53 - 1}, 0, 2 ** 32 - 1)`,
	"array splice":           `return Array.prototype.splice.call({length: 2 ** 53 - 1}, 0, 1)`,
	"array sort":             `return Array.prototype.sort.call({length: 2 ** 53 - 1})`,
	"array sort, large":      `const a = new Array(1e6); for (let i = 0; i < 1e6; i++) a[i] = (i * 7919) % 1000003; a.sort()`,
	"array sort in a loop":   `const a = Array.from({length: 2e5}, (_, i) => (i * 7919) % 200003); for (;;) a.slice().sort()`,
	"array join in a loop":   `const a = new Array(3e5).fill("ab"); for (;;) a.join()`,
	"array fill":             `return new Array(1e8).fill(0)`,
	"spread arguments":       `return Math.max(...new Array(1e7))`,
	"sparse JSON":            `const a = []; a[2 ** 32 - 2] = 1; return JSON.stringify(a).length`,
	"JSON parse":             `return JSON.parse("[" + "1,".repeat(2e6) + "1]").length`,
	"JSON in a loop":         `const a = Array.from({length: 2e5}, (_, i) => i); for (;;) JSON.stringify(a)`,
	"iterator drop":          `return Array.prototype.values.call({length: 2 ** 53 - 1}).drop(2 ** 53 - 1).next()`,
	"iterator toArray":       `return Array.prototype.values.call({length: 2 ** 53 - 1}).toArray()`,
	"iterator fromEntries":   `return Object.fromEntries(Array.prototype.entries.call({length: 2 ** 53 - 1}))`,
	"iterator spread":        `return [...Array.prototype.values.call({length: 2 ** 53 - 1})]`,
	"iterator of bytes":      `return Uint8Array.from(Array.prototype.values.call({length: 2 ** 53 - 1}))`,
	"set superset":           `return new Set([undefined]).isSupersetOf({size: 1, has: Math.abs, keys: () => Array.prototype.values.call({length: 2 ** 53 - 1})})`,
	"set difference":         `return new Set([1, 2, 3]).difference({size: 1, has: Math.abs, keys: () => Array.prototype.values.call({length: 2 ** 53 - 1})}).size`,
	"big integer division":   `const x = 2n ** 1048000n - 1n, y = 2n ** 524000n - 3n; for (let i = 0; i < 1000; i++) x / y`,
	"big integer remainder":  `const x = 2n ** 1048000n - 1n, y = 2n ** 524000n - 3n; for (let i = 0; i < 1000; i++) x % y`,
	"big integer power":      `for (;;) 3n ** 600000n`,
	"big integer text":       `return (2n ** 1048000n - 1n).toString().length`,
	"string indexOf":         `return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`,
	"string lastIndexOf":     `return "a".repeat(2e7).lastIndexOf("b" + "a".repeat(1e7))`,
	"string includes":        `return "a".repeat(2e7).includes("a".repeat(1e7) + "b")`,
	"string replace":         `return "a".repeat(2e7).replace("a".repeat(1e7) + "b", "").length`,
	"string replaceAll":      `return "a".repeat(1e6).replaceAll("a", "$'").length`,
	"string normalize":       `return ("a" + "\u0316\u0300".repeat(2e6)).normalize("NFC").length`,
	"string raw":             `return String.raw({raw: {length: 2 ** 53 - 1}})`,
	"string to number":       `return Number("1".repeat(3e7))`,
	"string upper case":      `const s = "é".repeat(3e6); for (;;) s.toUpperCase()`,
	"string encode":          `const s = "€".repeat(3e5); for (;;) encodeURIComponent(s)`,
	"string array":           `const a = []; for (;;) a.push("x".repeat(1e5) + a.length)`,
	"expression compiled":    `return new RegExp("[a-z]{1,3}|".repeat(500000))`,
	"expression, case":       `return new RegExp("[a-\\u{10fff0}]".repeat(20000), "iu").test("z")`,
	"typed array sort":       `new Float64Array(7e6).sort()`,
	"typed array reverse":    `const a = new Uint8Array(3e7); for (;;) a.reverse()`,
	"object spread":          `const a = Object.fromEntries(Array.from({length: 5e4}, (_, i) => ["k" + i, i])); for (;;) ({...a})`,
	"proxy keys":             `return Reflect.ownKeys(new Proxy({}, {ownKeys: () => Array.from({length: 300000}, (_, i) => "k" + i)})).length`,
	"proxy for-in":           `for (const k in new Proxy({}, {ownKeys: () => Array.from({length: 300000}, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 1})}));`,
	"source, many terms":     `return eval("1+".repeat(1e6) + "1")`,
	"source, many commas":    `return eval("1,".repeat(1e6) + "1")`,
	"source, many parts":     `return eval("a=1;".repeat(2e6))`,
	"source, chain":          `return eval("a" + "?.b".repeat(5e5))`,
	"source, variables":      `return eval("var " + Array.from({length: 60000}, (_, i) => "v" + i).join() + ";")`,
	"source, private fields": `return eval("class A{" + Array.from({length: 20000}, (_, i) => "#p" + i + "=1;").join("") + "m(){" + Array.from({length: 20000}, (_, i) => "this.#p" + i).join(";") + "}}")`,
	"source in a loop":       `const s = "1+".repeat(20000) + "1"; for (;;) eval(s)`,
	"stack trace formatter":  `Error.prepareStackTrace = () => Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1); throw new Error("x")`,
	"conversion hook":        `return +{valueOf() { return Array.prototype.copyWithin.call({length: 2 ** 53 - 1}, 1, 0) }}`,
	"toJSON of the value":    `return {toJSON() { return new Array(2 ** 32 - 1).join("") }}`,
	"finally":                `try { for (;;); } finally { new Array(2 ** 32 - 1).join("") }`,
	"search parameters":      `new URLSearchParams("a=1&".repeat(1e5)).sort(); for (;;) new URL("http://" + "é".repeat(900))`,
	"decoder":                `const b = new Uint8Array(3e7); for (;;) new TextDecoder().decode(b)`,
	"clone":                  `const a = new Uint8Array(1e7); for (;;) structuredClone(a)`,
}

// bound is when a step must have ended at the latest (contract H1), beyond its timeout. The race detector slows nothing
// down here, since the guest is C.
const bound = 250 * time.Millisecond

func TestDeafBuiltinsEnd(t *testing.T) {
	e := newEngine(t, Options{})
	const timeout = 60 * time.Millisecond
	for rule, cell := range unresponsive {
		t.Run("H1 "+rule, func(t *testing.T) {
			var err error
			took := elapsed(t, func() { _, err = limited(t, e, limits(cell), timeout) })
			require.Less(t, took, timeout+bound)
			ends := err == nil || errors.Is(err, engine.ErrTimeout) || errors.Is(err, engine.ErrMemory) || errors.Is(err, engine.ErrOutput)
			require.True(t, ends, "%v", err)
			require.Equal(t, "2", value(t, e, "return 1 + 1"), "the next guest in this heap")
		})
	}
}

func TestTimeouts(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, cell := range map[string]string{
		"a loop":                  `for (;;);`,
		"a loop that catches":     `for (;;) { try { for (;;); } catch {} finally {} }`,
		"a loop in finally":       `try { for (;;); } finally { for (;;); }`,
		"microtasks without end":  `const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})`,
		"a getter of the value":   `return {get a() { for (;;); }}`,
		"a loop in a formatter":   `Error.prepareStackTrace = () => { for (;;); }; throw new Error("x")`,
		"a thenable of itself":    `const o = {then(r) { r(o) }}; return o`,
		"a loop in a late getter": `Promise.reject(Object.defineProperty(new Error(), "message", {get() { for (;;); }})); return 1`,
		"a backtracking regexp":   `return /^(a+)+$/.test("a".repeat(40) + "b")`,
		"a proxy that never ends": `return Object.keys(new Proxy({}, {ownKeys() { for (;;); }}))`,
		"a generator without end": `for (const x of (function* () { for (;;) yield 1 })());`,
		"an iterator's return":    `for (const x of {[Symbol.iterator]: () => ({next: () => ({done: false}), return() { for (;;); }})}) for (;;);`,
	} {
		t.Run("H1 "+rule, func(t *testing.T) {
			b := limits(cell)
			b.MaxOutput = 1 << 30
			var err error
			took := elapsed(t, func() { _, err = limited(t, e, b, 50*time.Millisecond) })
			require.True(t, errors.Is(err, engine.ErrTimeout) || errors.Is(err, engine.ErrMemory), "%v", err)
			require.Less(t, took, 50*time.Millisecond+bound)
		})
	}
	t.Run("H1 what came before the end is handed out", func(t *testing.T) {
		for _, cell := range []string{`for (;;);`, unresponsive["array join"]} {
			effects, err := limited(t, e, limits(`text("before"); tools.call("x"); `+cell), 50*time.Millisecond)
			require.ErrorIs(t, err, engine.ErrTimeout)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Len(t, effects.Outputs, 1)
			require.Len(t, effects.Requests, 1)
			require.Equal(t, engine.Pending, effects.Main.State)
		}
	})
	t.Run("H1 a later step has its own time", func(t *testing.T) {
		vm, first := start(t, e, limits(`await tools.echo(); new Array(2 ** 32 - 1).join("")`))
		defer vm.Close()
		var err error
		took := elapsed(t, func() {
			input := engine.AppendResume(nil, []engine.Answer{{ID: first.Requests[0].ID, Payload: []byte("1")}})
			_, err = vm.Step(context.Background(), input, 50*time.Millisecond)
		})
		require.ErrorIs(t, err, engine.ErrTimeout)
		require.Less(t, took, 50*time.Millisecond+bound)
		_, err = vm.Step(context.Background(), engine.AppendResume(nil, nil), longEnough)
		require.ErrorIs(t, err, engine.ErrClosed)
	})
}

func TestInterrupt(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, cell := range map[string]string{"a loop": `for (;;);`, "an unresponsive builtin": unresponsive["array join"], "big integers": unresponsive["big integer division"]} {
		t.Run("G7 in the middle of "+rule, func(t *testing.T) {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			b := limits(cell)
			time.AfterFunc(20*time.Millisecond, vm.Interrupt)
			took := elapsed(t, func() { _, err = vm.Step(context.Background(), b.Append(nil), longEnough) })
			require.ErrorIs(t, err, engine.ErrStopped)
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, took, 20*time.Millisecond+bound)
		})
	}
	t.Run("G7 again and again gives the step no more time", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		ended := make(chan struct{})
		go func() {
			for again := time.NewTicker(grace / 5); ; {
				select {
				case <-ended:
					again.Stop()
					return
				case <-again.C:
					vm.Interrupt()
				}
			}
		}()
		b := limits(unresponsive["array join"])
		took := elapsed(t, func() { _, err = vm.Step(context.Background(), b.Append(nil), longEnough) })
		close(ended)
		require.ErrorIs(t, err, engine.ErrStopped)
		require.Less(t, took, longEnough/2)
	})
	t.Run("G7 before the first step", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		vm.Interrupt()
		b := limits(`return 1`)
		_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrStopped)
	})
	t.Run("G7 after the end, the next guest is not hit", func(t *testing.T) {
		for range 200 {
			vm, _ := start(t, e, limits(`return 1`))
			vm.Close()
			vm.Interrupt()
			require.Equal(t, "2", value(t, e, "return 2"))
		}
	})
	t.Run("G7 at any moment, from several sides", func(t *testing.T) {
		for i := range 100 {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() { time.Sleep(time.Duration(i) * 20 * time.Microsecond); vm.Interrupt() })
			}
			b := limits(`for (let i = 0; i < 1e5; i++); return 1`)
			_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
			require.True(t, err == nil || errors.Is(err, engine.ErrStopped), "%v", err)
			group.Wait()
			vm.Close()
		}
	})
}

func TestBystanders(t *testing.T) {
	e := newEngine(t, Options{Threads: 4})
	parked, first := start(t, e, limits(`const v = await tools.echo(); return v + 1`))
	defer parked.Close()
	var group sync.WaitGroup
	for _, rule := range []string{"array join", "string indexOf", "big integer division"} {
		group.Go(func() { _, _ = limited(t, e, limits(unresponsive[rule]), 50*time.Millisecond) })
	}
	for range 50 {
		require.Equal(t, "2", value(t, e, `await null; return 2`))
	}
	group.Wait()
	require.Equal(t, "42", string(resume(t, parked, engine.Answer{ID: first.Requests[0].ID, Payload: []byte("41")}).Main.Value))
}
