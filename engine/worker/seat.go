package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/wire"
)

// seat is a guest's place in one worker. When the worker is gone its methods return a *lost; who has the guest's journal
// then finds it another seat.
type seat struct {
	process *process
	id      uint64
	catalog catalog
	made    bool // the guest exists over there, or did
	over    bool // and does not any more
	heap    int

	mu       sync.Mutex
	lane     *lane // while a request is under way
	deadline time.Time
	stopped  bool
	nudge    *time.Timer
}

var _ engine.Replayer = (*seat)(nil)

// sit gives a guest that is to be a seat in a worker.
func (p *process) sit(c catalog) *seat {
	p.guests.Add(1)
	return &seat{process: p, id: p.nextID.Add(1), catalog: c}
}

// EngineName implements engine.VM.
func (s *seat) EngineName() string { return s.process.ready.Name }

// Step implements engine.VM.
func (s *seat) Step(_ context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return s.step(&step{input: input}, timeout)
}

// Replay implements engine.Replayer.
func (s *seat) Replay(_ context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return s.step(&step{input: input, replayed: true, clock: clock}, timeout)
}

func (s *seat) step(ask *step, timeout time.Duration) (*engine.Effects, error) {
	p := s.process
	if len(ask.input) > p.mostInput {
		return nil, fmt.Errorf("%w: a step's input of %d bytes", engine.ErrMemory, len(ask.input))
	}
	l := p.lanes.take()
	if l == nil {
		return nil, p.over()
	}
	ask.guest, ask.fresh, ask.catalog = s.id, !s.made, s.catalog
	started := time.Now()
	kind, body, err := s.askStep(l, ask, timeout)
	if err != nil {
		return nil, s.overdue(err, ask)
	}
	defer p.lanes.give(l)
	var told stepped
	if kind != tellStep {
		err = fmt.Errorf("%w: kind %q is no answer to a step", errFrame, kind)
	} else {
		err = told.parse(body)
	}
	var effects *engine.Effects
	if err == nil && told.raw != nil {
		// The body is the lane's.
		effects, err = engine.DecodeEffects(append([]byte{}, told.raw...), told.err == nil)
	}
	if err == nil && told.raw == nil && told.err == nil {
		err = fmt.Errorf("%w: a step without effects", errFrame)
	}
	if err != nil {
		p.nonsense(err)
		return nil, p.over()
	}
	s.made, s.over, s.heap = true, told.over, told.heap
	if effects != nil {
		// A worker can't have taken longer than we have waited.
		effects.Took = min(told.wall, time.Since(started))
		effects.CPU = min(told.cpu, effects.Took)
	}
	return effects, told.err
}

// overdue says of a step that was lost whether its time was over by then: that guest was not kept from anything, whoever
// the worker was ended for.
func (s *seat) overdue(err error, ask *step) error {
	var gone *lost
	if errors.As(err, &gone) && monotonic() >= ask.until {
		return &lost{&death{culprit: s, why: gone.why}}
	}
	return err
}

// askStep asks for a step, and once more with the catalog if the worker does not know it.
func (s *seat) askStep(l *lane, ask *step, timeout time.Duration) (byte, []byte, error) {
	p := s.process
	// The time runs from here, not from when the worker gets to it: on a busy machine that would be too late for us.
	ask.until = monotonic() + timeout
	deadline := time.Now().Add(timeout + watchdog)
	// Closing guests may be asked for only once, whatever becomes of the request.
	ask.closed = p.dropped()
	ask.catalog.known = ask.catalog.id != 0
	kind, body, err := p.ask(l, s, deadline, ask.append(l.frame(askStep)))
	if err == nil && kind == tellCatalog && ask.fresh && ask.catalog.known {
		ask.closed, ask.catalog.known = nil, false
		kind, body, err = p.ask(l, s, deadline, ask.append(l.frame(askStep)))
	}
	return kind, body, err
}

