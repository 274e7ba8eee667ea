package snapshot

import (
	"container/heap"
	"time"
)

// deadlines orders what expires: to find what is due costs nothing while nothing is, however much is kept.
type deadlines []*deadline

// deadline is embedded in what expires.
type deadline struct {
	id    string
	at    time.Time
	index int // in deadlines
}

// add, move and remove keep the order when something comes, expires at another time, or goes.
func (d *deadlines) add(e *deadline)    { heap.Push(d, e) }
func (d *deadlines) remove(e *deadline) { heap.Remove(d, e.index) }
func (d *deadlines) move(e *deadline, at time.Time) {
	e.at = at
	heap.Fix(d, e.index)
}

// due returns the first to expire if its time has passed, else nil.
func (d deadlines) due(now time.Time) *deadline {
	if len(d) > 0 && now.After(d[0].at) {
		return d[0]
	}
	return nil
}

// Len implements heap.Interface.
func (d deadlines) Len() int { return len(d) }

// Less implements heap.Interface.
func (d deadlines) Less(i, j int) bool { return d[i].at.Before(d[j].at) }

// Swap implements heap.Interface.
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

// Push implements heap.Interface.
func (d *deadlines) Push(x any) {
	e := x.(*deadline)
	e.index = len(*d)
	*d = append(*d, e)
}

// Pop implements heap.Interface.
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return e
}
