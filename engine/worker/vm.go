package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

const (
	// How many workers a guest may lose, one after the other, until it is no bystander any more.
	maxLosses = 3
)

// vm is a guest, wherever it lives. When its worker is lost it is rebuilt in another one.
type vm struct {
	engine  *Engine
	catalog catalog
	journal *journal.Journal
	started bool
	over    bool // a step was ended: no other can be taken
	heap    int
	pinned  bool // the journal is over, and the seat's worker knows

	mu          sync.Mutex // guards what Interrupt needs
	seat        *seat
	interrupted bool
	stop        context.CancelFunc // of what the guest waits for
	closed      bool
}

// portableVM is a guest that can be copied out.
type portableVM struct{ *vm }

var (
	_ journal.Keeper  = (*vm)(nil)
	_ engine.Replayer = (*vm)(nil)
	_ engine.Imager   = (*portableVM)(nil)
)

// Journal implements journal.Keeper.
func (v *vm) Journal() *journal.Journal { return v.journal }

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, input, func(s *seat) (*engine.Effects, error) { return s.Step(ctx, input, timeout) })
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, input, func(s *seat) (*engine.Effects, error) { return s.Replay(ctx, input, clock, timeout) })
}

// take takes a step, again if it has to.
func (v *vm) take(ctx context.Context, input []byte, step func(*seat) (*engine.Effects, error)) (*engine.Effects, error) {
	if v.over || v.closed {
		return nil, engine.ErrClosed
	}
	if err := v.engine.limiter.Acquire(ctx, v.started); err != nil {
		return nil, err
	}
	defer v.engine.limiter.Release()
	if v.wasInterrupted() {
		return nil, engine.ErrStopped
	}
	var effects *engine.Effects
	err := v.insist(ctx, func(s *seat) (err error) {
		effects, err = step(s)
		v.heap = s.HeapBytes()
		return err
	})
	if effects == nil && errors.Is(err, engine.ErrOverloaded) {
		return nil, err // the step was not begun
	}
	v.started = true
	if err != nil {
		v.over = true
		return effects, err
	}
	v.journal.Add(input, effects)
	v.pin()
	return effects, nil
}

// interruptible returns a context that ends when the guest is interrupted, for what is no step.
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

// insist does something with the guest, in another worker when one is lost. Whoever did not answer in time was ended, and
// has had its time. Whoever was at work in a worker that crashed may be why, and so may who loses one worker after the
// other: that is tried once more in a worker of its own, and if that crashes too, it was (contract H1, H3).
func (v *vm) insist(ctx context.Context, do func(*seat) error) error {
	for losses := 1; ; losses++ {
		s, err := v.seated(ctx)
		if err == nil {
			err = do(s)
		}
		gone, err := v.judge(s, err)
		switch {
		case gone == nil:
			return err
		case gone.crashed || losses == maxLosses:
			return v.alone(ctx, do, gone)
		}
		v.engine.replayed.Add(1)
	}
}

// judge says what is to become of a guest that err came of. If its worker is gone and it has no part in that yet, the loss
// is returned; else the guest's own error.
func (v *vm) judge(s *seat, err error) (*lost, error) {
	var gone *lost
	switch {
	case !errors.As(err, &gone):
		return nil, v.inTime(err)
	case v.wasInterrupted():
		return nil, engine.ErrStopped
	case s != nil && gone.culprit == s:
		return nil, engine.ErrTimeout
	}
	return gone, nil
}

// inTime is the error of a guest that could not be given a place: there may be none for those that begin, but who has
// begun is lost without.
func (v *vm) inTime(err error) error {
	switch {
	case err == nil:
		return nil
	case v.wasInterrupted() && errors.Is(err, context.Canceled):
		return engine.ErrStopped
	case v.started && errors.Is(err, engine.ErrOverloaded):
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	return err
}

// seated returns the guest's place, a new one if there was none, or if that is lost.
func (v *vm) seated(ctx context.Context) (*seat, error) {
	if v.seat != nil && !v.seat.process.isGone() {
		return v.seat, nil
	}
	if v.journal.Full() {
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, journal.ErrTooLong)
	}
	if !v.started {
		if p := v.engine.fleet.least(); p != nil {
			return v.sit(ctx, p)
		}
	}
	ctx, stop := v.interruptible(ctx)
	defer stop()
	p, err := v.engine.fleet.pick(ctx)
	if err != nil {
		return nil, err
	}
	return v.sit(ctx, p)
}

