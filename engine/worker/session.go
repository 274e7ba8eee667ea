package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
)

// session is a guest in one worker. When the worker has exited its methods return a *lostError, and the vm that owns the
// guest's journal makes another session.
type session struct {
	process *process
	id      uint64
	catalog catalog
	made    bool // the worker was told to make the guest
	closed  bool // the worker has closed it by itself
	heap    int

	mu       sync.Mutex
	conn     *conn // nil while no request is under way
	deadline time.Time
	stopped  bool
	resend   *time.Timer // of the interrupt
}

var _ engine.Replayer = (*session)(nil)

// newSession returns a session for a guest that the worker will make with the first request.
func (p *process) newSession(c catalog) *session {
	p.guests.Add(1)
	return &session{process: p, id: p.nextID.Add(1), catalog: c}
}

// EngineName implements engine.VM.
func (s *session) EngineName() string { return s.process.ready.Name }

// Step implements engine.VM.
func (s *session) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	_, long := engine.ClaimOf(ctx)
	return s.execute(&stepRequest{input: input, long: long}, timeout)
}

// Replay implements engine.Replayer.
func (s *session) Replay(_ context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return s.execute(&stepRequest{input: input, replayed: true, clock: clock}, timeout)
}

func (s *session) execute(request *stepRequest, timeout time.Duration) (*engine.Effects, error) {
	p := s.process
	if len(request.input) > p.maxInput {
		return nil, fmt.Errorf("%w: a step's input of %d bytes", engine.ErrMemory, len(request.input))
	}
	c := p.conns.acquire()
	if c == nil {
		return nil, p.awaitExit()
	}
	request.guest, request.fresh, request.catalog = s.id, !s.made, s.catalog
	started, cpu := time.Now(), p.CPU()
	kind, body, err := s.sendStep(c, request, timeout)
	if err != nil {
		return nil, s.blameIfLate(err, request)
	}
	defer p.conns.release(c)
	reply, effects, err := parseStepReply(kind, body)
	if err != nil {
		p.protocolViolation(err)
		return nil, p.awaitExit()
	}
	s.made, s.closed, s.heap = true, reply.closed, reply.heap
	if effects != nil {
		effects.Took, effects.CPU = p.plausibleTimes(&reply, time.Since(started), cpu)
	}
	return effects, reply.err
}

// checkTimesAfter is how long a step must have taken for its processor time to be checked.
const checkTimesAfter = 5 * time.Millisecond

// plausibleTimes returns how long a step took and how much processor time the guest had, as far as the worker can be believed: it
// can't have taken longer than the parent has waited, and if a long step had a processor for less than half of its time,
// the kernel is asked what the worker's process used since then. Steps that were under way together share that.
func (p *process) plausibleTimes(reply *stepReply, waited, cpuBefore time.Duration) (wall, cpu time.Duration) {
	wall = min(reply.wall, waited)
	cpu = min(reply.cpu, wall)
	if waited > checkTimesAfter && cpu < waited/2 {
		used := (p.CPU() - cpuBefore) / time.Duration(max(p.running.Load()+1, 1))
		cpu = max(cpu, min(used, waited))
		wall = max(wall, cpu)
	}
	return wall, cpu
}

// parseStepReply reads the reply to a step. The error means that it is none.
func parseStepReply(kind byte, body []byte) (reply stepReply, effects *engine.Effects, err error) {
	if kind != replyStep {
		return reply, nil, fmt.Errorf("%w: kind %q is no answer to a step", frame.ErrProtocol, kind)
	}
	if err := reply.parse(body); err != nil {
		return reply, nil, err
	}
	switch {
	case reply.raw != nil: // which lies in the connection's buffer
		effects, err = engine.DecodeEffects(append([]byte{}, reply.raw...), reply.err == nil)
	case reply.err == nil:
		err = fmt.Errorf("%w: a step without effects", frame.ErrProtocol)
	}
	return reply, effects, err
}

// blameIfLate makes the guest itself the unresponsive one if its worker was lost after the step's deadline: even if the
// worker was ended because of another guest, this one has had all of its time.
func (s *session) blameIfLate(err error, request *stepRequest) error {
	var lost *lostError
	if errors.As(err, &lost) && monotonic() >= request.until {
		return &lostError{&exitReason{unresponsive: s, text: lost.text}}
	}
	return err
}

