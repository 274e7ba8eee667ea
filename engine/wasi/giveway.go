package wasi

import (
	"sync/atomic"
	"time"
)

// A step that takes long gives way to shorter ones: it rests as long as it works. It can't have a low priority instead, as
// native steps have: its thread executes Go code, and whoever has to wait for that would have to wait for all who go first.

// turnTaking is how a step under way gives way.
type turnTaking struct {
	wanted atomic.Bool // others have little to do and want to be served
	worked time.Time   // since then without a rest
}

// restEvery is how long a step works between two rests, and how long a rest is.
const restEvery = 300 * time.Microsecond

// BeginLast implements linear.Machine.
func (g *machine) BeginLast() { g.GiveWay(true) }

// GiveWay implements linear.Machine.
func (g *machine) GiveWay(yes bool) { g.turns.wanted.Store(yes) }

// rest lets others go first if they want to. Loops in the guest come here (see poll).
func (t *turnTaking) rest(now time.Time) {
	switch {
	case !t.wanted.Load():
		t.worked = time.Time{}
	case t.worked.IsZero():
		t.worked = now
	case now.Sub(t.worked) >= restEvery:
		time.Sleep(restEvery)
		t.worked = time.Now()
	}
}
