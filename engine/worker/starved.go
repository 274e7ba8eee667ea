package worker

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"
)

// A worker that is late is not unresponsive if it had no processor. After the deadline the watchdog looks again and again
// whether the worker's threads wait for one, and extends the deadline of a worker whose threads do, up to a bound.
const (
	// extension is by how much. Watchdog and one extension are less than contract H1 allows.
	extension = 25 * time.Millisecond
	// minStarvation is for how much of an extension a worker's threads must have waited to get another one.
	minStarvation = extension / 5
	// minWaiting is as much of a wait that is not over. It is more than the kernel is late in counting how long a thread runs.
	minWaiting = extension / 2
	// maxExtensions bounds the sum, however busy the machine is.
	maxExtensions = 5 * time.Second
)

// readReply reads the reply to a request of s.
func (p *process) readReply(c *conn, s *session) (byte, []byte, error) {
	kind, body, err := c.ReadFrame(p.maxReply)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return kind, body, err
	}
	for late := watchStarvation(p.PID()); ; {
		s.extend(extension)
		kind, body, err = c.ReadFrame(p.maxReply) // goes on after what has arrived
		if !errors.Is(err, os.ErrDeadlineExceeded) || !late.again() {
			return kind, body, err
		}
	}
}

// extend gives the request under way more time from now.
func (s *session) extend(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = time.Now().Add(by)
	_ = s.conn.SetReadDeadline(s.deadline)
}

// starved watches whether a worker waits for a processor, from its making on.
type starved struct {
	pid   int
	last  schedule
	until time.Time
}

// schedule is what the kernel has counted of the threads of a process by some moment.
type schedule struct {
	at      time.Time
	waited  time.Duration            // by all of them: able to run, without a processor
	ready   map[string]time.Duration // those that are able to run now, and for how long each has run and waited
	unknown bool                     // the kernel does not count that, or the process is gone
}

func watchStarvation(pid int) *starved {
	return &starved{pid: pid, last: scheduleOf(pid), until: time.Now().Add(maxExtensions)}
}

// again says that the worker waited for a processor since the last look, and that it may have more time.
func (s *starved) again() bool {
	now := scheduleOf(s.pid)
	ok := !now.unknown && !s.last.unknown && time.Now().Before(s.until) &&
		(now.waited-s.last.waited >= minStarvation || now.waiting(&s.last) >= minWaiting)
	s.last = now
	return ok
}

// waiting is for how long a thread has been waiting for a processor that waits still: the kernel counts a wait when it is
// over. A thread that was able to run then and is now has run, has waited, or is waiting.
func (s *schedule) waiting(before *schedule) time.Duration {
	var longest time.Duration
	for thread, counted := range s.ready {
		if was, ok := before.ready[thread]; ok {
			longest = max(longest, s.at.Sub(before.at)-(counted-was))
		}
	}
	return longest
}

// scheduleOf looks at the threads of a process.
func scheduleOf(pid int) schedule {
	s := schedule{at: time.Now(), ready: map[string]time.Duration{}, unknown: true}
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return s
	}
	for _, thread := range threads {
		ran, waited, ok := runTimes(tasks + thread.Name())
		if !ok {
			continue // the thread has ended
		}
		s.unknown = false
		s.waited += waited
		if isReady(tasks + thread.Name()) {
			s.ready[thread.Name()] = ran + waited
		}
	}
	return s
}

// runTimes returns for how long a thread has run, and for how long it was able to and had no processor.
func runTimes(thread string) (ran, waited time.Duration, ok bool) {
	// Nanoseconds on a processor, nanoseconds waiting for one, and how often.
	text, err := os.ReadFile(thread + "/schedstat")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	on, err := strconv.ParseInt(fields[0], 10, 64)
	off, err2 := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(on), time.Duration(off), err == nil && err2 == nil
}

// isReady says whether a thread runs or is able to.
func isReady(thread string) bool {
	text, _ := os.ReadFile(thread + "/stat")
	// The state follows the name, which stands in brackets and may contain some.
	_, state, ok := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	return ok && strings.HasPrefix(state, "R")
}
