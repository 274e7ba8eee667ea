package wasi

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

const longEnough = 20 * time.Second

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func limits(source string) engine.Begin {
	return engine.Begin{
		Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 1016, MaxTimers: 1000,
	}
}

// start opens a guest and takes its first step.
func start(t testing.TB, e *Engine, source string) (engine.Imager, *engine.Effects) {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	t.Cleanup(vm.Close)
	b := limits(source)
	effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
	require.NoError(t, err)
	return vm.(engine.Imager), effects
}

// resume answers the one request of the step before.
func resume(t testing.TB, vm engine.VM, before *engine.Effects, payload string) *engine.Effects {
	t.Helper()
	require.Len(t, before.Requests, 1)
	answers := []engine.Answer{{ID: before.Requests[0].ID, Payload: []byte(payload)}}
	effects, err := vm.Step(context.Background(), engine.AppendResume(nil, answers), longEnough)
	require.NoError(t, err)
	return effects
}

// keeper holds on to what is hard to copy by any other means (contract C9).
const keeper = `class C { #p = 7; get p() { return this.#p } static #s = Symbol("s"); static s = C.#s }
	function* g() { let x = 0; for (;;) x += yield x }
	const it = g(); it.next();
	const m = new Map([[C.s, new Set([1n << 70n])]]), d = new Date(5), c = new C(), r = /a(.)/y, w = new WeakMap([[c, "weak"]]);
	let resolve; const later = new Promise((f) => (resolve = f)).then((v) => v + 1);
	const bytes = new Uint8Array([1, 2, 3]).subarray(1);
	const first = await yield_control("one");
	it.next(10); resolve(41);
	const second = await yield_control("two");
	return [c.p, it.next(5).value, [...m.get(C.s)], d, r.exec("ab")[1], w.get(c), await later, [...bytes], first, second]`

func TestImage(t *testing.T) {
	e := newEngine(t, Options{})
	want := `[7,15,["1180591620717411303424"],"1970-01-01T00:00:00.005Z","b","weak",42,[2,3],1,2]`
	t.Run("C9 everything survives being copied out twice, in another engine too", func(t *testing.T) {
		vm, effects := start(t, e, keeper)
		other := newEngine(t, Options{HeapBytes: 128 << 20})
		for n, to := range []*Engine{other, e} {
			image, err := engine.Image(t.Context(), vm)
			require.NoError(t, err)
			vm.Close()
			restored, err := to.Restore(context.Background(), image, nil)
			require.NoError(t, err)
			t.Cleanup(restored.Close)
			vm = restored.(engine.Imager)
			effects = resume(t, vm, effects, string(rune('1'+n)))
		}
		require.Equal(t, want, string(effects.Main.Value))
	})
	t.Run("A7 the catalog is no part of an image, and comes from whoever restores it", func(t *testing.T) {
		entries := []byte(`[{"id":"openclaw:core:secret","source":"openclaw","name":"secret","description":"A name to look for."}]`)
		catalog := engine.AppendCatalog(nil, entries, []byte("\nsecret\topenclaw:core:secret\n"), nil, nil)
		fresh, err := e.NewVM(catalog)
		require.NoError(t, err)
		defer fresh.Close()
		b := limits(`await yield_control(); return [ALL_TOOLS[0].id, typeof tools.secret]`)
		effects, err := fresh.Step(context.Background(), b.Append(nil), longEnough)
		require.NoError(t, err)
		image, err := engine.Image(t.Context(), fresh)
		require.NoError(t, err)
		require.NotContains(t, string(image), "secret")
		_, err = e.Restore(context.Background(), image, nil)
		require.ErrorIs(t, err, engine.ErrImage, "another catalog")
		vm, err := e.Restore(context.Background(), image, catalog)
		require.NoError(t, err)
		defer vm.Close()
		for _, vm := range []engine.VM{vm, fresh} {
			require.Equal(t, `["openclaw:core:secret","function"]`, string(resume(t, vm, effects, "null").Main.Value))
		}
	})
	t.Run("C4 copying a guest out changes nothing for it", func(t *testing.T) {
		vm, effects := start(t, e, keeper)
		first, err := engine.Image(t.Context(), vm)
		require.NoError(t, err)
		again, err := engine.Image(t.Context(), vm)
		require.NoError(t, err)
		require.Equal(t, first, again)
		effects = resume(t, vm, effects, "1")
		require.Equal(t, want, string(resume(t, vm, effects, "2").Main.Value))
	})
	t.Run("C4 the same build makes the same template", func(t *testing.T) {
		other := newEngine(t, Options{HeapBytes: 1 << 20})
		for _, e := range []*Engine{e, other} {
			_, err := e.Build()
			require.NoError(t, err)
		}
		require.Equal(t, e.module.template, other.module.template)
	})
	t.Run("H4 what is no image is refused", func(t *testing.T) {
		vm, _ := start(t, e, keeper)
		image, err := engine.Image(t.Context(), vm)
		require.NoError(t, err)
		number := func(at int, n uint32) []byte {
			b := slices.Clone(image)
			binary.LittleEndian.PutUint32(b[at:], n)
			return b
		}
		for name, bad := range map[string][]byte{
			"empty": nil, "truncated": image[:len(image)-1],
			"end beyond the heap": number(0, 1<<31), "another end": number(0, binary.LittleEndian.Uint32(image)+8),
			"block beyond the heap": number(4, 1<<30), "blocks out of order": number(4, 1<<18-1), "a block of no words": number(8, 0),
		} {
			_, err := e.Restore(context.Background(), bad, nil)
			require.ErrorIs(t, err, engine.ErrImage, name)
		}
		require.Equal(t, 1, e.Stats().InUse)
	})
	t.Run("H4 a forged image harms only its own guest", func(t *testing.T) {
		vm, effects := start(t, e, keeper)
		image, err := engine.Image(t.Context(), vm)
		require.NoError(t, err)
		for at := 4; at < len(image); at += 97 {
			bad := slices.Clone(image)
			bad[at] ^= 0x55
			if restored, err := e.Restore(context.Background(), bad, nil); err == nil {
				restored.Close()
			}
		}
		require.Equal(t, want, string(resume(t, vm, resume(t, vm, effects, "1"), "2").Main.Value))
	})
}

func TestFresh(t *testing.T) {
	e := newEngine(t, Options{Spare: 1})
	t.Run("B2 nothing of one guest is left for the next", func(t *testing.T) {
		vm, _ := start(t, e, `globalThis.x = new Array(1e5).fill("secret"); Array.prototype.y = 1; return 1`)
		vm.Close()
		_, effects := start(t, e, `return [typeof x, typeof [].y]`)
		require.Equal(t, `["undefined","undefined"]`, string(effects.Main.Value))
	})
	t.Run("H2 not even beyond what the heap says that it has used", func(t *testing.T) {
		guest, _ := start(t, e, `return 1`)
		i := guest.(*vm).instance
		all := i.all()
		for _, at := range []int{0, int(i.layout.data) - 100, int(i.layout.data), int(i.high()) + 5000, int(i.high()) + 40<<20, len(all) - 1} {
			all[at] = 0xEE
		}
		guest.Close()
		for at, b := range i.all() {
			if b == 0xEE && (at < int(i.layout.data) || at >= int(i.layout.data)+len(i.module.template.bytes)) {
				require.Fail(t, "left", "at %d", at)
			}
		}
		require.Equal(t, i.module.template.bytes, i.all()[i.layout.data:][:len(i.module.template.bytes)])
	})
}
