package worker

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// A worker that is late is not deaf if it had no processor. When the watchdog comes, it looks for a moment whether the
// worker's threads wait for one, and lets a worker that does have another moment, up to a bound.
const (
	probe = 25 * time.Millisecond // a moment; watchdog and probe are less than contract H1 allows
	// A thread that waits for so much of a moment has not got what it needs.
	starvation = probe / 5
	// Longer than that nobody is waited for, however busy the machine is.
	starvedAtMost = 5 * time.Second
)

// answer reads the answer to a request of s.
func (p *process) answer(l *lane, s *seat) (byte, []byte, error) {
	kind, body, err := l.read(p.most)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return kind, body, err
	}
	for late := watchStarvation(p.pid); ; {
		s.extend(probe)
		kind, body, err = l.read(p.most) // goes on with what has come
		if !errors.Is(err, os.ErrDeadlineExceeded) || !late.again() {
			return kind, body, err
		}
	}
}

// extend gives the request under way more time from now.
func (s *seat) extend(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = time.Now().Add(by)
	_ = s.lane.socket.SetReadDeadline(s.deadline)
}

// starved watches whether a worker waits for a processor, from when it is made.
type starved struct {
	pid    int
	waited time.Duration // by all of its threads, when it was looked at last
	known  bool
	until  time.Time
}

func watchStarvation(pid int) *starved {
	s := &starved{pid: pid, until: time.Now().Add(starvedAtMost)}
	s.waited, s.known = runDelay(pid)
	return s
}

// again says that the worker waited for a processor since the last look, and that it may have more time.
func (s *starved) again() bool {
	waited, known := runDelay(s.pid)
	grew := waited - s.waited
	ok := known && s.known && grew >= starvation && time.Now().Before(s.until)
	s.waited, s.known = waited, known
	return ok
}

// runDelay returns for how long the threads of a process have been able to run and had no processor, in all. It is
// unknown where the kernel does not count that.
func runDelay(pid int) (time.Duration, bool) {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return 0, false
	}
	var all time.Duration
	known := false
	for _, thread := range threads {
		// Nanoseconds on a processor, nanoseconds waiting for one, and how often.
		text, err := os.ReadFile(tasks + thread.Name() + "/schedstat")
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 2 {
			continue // the thread has ended
		}
		if ns, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			all += time.Duration(ns)
			known = true
		}
	}
	return all, known
}
