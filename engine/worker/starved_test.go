package worker

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// crowd pins every thread of the processes to one processor, and keeps it busy with threads of the test's own until
// the test ends.
func crowd(t *testing.T, busy int, pids ...int) {
	t.Helper()
	var all, one unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &all))
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	for _, pid := range pids {
		threads, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
		require.NoError(t, err)
		for _, thread := range threads {
			tid, err := strconv.Atoi(thread.Name())
			require.NoError(t, err)
			require.NoError(t, unix.SchedSetaffinity(tid, &one))
		}
	}
	var stop atomic.Bool
	var done sync.WaitGroup
	for range busy {
		done.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends pinned
			_ = unix.SchedSetaffinity(0, &one)
			for !stop.Load() {
			}
		})
	}
	t.Cleanup(func() {
		stop.Store(true)
		done.Wait()
	})
}

func TestStarved(t *testing.T) {
	t.Run("H1 H6 a worker that waits for a processor is given time", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		crowd(t, 2, serving(t, e.Engine).PID())
		got := <-stepAsync(t, guest(t, e), begin("compute"), time.Millisecond)
		require.NoError(t, got.err)
		require.Zero(t, e.Workers().Lost)
	})
	t.Run("H1 threads of one processor wait for each other", func(t *testing.T) {
		before := scheduleOf(os.Getpid())
		require.False(t, before.unknown)
		crowd(t, 2)
		require.Eventually(t, func() bool {
			return scheduleOf(os.Getpid()).waited-before.waited > 100*time.Millisecond
		}, longEnough, time.Millisecond)
	})
	t.Run("H1 a worker that waits for nothing gets no more time", func(t *testing.T) {
		// On a busy machine this process itself may wait between two looks, but not each time.
		require.Eventually(t, func() bool {
			s := watchStarvation(os.Getpid())
			s.last.waited += time.Hour // whatever else is going on here
			return !s.again()
		}, longEnough, time.Millisecond)
	})
	t.Run("H1 a wait that is not over counts", func(t *testing.T) {
		at := time.Now()
		before := schedule{at: at, ready: map[string]time.Duration{"waits": 10, "ran": 10, "ended": 10}}
		now := schedule{at: at.Add(time.Second), ready: map[string]time.Duration{"ran": 10 + time.Duration(time.Second), "began": 5}}
		require.Zero(t, now.waiting(&before), "it ran all the time, and nothing is known of the others")
		now.ready["waits"] = 10
		require.Equal(t, time.Second, now.waiting(&before))
	})
	t.Run("H1 the extensions are bounded", func(t *testing.T) {
		s := watchStarvation(os.Getpid())
		s.last.waited, s.until = s.last.waited-time.Hour, time.Now()
		require.False(t, s.again())
	})
	t.Run("H1 of a process that is gone nothing is known", func(t *testing.T) {
		require.True(t, scheduleOf(-1).unknown)
	})
}
