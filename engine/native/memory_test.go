//go:build cgo

package native

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestMemoryLimit(t *testing.T) {
	e := newEngine(t, Options{})
	t.Run("H2 one MiB is enough for a small cell", func(t *testing.T) {
		b := limits(`return [1, {a: "b"}, [...Array(1000).keys()].length]`)
		b.MemoryLimit = 1 << 20
		effects, err := limited(t, e, b, longEnough)
		require.NoError(t, err)
		require.Equal(t, `[1,{"a":"b"},1000]`, string(effects.Main.Value))
	})
	for rule, cell := range map[string]string{
		"arrays":             `const a = []; for (;;) a.push(new Array(1000).fill(1))`,
		"caught":             `for (;;) { try { const a = []; for (;;) a.push(new Array(1000).fill(1)) } catch {} }`,
		"one large array":    `new Array(1e8).fill(0)`,
		"a doubling string":  `let s = "x"; for (;;) { s += s; s.charCodeAt(0) }`,
		"a buffer":           `new ArrayBuffer(1e9)`,
		"a regexp":           `new RegExp("[a-z]{1,3}|".repeat(500000))`,
		"closures":           `let f; for (;;) { const g = f; f = () => g }`,
		"a map":              `const m = new Map(); for (let i = 0; ; i++) m.set(i, {})`,
		"pending requests":   `for (;;) tools.call("x".repeat(1e5)).catch(() => {})`,
		"big integers":       `const a = []; for (;;) a.push(2n ** 1000000n)`,
		"output in truncate": `for (;;) tools.search("x".repeat(1e6))`,
	} {
		t.Run("H2 "+rule, func(t *testing.T) {
			b := limits(cell)
			b.MemoryLimit, b.MaxRequests = 4<<20, 4000
			effects, err := limited(t, e, b, longEnough)
			require.ErrorIs(t, err, engine.ErrMemory)
			require.Equal(t, engine.Pending, effects.Main.State)
		})
	}
	t.Run("H2 garbage is no use of memory", func(t *testing.T) {
		b := limits(`let n = 0; for (let i = 0; i < 2e4; i++) { const a = new Array(100).fill(i); a.self = a; n += a.length } return n`)
		b.MemoryLimit = 4 << 20
		effects, err := limited(t, e, b, longEnough)
		require.NoError(t, err)
		require.Equal(t, "2000000", string(effects.Main.Value))
	})
	t.Run("H2 the limit is the run's own", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		b := limits(`const a = []; for (let i = 0; i < 3000; i++) a.push(new Array(1000).fill(1)); return a.length`)
		effects, err := vm.Step(t.Context(), b.Append(nil), longEnough)
		require.NoError(t, err)
		require.Equal(t, "3000", string(effects.Main.Value))
		require.Greater(t, vm.HeapBytes(), 3000*1000*8)
		size, err := vm.Footprint()
		require.NoError(t, err)
		require.Greater(t, size, 3000*1000*8)
	})
}

