package child

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrClosed means that the spawner starts no more processes.
var ErrClosed = errors.New("no more processes are started")

// self is this binary, also when its file has been replaced since.
const self = "/proc/self/exe"

// Spawner starts processes from one thread, which lives as long as they may: the kernel kills them when the thread that
// started them is gone, so that none outlives its parent. It is safe for concurrent use.
type Spawner struct {
	jobs chan func()
	quit chan struct{}
	done chan struct{}
	once sync.Once
}

// NewSpawner returns a spawner with a thread of its own, until Close.
func NewSpawner() *Spawner {
	s := &Spawner{jobs: make(chan func()), quit: make(chan struct{}), done: make(chan struct{})}
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

// Close ends the thread, and with it all processes that are left. It may be called more than once.
func (s *Spawner) Close() {
	s.once.Do(func() { close(s.quit) })
	<-s.done
}

// Start starts this binary with arguments, an empty environment, and the given number of sockets from descriptor
// FirstSocket on.
func (s *Spawner) Start(args []string, sockets int) (*Process, error) {
	ours, theirs, err := socketPairs(sockets)
	if err != nil {
		return nil, fmt.Errorf("connect a process: %w", err)
	}
	p := &Process{Sockets: ours, exited: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: self, Args: append([]string{"codecell"}, args...), Env: []string{}, Dir: "/",
		ExtraFiles: theirs, Stderr: &p.stderr,
		// A process group of its own: what the terminal sends to us is not for the children. Not a session of its own: kernels
		// that share out processors by session would weigh a worker's threads against all of ours together, whatever their
		// priorities are.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	err = s.start(p.cmd)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("start a process: %w", err)
	}
	go p.wait()
	return p, nil
}

func (s *Spawner) start(cmd *exec.Cmd) error {
	// What we were started with may be open for our children too.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec()
	}
	result := make(chan error, 1)
	select {
	case s.jobs <- func() { result <- cmd.Start() }:
		return <-result
	case <-s.quit:
		return ErrClosed
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

// socketPairs makes n of them.
func socketPairs(n int) (ours, theirs []*os.File, err error) {
	for range n {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, err
		}
		ours = append(ours, os.NewFile(uintptr(pair[0]), "child"))
		theirs = append(theirs, os.NewFile(uintptr(pair[1]), "parent"))
	}
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
