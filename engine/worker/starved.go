package worker

import (
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
	pid    int
	waited time.Duration // by all of its threads, at the last look
	known  bool
	until  time.Time
}

func watchStarvation(pid int) *starved {
	s := &starved{pid: pid, until: time.Now().Add(maxExtensions)}
	s.waited, s.known = runDelay(pid)
	return s
}

// again says that the worker waited for a processor since the last look, and that it may have more time.
func (s *starved) again() bool {
	waited, known := runDelay(s.pid)
	grew := waited - s.waited
	ok := known && s.known && grew >= minStarvation && time.Now().Before(s.until)
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
