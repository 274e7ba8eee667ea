package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/codecell/codecell/engine/internal/wire"
)

const (
	// A step that has not answered so long after its deadline is the end of its worker (contract H1 allows 250 ms). The
	// worker itself ends deaf steps 25 ms after it.
	watchdog = 200 * time.Millisecond
	// How long a worker may take to answer what no guest code has a part in.
	answerTime = 10 * time.Second
	// How often a worker is asked whether it lives, and how long it may say nothing.
	beat    = time.Second
	silence = 15 * time.Second
	// How long a guest that was closed may stay when no other request takes the news along, and how many wait for that.
	closeWithin = 10 * time.Millisecond
	closeAtMost = 64
	// What the kernel takes, in bytes, whether or not the worker reads.
	unread = 32 << 10
	// How long the process may live on after its connection broke.
	lingering = time.Second
)

// process is one worker, as the parent sees it.
type process struct {
	cmd   *exec.Cmd
	pid   int
	ready ready
	most  int // bytes of an answer
	// Bytes of a step's input. More would fit into no heap, and into no frame.
	mostInput int
	born      time.Time
	stderr    *head
	lanes     *lanes
	guests    atomic.Int64 // that live in it
	pinned    atomic.Int64 // of them, those that can't be rebuilt elsewhere
	running   atomic.Int64 // requests under way
	nextID    atomic.Uint64
	heaps     atomic.Int64
	heard     atomic.Int64 // when it last said that it lives, in nanoseconds since born
	retired   atomic.Bool  // takes no more guests

	controlMu sync.Mutex // of writing
	control   *stream

	closing struct {
		sync.Mutex
		guests []uint64
		timer  bool
	}

	killed atomic.Pointer[death] // why we ended it
	gone   chan struct{}         // closed when it is over
	death  *death                // valid then
}

// death is why a worker is gone.
type death struct {
	culprit *seat // the guest that ignored its end
	crashed bool  // whoever was inside a step may be why
	planned bool
	why     string
}

// lost means that a request came to nothing because its worker is gone.
type lost struct{ *death }

func (l *lost) Error() string { return "the worker is gone: " + l.why }

// kill ends the worker. The first reason counts.
func (p *process) kill(d death) {
	if p.killed.CompareAndSwap(nil, &d) {
		_ = p.cmd.Process.Kill()
	}
}

// wait learns how the worker ended.
func (p *process) wait() {
	err := p.cmd.Wait()
	switch d := p.killed.Load(); {
	case d != nil:
		p.death = d
	case killedFromOutside(p.cmd.ProcessState):
		p.death = &death{why: "it was killed"}
	default:
		p.death = &death{crashed: true, why: fmt.Sprintf("it ended by itself: %v", err)}
	}
	p.lanes.close()
	p.controlMu.Lock()
	_ = p.control.socket.Close()
	p.controlMu.Unlock()
	close(p.gone)
}

// over returns the request's error once the worker is gone. It sees to it that it goes: its connection is broken.
func (p *process) over() error {
	select {
	case <-p.gone:
	case <-time.After(lingering):
		p.kill(death{crashed: true, why: "it closed its connection and lived on"})
		<-p.gone
	}
	return &lost{p.death}
}

// killedFromOutside says that the worker was killed without a word, by an operator or for want of memory: no guest can do
// that.
func killedFromOutside(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

func (p *process) isGone() bool {
	select {
	case <-p.gone:
		return true
	default:
		return p.killed.Load() != nil
	}
}

// ask sends a request and returns the answer, whose body is valid until the lane is given back. If no answer comes until
// the deadline, the worker is ended, and s is why.
func (p *process) ask(l *lane, s *seat, deadline time.Time, frame []byte) (byte, []byte, error) {
	p.running.Add(1)
	defer p.running.Add(-1)
	s.asking(l, deadline)
	defer s.asked()
	if len(frame) > unread {
		_ = l.socket.SetWriteDeadline(deadline)
		defer l.socket.SetWriteDeadline(time.Time{})
	}
	if err := l.send(frame); err != nil {
		return 0, nil, p.broken(s, err)
	}
	kind, body, err := p.answer(l, s)
	if err == nil && !l.idle() {
		err = fmt.Errorf("%w: more than was asked for", errFrame)
	}
	if err != nil {
		return 0, nil, p.broken(s, err)
	}
	return kind, body, nil
}

// broken says what became of a request that failed.
func (p *process) broken(s *seat, err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.kill(death{culprit: s, why: "a guest ignored its deadline"})
	case errors.Is(err, errFrame):
		p.nonsense(err)
	}
	return p.over()
}

