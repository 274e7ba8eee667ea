package journal

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asksTwice asks for a tool in two steps and returns in the third.
func asksTwice(string) enginetest.Script {
	ask := func(id uint32) enginetest.Step {
		return func(_ *enginetest.Input, out *enginetest.Records) error {
			out.Call(id, "echo", "{}").Pending().Took(time.Second)
			return nil
		}
	}
	return enginetest.Script{ask(1), ask(2), func(in *enginetest.Input, out *enginetest.Records) error {
		out.Fulfil(string(in.Answers[0].Payload), 0)
		return nil
	}}
}

func answer(id uint32, payload string) []byte {
	return engine.AppendResume(nil, []engine.Answer{{ID: id, Payload: []byte(payload)}})
}

// record executes the first two steps and returns the guest's journal.
func record(t *testing.T, limit int) *Journal {
	t.Helper()
	e := enginetest.New(asksTwice)
	vm, err := e.NewVM([]byte("catalog"))
	require.NoError(t, err)
	j := New([]byte("catalog"))
	j.limit = limit
	begin := engine.Begin{Source: "cell"}
	for _, input := range [][]byte{begin.Append(nil), answer(1, "10")} {
		effects, err := vm.Step(t.Context(), input, time.Second)
		require.NoError(t, err)
		j.Add(input, effects)
	}
	vm.Close()
	require.NoError(t, e.Close())
	return &j
}

func TestRebuild(t *testing.T) {
	t.Run("C4 the guest is where it was", func(t *testing.T) {
		steps, err := record(t, MaxBytes).Steps(0)
		require.NoError(t, err)
		e := enginetest.NewPortable("b", asksTwice)
		vm, err := steps.Rebuild(t.Context(), e)
		require.NoError(t, err)
		require.Equal(t, "catalog", string(e.VMs()[0].Catalog))
		effects, err := vm.Step(t.Context(), answer(2, "20"), time.Second)
		require.NoError(t, err)
		require.Equal(t, "20", string(effects.Main.Value))
		vm.Close()
		require.NoError(t, e.Close())
	})
	t.Run("C4 a journal goes on after it was read", func(t *testing.T) {
		j := record(t, MaxBytes)
		before, err := j.Steps(0)
		require.NoError(t, err)
		e := enginetest.New(asksTwice)
		vm, err := before.Rebuild(t.Context(), e)
		require.NoError(t, err)
		input := answer(2, "20")
		effects, err := vm.Step(t.Context(), input, time.Second)
		require.NoError(t, err)
		j.Add(input, effects)
		after, err := j.Steps(0)
		require.NoError(t, err)
		vm.Close()
		require.Len(t, before.entries, 2)
		vm, err = after.Rebuild(t.Context(), e)
		require.NoError(t, err)
		vm.Close()
		require.NoError(t, e.Close())
	})
	for at, want := range map[int64]string{1: "step 1 of 2", 2: "step 2 of 2"} {
		t.Run("C4 a step that differs is named: "+want, func(t *testing.T) {
			steps, err := record(t, MaxBytes).Steps(0)
			require.NoError(t, err)
			e := enginetest.NewPortable("b", asksTwice)
			e.Diverge.Store(at)
			_, err = steps.Rebuild(t.Context(), e)
			require.ErrorIs(t, err, engine.ErrDiverged)
			require.ErrorContains(t, err, want)
			require.NoError(t, e.Close())
		})
	}
	t.Run("C4 a step that read the clock otherwise is another step", func(t *testing.T) {
		steps, err := record(t, MaxBytes).Steps(0)
		require.NoError(t, err)
		steps.entries[1].clock = []engine.ClockRun{{Millis: 1, Count: 1}}
		e := enginetest.New(asksTwice)
		_, err = steps.Rebuild(t.Context(), e)
		require.ErrorIs(t, err, engine.ErrDiverged)
		require.NoError(t, e.Close())
	})
	t.Run("C4 so is one that ends otherwise", func(t *testing.T) {
		steps, err := record(t, MaxBytes).Steps(0)
		require.NoError(t, err)
		e := enginetest.Always(func(*enginetest.Input, *enginetest.Records) error { return engine.ErrMemory })
		_, err = steps.Rebuild(t.Context(), e)
		require.ErrorIs(t, err, engine.ErrDiverged)
		require.ErrorIs(t, err, engine.ErrMemory)
		require.NoError(t, e.Close())
	})
	t.Run("G7 rebuilding can be called off", func(t *testing.T) {
		steps, err := record(t, MaxBytes).Steps(0)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		e := enginetest.Always(func(in *enginetest.Input, _ *enginetest.Records) error {
			cancel()
			<-in.Interrupted
			return engine.ErrStopped
		})
		_, err = steps.Rebuild(ctx, e)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, engine.ErrDiverged)
		require.NoError(t, e.Close())
	})
	t.Run("H5 there may be no room for a guest", func(t *testing.T) {
		steps, err := record(t, MaxBytes).Steps(0)
		require.NoError(t, err)
		e := enginetest.New(asksTwice)
		e.Fill(true)
		_, err = steps.Rebuild(t.Context(), e)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		require.NoError(t, e.Close())
	})
}

