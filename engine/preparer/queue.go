package preparer

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/codecell/codecell/engine/script"
)

// queue lets so many be at work at once, and shares that out between tenants: whoever has n at work gets another place
// only while more than n are free. So one tenant alone has about half of the places, and a tenant that has none finds
// one, unless as many tenants as there are places are busy. Those who wait are served in turn, tenant by tenant. It is
// safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	free    int // places to work at
	room    int // places to wait at
	tenants map[string]*tenant
	turns   []*tenant // who has someone waiting; the first is next
}

// tenant is what one has at work and waiting. One that has neither is forgotten.
type tenant struct {
	name    string
	working int
	waiting []chan struct{} // each is closed when its place is free
}

func newQueue(places, room int) *queue {
	return &queue{free: places, room: room, tenants: map[string]*tenant{}}
}

// acquire waits for a place, which release gives back. It is script.ErrBusy if there is none for so long, or if too many
// wait already.
func (q *queue) acquire(ctx context.Context, name string, timeout time.Duration) error {
	place, err := q.enter(name)
	if place == nil {
		return err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-place:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fmt.Errorf("%w: none was done in %s", script.ErrBusy, timeout)
	}
	if !q.leave(name, place) {
		q.release(name) // it became free at the same moment
	}
	return err
}

// enter takes a place, or one to wait at, which is returned then.
func (q *queue) enter(name string) (chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[name]
	if t == nil {
		t = &tenant{name: name}
		q.tenants[name] = t
	}
	if len(t.waiting) == 0 && t.working < q.free {
		q.free--
		t.working++
		return nil, nil
	}
	if len(t.waiting) >= q.room {
		q.forget(t)
		return nil, fmt.Errorf("%w: %d wait already", script.ErrBusy, len(t.waiting))
	}
	q.room--
	if len(t.waiting) == 0 {
		q.turns = append(q.turns, t)
	}
	place := make(chan struct{})
	t.waiting = append(t.waiting, place)
	return place, nil
}

// leave gives up waiting and says whether it still was.
func (q *queue) leave(name string, place chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[name]
	i := slices.Index(t.waiting, place)
	if i < 0 {
		return false
	}
	q.stopWaiting(t, i)
	q.forget(t)
	return true
}

// release gives a place back.
func (q *queue) release(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.tenants[name]
	t.working--
	q.free++
	for q.serveNext() {
	}
	q.forget(t)
}

// serveNext gives a free place to the next tenant that may have one. mu must be held.
func (q *queue) serveNext() bool {
	for i, t := range q.turns {
		if t.working >= q.free {
			continue
		}
		q.free--
		t.working++
		close(t.waiting[0])
		q.turns = slices.Delete(q.turns, i, i+1)
		q.turns = append(q.turns, t) // the last in turn, if it has more
		q.stopWaiting(t, 0)
		return true
	}
	return false
}

// stopWaiting takes one off the list. mu must be held.
func (q *queue) stopWaiting(t *tenant, i int) {
	t.waiting = slices.Delete(t.waiting, i, i+1)
	q.room++
	if len(t.waiting) == 0 {
		q.turns = slices.DeleteFunc(q.turns, func(other *tenant) bool { return other == t })
	}
}

// forget drops a tenant that has nothing here. mu must be held.
func (q *queue) forget(t *tenant) {
	if t.working == 0 && len(t.waiting) == 0 {
		delete(q.tenants, t.name)
	}
}

// counts returns how many are at work and how many wait.
func (q *queue) counts() (working, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tenants {
		working += t.working
		waiting += len(t.waiting)
	}
	return working, waiting
}
