package preparer

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

func TestQueue(t *testing.T) {
	enter := func(q *queue, name string) bool {
		place, err := q.enter(name)
		return place == nil && err == nil
	}
	t.Run("H6 a tenant alone has half of the places, and others find one", func(t *testing.T) {
		q := newQueue(4, 100)
		require.True(t, enter(q, "a"))
		require.True(t, enter(q, "a"))
		require.False(t, enter(q, "a"))
		require.True(t, enter(q, "b"))
		require.False(t, enter(q, "b"))
		require.True(t, enter(q, "c"))
		require.False(t, enter(q, "d"))
		q.release("c")
		working, waiting := q.counts()
		require.Equal(t, []int{4, 2}, []int{working, waiting}, "d has it now")
	})
	t.Run("H6 who waits is served in turn, tenant by tenant", func(t *testing.T) {
		q := newQueue(1, 100)
		require.True(t, enter(q, "a"))
		var places []chan struct{}
		for _, name := range []string{"a", "a", "b", "b", "c"} {
			place, err := q.enter(name)
			require.NoError(t, err)
			places = append(places, place)
		}
		last := "a"
		for _, next := range []struct {
			place int
			name  string
		}{{0, "a"}, {2, "b"}, {4, "c"}, {1, "a"}, {3, "b"}} {
			q.release(last)
			for i, place := range places {
				if place == nil {
					continue
				}
				select {
				case <-place:
					require.Equal(t, next.place, i)
					places[i] = nil
				default:
					require.NotEqual(t, next.place, i)
				}
			}
			last = next.name
		}
		q.release(last)
		require.Empty(t, q.tenants)
		require.Empty(t, q.turns)
		require.Equal(t, []int{1, 100}, []int{q.free, q.room})
	})
	t.Run("H5 nobody fills the queue for others", func(t *testing.T) {
		q := newQueue(1, 8)
		require.True(t, enter(q, "a"))
		for range 4 {
			_, err := q.enter("a")
			require.NoError(t, err)
		}
		_, err := q.enter("a")
		require.ErrorIs(t, err, script.ErrBusy)
		_, err = q.enter("b")
		require.NoError(t, err)
	})
	t.Run("H6 who waited in vain was not tried", func(t *testing.T) {
		q := newQueue(1, 8)
		require.True(t, enter(q, "a"))
		require.ErrorIs(t, q.acquire(t.Context(), "b", time.Nanosecond), script.ErrBusy)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, q.acquire(ctx, "b", time.Hour), context.Canceled)
		q.release("a")
		require.Equal(t, []int{1, 8}, []int{q.free, q.room})
		require.Empty(t, q.tenants)
	})
	t.Run("H5 no place is lost, whoever gives up when", func(t *testing.T) {
		q := newQueue(2, 64)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for n := range 200 {
					name := string(rune('a' + (i+n)%5))
					if q.acquire(t.Context(), name, time.Duration(n%7)*10*time.Microsecond) == nil {
						q.release(name)
					}
				}
			})
		}
		all.Wait()
		require.Equal(t, []int{2, 64}, []int{q.free, q.room})
		require.Empty(t, q.tenants)
		require.Empty(t, q.turns)
	})
}
