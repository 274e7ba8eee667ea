package sandbox

import (
	"os"
	"slices"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// allowed is all that a worker asks of the kernel once it serves: to read and write what is open, memory, threads, time.
var allowed = []string{
	// The socket, and what the Go runtime keeps open to know how many processors it may use.
	"read", "write", "close", "pread64", "epoll_ctl", "epoll_pwait", "epoll_wait", "epoll_pwait2",
	// Memory; see mapping for what is not mapped.
	"munmap", "madvise", "mremap", "brk", "mincore",
	// Threads and their signals. Go preempts goroutines by signal, and the hard stop ends unresponsive builtins by one.
	"futex", "gettid", "getpid", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "set_tid_address",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "rt_sigtimedwait", "restart_syscall",
	"exit", "exit_group", "membarrier",
	// Time and chance.
	"clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep", "getrandom", "getrusage",
}

// refused is what the Go runtime and the C library try and do without. Everything else ends the process: no worker needs
// it, so whoever asks is not the worker's own code any more.
var refused = []string{
	"openat", "open", "readlinkat", "readlink", "newfstatat", "fstat", "stat", "access", "faccessat", "ioctl", "prctl", "uname", "sysinfo",
}

// unthreadlike are the flags of clone that no thread of Go or of the C library asks for.
const unthreadlike = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID |
	unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP | unix.CLONE_PTRACE | unix.CLONE_UNTRACED | unix.CLONE_PARENT | unix.CLONE_PIDFD

// noSuchCall makes the C library fall back from clone3, whose arguments no filter can see, to clone.
const noSuchCall = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)

// policy is the filter, as far as this machine's kernel has these calls.
func policy() (seccomp.Policy, error) {
	machine, err := arch.GetInfo("")
	if err != nil {
		return seccomp.Policy{}, err
	}
	known := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			_, ok := machine.SyscallNames[name]
			return !ok
		})
	}
	self := uint64(os.Getpid())
	with := func(name string, c ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: c}
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionKillProcess,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: known(allowed)},
			{Action: seccomp.ActionAllow, NamesWithCondtions: []seccomp.NameWithConditions{
				// Threads, not processes, and in no namespace of their own.
				with("clone",
					seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD},
					seccomp.Condition{Argument: 0, Operation: seccomp.BitsNotSet, Value: unthreadlike}),
				// Signals to itself.
				with("tgkill", seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: self}),
				// A thread lowers its own priority, and raises it again.
				with("sched_setscheduler",
					seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: 0},
					seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.SCHED_IDLE}),
				with("sched_setscheduler",
					seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: 0},
					seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.SCHED_NORMAL}),
				// No code but what was loaded before.
				with("mmap", seccomp.Condition{Argument: 2, Operation: seccomp.BitsNotSet, Value: unix.PROT_EXEC}),
				with("mprotect", seccomp.Condition{Argument: 2, Operation: seccomp.BitsNotSet, Value: unix.PROT_EXEC}),
				// What is open may be asked about and made to block or not. Anything else of fcntl is refused: with O_ASYNC
				// and F_SETOWN the kernel sends any signal to whom the caller names, also SIGKILL to the parent, which no limit
				// on signals covered before Linux 6.12.
				with("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_GETFL}),
				with("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_GETFD}),
				with("fcntl",
					seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.F_SETFL},
					seccomp.Condition{Argument: 2, Operation: seccomp.BitsNotSet, Value: unix.O_ASYNC}),
			}},
			{Action: noSuchCall, Names: known([]string{"clone3"})},
			{Action: seccomp.ActionErrno, Names: known(refused)},
		},
	}, nil
}
