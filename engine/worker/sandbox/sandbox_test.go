package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// attempts are what a cell that has taken its worker over might try. Each returns an error if it came to nothing.
var attempts = map[string]func() error{
	"read a file":       func() error { _, err := os.ReadFile("/etc/passwd"); return err },
	"write a file":      func() error { return os.WriteFile(os.TempDir()+"/codecell-was-here", nil, 0o600) },
	"list a directory":  func() error { _, err := os.ReadDir("/"); return err },
	"connect":           func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return err },
	"listen":            func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"open a raw socket": func() error { _, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); return err },
	"run a program":     func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
	"fork":              func() error { return raw(unix.SYS_FORK) },
	"signal its parent": func() error { return unix.Kill(os.Getppid(), 0) },
	"signal a thread":   func() error { return raw(unix.SYS_TGKILL, uintptr(os.Getppid()), uintptr(os.Getppid()), 0) },
	"have a signal sent to its parent": func() error {
		return errors.Join(
			fcntl(unix.F_SETOWN, os.Getppid()), fcntl(unix.F_SETSIG, int(unix.SIGKILL)), fcntl(unix.F_SETFL, unix.O_ASYNC))
	},
	"own a descriptor's signals":      func() error { return fcntl(unix.F_SETOWN, os.Getppid()) },
	"choose a descriptor's signal":    func() error { return fcntl(unix.F_SETSIG, int(unix.SIGKILL)) },
	"switch a descriptor's signal on": func() error { return fcntl(unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK) },
	"switch it on by ioctl FIOASYNC":  func() error { return raw(unix.SYS_IOCTL, 2, 0x5452, 1) },
	"watch a directory":               func() error { return fcntl(unix.F_NOTIFY, 1) },
	"lease a file":                    func() error { return fcntl(unix.F_SETLEASE, 0) },
	"duplicate a descriptor":          func() error { return fcntl(unix.F_DUPFD, 100) },
	"queue a signal":                  func() error { return raw(unix.SYS_RT_SIGQUEUEINFO, uintptr(os.Getppid()), 9) },
	"signal through a handle":         func() error { return raw(unix.SYS_PIDFD_OPEN, uintptr(os.Getppid()), 0) },
	"have a timer signal":             func() error { return raw(unix.SYS_TIMER_CREATE, 0, 0, 0) },
	"have a queue signal":             func() error { return raw(unix.SYS_MQ_NOTIFY, 0, 0) },
	"slow others down":                func() error { return unix.Setpriority(unix.PRIO_PGRP, 0, 19) },
	"slow a process down":             func() error { return schedule(os.Getppid(), unix.SCHED_IDLE) },
	"go before all others":            func() error { return schedule(0, unix.SCHED_FIFO) },
	"take the processors of others":   func() error { return raw(unix.SYS_SCHED_SETAFFINITY, uintptr(os.Getppid()), 8, 0) },
	"limit others":                    func() error { return raw(unix.SYS_PRLIMIT64, uintptr(os.Getppid()), unix.RLIMIT_CPU, 0) },
	"start a process in a namespace":  func() error { return raw(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_THREAD, 0, 0) },
	"have a sibling":                  func() error { return raw(unix.SYS_CLONE, unix.CLONE_PARENT|unix.CLONE_THREAD, 0, 0) },
	"keep a key":                      func() error { return raw(unix.SYS_KEYCTL, 0, 0, 0) },
	"trace":                           func() error { return unix.PtraceAttach(os.Getppid()) },
	"read other's memory":             func() error { return raw(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid()), 0, 0) },
	"map code": func() error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
		return err
	},
	"make data code":     func() error { return makeCode() },
	"set user ids":       func() error { return raw(unix.SYS_SETUID, 0) },
	"load a module":      func() error { return raw(unix.SYS_FINIT_MODULE) },
	"use io_uring":       func() error { return raw(unix.SYS_IO_URING_SETUP, 1) },
	"use bpf":            func() error { return raw(unix.SYS_BPF) },
	"make a namespace":   func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"mount":              func() error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
	"duplicate a socket": func() error { _, err := unix.Dup(2); return err },
	"raise a limit":      func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}) },
	"be dumped again":    func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
	"share memory":       func() error { return raw(unix.SYS_SHMGET, 1, 4096, 0o1600) },
	"make a memory file": func() error { _, err := unix.MemfdCreate("x", 0); return err },
}

