package bridge

import (
	"container/list"
	"context"
	"sync"
)

// stepPlaces bounds how many steps of a tenant are under way at once (contract I2). Those that wait get places in the order
// in which they came. The zero value is ready.
type stepPlaces struct {
	mu      sync.Mutex
	busy    int
	waiting list.List // of *waitingStep
}

// waitingStep is told when it has a place.
type waitingStep struct {
	limit int
	ready chan struct{}
}

// enter waits for one of limit places; 0 is no limit. It says whether it has one, which it has unless ctx ends first. Who has
// a place gives it back with leave.
func (p *stepPlaces) enter(ctx context.Context, limit int) bool {
	p.mu.Lock()
	if limit <= 0 || p.busy < limit && p.waiting.Len() == 0 {
		p.busy++
		p.mu.Unlock()
		return true
	}
	w := &waitingStep{limit, make(chan struct{})}
	at := p.waiting.PushBack(w)
	p.mu.Unlock()
	select {
	case <-w.ready:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.ready: // meanwhile, and the place is somebody else's now
		p.busy--
	default:
		p.waiting.Remove(at)
	}
	p.settle()
	return false
}

func (p *stepPlaces) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.settle()
}

// settle gives places that are free to those that have waited longest. mu must be held.
func (p *stepPlaces) settle() {
	for at := p.waiting.Front(); at != nil; at = p.waiting.Front() {
		w := at.Value.(*waitingStep)
		if p.busy >= w.limit {
			return
		}
		p.busy++
		close(w.ready)
		p.waiting.Remove(at)
	}
}
