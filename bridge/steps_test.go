package bridge

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestStepPlaces(t *testing.T) {
	t.Run("I2 no limit", func(t *testing.T) {
		var p stepPlaces
		for range 100 {
			require.True(t, p.enter(t.Context(), 0))
		}
		for range 100 {
			p.leave()
		}
		require.Zero(t, p.busy)
	})
	t.Run("I2 more steps than places wait in their order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var p stepPlaces
			require.True(t, p.enter(t.Context(), 2))
			require.True(t, p.enter(t.Context(), 2))
			order := make(chan int, 3)
			for n := range 3 {
				go func() {
					if p.enter(t.Context(), 2) {
						order <- n
					}
				}()
				synctest.Wait()
			}
			require.Empty(t, order)
			for n := range 3 {
				p.leave()
				require.Equal(t, n, <-order)
			}
			p.leave()
			p.leave()
			require.Zero(t, p.busy)
		})
	})
	t.Run("G7 who does not wait any more has no place, and keeps nobody from one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var p stepPlaces
			require.True(t, p.enter(t.Context(), 1))
			ctx, cancel := context.WithCancel(t.Context())
			gaveUp := make(chan bool)
			go func() { gaveUp <- p.enter(ctx, 1) }()
			synctest.Wait()
			entered := make(chan bool)
			go func() { entered <- p.enter(t.Context(), 1) }()
			synctest.Wait()
			cancel()
			require.False(t, <-gaveUp)
			p.leave()
			require.True(t, <-entered)
			p.leave()
			require.Zero(t, p.busy)
			require.Zero(t, p.waiting.Len())
		})
	})
}
