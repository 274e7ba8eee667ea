// Package limiter bounds how many steps an engine executes at once and how many wait for that (contract H5), and decides
// who goes first (contract H6).
//
// It knows neither guests nor threads: whoever holds a place may execute a step.
package limiter

import (
	"context"
	"slices"
	"sync"

	"github.com/codecell/codecell/engine"
)

// Limiter has places for a number of steps. It is safe for concurrent use.
//
// Where there are more steps than places, those go first whose share has had less (see engine.Share). Of the places, steps
// of long runs may not have all, and there are a few extra ones for shares that have no step under way: else steps that
// compute for seconds would keep all others waiting.
//
// The queue is shared as well: when it is full, a step of somebody who has fewer in it takes the place of one of whoever has
// the most.
type Limiter struct {
	places, extra, kept, queue int

	mu      sync.Mutex
	running int // steps, of which
	long    int // are of long runs
	waiting []*waiter
	owners  map[*engine.Share]int // whose steps wait, and how many
}

// waiter is a step that waits for a place.
type waiter struct {
	Place
	begun bool
	ready chan struct{} // closed once it has a place, or is
	out   bool          // out of the queue without one
}

// Place is a place that was acquired.
type Place struct {
	share *engine.Share
	long  bool
}

// New returns a limiter with so many places, and so many more in the queue for them.
func New(places, queue int) *Limiter {
	return &Limiter{
		places: places, extra: Extra(places), kept: min(max(places/4, 1), places-1), queue: queue, owners: map[*engine.Share]int{},
	}
}

// Extra is how many steps more may be under way at once, of shares that have none.
func Extra(places int) int { return places / 4 }

// Acquire waits for a place, which Release frees. ctx says whose it is (engine.WithClaim). It fails with ErrStopped when ctx
// ends first. For a new run it fails with ErrOverloaded if the queue is full, at once or when somebody else needs its place
// there. A run that has begun may wait however long the queue is, since refusing it would lose its work; there are no more of
// those than heaps.
func (l *Limiter) Acquire(ctx context.Context, begun bool) (Place, error) {
	share, long := engine.ClaimOf(ctx)
	place := Place{share, long}
	l.mu.Lock()
	if l.free(place) {
		l.take(place)
		l.mu.Unlock()
		return place, nil
	}
	if len(l.waiting) >= l.queue && !begun && !l.pushOut(share.Owner()) {
		l.mu.Unlock()
		return Place{}, engine.ErrOverloaded
	}
	w := &waiter{Place: place, begun: begun, ready: make(chan struct{})}
	l.waiting = append(l.waiting, w)
	l.owners[share.Owner()]++
	l.mu.Unlock()
	select {
	case <-w.ready:
		if w.out {
			return Place{}, engine.ErrOverloaded
		}
		return place, nil
	case <-ctx.Done():
		l.giveUp(w)
		return Place{}, engine.ErrStopped
	}
}

// free says whether there is a place. mu must be held.
func (l *Limiter) free(p Place) bool {
	switch {
	case p.long:
		return l.running < l.places && l.long < l.places-l.kept
	case l.running < l.places:
		return true
	}
	return p.share != nil && p.share.Held() == 0 && l.running < l.places+l.extra
}

func (l *Limiter) take(p Place) {
	l.running++
	if p.long {
		l.long++
	}
	p.share.Hold(1)
}

// Release frees the place.
func (l *Limiter) Release(p Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	if p.long {
		l.long--
	}
	p.share.Hold(-1)
	if len(l.waiting) > 0 {
		l.next()
	}
}

// next gives places that are free to those that wait. mu must be held.
func (l *Limiter) next() {
	for {
		first := -1
		for n, w := range l.waiting {
			if l.free(w.Place) && (first < 0 || w.share.Before(l.waiting[first].share)) {
				first = n
			}
		}
		if first < 0 {
			return
		}
		w := l.leave(first)
		l.take(w.Place)
		close(w.ready)
	}
}

// giveUp takes back a wait.
func (l *Limiter) giveUp(w *waiter) {
	l.mu.Lock()
	n := slices.Index(l.waiting, w)
	if n >= 0 {
		l.leave(n)
	}
	placed := n < 0 && !w.out
	l.mu.Unlock()
	if placed { // meanwhile
		l.Release(w.Place)
	}
}

// leave takes the nth out of the queue. mu must be held.
func (l *Limiter) leave(n int) *waiter {
	w := l.waiting[n]
	l.waiting = slices.Delete(l.waiting, n, n+1)
	owner := w.share.Owner()
	if l.owners[owner]--; l.owners[owner] == 0 {
		delete(l.owners, owner)
	}
	return w
}

// pushOut makes room in the queue for one more step of an owner, if somebody has more in it: the one of theirs that came
// last goes, unless its run has begun. mu must be held.
func (l *Limiter) pushOut(owner *engine.Share) bool {
	most := owner
	for o, n := range l.owners {
		if n > l.owners[most] {
			most = o
		}
	}
	if l.owners[most] <= l.owners[owner]+1 {
		return false
	}
	for n := len(l.waiting) - 1; n >= 0; n-- {
		if w := l.waiting[n]; !w.begun && w.share.Owner() == most {
			l.leave(n)
			w.out = true
			close(w.ready)
			return true
		}
	}
	return false
}

// Stats returns how many steps are under way and wait, and of how many places, as an engine's Stats with these fields set.
func (l *Limiter) Stats() engine.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return engine.Stats{Running: l.running, Queued: len(l.waiting), Threads: l.places}
}
