package limiter

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestLimiter(t *testing.T) {
	t.Run("H5 a new run is refused at once when the queue is full", func(t *testing.T) {
		l := New(1, 0)
		require.NoError(t, l.Acquire(t.Context(), false))
		require.ErrorIs(t, l.Acquire(t.Context(), false), engine.ErrOverloaded)
		l.Release()
		require.NoError(t, l.Acquire(t.Context(), false))
		require.Equal(t, engine.Stats{Threads: 1, Running: 1}, l.Stats())
	})
	t.Run("H5 a run that has begun waits however long the queue is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(1, 0)
			require.NoError(t, l.Acquire(t.Context(), false))
			acquired := make(chan error)
			for range 3 {
				go func() { acquired <- l.Acquire(t.Context(), true) }()
			}
			synctest.Wait()
			require.Equal(t, 3, l.Stats().Queued)
			for range 3 {
				l.Release()
				require.NoError(t, <-acquired)
			}
			l.Release()
			require.Equal(t, engine.Stats{Threads: l.Stats().Threads}, l.Stats())
		})
	})
	t.Run("G7 waiting ends with the context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(1, 1)
			require.NoError(t, l.Acquire(t.Context(), false))
			ctx, cancel := context.WithCancel(t.Context())
			acquired := make(chan error)
			go func() { acquired <- l.Acquire(ctx, false) }()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-acquired, engine.ErrStopped)
			require.Equal(t, 0, l.Stats().Queued)
		})
	})
}
