package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
)

// startTime is how long a worker may take until it serves; compiling the guest on WebAssembly is part of it.
const startTime = 60 * time.Second

// itself is this binary, also when its file has been replaced since.
const itself = "/proc/self/exe"

// nursery starts processes from one thread, which lives as long as they may: the kernel ends them when the thread that
// started them is gone, so that none outlives its parent.
type nursery struct {
	jobs chan func()
	quit chan struct{}
	done chan struct{}
}

func newNursery() *nursery {
	n := &nursery{jobs: make(chan func()), quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(n.done)
		for {
			select {
			case job := <-n.jobs:
				job()
			case <-n.quit:
				return
			}
		}
	}()
	return n
}

func (n *nursery) start(cmd *exec.Cmd) error {
	// What we were started with may be open for our children too.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		closeOnExec()
	}
	result := make(chan error, 1)
	select {
	case n.jobs <- func() { result <- cmd.Start() }:
		return <-result
	case <-n.quit:
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

func (n *nursery) close() {
	close(n.quit)
	<-n.done
}

// start starts a worker and waits until it serves.
func (f *fleet) start() (*process, error) {
	ours, theirs, err := connect(1 + f.hello.Lanes)
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p := &process{
		most: f.mostAnswered(), mostInput: f.hello.mostAsked() - maxCatalog, stderr: &head{}, born: time.Now(), gone: make(chan struct{}),
		control: &stream{socket: ours[0]},
	}
	all := make([]*lane, f.hello.Lanes)
	for i := range all {
		all[i] = &lane{stream{socket: ours[1+i]}}
	}
	p.lanes = newLanes(all)
	p.cmd = &exec.Cmd{
		Path: itself, Args: append([]string{"codecell"}, f.options.Command...), Env: []string{}, Dir: "/",
		ExtraFiles: theirs, Stderr: p.stderr,
		// A session of its own: what the terminal sends to us is not for the workers.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	err = f.nursery.start(p.cmd)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.pid = p.cmd.Process.Pid
	f.lives.Go(p.wait)
	if err := p.greet(&f.hello, f.options.RequireSandbox); err != nil {
		p.kill(death{planned: true, why: "it did not start"})
		<-p.gone
		if said := p.stderr.String(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.heard.Store(int64(time.Since(p.born)))
	f.lives.Go(func() { p.listen(p.control) })
	return p, nil
}

// greet tells the worker what it is to be and waits until it is.
func (p *process) greet(h *hello, requireSandbox bool) error {
	_ = p.control.socket.SetDeadline(time.Now().Add(startTime))
	defer func() { _ = p.control.socket.SetDeadline(time.Time{}) }()
	if err := say(p.control, sayHello, h); err != nil {
		return err
	}
	kind, body, err := p.control.read(maxControl)
	if err != nil {
		return err
	}
	if kind != sayReady || json.Unmarshal(body, &p.ready) != nil {
		return fmt.Errorf("%w: no answer to hello", errFrame)
	}
	switch {
	case p.ready.Error != "":
		return errors.New(p.ready.Error)
	case requireSandbox && !p.ready.Sandbox.Complete():
		return fmt.Errorf("the sandbox lacks %s, and is required", strings.Join(p.ready.Sandbox.Lacks, ", "))
	}
	return nil
}

// connect makes n socket pairs.
func connect(n int) (ours, theirs []*os.File, err error) {
	for range n {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, err
		}
		ours = append(ours, os.NewFile(uintptr(pair[0]), "worker"))
		theirs = append(theirs, os.NewFile(uintptr(pair[1]), "parent"))
	}
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
