package bridge

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/trajectory"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
	"github.com/codecell/codecell/namespaces"
)

// cell is the source that a run is of.
type cell struct {
	code     string // as the model wrote it
	language script.Language
	source   *script.Source // prepared from it
	parsing  time.Duration  // processor time that this took, and making its globals
	catalog  []byte         // of the turn, as the guest sees it
}

// run is a cell's life, from exec to completed or failed. Its parts own their locks (the run itself has none), and no part
// calls into another while it holds its lock, but to ask for the run's name:
//
//	lifecycle  who may touch the run
//	guest      where its guest is
//	requests   what it has asked for, and the answers
//
// The fields below them belong to the goroutine that drives the run: one exec or wait at a time.
type run struct {
	service *Service
	turn    *Turn
	cell    cell
	scopes  *namespaces.Scopes // of the plugins' namespaces that the run sees
	globals []byte             // what the guest makes of them, and of the store
	id      runID
	ctx     context.Context // ends with the run; nested calls hang on it
	cancel  context.CancelFunc
	claim   *engine.Claim   // on which its steps are executed; no part of the run, since contexts outlive that
	account account.Account // bytes that are held for the run; its end releases them

	lifecycle lifecycle
	guest     guest
	requests  requests
	parking   parking // the offloader's
	tracing   tracing
	handled   atomic.Int64                         // nanoseconds that calls took since the last step: see handle
	listener  atomic.Pointer[func(CallProgressed)] // of the request being served, if it wants to hear
	told      events.Source                        // as those who listen to the turn know it
	over      atomic.Bool                          // and it is not told any more

	parent        string            // the exec that the run came of, as the caller names it
	group         *trajectory.Group // of it in the trajectory of the turn
	invocation    *invocation       // being served
	usage         Usage
	output        outputLog
	settled       bool        // the cell's promise has settled
	value         []byte      // JSON, once settled
	started       time.Time   // when the observer was told so
	exported      bool        // it goes on elsewhere
	imported      bool        // it has begun elsewhere
	ended         RunEnded    // what the observer is told of it
	noticed       engine.Hint // about the value
	hints         []string
	whyNothing    string           // was returned, if that is known
	misused       []engine.Misused // promises, in the step that was last
	foresight     *foresight       // of errors that the cell may catch
	leftTimers    []string         // the callbacks of timers that were set last and had not fired when the cell's promise was fulfilled
	timersMayFire bool             // calls were left under way then
	missesAwait   bool             // and the model was told
	read          *script.Reading  // of the cell, once something about its text was asked
	wasRead       bool
}

// runOverhead is what a run costs beside what is counted one by one, in bytes.
const runOverhead = 8 << 10

// newRun fails with a *account.FullError when its tenant may not hold one more run.
func newRun(t *Turn, c cell) (*run, error) {
	s := t.service
	r := &run{service: s, turn: t, cell: c, output: newOutputLog(&t.config)}
	r.account.Open(t.account, "run", int64(t.config.MaxHeldBytes))
	r.requests.init(&r.id, t.config.MaxPendingToolCalls, &r.account)
	// The text is there as it came and as it was prepared.
	if err := r.account.Hold(runOverhead + 2*len(c.code)); err != nil {
		return nil, err
	}
	r.claim = &engine.Claim{Share: t.share}
	r.ctx, r.cancel = context.WithCancel(engine.WithClaim(context.Background(), r.claim))
	return r, nil
}

// keep counts bytes that the run holds until it ends.
func (r *run) keep(n int) error { return r.account.Hold(n) }

// discard ends a run that nobody knows yet.
func (r *run) discard() {
	r.cancel()
	for _, c := range r.requests.gated() {
		c.withdraw("the run could not be imported")
	}
	r.account.Close()
}

// interrupt ends the step and the calls that are under way; whoever drives the run sees its context end.
func (r *run) interrupt() {
	r.cancel()
	r.guest.interrupt()
}

