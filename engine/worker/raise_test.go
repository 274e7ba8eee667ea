package worker

import (
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/internal/frame"
)

// policyOf returns a thread's scheduling policy.
func policyOf(t *testing.T, thread int) uint32 {
	t.Helper()
	attr, err := unix.SchedGetAttr(thread, 0)
	require.NoError(t, err)
	return attr.Policy
}

func TestRaise(t *testing.T) {
	idle := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
	t.Run("H1 a worker's thread has its usual priority again, where the kernel lets the service do that", func(t *testing.T) {
		p := serving(t, fakeWorkers(t, Options{}).Engine)
		require.NoError(t, unix.SchedSetAttr(p.PID(), idle, 0))
		p.raise(p.PID())
		want := uint32(unix.SCHED_NORMAL)
		if unix.SchedSetAttr(p.PID(), &unix.SchedAttr{Size: unix.SizeofSchedAttr}, 0) != nil {
			want = unix.SCHED_IDLE
		}
		require.Equal(t, want, policyOf(t, p.PID()))
	})
	t.Run("H3 a thread of another process is none of its business", func(t *testing.T) {
		p := serving(t, fakeWorkers(t, Options{}).Engine)
		ended := make(chan uint32)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its priority
			require.NoError(t, unix.SchedSetAttr(0, idle, 0))
			p.raise(unix.Gettid())
			p.raise(0)
			p.raise(os.Getpid())
			ended <- policyOf(t, 0)
		}()
		require.EqualValues(t, unix.SCHED_IDLE, <-ended)
	})
	t.Run("H1 a worker asks for it on the control stream, and does not wait until it is heard", func(t *testing.T) {
		ours, theirs := net.Pipe()
		s := newServer(nil, 1)
		for thread := range 2 * cap(s.raise) {
			s.askToRaise(thread)
		}
		go func() { _ = s.serve(&frame.Conn{Socket: theirs}, nil) }()
		parent := &frame.Conn{Socket: ours}
		for thread := range cap(s.raise) {
			kind, body, err := parent.ReadFrame(maxControl)
			require.NoError(t, err)
			require.EqualValues(t, controlRaise, kind)
			require.EqualValues(t, thread, read(body).U32())
		}
		require.NoError(t, ours.Close())
	})
}
