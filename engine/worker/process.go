package worker

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/frame"
)

// watchdog is how long after a step's deadline a worker that has not answered is ended (contract H1 allows 250 ms). The
// worker itself ends unresponsive steps 25 ms after their deadline. Tests under the race detector allow more.
var watchdog = 200 * time.Millisecond

const (
	// How long a worker may take for what no guest code takes part in.
	replyTimeout = 10 * time.Second
	// How many bytes the kernel accepts whether or not the worker reads them.
	socketBuffer = 32 << 10
	// How long the process may live on after its connection broke.
	exitGrace = time.Second
)

// process is one worker, as the parent sees it.
type process struct {
	*child.Process
	ready         ready
	maxReply      int // bytes
	maxInput      int // bytes of a step's input: more would fit into no heap, and into no frame
	born          time.Time
	conns         *conns
	guests        atomic.Int64 // that it has
	pinned        atomic.Int64 // of them, those that can't be rebuilt elsewhere
	running       atomic.Int64 // requests under way
	nextID        atomic.Uint64
	heaps         atomic.Int64
	lastHeartbeat atomic.Int64 // in nanoseconds since born
	retired       atomic.Bool  // it gets no new guests
	isolated      atomic.Bool  // it is for one quarantined guest

	controlMu sync.Mutex // held while control is written to
	control   *frame.Conn
	closing   closing

	killed atomic.Pointer[exitReason] // why the parent ended it, if it did
	exited chan struct{}              // closed when the process has ended
	reason *exitReason                // valid then
}

// exitReason is why a worker has ended.
type exitReason struct {
	unresponsive *session // the guest that did not end by its deadline, if that was why
	crashed      bool     // a guest that was inside a step may be why
	planned      bool
	text         string
}

// lostError means that a request came to nothing because its worker has exited.
type lostError struct{ *exitReason }

func (l *lostError) Error() string { return "the worker is gone: " + l.text }

// kill ends the worker. The first reason counts.
func (p *process) kill(reason exitReason) {
	if p.killed.CompareAndSwap(nil, &reason) {
		p.Kill()
	}
}

// wait waits for the process's end and notes the reason.
func (p *process) wait() {
	<-p.Exited()
	switch reason := p.killed.Load(); {
	case reason != nil:
		p.reason = reason
	case p.WasKilled():
		p.reason = &exitReason{text: "it was killed"}
	default:
		p.reason = &exitReason{crashed: true, text: fmt.Sprintf("it ended by itself: %v", p.State())}
	}
	p.conns.close()
	close(p.exited)
}

// awaitExit waits until a worker whose connection is broken has exited, ends it if it does not, and returns a *lostError.
func (p *process) awaitExit() error {
	select {
	case <-p.exited:
	case <-time.After(exitGrace):
		p.kill(exitReason{crashed: true, text: "it closed its connection and lived on"})
		<-p.exited
	}
	return &lostError{p.reason}
}

// hasExited says that the process has ended, or is about to.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return p.killed.Load() != nil
	}
}

// exchange sends a request and returns the reply, whose body is valid until the connection is released. If no reply comes
// by the deadline, the worker is ended, with s as the unresponsive guest.
func (p *process) exchange(c *conn, s *session, deadline time.Time, request []byte) (byte, []byte, error) {
	p.running.Add(1)
	defer p.running.Add(-1)
	s.beginRequest(c, deadline)
	defer s.endRequest()
	if len(request) > socketBuffer {
		_ = c.SetWriteDeadline(deadline)
		defer c.SetWriteDeadline(time.Time{})
	}
	if err := c.WriteFrame(request); err != nil {
		return 0, nil, p.requestFailed(s, err)
	}
	kind, body, err := p.readReply(c, s)
	if err == nil && !c.Idle() {
		err = fmt.Errorf("%w: more than was asked for", frame.ErrProtocol)
	}
	if err != nil {
		c.finish()
		return 0, nil, p.requestFailed(s, err)
	}
	return kind, body, nil
}

// requestFailed ends the worker if it is why a request failed, and returns a *lostError.
func (p *process) requestFailed(s *session, err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.kill(exitReason{unresponsive: s, text: "a guest ignored its deadline"})
	case errors.Is(err, frame.ErrProtocol):
		p.protocolViolation(err)
	}
	return p.awaitExit()
}

// protocolViolation ends a worker that does not keep to the protocol: a guest must have taken it over.
func (p *process) protocolViolation(err error) {
	p.kill(exitReason{crashed: true, text: err.Error()})
}
