package child

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a child, as its parent sees it.
type Process struct {
	// Sockets are this side's ends. They are closed when the process has exited.
	Sockets []*os.File

	cmd    *exec.Cmd
	stderr head
	exited chan struct{}
}

// wait waits for the end, which nothing but the process and the kernel decide.
func (p *Process) wait() {
	_ = p.cmd.Wait() // State tells
	closeAll(p.Sockets)
	close(p.exited)
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process, whatever it is doing.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// State says how the process has ended. It must have.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// WasKilled says that a signal SIGKILL has ended the process: by Kill, by an operator, or by the kernel for want of
// memory. It must have ended.
func (p *Process) WasKilled() bool {
	status, ok := p.State().Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Stderr returns the beginning of what the process wrote to standard error: a crash says first what it is.
func (p *Process) Stderr() string { return p.stderr.String() }

// CPU returns the processor time that the process has used, as the kernel counts it.
func (p *Process) CPU() time.Duration {
	// The kernel's CPUCLOCK_SCHED of a whole process, as clock_getcpuclockid(3) makes it.
	const processClock = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^p.PID())<<3|processClock, &t); err == nil {
		return time.Duration(t.Nano())
	}
	<-p.exited // there is no such clock any more
	return p.State().UserTime() + p.State().SystemTime()
}

// Threads returns how many threads the process has, zero if nobody knows.
func (p *Process) Threads() int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/stat")
	// The name, which may have any characters, ends with the last parenthesis. The number is the 18th field after it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 18 {
		return 0
	}
	threads, _ := strconv.Atoi(fields[17])
	return threads
}

// Resident returns how many bytes of memory the process has, zero if nobody knows.
func (p *Process) Resident() int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
