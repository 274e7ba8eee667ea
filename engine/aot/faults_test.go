//go:build cgo

package aot

import (
	"io"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/linear"
)

// fault makes a guest reach for what is not its memory: its input is said to be there.
func fault(m *machine) error {
	_, err := m.Call(linear.Step, nil, time.Minute, 0xF0000000, 100, 0, 0)
	return err
}

func TestFaults(t *testing.T) {
	t.Run("H2 a guest that reaches beyond its memory is left", func(t *testing.T) {
		m := booted(t)
		for _, at := range []uint32{uint32(len(m.Memory())), 1 << 31, 0xF0000000, 0xFFFFFFFF} {
			_, err := m.Call(linear.Step, nil, time.Minute, at, 100, 0, 0)
			require.Equal(t, guest.Trap(100), err)
			require.ErrorContains(t, err, "what is not its memory")
		}
	})
	t.Run("H2 and the signal is not blocked afterwards", func(t *testing.T) {
		m := booted(t)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var before, after unix.Sigset_t
		require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, nil, &before))
		for range 1000 {
			require.Error(t, fault(m))
		}
		require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, nil, &after))
		require.Equal(t, before, after)
	})
	t.Run("H2 constants can't be written to", func(t *testing.T) {
		m := booted(t)
		from, to := m.Constant()
		require.Greater(t, to, from)
		_, err := m.Call(linear.Compile, nil, time.Minute, 0, inputAt-64, 0, from, to-from)
		require.Error(t, err)
	})
	t.Run("H2 memory can't grow beyond its limit", func(t *testing.T) {
		m := booted(t)
		rest := linear.Pages(64<<20) - uint32(len(m.Memory())/linear.WasmPage)
		require.False(t, m.Grow(rest+1))
		require.True(t, m.Grow(rest))
		require.False(t, m.Grow(1))
		require.True(t, m.Grow(0))
		clear(m.Memory()[len(m.Memory())-linear.WasmPage:])
	})
}

// dereference makes Go meet a nil pointer, which is the same signal as a guest's fault.
func dereference() (recovered any) {
	defer func() { recovered = recover() }()
	var nothing *[16]int
	nothing[3] = 1
	return nil
}

// TestSignals lets guests fault, Go meet nil pointers, and the runtime interrupt its threads, all at the same time.
func TestSignals(t *testing.T) {
	e := newEngine(t, Options{})
	require.Equal(t, "2", value(t, e, "return 1 + 1"))
	storm(t)
	var group sync.WaitGroup
	var faults, panics, cells atomic.Int64
	until := func(done *atomic.Int64, enough int64, f func()) {
		group.Go(func() {
			for done.Load() < enough {
				f()
				done.Add(1)
			}
		})
	}
	for range 2 {
		m := booted(t)
		until(&faults, 4000, func() {
			if fault(m) == nil {
				t.Error("no fault")
			}
		})
		until(&panics, 4000, func() {
			if _, ok := dereference().(runtime.Error); !ok {
				t.Error("no panic")
			}
		})
		until(&cells, 400, func() {
			if got := value(t, e, "let n = 0; for (let i = 0; i < 2e4; i++) n += i; return n"); got != "199990000" {
				t.Error(got)
			}
		})
	}
	group.Wait()
}

// storm sends the signal of the profiler as often as the kernel does it, and stops the world again and again, until the test
// ends.
func storm(t *testing.T) {
	t.Helper()
	require.NoError(t, pprof.StartCPUProfile(io.Discard))
	t.Cleanup(pprof.StopCPUProfile)
	every := unix.Itimerval{Interval: unix.Timeval{Usec: 100}, Value: unix.Timeval{Usec: 100}}
	_, err := unix.Setitimer(unix.ITIMER_PROF, every)
	require.NoError(t, err)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
		_, err := unix.Setitimer(unix.ITIMER_PROF, unix.Itimerval{})
		require.NoError(t, err)
	})
}
