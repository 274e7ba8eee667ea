//go:build cgo

package native

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/courtesy"
)

// policyOf returns the scheduling policy of a thread of this process.
func policyOf(t *testing.T, thread int) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(thread) + "/stat")
	require.NoError(t, err)
	// The 41st field; the second one stands in brackets.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	policy, err := strconv.Atoi(fields[41-3])
	require.NoError(t, err)
	return policy
}

// lowered is the policy of a thread that gives way: where the kernel would not let it raise its priority again, it keeps it.
func lowered() int {
	if courtesy.Possible() {
		return unix.SCHED_IDLE
	}
	return unix.SCHED_NORMAL
}

// endless are a loop that calls the interrupt handler and a builtin that does not.
var endless = map[string]string{
	"a loop":    `for (;;);`,
	"a builtin": `return [].indexOf.call({length: 2 ** 53 - 1}, 1)`,
}

func TestGiveWay(t *testing.T) {
	for name, source := range endless {
		t.Run("H6 the thread of "+name+" gives way, takes it back, and has its priority afterwards", func(t *testing.T) {
			h, err := newHeap(8<<20, &courtesy.Raiser{})
			require.NoError(t, err)
			defer h.free()
			begin := engine.Begin{Source: source, MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
			h.Arm()
			over := make(chan int)
			go func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				h.step(begin.Append(nil), nil, time.Hour)
				over <- policyOf(t, unix.Gettid())
			}()
			told := func(yes bool, want int) func() bool {
				return func() bool {
					if !h.running.Load() || h.control.Thread() == 0 {
						return false
					}
					h.GiveWay(yes)
					return policyOf(t, h.control.Thread()) == want
				}
			}
			require.Eventually(t, told(true, lowered()), longEnough, time.Millisecond)
			require.Eventually(t, told(false, unix.SCHED_NORMAL), longEnough, time.Millisecond)
			require.Eventually(t, told(true, lowered()), longEnough, time.Millisecond)
			h.Stop()
			require.Equal(t, unix.SCHED_NORMAL, <-over)
			require.False(t, h.control.GaveWay())
		})
	}
	t.Run("H6 a step of a long run gives way from its beginning", func(t *testing.T) {
		h, err := newHeap(8<<20, &courtesy.Raiser{})
		require.NoError(t, err)
		defer h.free()
		begin := engine.Begin{Source: `for (;;);`, MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
		h.Arm()
		h.BeginLast()
		over := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			h.step(begin.Append(nil), nil, time.Hour)
			close(over)
		}()
		require.Eventually(t, func() bool { return h.control.GaveWay() == courtesy.Possible() }, longEnough, time.Millisecond)
		h.Stop()
		<-over
	})
}

func TestHelpBack(t *testing.T) {
	t.Run("H1 a thread that does not get to raise its own priority is helped", func(t *testing.T) {
		var raiser courtesy.Raiser
		h, err := newHeap(8<<20, &raiser)
		require.NoError(t, err)
		defer h.free()
		begin := engine.Begin{Source: `for (;;);`, MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
		h.Arm()
		h.BeginLast()
		over := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			h.step(begin.Append(nil), nil, time.Hour)
			close(over)
		}()
		require.Eventually(t, func() bool { return h.running.Load() && h.control.GaveWay() == courtesy.Possible() }, longEnough, time.Millisecond)
		var asked []int
		ask := func(thread int) { asked = append(asked, thread) }
		raiser.By(ask)
		now := time.Now()
		h.HelpBack(true, now)
		h.HelpBack(false, now)
		h.HelpBack(false, now.Add(courtesy.UnheardAfter-1))
		require.Empty(t, asked)
		h.HelpBack(false, now.Add(courtesy.UnheardAfter))
		if courtesy.Possible() {
			require.Equal(t, []int{h.control.Thread()}, asked)
		}
		raiser.By(nil)
		h.HelpBack(false, now.Add(2*courtesy.UnheardAfter))
		require.Eventually(t, func() bool { return policyOf(t, h.control.Thread()) == unix.SCHED_NORMAL }, longEnough, time.Millisecond)
		require.False(t, h.control.Late())
		h.Stop()
		<-over
	})
}
