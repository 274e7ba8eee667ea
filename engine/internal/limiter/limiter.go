// Package limiter bounds how many steps an engine executes at once and how many wait for that (contract H5).
//
// It knows neither guests nor threads: whoever holds a slot may execute a step.
package limiter

import (
	"context"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// Limiter has slots for a number of steps. It is safe for concurrent use.
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

// Acquire waits for a slot, which Release frees. It fails with ErrStopped when ctx ends first. For a new run it fails with
// ErrOverloaded if the queue is full, without waiting. A run that has begun may wait however long the queue is, since
// refusing it would lose its work; there are no more of those than heaps.
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

// Release frees the slot.
func (l *Limiter) Release() {
	l.running.Add(-1)
	<-l.slots
}

// Stats returns how many steps are under way and wait, and of how many slots, as an engine's Stats with these fields set.
func (l *Limiter) Stats() engine.Stats {
	return engine.Stats{Running: int(l.running.Load()), Queued: int(l.queued.Load()), Threads: cap(l.slots)}
}
