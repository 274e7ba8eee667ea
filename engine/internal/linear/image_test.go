package linear_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/linear"
)

func TestImage(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		e := open(t, 0)
		want := `[7,15,["1180591620717411303424"],"1970-01-01T00:00:00.005Z","b","weak",42,[2,3],1,2]`
		t.Run("C9 everything survives being copied out twice, in another engine too", func(t *testing.T) {
			vm, effects := start(t, e, keeper)
			other := open(t, 128<<20)
			for n, to := range []*linear.Engine{other, e} {
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
			other := open(t, 1<<20)
			for _, e := range []*linear.Engine{e, other} {
				_, err := e.Build()
				require.NoError(t, err)
			}
			require.Equal(t, e.Template(), other.Template())
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
	})
}

func TestFresh(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		e := open(t, 0)
		t.Run("B2 nothing of one guest is left for the next", func(t *testing.T) {
			vm, _ := start(t, e, `globalThis.x = new Array(1e5).fill("secret"); Array.prototype.y = 1; return 1`)
			vm.Close()
			_, effects := start(t, e, `return [typeof x, typeof [].y]`)
			require.Equal(t, `["undefined","undefined"]`, string(effects.Main.Value))
		})
		t.Run("H2 not even beyond what the heap says that it has used", func(t *testing.T) {
			guest, _ := start(t, e, `return 1`)
			all, heap := linear.MemoryOf(guest)
			template := e.Template()
			for _, at := range []int{0, heap.Data - 100, heap.Writable, heap.High + 5000, heap.High + 40<<20, len(all) - 1} {
				all[at] = 0xEE
			}
			guest.Close()
			for at, b := range all {
				if b == 0xEE && (at < heap.Data || at >= heap.Data+len(template)) {
					require.Fail(t, "left", "at %d", at)
				}
			}
			require.True(t, bytes.Equal(template, all[heap.Data:][:len(template)]))
		})
	})
}
