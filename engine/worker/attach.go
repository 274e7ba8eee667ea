package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

// attached returns the guest's session, a new one if it has none or if that one's worker has exited.
func (v *vm) attached(ctx context.Context) (*session, error) {
	if v.session != nil && !v.session.process.hasExited() {
		return v.session, nil
	}
	if v.journal.Full() {
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, journal.ErrTooLong)
	}
	if !v.begun {
		if p := v.engine.pool.leastLoaded(); p != nil {
			return v.attach(ctx, p)
		}
	}
	ctx, stop := v.interruptible(ctx)
	defer stop()
	p, err := v.engine.pool.waitLeastLoaded(ctx)
	if err != nil {
		return nil, err
	}
	return v.attach(ctx, p)
}

// attach gives the guest a session in a worker, and rebuilds it there as it was.
func (v *vm) attach(ctx context.Context, p *process) (*session, error) {
	v.detach()
	if !v.begun {
		s := p.newSession(v.catalog)
		v.setSession(s)
		return s, nil
	}
	steps, err := v.journal.Steps(0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	guest, err := steps.Rebuild(ctx, workerEngine{p, v.catalog})
	var lost *lostError
	switch {
	case errors.As(err, &lost) || errors.Is(err, engine.ErrImage):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", engine.ErrLost, err)
	}
	if v.journal.Len() > 0 {
		v.engine.rebuilt.Add(1)
	}
	s := guest.(*session)
	v.setSession(s)
	return s, nil
}

// setSession makes a session the guest's own. An interrupt that came before reaches it too.
func (v *vm) setSession(s *session) {
	v.mu.Lock()
	v.session = s
	interrupted := v.interrupted
	v.mu.Unlock()
	if interrupted {
		s.Interrupt()
	}
}

// detach closes the guest's session, if it has one.
func (v *vm) detach() {
	v.mu.Lock()
	s := v.session
	v.session = nil
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

// pinIfFull counts the guest among its worker's pinned ones if its journal is full: it can't be rebuilt elsewhere, so the
// worker must not be recycled.
func (v *vm) pinIfFull() {
	if v.journal.Full() && !v.pinned && v.session != nil {
		v.pinned = true
		v.session.process.pinned.Add(1)
	}
}
