package stepper

import (
	"context"
	"sync"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/thread"
)

// Heap is what a guest executes a step in.
type Heap interface {
	// Arm prepares it for a step: from now on Stop may be called.
	Arm()
	// Stop makes the step under way end soon, or one that is just about to begin. It is called from any goroutine,
	// between Arm and the step's end.
	Stop()
	// Effects returns the records that the step left, which are the caller's, and what ended it, nil if it ended by
	// itself.
	Effects() ([]byte, error)
}

// Stepper executes the steps of one guest. One goroutine at a time may use it, except for Interrupt.
type Stepper struct {
	threads *Threads
	place   place
	begun   bool // a step was executed
	ended   bool // a step was ended from outside: no other can be executed

	mu          sync.Mutex // held where an Interrupt must not come in between
	heap        Heap       // of the step under way
	interrupted bool
}

// New returns the stepper of a guest; begun says that the guest has executed steps already.
func New(t *Threads, begun bool) Stepper { return Stepper{threads: t, begun: begun} }

// Begun says whether a step was executed.
func (s *Stepper) Begun() bool { return s.begun }

// Ended says whether a step was ended from outside.
func (s *Stepper) Ended() bool { return s.ended }

// Execute waits for its turn, and executes a step by calling run on a locked thread. The outcome is that of
// engine.VM.Step.
func (s *Stepper) Execute(ctx context.Context, h Heap, run func()) (*engine.Effects, error) {
	if s.ended {
		return nil, engine.ErrClosed
	}
	place, err := s.threads.Acquire(ctx, s.begun)
	if err != nil {
		return nil, err
	}
	defer s.threads.Release(place)
	if !s.enter(h) {
		return nil, engine.ErrStopped
	}
	_, long := engine.ClaimOf(ctx)
	s.threads.precedence.begin(&s.place, h, long)
	took := thread.Run(run)
	s.threads.precedence.end(&s.place)
	s.leave()
	raw, ended := h.Effects()
	s.begun, s.ended = true, ended != nil
	effects, err := engine.DecodeEffects(raw, ended == nil)
	if effects != nil {
		effects.Took, effects.CPU = took.Wall, took.CPU
	}
	if ended != nil {
		return effects, ended
	}
	return effects, err
}

// enter notes that a step is under way, unless the guest was interrupted.
func (s *Stepper) enter(h Heap) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupted {
		return false
	}
	h.Arm()
	s.heap = h
	return true
}

// leave makes sure that no interrupt reaches the heap any more.
func (s *Stepper) leave() {
	s.mu.Lock()
	s.heap = nil
	s.mu.Unlock()
}

// Interrupt ends the step under way, and every later one. Any goroutine may call it, at any time.
func (s *Stepper) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	if s.heap != nil {
		s.heap.Stop()
	}
}

// Interrupted says whether the guest was interrupted. Any goroutine may call it.
func (s *Stepper) Interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interrupted
}