// nonsense ends a worker that does not keep to the protocol: what is in it is not what we put there.
func (p *process) nonsense(err error) { p.kill(death{crashed: true, why: err.Error()}) }

// ---- guests that are over

// drop closes a guest, some time soon.
func (p *process) drop(guest uint64) {
	c := &p.closing
	c.Lock()
	c.guests = append(c.guests, guest)
	flush := len(c.guests) >= closeAtMost
	arm := !flush && !c.timer
	c.timer = c.timer || arm
	c.Unlock()
	switch {
	case flush:
		p.alive()
	case arm:
		time.AfterFunc(closeWithin, func() {
			c.Lock()
			c.timer = false
			left := len(c.guests) > 0
			c.Unlock()
			if left {
				p.alive()
			}
		})
	}
}

// dropped returns the guests that are to be closed, to be sent along.
func (p *process) dropped() []uint64 {
	c := &p.closing
	c.Lock()
	defer c.Unlock()
	guests := c.guests
	c.guests = nil
	return guests
}

// ---- the control stream

// alive asks whether the worker lives, and sends along which guests are over.
func (p *process) alive() {
	p.tell(func(b []byte) []byte { return appendGuests(b, p.dropped()) }, sayAlive)
}

func (p *process) interrupt(guest uint64) {
	p.tell(func(b []byte) []byte { return wire.U64(b, guest) }, sayInterrupt)
}

// tell writes to the control stream. What can't be written is no loss: a worker that does not read is found silent.
func (p *process) tell(body func([]byte) []byte, kind byte) {
	p.controlMu.Lock()
	defer p.controlMu.Unlock()
	if p.isGone() {
		return
	}
	_ = p.control.socket.SetWriteDeadline(time.Now().Add(answerTime))
	if err := p.control.send(body(p.control.frame(kind))); errors.Is(err, os.ErrDeadlineExceeded) {
		p.kill(death{crashed: true, why: "it does not read"})
	}
}

// listen hears what the worker says until it is gone.
func (p *process) listen(control *stream) {
	for {
		kind, body, err := control.read(maxControl)
		r := read(body)
		switch {
		case err == nil && kind == sayLiving:
			p.heaps.Store(int64(min(r.U32(), 1<<20)))
			p.heard.Store(int64(time.Since(p.born)))
		case err == nil:
			r.Fail()
		}
		if err == nil {
			err = r.err()
		}
		if err != nil {
			if errors.Is(err, errFrame) {
				p.nonsense(err)
			}
			_ = p.over()
			return
		}
	}
}

// silent says that the worker has not answered for too long.
func (p *process) silent() bool {
	return time.Since(p.born)-time.Duration(p.heard.Load()) > silence
}

// resident returns how many bytes of memory the worker has, zero if nobody knows.
func (p *process) resident() int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// ---- lanes

// lane is a connection on which one request at a time is asked and answered.
type lane struct{ stream }

// lanes hands out a worker's lanes, the one that was used last first: what it touches still lies in the cache.
type lanes struct {
	mu     sync.Mutex
	freed  sync.Cond
	free   []*lane
	all    []*lane
	closed bool
}

func newLanes(all []*lane) *lanes {
	l := &lanes{all: all, free: append([]*lane(nil), all...)}
	l.freed.L = &l.mu
	return l
}

// take waits for a lane, nil if they are closed. There are more lanes than steps that may be taken at once.
func (l *lanes) take() *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.free) == 0 && !l.closed {
		l.freed.Wait()
	}
	if l.closed {
		return nil
	}
	n := len(l.free) - 1
	one := l.free[n]
	l.free = l.free[:n]
	return one
}

func (l *lanes) give(one *lane) {
	l.mu.Lock()
	l.free = append(l.free, one)
	l.mu.Unlock()
	l.freed.Signal()
}

func (l *lanes) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.freed.Broadcast()
	for _, one := range l.all {
		_ = one.socket.Close()
	}
}

// ---- what the worker writes to standard error

// head keeps the beginning of what is written to it: a crash says first what it is.
type head struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const headBytes = 4 << 10

// Write implements io.Writer and takes everything.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(b[:min(len(b), headBytes-h.text.Len())])
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(h.text.String()), "?")
}

var _ io.Writer = (*head)(nil)
