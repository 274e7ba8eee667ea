package breaker

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// caller is a session of a tenant, which calls the same host as all others.
func caller(tenant, session string) Caller { return Caller{tenant, session, "tools.example.com:443"} }

// call makes a call that comes to an outcome, and tells whether it was let through.
func call(b *Breakers, c Caller, o Outcome) bool {
	p, err := b.Enter(c)
	if err != nil {
		return false
	}
	p.Done(o)
	return true
}

// calls makes as many, one after the other, and counts those that were let through.
func calls(b *Breakers, c Caller, o Outcome, n int) (through int) {
	for range n {
		if call(b, c, o) {
			through++
		}
	}
	return through
}

func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, o := range []Outcome{Failed, Unreachable} {
			var b Breakers
			require.Equal(t, threshold, calls(&b, caller("a", "s"), o, 20), "G3 a host that fails is left alone")
			p, err := b.Enter(caller("a", "s"))
			require.Zero(t, p)
			require.EqualError(t, err, "its host failed 5 times in a row and is left alone; try again in 2s")
			require.True(t, call(&b, Caller{"a", "s", "other.example.com:443"}, Answered), "G3 that host alone")
		}
		var b Breakers
		require.Equal(t, 20, calls(&b, caller("a", "s"), Unknown, 20), "G3 calls that were ended say nothing")
		for range 20 {
			calls(&b, caller("a", "s"), Failed, threshold-1)
			require.True(t, call(&b, caller("a", "s"), Answered), "G3 failures count that are in a row")
		}
		for range 20 {
			require.True(t, call(&b, caller("a", "s"), Failed), "G3 failures count that are soon after each other")
			time.Sleep(window + 1)
		}
	})
}

func TestLimits(t *testing.T) {
	t.Run("G3 an operator's own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := Breakers{Limits: Limits{Failures: 2, Pause: time.Hour}}
			require.Equal(t, 2, calls(&b, caller("a", "s"), Failed, 20))
			time.Sleep(maxPause - 1)
			require.False(t, call(&b, caller("a", "s"), Answered))
			time.Sleep(time.Nanosecond)
			require.True(t, call(&b, caller("a", "s"), Answered), "a minute is the longest")
		})
	})
}

func TestTrial(t *testing.T) {
	opened := func() *Breakers {
		b := &Breakers{}
		calls(b, caller("a", "s"), Unreachable, threshold)
		return b
	}
	t.Run("G3 after a pause one call tries, and its success lets all through", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := opened()
			time.Sleep(minPause - 1)
			require.False(t, call(b, caller("a", "s"), Answered))
			time.Sleep(time.Nanosecond)
			p, err := b.Enter(caller("a", "s"))
			require.NoError(t, err)
			require.False(t, call(b, caller("a", "s"), Answered), "one at a time")
			require.False(t, call(b, caller("a", "other"), Answered), "one of the tenant's")
			p.Done(Answered)
			require.Equal(t, 20, calls(b, caller("a", "s"), Answered, 20))
			require.Empty(t, b.tenants, "and nothing is kept")
		})
	})
	t.Run("G3 a trial that fails doubles the pause, up to a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := opened()
			pause := minPause
			for range 10 {
				time.Sleep(pause - 1)
				require.False(t, call(b, caller("a", "s"), Unreachable))
				time.Sleep(time.Nanosecond)
				require.True(t, call(b, caller("a", "s"), Unreachable))
				pause = min(2*pause, maxPause)
			}
			require.Equal(t, maxPause, pause)
		})
	})
	t.Run("G3 a trial that is ended leaves room for another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := opened()
			time.Sleep(minPause)
			require.True(t, call(b, caller("a", "s"), Unknown))
			require.True(t, call(b, caller("a", "s"), Answered))
		})
	})
	t.Run("G3 a trial that takes long does not keep others from trying", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := opened()
			time.Sleep(minPause)
			p, err := b.Enter(caller("a", "s"))
			require.NoError(t, err)
			time.Sleep(minPause)
			other, err := b.Enter(caller("a", "s"))
			require.NoError(t, err)
			p.Done(Unknown)
			require.False(t, call(b, caller("a", "s"), Answered), "the second is under way")
			other.Done(Answered)
			require.True(t, call(b, caller("a", "s"), Answered))
		})
	})
	t.Run("G3 calls that are under way together fail once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var b Breakers
			for range threshold {
				var together []Pass
				for range 20 {
					p, err := b.Enter(caller("a", "s"))
					require.NoError(t, err)
					together = append(together, p)
				}
				for _, p := range together {
					time.Sleep(time.Nanosecond)
					p.Done(Unreachable)
				}
				time.Sleep(time.Nanosecond)
			}
			require.False(t, call(&b, caller("a", "s"), Answered))
		})
	})
	t.Run("G3 calls that began before fail late and change nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var b Breakers
			var late []Pass
			for range 20 {
				p, err := b.Enter(caller("a", "s"))
				require.NoError(t, err)
				late = append(late, p)
			}
			for _, p := range late {
				p.Done(Failed)
			}
			time.Sleep(minPause)
			require.True(t, call(&b, caller("a", "s"), Answered))
		})
	})
}

func TestWhoPays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Breakers
		calls(&b, caller("a", "s"), Unreachable, 20)
		require.True(t, call(&b, caller("b", "s"), Failed), "G3 a tenant's failures are nobody else's")

		b = Breakers{}
		for range 20 { // trials and all
			calls(&b, caller("a", "hostile"), Failed, 20)
			time.Sleep(maxPause)
		}
		require.True(t, call(&b, caller("a", "other"), Failed), "G3 what a session's calls can provoke is its own matter")

		b = Breakers{}
		for n := range threshold {
			require.Equal(t, threshold, calls(&b, caller("a", fmt.Sprint(n)), Failed, 20))
		}
		require.False(t, call(&b, caller("a", "other"), Failed), "G3 where sessions agree it is the host")
		time.Sleep(minPause)
		require.True(t, call(&b, caller("a", "other"), Failed))
		require.False(t, call(&b, caller("a", "other"), Failed), "G3 the trial was the tenant's and failed")

		b = Breakers{}
		for n := range threshold {
			call(&b, caller("a", fmt.Sprint(n)), Unreachable)
		}
		require.False(t, call(&b, caller("a", "other"), Answered), "G3 that a host can't be connected to is nobody's fault")
	})
}

func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Breakers
		calls(&b, caller("b", "s"), Failed, threshold)
		for n := range 3 * maxCircuits {
			call(&b, Caller{"a", "s", fmt.Sprint(n)}, Failed)
			time.Sleep(time.Microsecond)
		}
		require.Len(t, b.tenants["a"], maxCircuits, "H6 what a tenant can size is bounded")
		require.False(t, call(&b, caller("b", "s"), Failed), "H6 and at nobody else's cost")
		calls(&b, Caller{"a", "s", "last"}, Failed, threshold)
		require.False(t, call(&b, Caller{"a", "s", "last"}, Failed), "G3 the latest are kept")
	})
}

func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		b := Breakers{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		calls(&b, caller("a", "s"), Failed, 20)
		require.Empty(t, log.String(), "what one session provokes is not for the operator")
		calls(&b, caller("a", "t"), Unreachable, 20)
		require.Contains(t, log.String(), `msg="a host fails and is left alone for a while" tenant=a host=tools.example.com:443`)
		time.Sleep(minPause)
		require.True(t, call(&b, caller("a", "t"), Answered))
		require.Contains(t, log.String(), `msg="a host answers again" tenant=a host=tools.example.com:443`)
	})
}