// restore makes the guest of an image.
func (s *seat) restore(image []byte) error {
	ask := restore{guest: s.id, catalog: s.catalog, image: image}
	s.made = true // whatever the answer is, it is to be closed
	return s.other(tellRestored, func(l *lane) []byte { return ask.append(l.frame(askRestore)) }, func(*reader) {})
}

// image copies the guest out.
func (s *seat) image() ([]byte, error) {
	var image []byte
	err := s.other(tellImage, s.about(askImage), func(r *reader) { image = append([]byte{}, r.Rest()...) })
	return image, err
}

// Footprint implements engine.VM.
func (s *seat) Footprint() (int, error) {
	size := 0
	err := s.other(tellFootprint, s.about(askFootprint), func(r *reader) { size = int(min(r.U64(), 1<<40)) })
	return size, err
}

// about is a request that consists of nothing but whom it is about.
func (s *seat) about(kind byte) func(*lane) []byte {
	return func(l *lane) []byte { return wire.U64(l.frame(kind), s.id) }
}

// other asks for something that no guest code has a part in.
func (s *seat) other(want byte, frame func(*lane) []byte, take func(*reader)) error {
	p := s.process
	l := p.lanes.take()
	if l == nil {
		return p.over()
	}
	kind, body, err := p.ask(l, s, time.Now().Add(answerTime), frame(l))
	if err != nil {
		return err
	}
	defer p.lanes.give(l)
	r := read(body)
	outcome := r.outcome()
	take(r)
	err = r.err()
	if kind != want {
		err = fmt.Errorf("%w: kind %q instead of %q", errFrame, kind, want)
	}
	if err != nil {
		p.nonsense(err)
		return p.over()
	}
	return outcome
}

// asking notes that a request is under way until the deadline, or sooner if the guest is interrupted.
func (s *seat) asking(l *lane, deadline time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lane, s.deadline = l, deadline
	_ = l.socket.SetReadDeadline(deadline)
	if s.stopped {
		s.hurry()
	}
}

func (s *seat) asked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lane = nil
	if s.nudge != nil {
		s.nudge.Stop()
	}
}

// nudgeAgain is how long after an interrupt the next one is sent: the first may have come before its step.
const nudgeAgain = 20 * time.Millisecond

// hurry sees to it that the request under way ends soon. mu must be held.
func (s *seat) hurry() {
	if soon := time.Now().Add(watchdog); soon.Before(s.deadline) {
		s.deadline = soon
		_ = s.lane.socket.SetReadDeadline(soon)
	}
	s.nudge = time.AfterFunc(0, func() {
		s.process.interrupt(s.id)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.lane != nil {
			s.nudge.Reset(nudgeAgain)
		}
	})
}

// Interrupt implements engine.VM.
func (s *seat) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	s.stopped = true
	if s.lane != nil {
		s.hurry()
	}
}

// HeapBytes implements engine.VM.
func (s *seat) HeapBytes() int { return s.heap }

// Close implements engine.VM.
func (s *seat) Close() {
	s.process.guests.Add(-1)
	if s.made && !s.over && !s.process.isGone() {
		s.process.drop(s.id)
	}
}

// places makes seats in one worker: the worker as an engine, for a journal to rebuild its guest in.
type places struct {
	*process
	catalog catalog
}

var _ engine.Portable = places{}

// Name implements engine.Engine.
func (p places) Name() string { return p.ready.Name }

// Build implements engine.Portable.
func (p places) Build() (string, error) { return p.ready.Build, nil }

// NewVM implements engine.Engine; the catalog is that of the places.
func (p places) NewVM([]byte) (engine.VM, error) { return p.sit(p.catalog), nil }

// Restore implements engine.Portable.
func (p places) Restore(image, _ []byte) (engine.VM, error) {
	s := p.sit(p.catalog)
	if err := s.restore(image); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Stats implements engine.Engine.
func (p places) Stats() engine.Stats { return engine.Stats{InUse: int(p.guests.Load())} }

// Close implements engine.Engine. The worker is not the journal's to end.
func (p places) Close() error { return nil }
