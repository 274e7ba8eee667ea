package linear_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// unresponsive are cells that are inside builtins which never look at the interrupt handler.
var unresponsive = map[string]string{
	"concat":   `return [].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`,
	"search":   `return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`,
	"join":     `return Array.prototype.join.call({length: 2 ** 40})`,
	"reverse":  `return Array.prototype.reverse.call({length: 2 ** 53 - 2})`,
	"includes": `return Array.prototype.includes.call({length: 2 ** 53 - 2}, 1)`,
	"iterator": `return [...{ [Symbol.iterator]: () => ({ next: [].at.bind([{}]) }) }]`,
}

func TestDeaf(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		e := open(t, 0)
		for name, source := range unresponsive {
			t.Run("H1 "+name, func(t *testing.T) {
				vm, err := e.NewVM(nil)
				require.NoError(t, err)
				defer vm.Close()
				b := limits(source)
				_, err = vm.Step(context.Background(), b.Append(nil), 200*time.Millisecond)
				require.Error(t, err)
				require.NotErrorIs(t, err, engine.ErrBroken)
			})
		}
		t.Run("G7 one that is stopped from elsewhere", func(t *testing.T) {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			time.AfterFunc(20*time.Millisecond, vm.Interrupt)
			b := limits(unresponsive["concat"])
			_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
			require.ErrorIs(t, err, engine.ErrStopped)
		})
		t.Run("H3 a forged heap does not keep us either", func(t *testing.T) {
			guest, effects := start(t, e, keeper)
			image, err := engine.Image(t.Context(), guest)
			require.NoError(t, err)
			for at := 4; at < len(image); at += 211 {
				bad := append([]byte(nil), image...)
				bad[at] ^= 0x55
				vm, err := e.Restore(context.Background(), bad, nil)
				if err != nil {
					continue
				}
				answers := []engine.Answer{{ID: effects.Requests[0].ID, Payload: []byte("1")}}
				_, _ = vm.Step(context.Background(), engine.AppendResume(nil, answers), 100*time.Millisecond)
				vm.Close()
			}
		})
	})
}

func TestMemoryLimit(t *testing.T) {
	onEngines(t, func(t *testing.T, open opener) {
		e := open(t, 32<<20)
		for _, limit := range []int{1 << 20, 5 << 20, 32 << 20} {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			b := limits(`const a = []; for (;;) a.push(new Array(1000).fill(1))`)
			b.MemoryLimit = limit
			_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
			require.ErrorIs(t, err, engine.ErrMemory)
			require.LessOrEqual(t, vm.HeapBytes(), limit)
			vm.Close()
		}
		t.Run("H2 more than there is is refused", func(t *testing.T) {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			b := limits("return 1")
			_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
			require.ErrorIs(t, err, engine.ErrProtocol)
		})
		t.Run("H2 memory at every size up to one that is enough: right, or full", func(t *testing.T) {
			for limit := 200 << 10; limit < 900<<10; limit += 4 << 10 {
				vm, err := e.NewVM(nil)
				require.NoError(t, err)
				b := limits(`const m = new Map(); for (let i = 0; i < 2000; i++) m.set("k" + i, {i, s: String(i)}); return m.size`)
				b.MemoryLimit = limit
				effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
				if err == nil {
					require.Equal(t, "2000", string(effects.Main.Value))
				} else {
					require.ErrorIs(t, err, engine.ErrMemory)
				}
				vm.Close()
			}
		})
	})
}
