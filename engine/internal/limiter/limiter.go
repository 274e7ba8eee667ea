// Package limiter bounds how many steps an engine takes at once and how many wait for that (contract H5).
//
// It knows neither guests nor threads: whoever is let in may take a step.
package limiter

import (
	"context"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// Limiter lets a number of steps in. It is safe for concurrent use.
type Limiter struct {
	slots   chan struct{}
	queue   int64
	queued  atomic.Int64
	running atomic.Int64
}

// New returns a limiter with so many slots, and so many more in the queue for them.
func New(slots, queue int) *Limiter {
	return &Limiter{slots: make(chan struct{}, slots), queue: int64(queue)}
}

// Acquire waits for a slot, which Release gives back. It fails with ErrStopped when ctx ends first. For a new run, a queue
// that is full is an answer at once (ErrOverloaded): waiting longer would help nobody. A run that has begun is let in
// however long the queue is, since refusing it would lose its work; there are no more of those than heaps.
func (l *Limiter) Acquire(ctx context.Context, begun bool) error {
	select {
	case l.slots <- struct{}{}:
		l.running.Add(1)
		return nil
	default:
	}
	if l.queued.Add(1) > l.queue && !begun {
		l.queued.Add(-1)
		return engine.ErrOverloaded
	}
	defer l.queued.Add(-1)
	select {
	case l.slots <- struct{}{}:
		l.running.Add(1)
		return nil
	case <-ctx.Done():
		return engine.ErrStopped
	}
}

// Release gives the slot back.
func (l *Limiter) Release() {
	l.running.Add(-1)
	<-l.slots
}

// Slots, Running and Queued count.
func (l *Limiter) Slots() int { return cap(l.slots) }

// Running returns how many steps are being taken.
func (l *Limiter) Running() int { return int(l.running.Load()) }

// Queued returns how many steps wait for a slot.
func (l *Limiter) Queued() int { return int(l.queued.Load()) }
