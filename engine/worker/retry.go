package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

const (
	// maxLosses is how many workers a guest may lose in a row until it is suspected to be the reason.
	maxLosses = 3
	// maxQuarantined bounds the workers that are started for a single guest each.
	maxQuarantined = 2
)

// retryOnLoss does something with the guest, and again in another worker when its worker is lost (contract H1, H3). There
// are three exceptions. A guest that did not end by its deadline has had its time, and is not tried again. A guest that
// was inside a step when its worker crashed may be the reason, and so may be one that has lost maxLosses workers in a row:
// it is tried once more in a worker of its own.
func (v *vm) retryOnLoss(ctx context.Context, do func(*session) error) error {
	for losses := 1; ; losses++ {
		s, err := v.attached(ctx)
		if err == nil {
			err = do(s)
		}
		lost, err := v.classify(s, err)
		switch {
		case lost == nil:
			return err
		case lost.crashed || losses == maxLosses:
			return v.runIsolated(ctx, do, lost)
		}
		v.engine.replayed.Add(1)
	}
}

// classify tells the loss of a worker, after which the guest may be tried again, from all other outcomes: then the loss is
// nil, and the error is the guest's own.
func (v *vm) classify(s *session, err error) (*lostError, error) {
	var lost *lostError
	switch {
	case !errors.As(err, &lost):
		return nil, v.attachError(err)
	case v.wasInterrupted():
		return nil, engine.ErrStopped
	case s != nil && lost.unresponsive == s:
		return nil, engine.ErrTimeout
	}
	return lost, nil
}

// attachError is the error of a guest for which there may be no worker: one that has not begun is refused, one that has
// is lost.
func (v *vm) attachError(err error) error {
	switch {
	case err == nil:
		return nil
	case v.wasInterrupted() && errors.Is(err, context.Canceled):
		return engine.ErrStopped
	case v.begun && errors.Is(err, engine.ErrOverloaded):
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	return err
}

// runIsolated does something with the guest in a worker that has no other guests. If that crashes too, the guest is the
// reason, and is not tried again.
func (v *vm) runIsolated(ctx context.Context, do func(*session) error, why *lostError) error {
	v.detach()
	if v.journal.Full() {
		return fmt.Errorf("%w: %w: %w", engine.ErrLost, journal.ErrTooLong, why)
	}
	ctx, stop := v.interruptible(ctx)
	defer stop()
	select {
	case v.engine.quarantined <- struct{}{}:
	case <-ctx.Done():
		return engine.ErrStopped
	}
	defer func() { <-v.engine.quarantined }()
	p, err := v.engine.pool.startIsolated()
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	defer func() {
		v.detach() // with its next step it is rebuilt in a worker with others
		p.kill(exitReason{planned: true, text: "it was for one guest"})
		<-p.exited
	}()
	v.engine.replayed.Add(1)
	s, err := v.attach(ctx, p)
	if err == nil {
		err = do(s)
	}
	lost, err := v.classify(s, err)
	switch {
	case lost == nil:
		return err
	case lost.crashed:
		v.engine.poisoned.Add(1)
		return fmt.Errorf("%w: it ended its worker, and then the one that it had to itself: %w", engine.ErrBroken, lost)
	}
	return fmt.Errorf("%w: %w", engine.ErrLost, lost)
}
