//go:build cgo

package native

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// leftovers are cells that try to leave something behind for the next guest of their heap.
var leftovers = map[string]string{
	"globals":           `globalThis.left = "MARKER-IN-A-HEAP"; var x = "MARKER-IN-A-HEAP"; y = 1`,
	"prototypes":        `Object.prototype.left = "MARKER-IN-A-HEAP"; Array.prototype.map = null; delete String.prototype.trim`,
	"builtins":          `Math.random = Date.now = () => 1; JSON.parse = null; globalThis.Promise = null`,
	"lazy parts":        `new URL("http://MARKER-IN-A-HEAP/"); URL = null; structuredClone.left = 1; TextDecoder.prototype.decode = null`,
	"random numbers":    `for (let i = 0; i < 100; i++) Math.random()`,
	"the catalog":       `tools.echo; ALL_TOOLS.length; Object.keys(MCP.github)`,
	"requests":          `for (let i = 0; i < 100; i++) tools.call("MARKER-IN-A-HEAP", i).catch(() => {}); setTimeout(() => {}, 5); await tools.read()`,
	"much memory":       `const a = []; for (let i = 0; i < 20000; i++) a.push("MARKER-IN-A-HEAP" + i); return a.length`,
	"a full heap":       `const a = []; for (let i = 0; ; i++) a.push("MARKER-IN-A-HEAP" + i)`,
	"a timeout":         `const s = "MARKER-IN-A-HEAP".repeat(1000); for (;;) s.split("")`,
	"a hard stop":       `const s = "MARKER-IN-A-HEAP".repeat(1000); new Array(2 ** 32 - 1).join(s.slice(0, 0))`,
	"too much output":   `for (;;) text("MARKER-IN-A-HEAP")`,
	"a stack overflow":  `(function f(s) { f(s + "MARKER-IN-A-HEAP") })("")`,
	"a cell that threw": `throw new Error("MARKER-IN-A-HEAP")`,
	"registry symbols":  `Symbol.for("MARKER-IN-A-HEAP"); new WeakRef({}); new FinalizationRegistry(() => {}).register({}, "MARKER-IN-A-HEAP")`,
}

// probe looks at what leftovers touch. Its value is the same in every fresh guest.
const probe = `return [typeof globalThis.left, typeof x, typeof y, ({}).left === undefined, [1].map(v => v + 1), " a ".trim(), Math.random(), Math.random(),
	Date.now() > 1e12, JSON.parse("[1]"), await Promise.resolve(2), new URL("http://h/x").href, structuredClone.left === undefined,
	typeof tools.echo, ALL_TOOLS.length, typeof MCP, new TextDecoder().decode(new Uint8Array([65])), Object.getOwnPropertyNames(globalThis).length,
	Object.getOwnPropertyDescriptor(globalThis, "URL").enumerable, Symbol.keyFor(Symbol.for("k"))]`

func TestReset(t *testing.T) {
	e := newEngine(t, Options{Heaps: 1, Warm: 1})
	ask := func(t *testing.T) [32]byte {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		b := limits(probe)
		effects, err := vm.Step(t.Context(), b.Append(nil), longEnough)
		require.NoError(t, err)
		require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
		return effects.Hash()
	}
	h := e.heaps.all[0]
	want := ask(t)
	for rule, cell := range leftovers {
		t.Run("D1 after "+rule, func(t *testing.T) {
			vm, err := e.NewVM(smallCatalog())
			require.NoError(t, err)
			b := limits(cell)
			b.Seed[0], b.MemoryLimit = 7, 16<<20
			_, _ = vm.Step(t.Context(), b.Append(nil), 50*time.Millisecond)
			vm.Close()
			require.True(t, bytes.Equal(h.image, h.mapping[page:page+len(h.image)]), "the image is whole")
			require.Equal(t, -1, bytes.Index(h.mapping[page+len(h.image):], []byte("MARKER")), "a former cell's text lies in the heap")
			require.Zero(t, bytes.Count(h.mapping[page+len(h.image):page+len(h.image)+1<<20], []byte{1}), "bytes are left beyond the image")
			require.Equal(t, want, ask(t))
		})
	}
	t.Run("D1 a guest given up in the middle of its run", func(t *testing.T) {
		vm, err := e.NewVM(smallCatalog())
		require.NoError(t, err)
		b := limits(`globalThis.left = 1; await tools.echo("MARKER")`)
		_, err = vm.Step(t.Context(), b.Append(nil), longEnough)
		require.NoError(t, err)
		vm.Close()
		require.Equal(t, want, ask(t))
	})
	t.Run("D1 a guest that never ran", func(t *testing.T) {
		vm, err := e.NewVM(smallCatalog())
		require.NoError(t, err)
		vm.Close()
		require.Equal(t, want, ask(t))
	})
}

func TestFootprint(t *testing.T) {
	e := newEngine(t, Options{})
	vm, first := start(t, e, limits(`let a = 1; await tools.echo(); a = "x".repeat(1e6); a.charCodeAt(5); await tools.echo(); return a.length`))
	defer vm.Close()
	small, err := vm.Footprint()
	require.NoError(t, err)
	t.Run("C6 a fresh run differs by little", func(t *testing.T) { require.Less(t, small, 32<<10) })
	t.Run("C6 what the cell keeps counts", func(t *testing.T) {
		resume(t, vm, engine.Answer{ID: first.Requests[0].ID, Payload: []byte("1")})
		large, err := vm.Footprint()
		require.NoError(t, err)
		require.InDelta(t, small+1e6, large, 64<<10)
		require.Greater(t, vm.HeapBytes(), 1_000_000)
	})
}
