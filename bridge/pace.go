package bridge

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine"
)

// pace lets invocations that have little to do go before those that have much (contract H6). While short ones come and go, a
// long one rests longer than it works. Of what long ones make the service itself do, no more is under way at once than leaves
// a processor free. Rests are paid from the same budget, so that it is over by the wall clock when it should be.
//
// An invocation is a long one when it has used more than longInvocation. Where others want to be served it is one from its
// beginning if those of its turn usually are, or if its tenant has had more than half of the machine: nobody gains by running
// many short cells instead of a long one.
//
// Steps have their own order, in the engine: a long invocation may consist of many short steps.
type pace struct {
	busy chan struct{} // a place for each long invocation that the service works for

	mu    sync.Mutex
	last  *engine.Share // the tenant whose short invocation ended last, and when that was
	at    time.Time
	other time.Time // when the last one of another tenant did
}

const (
	// longInvocation is the processor time after which an invocation is a long one.
	longInvocation = 4 * time.Millisecond
	// shortsFollow is for how long after a short invocation others are expected.
	shortsFollow = time.Second
	// restEvery is how much a long invocation works between two rests.
	restEvery = 200 * time.Microsecond
	// restFactor is how many times longer a rest is than the work before it.
	restFactor = 2
	// maxRest bounds one rest.
	maxRest = 5 * time.Millisecond
)

func newPace() pace {
	return pace{busy: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
}

// ended notes that an invocation of a run has ended.
func (p *pace) ended(r *run, i *invocation) {
	r.turn.usual.add(i.used)
	if i.used > longInvocation {
		return
	}
	tenant := r.turn.of.share
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != tenant {
		p.last, p.other = tenant, p.at
	}
	p.at = time.Now()
}

// wanted says whether short invocations come and go, of anybody and of others than the tenant.
func (p *pace) wanted(tenant *engine.Share) (anybody, others bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	other := p.at
	if p.last == tenant {
		other = p.other
	}
	return time.Since(p.at) < shortsFollow, time.Since(other) < shortsFollow
}

// long says whether an invocation is a long one, and whether short ones want to go first.
func (p *pace) long(r *run, i *invocation) (long, wanted bool) {
	long = i.used > longInvocation
	usually, greedy := r.turn.usual.value() > longInvocation, r.turn.of.share.Recent() > muchOfMachine
	if !long && !usually && !greedy {
		return false, false
	}
	anybody, others := p.wanted(r.turn.of.share)
	wanted = anybody && (long || usually) || others
	return long || wanted, wanted
}

// usual is about what an invocation of a turn uses. It is safe for concurrent use; of two that end at once, one may not count.
type usual struct{ nanoseconds atomic.Int64 }

func (u *usual) value() time.Duration { return time.Duration(u.nanoseconds.Load()) }

// add takes one more into account: it counts an eighth, and none counts as more than 100 ms.
func (u *usual) add(used time.Duration) {
	before := u.value()
	u.nanoseconds.Store(int64(before + (min(used, 100*time.Millisecond)-before)/8))
}

// muchOfMachine is what a tenant has used lately who has had half of the machine (see engine.Share).
var muchOfMachine = time.Duration(runtime.NumCPU()) * 750 * time.Millisecond

// rest lets a long invocation rest if it is time, and says whether it is one.
func (p *pace) rest(r *run, i *invocation) (long bool) {
	long, wanted := p.long(r, i)
	due := i.used - i.rested
	if !long || !wanted || due < restEvery || i.left <= 0 {
		return long
	}
	i.rested = i.used
	began := time.Now()
	timer := time.NewTimer(min(restFactor*due, maxRest, i.left/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.ctx.Done():
	}
	i.restedFor(time.Since(began))
	return true
}

// enter waits for a place for what the service does for a long invocation, which leave frees. It says whether it has one.
func (p *pace) enter(r *run, i *invocation) bool {
	if i.used <= longInvocation {
		return false
	}
	select {
	case p.busy <- struct{}{}:
		return true
	case <-r.ctx.Done():
		return false
	}
}

func (p *pace) leave(entered bool) {
	if entered {
		<-p.busy
	}
}
