package wasi

import (
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine/internal/stepper"
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

var _ stepper.Yielding = (*instance)(nil)

// BeginLast implements stepper.Yielding.
func (i *instance) BeginLast() { i.GiveWay(true) }

// GiveWay implements stepper.Yielding.
func (i *instance) GiveWay(yes bool) { i.turns.wanted.Store(yes) }

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
