//go:build !race

package bridge

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// leastTime is the processor time that a thing takes, the least of several: others use the machine too.
func leastTime(times int, prepare func() func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range times {
		do := prepare()
		before := threadTime()
		do()
		least = min(least, threadTime()-before)
	}
	return least
}

// aMillisecond is what this machine takes for work that an ordinary one does in a millisecond.
func aMillisecond() time.Duration {
	return leastTime(10, func() func() {
		return func() {
			numbers := map[int]int{}
			for i := range 10_000 {
				numbers[i] = i
			}
			runtime.KeepAlive(numbers)
		}
	})
}

// TestLocks holds all that is done under a run's lock to what a cell may make of it: as many calls, timers and side effects as
// the config allows unless an operator raises it. Who aborts the run waits for that lock. The race detector slows this down many
// times, and the work that it is compared with hardly, so it says nothing there.
func TestLocks(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{})
	turn := w.turn(`{"enabled":true,"timeoutMs":60000}`)
	calls := turn.config.MaxPendingToolCalls + turn.config.MaxQueuedToolCalls
	full := func() *run {
		return asking(t, turn, calls+maxTimers, func(n int) engine.Request {
			if n < calls {
				return toCaller(n)
			}
			return aTimer(n)
		})
	}
	answered := func() *run {
		r := full()
		r.deliver(resultsOf(r, calls, func(i int) string { return r.id.call(uint32(i + 1)) }))
		return r
	}
	most := aMillisecond()
	for name, prepare := range map[string]func() func(){
		"start": func() func() {
			r := asking(t, turn, 0, toCaller)
			fresh, err := r.admit(r.invocation, effectsOf(calls, toCaller))
			require.NoError(t, err)
			ctx := r.callContext()
			return func() { r.requests.start(ctx, fresh) }
		},
		"take": func() func() {
			r := answered()
			return func() { r.requests.take(time.Now()) }
		},
		"take, when all timers are due": func() func() {
			r := answered()
			return func() { r.requests.take(time.Now().Add(time.Hour)) }
		},
		"giveBack": func() func() {
			r := answered()
			answers, _, _ := r.requests.take(time.Now())
			return func() { require.NoError(t, r.requests.giveBack(answers)) }
		},
		"pending": func() func() {
			r := full()
			return func() { r.requests.pendingCalls() }
		},
		"state": func() func() {
			r := full()
			return func() { r.requests.state() }
		},
		"underWay": func() func() {
			r := full()
			return func() { r.requests.underWay() }
		},
		"answerYields": func() func() {
			r := asking(t, turn, calls, func(int) engine.Request { return engine.Request{Method: engine.MethodYield, Payload: []byte("null")} })
			return func() { r.requests.answerYields() }
		},
		"end": func() func() {
			r := full()
			return func() { r.requests.end() }
		},
		"abandoned": func() func() {
			r := full()
			return func() { r.requests.abandoned() }
		},
	} {
		t.Run("H6 no cell keeps its run's lock for a millisecond: "+name, func(t *testing.T) {
			require.Less(t, leastTime(10, prepare), most)
		})
	}
}