// sendStep sends a step, and once more with the catalog if the worker does not know that.
func (s *session) sendStep(c *conn, request *stepRequest, timeout time.Duration) (byte, []byte, error) {
	p := s.process
	// The time runs from here, and not from when the worker begins: on a busy machine that would be too late for the
	// caller.
	request.until = monotonic() + timeout
	deadline := time.Now().Add(timeout + watchdog)
	// Each guest's close is sent only once, whatever becomes of the request.
	request.closed = p.takeClosing()
	request.catalog.known = request.catalog.id != 0
	kind, body, err := p.exchange(c, s, deadline, request.append(c.NewFrame(requestStep)))
	if err == nil && kind == replyCatalog && request.fresh && request.catalog.known {
		request.closed, request.catalog.known = nil, false
		kind, body, err = p.exchange(c, s, deadline, request.append(c.NewFrame(requestStep)))
	}
	return kind, body, err
}

// restore makes the guest of an image.
func (s *session) restore(image []byte) error {
	request := restoreRequest{guest: s.id, catalog: s.catalog, image: image}
	s.made = true // whatever the reply is, it is to be closed
	return s.query(replyRestored, func(c *conn) []byte { return request.append(c.NewFrame(requestRestore)) }, func(*reader) {})
}

// image copies the guest out.
func (s *session) image() ([]byte, error) {
	var image []byte
	err := s.query(replyImage, s.named(requestImage), func(r *reader) { image = append([]byte{}, r.Rest()...) })
	return image, err
}

// Footprint implements engine.VM.
func (s *session) Footprint() (int, error) {
	size := 0
	err := s.query(replyFootprint, s.named(requestFootprint), func(r *reader) { size = int(min(r.U64(), 1<<40)) })
	return size, err
}

// named is a request that consists of the guest's number.
func (s *session) named(kind byte) func(*conn) []byte {
	return func(c *conn) []byte { return wire.U64(c.NewFrame(kind), s.id) }
}

// query sends a request that no guest code takes part in, and reads the reply.
func (s *session) query(want byte, request func(*conn) []byte, parse func(*reader)) error {
	p := s.process
	c := p.conns.acquire()
	if c == nil {
		return p.awaitExit()
	}
	kind, body, err := p.exchange(c, s, time.Now().Add(replyTimeout), request(c))
	if err != nil {
		return err
	}
	defer p.conns.release(c)
	r := read(body)
	outcome := r.outcome()
	parse(r)
	err = r.err()
	if kind != want {
		err = fmt.Errorf("%w: kind %q instead of %q", frame.ErrProtocol, kind, want)
	}
	if err != nil {
		p.protocolViolation(err)
		return p.awaitExit()
	}
	return outcome
}

// beginRequest notes that a request is under way until the deadline, or a sooner one if the guest is interrupted.
func (s *session) beginRequest(c *conn, deadline time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn, s.deadline = c, deadline
	_ = c.SetReadDeadline(deadline)
	if s.stopped {
		s.expedite()
	}
}

func (s *session) endRequest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = nil
	if s.resend != nil {
		s.resend.Stop()
	}
}

// resendInterrupt is how long after an interrupt the next one is sent: the first may have come before its step.
const resendInterrupt = 20 * time.Millisecond

// expedite interrupts the request under way, and lets its deadline come sooner. mu must be held.
func (s *session) expedite() {
	if soon := time.Now().Add(watchdog); soon.Before(s.deadline) {
		s.deadline = soon
		_ = s.conn.SetReadDeadline(soon)
	}
	s.resend = time.AfterFunc(0, func() {
		s.process.interrupt(s.id)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.conn != nil {
			s.resend.Reset(resendInterrupt)
		}
	})
}

// Interrupt implements engine.VM.
func (s *session) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	s.stopped = true
	if s.conn != nil {
		s.expedite()
	}
}

// HeapBytes implements engine.VM.
func (s *session) HeapBytes() int { return s.heap }

// Close implements engine.VM.
func (s *session) Close() {
	s.process.guests.Add(-1)
	if s.made && !s.closed && !s.process.hasExited() {
		s.process.scheduleClose(s.id)
	}
}
