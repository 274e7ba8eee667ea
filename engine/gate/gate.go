// Package gate bounds how many steps an engine takes at once and how many wait for that (contract H5).
//
// It knows neither guests nor threads: whoever is let in may take a step.
package gate

import (
	"context"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// Gate lets a number of steps in. It is safe for concurrent use.
type Gate struct {
	places  chan struct{}
	queue   int64
	queued  atomic.Int64
	running atomic.Int64
}

// New returns a gate with so many places, and so many more in the queue for them.
func New(places, queue int) *Gate {
	return &Gate{places: make(chan struct{}, places), queue: int64(queue)}
}

// Enter waits for a place, which Leave gives back. It fails with ErrStopped when ctx ends first. For a new run, a queue
// that is full is an answer at once (ErrOverloaded): waiting longer would help nobody. A run that has begun is let in
// however long the queue is, since refusing it would lose its work; there are no more of those than heaps.
func (g *Gate) Enter(ctx context.Context, begun bool) error {
	select {
	case g.places <- struct{}{}:
		g.running.Add(1)
		return nil
	default:
	}
	if g.queued.Add(1) > g.queue && !begun {
		g.queued.Add(-1)
		return engine.ErrOverloaded
	}
	defer g.queued.Add(-1)
	select {
	case g.places <- struct{}{}:
		g.running.Add(1)
		return nil
	case <-ctx.Done():
		return engine.ErrStopped
	}
}

// Leave gives the place back.
func (g *Gate) Leave() {
	g.running.Add(-1)
	<-g.places
}

// Places, Running and Queued count.
func (g *Gate) Places() int { return cap(g.places) }

// Running returns how many steps are being taken.
func (g *Gate) Running() int { return int(g.running.Load()) }

// Queued returns how many steps wait for a place.
func (g *Gate) Queued() int { return int(g.queued.Load()) }
