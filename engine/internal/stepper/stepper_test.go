package stepper

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heap counts what is done to it. Its steps end when they are stopped.
type heap struct {
	armed   int
	stopped chan struct{}
	ended   error
}

func newHeap() *heap { return &heap{stopped: make(chan struct{}, 1)} }

func (h *heap) Arm()  { h.armed++ }
func (h *heap) Stop() { h.stopped <- struct{}{} }

func (h *heap) Effects() ([]byte, error) {
	return []byte{'D', 1, 0, 0, 0, byte(engine.Pending)}, h.ended
}

func TestExecute(t *testing.T) {
	t.Run("H1 a step is measured, and its effects are decoded", func(t *testing.T) {
		s, h := New(NewThreads(1, 1), false), newHeap()
		effects, err := s.Execute(t.Context(), h, func() {})
		require.NoError(t, err)
		require.Positive(t, effects.Took)
		require.Equal(t, engine.Pending, effects.Main.State)
		require.Equal(t, 1, h.armed)
		require.True(t, s.Begun())
	})
	t.Run("H1 after one that was ended there is no other", func(t *testing.T) {
		s, h := New(NewThreads(1, 1), false), newHeap()
		h.ended = engine.ErrMemory
		effects, err := s.Execute(t.Context(), h, func() {})
		require.ErrorIs(t, err, engine.ErrMemory)
		require.NotNil(t, effects)
		_, err = s.Execute(t.Context(), h, func() { t.Error("a second step") })
		require.ErrorIs(t, err, engine.ErrClosed)
		require.True(t, s.Ended())
	})
	t.Run("H5 one that could not begin can be tried again", func(t *testing.T) {
		l := NewThreads(1, 0)
		place, err := l.Acquire(t.Context(), false)
		require.NoError(t, err)
		s, h := New(l, false), newHeap()
		_, err = s.Execute(t.Context(), h, func() {})
		require.ErrorIs(t, err, engine.ErrOverloaded)
		l.Release(place)
		_, err = s.Execute(t.Context(), h, func() {})
		require.NoError(t, err)
		require.Zero(t, l.Stats().Running)
	})
}

func TestInterrupt(t *testing.T) {
	t.Run("G7 it ends the step under way", func(t *testing.T) {
		s, h := New(NewThreads(1, 1), false), newHeap()
		_, err := s.Execute(t.Context(), h, func() {
			go s.Interrupt()
			<-h.stopped
			h.ended = engine.ErrStopped
		})
		require.ErrorIs(t, err, engine.ErrStopped)
		s.Interrupt()
		require.Empty(t, h.stopped, "nothing is under way any more")
	})
	t.Run("G7 one that comes first keeps every step from beginning", func(t *testing.T) {
		s, h := New(NewThreads(1, 1), false), newHeap()
		s.Interrupt()
		_, err := s.Execute(context.Background(), h, func() { t.Error("a step") })
		require.ErrorIs(t, err, engine.ErrStopped)
		require.Zero(t, h.armed)
		require.True(t, s.Interrupted())
	})
}

func TestReads(t *testing.T) {
	r := ReadsOf([]engine.ClockRun{{Millis: 5, Count: 2}, {Millis: 6}, {Millis: 7, Count: 1}})
	for _, want := range []int64{5, 5, 7} {
		got, ok := r.Next()
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	_, ok := r.Next()
	require.False(t, ok)
}