func TestLimits(t *testing.T) {
	t.Run("H5 inputs are bounded", func(t *testing.T) {
		j := record(t, 20)
		_, err := j.Steps(0)
		require.ErrorIs(t, err, ErrTooLong)
		require.True(t, j.Full())
		require.Nil(t, j.entries)
		j.Add(answer(2, "1"), &engine.Effects{})
		_, err = j.Steps(0)
		require.ErrorIs(t, err, ErrTooLong)
	})
	t.Run("H5 guest execution is bounded by the caller of Steps", func(t *testing.T) {
		j := record(t, MaxBytes)
		_, err := j.Steps(1999 * time.Millisecond)
		require.ErrorIs(t, err, ErrTooLong)
		steps, err := j.Steps(2 * time.Second)
		require.NoError(t, err)
		require.Len(t, steps.entries, 2)
	})
}

func TestRestored(t *testing.T) {
	e := enginetest.NewPortable("b", asksTwice)
	steps, err := record(t, MaxBytes).Steps(0)
	require.NoError(t, err)
	vm, err := steps.Rebuild(t.Context(), e)
	require.NoError(t, err)
	image, err := engine.Image(t.Context(), vm)
	require.NoError(t, err)
	vm.Close()

	j := Restored(image, []byte("catalog"))
	t.Run("C4 a guest that was restored is restored again, and goes on", func(t *testing.T) {
		steps, err := j.Steps(0)
		require.NoError(t, err)
		vm, err := steps.Rebuild(t.Context(), e)
		require.NoError(t, err)
		defer vm.Close()
		effects, err := vm.Step(t.Context(), answer(2, "20"), time.Second)
		require.NoError(t, err)
		require.Equal(t, "20", string(effects.Main.Value))
	})
	t.Run("C4 an engine that restores nothing says so", func(t *testing.T) {
		steps, err := j.Steps(0)
		require.NoError(t, err)
		_, err = steps.Rebuild(t.Context(), e.Engine)
		require.ErrorIs(t, err, engine.ErrImage)
	})
	require.NoError(t, e.Close())
}

func TestHeld(t *testing.T) {
	t.Run("H6 inputs, clock reads and the image count", func(t *testing.T) {
		j := Restored(make([]byte, 1000), []byte("catalog"))
		require.Equal(t, 1000, j.Held())
		j.Add(make([]byte, 500), &engine.Effects{Clock: make([]engine.ClockRun, 10)})
		require.Equal(t, 1000+500+entryBytes+10*clockBytes, j.Held())
	})
	t.Run("H6 large effects are not held by a run at rest, and still compared", func(t *testing.T) {
		var out enginetest.Records
		effects, err := out.Text(strings.Repeat("x", 1<<20)).Pending().Decode(true)
		require.NoError(t, err)
		j := New(nil)
		j.Add(nil, effects)
		require.Less(t, j.Held(), 1000)
		steps, err := j.Steps(0)
		require.NoError(t, err)
		require.Equal(t, effects.Hash(), steps.entries[0].hash)
	})
	t.Run("H6 what was dropped is held no more, and is not replayed", func(t *testing.T) {
		j := record(t, MaxBytes)
		require.Positive(t, j.Held())
		j.Drop()
		require.Zero(t, j.Held())
		_, err := j.Steps(0)
		require.ErrorIs(t, err, ErrTooLong)
		j.Add([]byte("more"), &engine.Effects{})
		require.Zero(t, j.Held())
	})
}