// abort ends the run from outside (contract G7).
func (r *run) abort() {
	r.interrupt()
	if r.lifecycle.endSuspended() {
		r.release()
	}
}

// end is called by whoever drives the run, when it is over.
func (r *run) end() {
	if r.invocation != nil {
		r.invocation.detach()
	}
	r.lifecycle.end()
	r.release()
}

// release gives back what the run holds: its place, its heap, its calls, its bytes. It is called once.
func (r *run) release() {
	r.cancel()
	r.over.Store(true)
	r.requests.end()
	r.abandonCalls()
	r.observeEnd()
	r.service.unregister(r)
	r.turn.removeRun(r)
	if o := r.service.offloader; o != nil {
		o.unpark(r)
	}
	if r.guest.close() {
		_ = r.service.offloader.store.Delete(context.Background(), r.id.String())
	}
	r.account.Close()
}

// abandonCalls records the calls that nobody is at work on, now that the run is over here.
func (r *run) abandonCalls() {
	for _, c := range r.requests.abandoned() {
		if r.exported {
			c.withdraw("the run has left this service; decide it where the run was imported")
		} else {
			r.giveUp(c)
		}
	}
}

// suspend parks the run and returns the waiting result, or fails the run if it may not be parked. The calls in fresh are
// started only when it is certain that the run will be there to hear the answers (contract C6).
//
// The guest stays where it is until it is offloaded, which is not the caller's to wait for.
func (r *run) suspend(fresh []*request) *Result {
	switch size, err := r.guest.footprint(); {
	case err != nil:
		return r.fail(engineFailure(err, r))
	case size > r.turn.config.MaxSnapshotBytes:
		return r.fail(snapshotOver(r.turn.config.MaxSnapshotBytes))
	}
	if !r.service.register(r) {
		return r.fail(tooManySuspended)
	}
	pending := r.requests.pendingCalls()
	r.start(fresh)
	result := r.result(Waiting)
	result.Pending, result.Reason, result.RunID = pending, reasonOf(pending), r.id.String()
	ttl := time.Duration(r.turn.config.SnapshotTTLSeconds) * time.Second
	if !r.park(time.Now().Add(ttl)) {
		return r.failWith(result, aborted)
	}
	return result
}

// park hands the run over to whoever resumes, aborts or expires it next; the caller must not touch it afterwards. It
// returns false if the run has been aborted, or its client has gone: then the run is still the caller's.
func (r *run) park(expiresAt time.Time) bool {
	if !r.invocation.detach() {
		return false
	}
	r.observe(RunSuspended{})
	r.lifecycle.keepUntil(expiresAt)
	if r.guest.rest() && r.service.offloader != nil {
		r.service.offloader.park(r)
	}
	return r.lifecycle.suspend(r.ctx, r.expire)
}

// expire is the TTL's end (contract C6).
func (r *run) expire() {
	if !r.lifecycle.expired() {
		return
	}
	r.interrupt()
	if r.lifecycle.endSuspended() {
		r.ended.Cause = CauseExpired
		r.release()
	}
}

// start lets what a step asked for begin: answers that are known, and calls as far as there are places (contract D6).
func (r *run) start(fresh []*request) {
	if len(fresh) > 0 {
		r.observeWaits(fresh)
		for _, question := range r.requests.start(r.callContext(), fresh) {
			question.Open()
		}
		r.startCalls()
	}
}

// observeWaits tells of the calls that begin with waiting for somebody outside.
func (r *run) observeWaits(fresh []*request) {
	if !r.isHeard() {
		return
	}
	for _, q := range fresh {
		if q.kind == callerRequest || q.kind == approvalRequest {
			r.observeWait(r.callContext(), q, q.kind)
		}
	}
}

// startCalls starts calls while there are places.
func (r *run) startCalls() {
	for r.ctx.Err() == nil {
		c := r.requests.next()
		if c == nil {
			return
		}
		go r.carryOut(c)
	}
}