// sit gives the guest a place in a worker, and rebuilds it there as it was.
func (v *vm) sit(ctx context.Context, p *process) (*seat, error) {
	v.leave()
	if !v.started {
		s := p.sit(v.catalog)
		v.move(s)
		return s, nil
	}
	steps, err := v.journal.Steps(0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	guest, err := steps.Rebuild(ctx, places{p, v.catalog})
	var gone *lost
	switch {
	case errors.As(err, &gone) || errors.Is(err, engine.ErrImage):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	if v.journal.Len() > 0 {
		v.engine.rebuilt.Add(1)
	}
	s := guest.(*seat)
	v.move(s)
	return s, nil
}

// move makes a seat the guest's own.
func (v *vm) move(s *seat) {
	v.mu.Lock()
	v.seat = s
	interrupted := v.interrupted
	v.mu.Unlock()
	if interrupted {
		s.Interrupt()
	}
}

// leave gives the guest's place up.
func (v *vm) leave() {
	v.mu.Lock()
	s := v.seat
	v.seat = nil
	v.mu.Unlock()
	if s == nil {
		return
	}
	if v.pinned {
		s.process.pinned.Add(-1)
		v.pinned = false
	}
	s.Close()
}

// pin tells the worker that the guest can't be rebuilt elsewhere.
func (v *vm) pin() {
	if v.journal.Full() && !v.pinned && v.seat != nil {
		v.pinned = true
		v.seat.process.pinned.Add(1)
	}
}

// alone does it in a worker that nobody else is in.
func (v *vm) alone(ctx context.Context, do func(*seat) error, why *lost) error {
	v.leave()
	if v.journal.Full() {
		return fmt.Errorf("%w: %w: %w", engine.ErrLost, journal.ErrTooLong, why)
	}
	ctx, stop := v.interruptible(ctx)
	defer stop()
	select {
	case v.engine.suspects <- struct{}{}:
	case <-ctx.Done():
		return engine.ErrStopped
	}
	defer func() { <-v.engine.suspects }()
	p, err := v.engine.fleet.alone()
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	defer func() {
		v.leave() // it is rebuilt among the others when it goes on
		p.kill(death{planned: true, why: "it was for one guest"})
		<-p.gone
	}()
	v.engine.replayed.Add(1)
	s, err := v.sit(ctx, p)
	if err == nil {
		err = do(s)
	}
	gone, err := v.judge(s, err)
	switch {
	case gone == nil:
		return err
	case gone.crashed:
		v.engine.convicted.Add(1)
		return fmt.Errorf("%w: it ended its worker, and then the one that it had to itself: %w", engine.ErrBroken, gone)
	}
	return fmt.Errorf("%w: %w", engine.ErrLost, gone)
}

// Interrupt implements engine.VM.
func (v *vm) Interrupt() {
	v.mu.Lock()
	v.interrupted = true
	s, stop := v.seat, v.stop
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

// Footprint implements engine.VM.
func (v *vm) Footprint() (int, error) {
	size := 0
	err := v.look(func(s *seat) (err error) {
		size, err = s.Footprint()
		return err
	})
	return size, err
}

// Capture implements engine.Imager. The image is fetched at once: the guest may be gone later.
func (v *portableVM) Capture() (engine.Capture, error) {
	var image []byte
	err := v.look(func(s *seat) (err error) {
		image, err = s.image()
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(context.Context) ([]byte, error) { return image, nil }, nil
}

// look does something with the guest at rest.
func (v *vm) look(at func(*seat) error) error {
	if v.over || v.closed {
		return engine.ErrClosed
	}
	return v.insist(context.Background(), at)
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
	v.leave()
	v.engine.guests.Add(-1)
}
