package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

// vm is a guest, whichever worker it is in. When its worker is lost it is rebuilt in another one.
type vm struct {
	engine  *Engine
	catalog catalog
	journal journal.Journal
	begun   bool // a step was executed, or the guest was restored
	ended   bool // a step was ended from outside: no other can be executed
	heap    int
	pinned  bool // it can't be rebuilt, and counts among the process's pinned ones

	mu          sync.Mutex // guards what Interrupt needs
	session     *session   // nil if it is in no worker
	interrupted bool
	stop        context.CancelFunc // of what the guest waits for outside of steps
	closed      bool
}

// portableVM is a guest that can be copied out.
type portableVM struct{ *vm }

var (
	_ journal.Keeper  = (*vm)(nil)
	_ engine.Holder   = (*vm)(nil)
	_ engine.Replayer = (*vm)(nil)
	_ engine.Imager   = (*portableVM)(nil)
)

// HeldBytes implements engine.Holder.
func (v *vm) HeldBytes() int { return v.journal.Held() }

// Forget implements engine.Holder.
func (v *vm) Forget() {
	v.journal.Drop()
	v.pinIfFull()
}

// Journal implements journal.Keeper.
func (v *vm) Journal() *journal.Journal { return &v.journal }

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, func(s *session) (*engine.Effects, error) { return s.Step(ctx, input, timeout) })
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, func(s *session) (*engine.Effects, error) { return s.Replay(ctx, input, clock, timeout) })
}

// execute executes a step, more than once if workers are lost.
func (v *vm) execute(ctx context.Context, input []byte, step func(*session) (*engine.Effects, error)) (*engine.Effects, error) {
	if v.ended || v.closed {
		return nil, engine.ErrClosed
	}
	place, err := v.engine.limiter.Acquire(ctx, v.begun)
	if err != nil {
		return nil, err
	}
	defer v.engine.limiter.Release(place)
	if v.wasInterrupted() {
		return nil, engine.ErrStopped
	}
	var effects *engine.Effects
	err = v.retryOnLoss(ctx, func(s *session) (err error) {
		effects, err = step(s)
		v.heap = s.HeapBytes()
		return err
	})
	if effects == nil && errors.Is(err, engine.ErrOverloaded) {
		return nil, err // the step did not begin
	}
	v.begun = true
	if err != nil {
		v.ended = true
		return effects, err
	}
	v.journal.Add(input, effects)
	v.pinIfFull()
	return effects, nil
}

// Interrupt implements engine.VM.
func (v *vm) Interrupt() {
	v.mu.Lock()
	v.interrupted = true
	s, stop := v.session, v.stop
	v.mu.Unlock()
	if s != nil {
		s.Interrupt()
	}
	if stop != nil {
		stop()
	}
}

func (v *vm) wasInterrupted() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.interrupted
}

// interruptible returns a context that ends when the guest is interrupted, for waiting outside of steps.
func (v *vm) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stop = stop
	if v.interrupted {
		stop()
	}
	return ctx, stop
}

// Footprint implements engine.VM.
func (v *vm) Footprint() (int, error) {
	size := 0
	err := v.atRest(func(s *session) (err error) {
		size, err = s.Footprint()
		return err
	})
	return size, err
}

// Capture implements engine.Imager. The image is fetched at once: the guest may be gone later.
func (v *portableVM) Capture() (engine.Capture, error) {
	var image []byte
	err := v.atRest(func(s *session) (err error) {
		image, err = s.image()
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(context.Context) ([]byte, error) { return image, nil }, nil
}

// atRest does something with the guest between steps.
func (v *vm) atRest(do func(*session) error) error {
	if v.ended || v.closed {
		return engine.ErrClosed
	}
	return v.retryOnLoss(context.Background(), do)
}

// HeapBytes implements engine.VM.
func (v *vm) HeapBytes() int { return v.heap }

// Close implements engine.VM.
func (v *vm) Close() {
	v.mu.Lock()
	closed := v.closed
	v.closed = true
	v.mu.Unlock()
	if closed {
		return
	}
	v.detach()
	v.engine.guests.Add(-1)
}