// The heap runs full at each allocation in turn, more or less: whatever the engine was doing, the run ends as one that
// used too much, and the next guest is whole.
func TestMemoryRunsOutAnywhere(t *testing.T) {
	e := newEngine(t, Options{})
	h := e.heaps.all[len(e.heaps.all)-1]
	// The image has free blocks of its own; what fills them makes the cell itself meet the limit.
	const pad = `const pad = []; for (let i = 0; i < 400; i++) pad.push(new ArrayBuffer(128)); `
	for rule, cell := range map[string]string{
		"objects":     `const o = {}; for (let i = 0; i < 40; i++) o["key" + i] = {i, l: [i]}; return Object.keys(o).length`,
		"strings":     `let s = ""; for (let i = 0; i < 300; i++) s += String.fromCharCode(i); return s.split("").reverse().join("").replace(/[a-z]+/g, x => x.toUpperCase()).length`,
		"json":        `const v = JSON.parse(JSON.stringify({a: [1, 2, {b: "c".repeat(50)}], d: Array(50).fill(1)})); json(v); text(v); return v`,
		"promises":    `const r = []; for (let i = 0; i < 20; i++) await Promise.all([i, Promise.resolve(i)]).then(x => r.push(x)); return r`,
		"errors":      `let n = 0; for (let i = 0; i < 20; i++) try { null.x } catch (e) { n += e.stack.length } return n > 0`,
		"classes":     `class A { #p = 1; get p() { return this.#p } static s = new Map([[1, 2]]) } return new A().p + [...A.s].length`,
		"generators":  `function* g() { for (let i = 0; i < 50; i++) yield {i} } return [...g()].length`,
		"expressions": `return "2020-01-02".match(/(?<y>\d+)-(?<m>\d+)/).groups.y + /^(?:a|b|[c-z])+$/iu.test("xyz")`,
		"eval":        `return eval("let x = 0; for (let i = 0; i < 5; i++) { x += ((a) => a * 2)(i) } x")`,
		"requests":    `for (let i = 0; i < 20; i++) tools.call("t" + i, {i}).catch(() => {}); setTimeout(() => {}, 1); return 1`,
		"late parts":  `return structuredClone({u: new URL("/x?a=1", "http://h/").href, b: new TextEncoder().encode("é")}).u`,
		"thrown":      `throw Object.assign(new TypeError("x".repeat(100)), {cause: {a: [1]}})`,
	} {
		t.Run("H2 "+rule, func(t *testing.T) {
			full := 0
			for limit := len(h.image); limit < len(h.image)+160<<10; limit += 112 {
				b := limits(pad + cell)
				b.MemoryLimit = limit
				_, err := limited(t, e, b, longEnough)
				require.True(t, err == nil || errors.Is(err, engine.ErrMemory), "%d bytes: %v", limit, err)
				if err != nil {
					full++
				}
			}
			require.Positive(t, full)
			require.Equal(t, "2", value(t, e, "return 2"))
		})
	}
}

func TestStackOverflow(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, expression := range map[string]string{
		"recursion":                 `(function f() { return f() + 1 })()`,
		"recursion through getters": `({get a() { return this.a }}).a`,
		"recursion in toString":     `String({toString() { return String(this) }})`,
		"recursion through proxies": `(() => { const p = new Proxy({}, {get: (t, k, r) => r[k]}); return p.x })()`,
		"a chain of closures":       `(() => { let f = () => 1; for (let i = 0; i < 1e5; i++) { const g = f; f = () => g() } return f() })()`,
		"nested arrays as text":     `(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a) })()`,
		"nested generators":         `(() => { function* g(n) { if (n) yield* g(n - 1); yield n } return [...g(20000)].length })()`,
		"deep JSON":                 `JSON.parse("[".repeat(1e6) + "]".repeat(1e6))`,
		"deep stringify":            `(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a) })()`,
		"deep source":               `eval("(".repeat(1e5) + ")".repeat(1e5))`,
		"deep expression":           `new RegExp("(".repeat(1e5) + ")".repeat(1e5))`,
		"clone":                     `(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return structuredClone(a).length })()`,
	} {
		t.Run("H2 "+rule+" is an error that can be caught", func(t *testing.T) {
			got := value(t, e, `let name = "none"; try { `+expression+` } catch (e) { name = e.name } return [name, 1 + 1]`)
			require.Contains(t, []string{`["RangeError",2]`, `["SyntaxError",2]`, `["InternalError",2]`}, got)
		})
	}
	t.Run("H2 too many arguments", func(t *testing.T) {
		b := limits(`try { Math.max(...new Array(1e6)) } catch (e) { return e.name }`)
		effects, err := limited(t, e, b, longEnough)
		if err == nil {
			require.Equal(t, `"RangeError"`, string(effects.Main.Value))
		}
	})
	t.Run("H2 the depth is the same in every step", func(t *testing.T) {
		vm, first := start(t, e, limits(`const depth = () => { let d = 0; const f = () => { d++; f() }; try { f() } catch {} return d };
			await null; const a = depth(); await tools.echo(); return [a > 1000, depth() - a]`))
		defer vm.Close()
		require.Equal(t, `[true,0]`, string(resume(t, vm, engine.Answer{ID: first.Requests[0].ID, Payload: []byte("1")}).Main.Value))
	})
}
