package gate

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestGate(t *testing.T) {
	t.Run("H5 a new run is refused at once when the queue is full", func(t *testing.T) {
		g := New(1, 0)
		require.NoError(t, g.Enter(t.Context(), false))
		require.ErrorIs(t, g.Enter(t.Context(), false), engine.ErrOverloaded)
		g.Leave()
		require.NoError(t, g.Enter(t.Context(), false))
		require.Equal(t, []int{1, 1, 0}, []int{g.Places(), g.Running(), g.Queued()})
	})
	t.Run("H5 a run that has begun waits however long the queue is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := New(1, 0)
			require.NoError(t, g.Enter(t.Context(), false))
			entered := make(chan error)
			for range 3 {
				go func() { entered <- g.Enter(t.Context(), true) }()
			}
			synctest.Wait()
			require.Equal(t, 3, g.Queued())
			for range 3 {
				g.Leave()
				require.NoError(t, <-entered)
			}
			g.Leave()
			require.Equal(t, []int{0, 0}, []int{g.Running(), g.Queued()})
		})
	})
	t.Run("G7 whoever waits can be called off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := New(1, 1)
			require.NoError(t, g.Enter(t.Context(), false))
			ctx, cancel := context.WithCancel(t.Context())
			entered := make(chan error)
			go func() { entered <- g.Enter(ctx, false) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-entered, engine.ErrStopped)
			require.Equal(t, 0, g.Queued())
		})
	})
}
