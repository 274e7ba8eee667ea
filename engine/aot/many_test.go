//go:build cgo

package aot

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/linear"
)

func TestMany(t *testing.T) {
	t.Run("H5 a thousand guests at once, each with its own state", func(t *testing.T) {
		const guests = 1000
		e := newEngine(t, Options{Heaps: guests})
		vms, waits := make([]engine.VM, guests), make([]uint32, guests)
		for n := range vms {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			b := limits(fmt.Sprintf("const mine = [%d]; await yield_control(); return mine[0] + 1", n))
			effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
			require.NoError(t, err)
			vms[n], waits[n] = vm, effects.Requests[0].ID
		}
		_, err := e.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		var group sync.WaitGroup
		for n, vm := range vms {
			group.Go(func() {
				input := engine.AppendResume(nil, []engine.Answer{{ID: waits[n], Payload: []byte("1")}})
				effects, err := vm.Step(context.Background(), input, longEnough)
				if err != nil || string(effects.Main.Value) != strconv.Itoa(n+1) {
					t.Errorf("guest %d: %v", n, err)
				}
			})
		}
		group.Wait()
		require.Equal(t, guests, e.Stats().InUse)
	})
	t.Run("H2 address space is given back", func(t *testing.T) {
		e := newEngine(t, Options{Spare: 1})
		require.Equal(t, "1", value(t, e, "return 1"))
		before := addressSpace(t)
		for range 3 {
			vms := make([]engine.VM, 100)
			for n := range vms {
				var err error
				vms[n], err = e.NewVM(nil)
				require.NoError(t, err)
			}
			require.Greater(t, addressSpace(t), before+90*8<<30)
			for _, vm := range vms {
				vm.Close()
			}
			require.Less(t, addressSpace(t), before+8<<30)
		}
	})
}

// addressSpace returns how many bytes of address space this process has.
func addressSpace(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(string(text[:bytes.IndexByte(text, ' ')]))
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// large is the largest memory limit that the config allows.
const large = 1 << 30

func TestLargestMemory(t *testing.T) {
	e := newEngine(t, Options{HeapBytes: large, Spare: 1})
	grow := func(limit int, cell string) (*engine.Effects, error) {
		b := limits(cell)
		b.MemoryLimit = limit
		return step(t, e, b, longEnough)
	}
	// Buffers of 16 MiB, so that the heap fills without the whole of it being touched.
	const fill = `const held = []; try { for (let i = 0; i < %d; i++) held.push(new ArrayBuffer(16 << 20)) } catch {} return held.length`
	t.Run("H2 it grows to its limit, and not beyond, and the next guest begins small", func(t *testing.T) {
		for range 2 {
			effects, err := grow(large, fmt.Sprintf(fill, 60))
			require.NoError(t, err)
			require.Equal(t, "60", string(effects.Main.Value))
			_, err = grow(large, fmt.Sprintf(fill, 70))
			require.ErrorIs(t, err, engine.ErrMemory)
			effects, err = grow(8<<20, "return 1 + 1")
			require.NoError(t, err)
			require.Equal(t, "2", string(effects.Main.Value))
		}
	})
	t.Run("H2 what lies beyond 512 MiB is read and written as anywhere", func(t *testing.T) {
		effects, err := grow(large, `const held = []; for (let i = 0; i < 55; i++) held.push(new Uint8Array(16 << 20));
			const last = held[54]; last.set([1, 2, 3], last.length - 3); last.copyWithin(0, last.length - 3);
			return [...last.subarray(0, 4), last.at(-1), held[53].at(-1)]`)
		require.NoError(t, err)
		require.Equal(t, "[1,2,3,0,3,0]", string(effects.Main.Value))
	})
	t.Run("H2 a memory that code can address, and inputs beside it", func(t *testing.T) {
		require.LessOrEqual(t, uint64(linear.Pages(large))*linear.WasmPage, uint64(1)<<31)
	})
}