// needs are what a worker does all the time.
var needs = map[string]func() error{
	"write to what is open": func() error { _, err := os.Stderr.WriteString(""); return err },
	"start threads": func() error {
		done := make(chan bool)
		for range 20 {
			go func() {
				runtime.LockOSThread() // and end the thread with the goroutine
				time.Sleep(time.Millisecond)
				done <- true
			}()
		}
		for range 20 {
			<-done
		}
		return nil
	},
	"ask about what is open": func() error {
		flags, err := unix.FcntlInt(2, unix.F_GETFL, 0)
		return errors.Join(err, fcntl(unix.F_SETFL, flags|unix.O_NONBLOCK), fcntl(unix.F_GETFD, 0))
	},
	"let others go first": func() error {
		runtime.LockOSThread()
		err := schedule(0, unix.SCHED_IDLE)
		_ = schedule(0, unix.SCHED_NORMAL) // may be refused to whom the kernel grants no priority
		return err
	},
	"collect garbage": func() error { runtime.GC(); return nil },
	"map memory": func() error {
		_, err := unix.Mmap(-1, 0, 64<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		return err
	},
	"know the time":    func() error { _ = time.Now(); time.Sleep(time.Millisecond); return nil },
	"preempt a loop":   func() error { return preempt() },
	"stay for a while": func() error { time.Sleep(1500 * time.Millisecond); return nil }, // the runtime has jobs of its own
}

// bomb is the name of an attempt that takes threads without end, as far as a test may.
const bomb = "have threads without end"

func init() { attempts[bomb] = takeThreads }

// takeThreads takes more than are to spare. The Go runtime ends the process where it gets no thread.
func takeThreads() error {
	debug.SetMaxThreads(1 << 20)
	taken := make(chan bool)
	for range 3 * spareThreads {
		go func() {
			runtime.LockOSThread()
			taken <- true
			select {}
		}()
		<-taken
	}
	return nil
}

func fcntl(command, arg int) error {
	_, err := unix.FcntlInt(2, command, arg)
	return err
}

// schedule sets a thread's scheduling policy, with the priority that it needs.
func schedule(thread, policy int) error {
	var priority int32
	if policy == unix.SCHED_FIFO {
		priority = 1
	}
	return raw(unix.SYS_SCHED_SETSCHEDULER, uintptr(thread), uintptr(policy), uintptr(unsafe.Pointer(&priority)))
}

func raw(call uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	if _, _, errno := unix.RawSyscall(call, a[0], a[1], a[2]); errno != 0 {
		return errno
	}
	return nil
}

func makeCode() error {
	b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
}

func preempt() error {
	stop := make(chan bool)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	time.Sleep(30 * time.Millisecond)
	runtime.GC()
	close(stop)
	return nil
}

// TestMain enters the sandbox and tries something, where the test's binary is started with the name of it.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "try" {
		os.Exit(m.Run())
	}
	report := Enter(64)
	if !report.Complete() {
		fmt.Println("lacks", report.Lacks)
	}
	try := attempts[os.Args[2]]
	if try == nil {
		try = needs[os.Args[2]]
	}
	if err := try(); err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Println("done")
}

// try runs an attempt in a process of its own.
func try(t *testing.T, name string) (string, *os.ProcessState) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "try", name)
	if name == bomb && os.Getuid() == 0 { // whom the kernel does not limit
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	require.NotContains(t, string(out), "lacks")
	return strings.TrimSpace(string(out)), cmd.ProcessState
}

func sorted(of map[string]func() error) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func TestEnter(t *testing.T) {
	for _, name := range sorted(attempts) {
		t.Run("H1 a worker can't "+name, func(t *testing.T) {
			out, state := try(t, name)
			status := state.Sys().(syscall.WaitStatus)
			ended := status.Signaled() && status.Signal() == syscall.SIGSYS
			// What the Go runtime says where it gets no thread, with cgo and without.
			starved := name == bomb && (strings.Contains(out, "pthread_create failed") || strings.Contains(out, "failed to create new OS thread"))
			require.True(t, ended || starved || strings.HasPrefix(out, "refused:"), "%s: %.1000s", state, out)
		})
	}
	for _, name := range sorted(needs) {
		t.Run("H1 a worker can "+name, func(t *testing.T) {
			out, _ := try(t, name)
			require.Equal(t, "done", out)
		})
	}
}

func TestLandlock(t *testing.T) {
	t.Run("H1 what an older kernel lacks is named", func(t *testing.T) {
		for version, lacks := range map[int][]string{
			2: {"truncating files", "TCP", "device controls", "signals"}, // Debian 12
			4: {"device controls", "signals"},
			5: {"signals"},
			6: nil,
			7: nil,
		} {
			var r Report
			r.addLandlock(version, nil)
			require.Len(t, r.Lacks, len(lacks), "ABI %d", version)
			for n, part := range lacks {
				require.Contains(t, r.Lacks[n], part)
			}
			require.Equal(t, len(lacks) == 0, r.Complete())
		}
	})
	t.Run("H1 no Landlock is one lack", func(t *testing.T) {
		var r Report
		r.addLandlock(0, unix.ENOSYS)
		require.Len(t, r.Lacks, 1)
	})
}

func TestPolicy(t *testing.T) {
	p, err := policy()
	require.NoError(t, err)
	t.Run("H1 what is not listed ends the process", func(t *testing.T) { require.Equal(t, "kill_process", p.DefaultAction.String()) })
	t.Run("H1 no call is both allowed and refused", func(t *testing.T) {
		for _, name := range refused {
			require.NotContains(t, allowed, name)
		}
	})
	t.Run("H1 the filter is one", func(t *testing.T) {
		_, err := p.Assemble()
		require.NoError(t, err)
	})
}
