package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
)

// Report says what holds the process, and what the kernel lacks that should.
type Report struct {
	Holds, Lacks []string
}

// Complete says whether nothing is missing.
func (r *Report) Complete() bool { return len(r.Lacks) == 0 }

func (r *Report) add(layer string, err error) {
	if err != nil {
		r.Lacks = append(r.Lacks, fmt.Sprintf("%s: %v", layer, err))
		return
	}
	r.Holds = append(r.Holds, layer)
}

// Enter closes the sandbox around the process, all of its threads. descriptors are how many it may have open. Everything
// that is to be opened, or mapped as code, must have been before. A layer that the kernel lacks is left out, and reported.
func Enter(descriptors uint64) Report {
	var r Report
	_ = expendable() // which protects others, and is no layer
	r.add("no new privileges", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	r.add("no core dumps", noCoreDumps())
	r.add("resource limits", limits(descriptors))
	version, err := landlockVersion()
	if err == nil {
		err = landlock.V7.BestEffort().Restrict()
	}
	r.addLandlock(version, err)
	r.add("seccomp", filter())
	return r
}

// rules are what each version of Landlock was the first to take away. An older kernel lacks them, and the filter of
// system calls is then the only thing in the way.
var rules = []struct {
	version int
	what    string
}{
	{1, "files"},
	{3, "truncating files"},
	{4, "TCP"},
	{5, "device controls"},
	{6, "signals and abstract sockets of other processes"},
}

// addLandlock reports that version of Landlock, and each rule that it does not know.
func (r *Report) addLandlock(version int, err error) {
	r.add(fmt.Sprintf("Landlock (ABI %d)", version), err)
	for _, rule := range rules {
		if err == nil && version < rule.version {
			r.Lacks = append(r.Lacks, fmt.Sprintf("Landlock's rule on %s (from ABI %d)", rule.what, rule.version))
		}
	}
}

// expendable makes the kernel end this process before others: what is in it can be rebuilt.
func expendable() error {
	const first = "1000"
	return os.WriteFile("/proc/self/oom_score_adj", []byte(first), 0)
}

// noCoreDumps keeps the heaps of strangers' cells off the disk, and out of reach of other processes of the same user.
func noCoreDumps() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// limits are a second line behind seccomp. Memory has none here: heaps are reserved at their full size, so an address
// space that is large enough for them limits nothing; the parent watches what is resident.
func limits(descriptors uint64) error {
	if err := limitThreads(); err != nil {
		return err
	}
	for resource, most := range map[int]uint64{
		unix.RLIMIT_NOFILE:   descriptors,
		unix.RLIMIT_FSIZE:    0,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

// spareThreads is how many threads the user may have beside those that are on the machine now. Workers and the service are
// the user's as well, and need some.
const spareThreads = 1024

// limitThreads keeps this process from taking all threads that the machine can have; it can't have other processes, but
// threads without end. The kernel counts all threads of the user, wherever they are, and none of root's: so the limit is
// above those of the whole machine, and the parent counts the worker's own (see maxThreads in package worker).
func limitThreads() error {
	threads, ok := threadsOfMachine()
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &now); err != nil || !ok {
		return err
	}
	most := min(threads+spareThreads, now.Cur, now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit the threads: %w", err)
	}
	return nil
}

// threadsOfMachine counts them all. It fails where the machine does not say.
func threadsOfMachine() (uint64, bool) {
	text, _ := os.ReadFile("/proc/loadavg")
	// Three averages, then how many threads can run and how many there are, as in 2/345.
	fields := strings.Fields(string(text))
	if len(fields) < 4 {
		return 0, false
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, err := strconv.ParseUint(all, 10, 32)
	return n, err == nil && n > 0
}

// landlockVersion returns the kernel's version of Landlock, which says what it can take away: see rules.
func landlockVersion() (int, error) {
	const askVersion = 1
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

func filter() error {
	policy, err := policy()
	if err != nil {
		return err
	}
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy})
}
