package limiter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func acquire(t *testing.T, l *Limiter, ctx context.Context) Place {
	t.Helper()
	p, err := l.Acquire(ctx, false)
	require.NoError(t, err)
	return p
}

func TestLimiter(t *testing.T) {
	t.Run("H5 a new run is refused at once when the queue is full", func(t *testing.T) {
		l := New(1, 0)
		p := acquire(t, l, t.Context())
		_, err := l.Acquire(t.Context(), false)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		l.Release(p)
		acquire(t, l, t.Context())
		require.Equal(t, engine.Stats{Threads: 1, Running: 1}, l.Stats())
	})
	t.Run("H5 a run that has begun waits however long the queue is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(1, 0)
			p := acquire(t, l, t.Context())
			acquired := make(chan Place)
			for range 3 {
				go func() {
					p, err := l.Acquire(t.Context(), true)
					require.NoError(t, err)
					acquired <- p
				}()
			}
			synctest.Wait()
			require.Equal(t, 3, l.Stats().Queued)
			for range 3 {
				l.Release(p)
				p = <-acquired
			}
			l.Release(p)
			require.Equal(t, engine.Stats{Threads: 1}, l.Stats())
		})
	})
	t.Run("G7 waiting ends with the context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(1, 1)
			acquire(t, l, t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			acquired := make(chan error)
			go func() {
				_, err := l.Acquire(ctx, false)
				acquired <- err
			}()
			synctest.Wait()
			cancel()
			require.ErrorIs(t, <-acquired, engine.ErrStopped)
			require.Equal(t, 0, l.Stats().Queued)
		})
	})
}

// contest has steps of claims wait for the only place, and returns in which order they get it. A step takes a millisecond,
// which is charged afterwards.
func contest(t *testing.T, claims ...*engine.Claim) []*engine.Claim {
	t.Helper()
	l := New(1, 100)
	p := acquire(t, l, t.Context())
	order := make(chan *engine.Claim, len(claims))
	for _, c := range claims {
		go func() {
			p, err := l.Acquire(engine.WithClaim(t.Context(), c), false)
			require.NoError(t, err)
			order <- c
			c.Share.Charge(time.Millisecond)
			l.Release(p)
		}()
		synctest.Wait() // so that they come in this order
	}
	l.Release(p)
	synctest.Wait()
	close(order)
	var got []*engine.Claim
	for c := range order {
		got = append(got, c)
	}
	return got
}

func TestFair(t *testing.T) {
	t.Run("H6 who has had less goes first, however many the other's steps are", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			greedy, modest := &engine.Claim{Share: &engine.Share{}}, &engine.Claim{Share: &engine.Share{}}
			greedy.Share.Charge(50 * time.Millisecond)
			require.Equal(t, []*engine.Claim{modest, modest, greedy, greedy, greedy}, contest(t, greedy, greedy, greedy, modest, modest))
		})
	})
	t.Run("H6 who has had the same takes turns", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a, b := &engine.Claim{Share: &engine.Share{}}, &engine.Claim{Share: &engine.Share{}}
			require.Equal(t, []*engine.Claim{a, b, a, b}, contest(t, a, a, b, b))
		})
	})
	t.Run("H6 many turns are no more of the machine than their tenant's one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			tenant, other := &engine.Share{}, &engine.Claim{Share: (&engine.Share{}).Sub()}
			var turns []*engine.Claim
			for range 4 {
				turns = append(turns, &engine.Claim{Share: tenant.Sub()})
			}
			got := contest(t, append(turns, other, other)...)
			require.Equal(t, []*engine.Claim{turns[0], other}, got[:2])
			require.Contains(t, got[2:4], other)
		})
	})
	t.Run("H6 of one share first come, first served", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			share := &engine.Share{}
			a, b, c := &engine.Claim{Share: share}, &engine.Claim{Share: share}, &engine.Claim{Share: share}
			require.Equal(t, []*engine.Claim{a, b, c}, contest(t, a, b, c))
		})
	})
}

