package worker

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
)

// spawner starts processes from one thread, which lives as long as they may: the kernel ends a process when the thread that
// started it has ended, so no worker outlives its parent.
type spawner struct {
	jobs chan func()
	quit chan struct{}
	done chan struct{}
}

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func()), quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(s.done)
		for {
			select {
			case job := <-s.jobs:
				job()
			case <-s.quit:
				return
			}
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	// Descriptors that the service itself inherited may be open for its children too.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec()
	}
	result := make(chan error, 1)
	select {
	case s.jobs <- func() { result <- cmd.Start() }:
		return <-result
	case <-s.quit:
		return engine.ErrClosed
	}
}

// closeOnExec is for kernels before 5.11.
func closeOnExec() {
	open, _ := os.ReadDir("/proc/self/fd")
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func (s *spawner) close() {
	close(s.quit)
	<-s.done
}
