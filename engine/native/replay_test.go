//go:build cgo

package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// reads is a cell that looks at the clock in two steps, and in the second one until it has moved on.
const reads = `const seen = [Date.now(), performance.now()]; await tools.echo(1);
	for (const from = Date.now(); Date.now() === from;); return [seen, Date.now(), Math.random()]`

func TestReplay(t *testing.T) {
	e := newEngine(t, Options{})
	b := limits(reads)
	vm, first := start(t, e, b)
	defer vm.Close()
	second := engine.AppendResume(nil, []engine.Answer{answered(first.Requests[0].ID, "1")})
	last, err := vm.Step(t.Context(), second, longEnough)
	require.NoError(t, err)
	require.Greater(t, len(last.Clock), 1)
	again := func(t *testing.T) engine.VM {
		vm, err := e.NewVM(smallCatalog())
		require.NoError(t, err)
		t.Cleanup(vm.Close)
		effects, err := vm.(engine.Replayer).Replay(t.Context(), b.Append(nil), first.Clock, longEnough)
		require.NoError(t, err)
		require.Equal(t, first.Hash(), effects.Hash())
		return vm
	}
	t.Run("C4 a replayed step sees the clock of the first time, and is the same step", func(t *testing.T) {
		effects, err := again(t).(engine.Replayer).Replay(t.Context(), second, last.Clock, longEnough)
		require.NoError(t, err)
		require.Equal(t, string(last.Main.Value), string(effects.Main.Value))
		require.Equal(t, last.Clock, effects.Clock)
		require.Equal(t, last.Hash(), effects.Hash())
	})
	t.Run("C4 a step that reads the clock more often than it did has diverged", func(t *testing.T) {
		vm := again(t)
		_, err := vm.(engine.Replayer).Replay(t.Context(), second, last.Clock[:1], longEnough)
		require.ErrorIs(t, err, engine.ErrDiverged)
		_, err = vm.Step(t.Context(), second, longEnough)
		require.ErrorIs(t, err, engine.ErrClosed)
	})
	t.Run("C4 a run of no reads is passed over", func(t *testing.T) {
		clock := append([]engine.ClockRun{{Millis: 1}}, last.Clock...)
		effects, err := again(t).(engine.Replayer).Replay(t.Context(), second, clock, longEnough)
		require.NoError(t, err)
		require.Equal(t, last.Hash(), effects.Hash())
	})
}
