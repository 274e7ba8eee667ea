package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startTimeout is how long a worker may take until it serves; compiling the guest for WebAssembly is part of it.
const startTimeout = 60 * time.Second

// ownBinary is the file that this process runs, also when another has been put in its place since.
const ownBinary = "/proc/self/exe"

// start starts a worker and waits until it serves.
func (p *pool) start() (*process, error) {
	w, err := p.launch()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := w.greet(&p.hello, p.options.RequireSandbox); err != nil {
		w.kill(exitReason{planned: true, text: "it did not start"})
		<-w.exited
		if said := w.stderr.String(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.lastHeartbeat.Store(int64(time.Since(w.born)))
	p.processes.Go(func() { w.readControl(w.control) })
	return w, nil
}

// launch starts a worker's process.
func (p *pool) launch() (*process, error) {
	ours, theirs, err := connect(1 + p.hello.Conns)
	if err != nil {
		return nil, err
	}
	w := &process{
		maxReply: p.maxReply(), maxInput: p.hello.maxRequest() - maxCatalog,
		stderr: &outputHead{}, born: time.Now(), exited: make(chan struct{}), control: &stream{socket: ours[0]},
	}
	all := make([]*conn, p.hello.Conns)
	for i := range all {
		all[i] = &conn{stream{socket: ours[1+i]}}
	}
	w.conns = newConns(all)
	w.cmd = &exec.Cmd{
		Path: ownBinary, Args: append([]string{"codecell"}, p.options.Command...), Env: []string{}, Dir: "/",
		ExtraFiles: theirs, Stderr: w.stderr,
		// A process session of its own: signals that the terminal sends to the service do not reach it.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	err = p.spawner.start(w.cmd)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	w.pid = w.cmd.Process.Pid
	p.processes.Go(w.wait)
	return w, nil
}

// greet sends the worker its settings and waits until it serves.
func (p *process) greet(h *hello, requireSandbox bool) error {
	_ = p.control.socket.SetDeadline(time.Now().Add(startTimeout))
	defer func() { _ = p.control.socket.SetDeadline(time.Time{}) }()
	if err := sendJSON(p.control, controlHello, h); err != nil {
		return err
	}
	kind, body, err := p.control.read(maxControl)
	if err != nil {
		return err
	}
	if kind != controlReady || json.Unmarshal(body, &p.ready) != nil {
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