func TestPlaces(t *testing.T) {
	t.Run("H6 steps of long runs don't have all places", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(4, 10)
			long := engine.WithClaim(t.Context(), &engine.Claim{Share: &engine.Share{}, Long: true})
			first := acquire(t, l, long)
			acquire(t, l, long)
			acquire(t, l, long)
			acquired := make(chan Place)
			go func() {
				p, err := l.Acquire(long, true)
				require.NoError(t, err)
				acquired <- p
			}()
			synctest.Wait()
			require.Equal(t, 1, l.Stats().Queued)
			l.Release(acquire(t, l, t.Context()))
			require.Equal(t, 1, l.Stats().Queued)
			l.Release(first)
			<-acquired
		})
	})
	t.Run("H6 a share with no step under way finds a place when another has them all", func(t *testing.T) {
		l := New(4, 0)
		greedy := engine.WithClaim(t.Context(), &engine.Claim{Share: &engine.Share{}})
		for range 4 {
			acquire(t, l, greedy)
		}
		_, err := l.Acquire(greedy, false)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		modest := engine.WithClaim(t.Context(), &engine.Claim{Share: &engine.Share{}})
		acquire(t, l, modest)
		_, err = l.Acquire(modest, false)
		require.ErrorIs(t, err, engine.ErrOverloaded, "one")
		_, err = l.Acquire(engine.WithClaim(t.Context(), &engine.Claim{Share: &engine.Share{}}), false)
		require.ErrorIs(t, err, engine.ErrOverloaded, "and as many as there are extra places")
	})
	t.Run("H6 a wait that ends just when its place comes gives it back", func(t *testing.T) {
		for range 200 {
			l := New(1, 10)
			p := acquire(t, l, t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				if p, err := l.Acquire(ctx, true); err == nil {
					l.Release(p)
				}
			}()
			go cancel()
			l.Release(p)
			<-done
			require.Equal(t, engine.Stats{Threads: 1}, l.Stats())
		}
	})
}

func TestPushOut(t *testing.T) {
	// attempt has a step of somebody wait, and returns where its outcome goes.
	attempt := func(t *testing.T, l *Limiter, of *engine.Share, begun bool) chan error {
		done := make(chan error, 1)
		ctx := engine.WithClaim(t.Context(), &engine.Claim{Share: of})
		go func() {
			_, err := l.Acquire(ctx, begun)
			done <- err
		}()
		synctest.Wait()
		return done
	}
	t.Run("I2 a full queue has room for who has less in it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			storm, calm := &engine.Share{}, &engine.Share{}
			l := New(1, 4)
			storm.Charge(time.Second)
			attempt(t, l, storm.Sub(), false)
			var waiting []chan error
			for range 4 {
				waiting = append(waiting, attempt(t, l, storm.Sub(), false))
			}
			require.ErrorIs(t, <-attempt(t, l, storm.Sub(), false), engine.ErrOverloaded, "not for one more of the same")
			first := attempt(t, l, calm.Sub(), false)
			require.ErrorIs(t, <-waiting[3], engine.ErrOverloaded, "the last of the others makes room")
			attempt(t, l, calm.Sub(), false)
			require.ErrorIs(t, <-waiting[2], engine.ErrOverloaded)
			require.ErrorIs(t, <-attempt(t, l, calm.Sub(), false), engine.ErrOverloaded, "until both have as many")
			require.Equal(t, 4, l.Stats().Queued)
			l.Release(Place{share: storm})
			synctest.Wait()
			require.NoError(t, <-first)
			require.Empty(t, waiting[0])
		})
	})
	t.Run("I2 a run that has begun is not sent away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			storm, calm := &engine.Share{}, &engine.Share{}
			l := New(1, 2)
			attempt(t, l, storm, false)
			fresh := attempt(t, l, storm, false)
			begun := attempt(t, l, storm, true)
			attempt(t, l, calm, false)
			require.ErrorIs(t, <-fresh, engine.ErrOverloaded)
			require.Empty(t, begun)
		})
	})
	t.Run("I2 nobody's steps are one owner's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := New(1, 2)
			attempt(t, l, nil, false)
			waiting := []chan error{attempt(t, l, nil, false), attempt(t, l, nil, false)}
			attempt(t, l, &engine.Share{}, false)
			require.ErrorIs(t, <-waiting[1], engine.ErrOverloaded)
			require.Empty(t, waiting[0])
		})
	})
}
