package bridge

import (
	"slices"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
)

// mustSuspend says whether the run has to wait for somebody else although its drain budget is not spent (contract
// C1, C2): it yielded; or its config drains no tools.* calls and one is pending; or all that is left needs the
// caller, or comes after the budget's end.
func (r *run) mustSuspend(fresh []*item, l *leg) bool {
	if l.drainLeft <= 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	drainable := len(r.mailbox) > 0
	end := time.Now().Add(l.drainLeft)
	for _, it := range r.order {
		switch {
		case it.kind == yieldItem:
			return true
		case r.turn.config.Drain == config.DrainNamespaces && isToolsCall(it.method):
			return true
		case it.kind == readyItem, it.kind == localItem, it.kind == timerItem && it.due.Before(end):
			drainable = true
		}
	}
	return !drainable
}

func isToolsCall(m engine.Method) bool {
	return m >= engine.MethodSearch && m <= engine.MethodCallValue
}

// suspend parks the run and returns the waiting result, or fails the run if it may not be parked. The calls in
// fresh are started only when it is certain that the run will be there to hear the answers (contract C6).
//
// The heap stays where it is until it is moved into a snapshot (see handoffs), which is not the caller's to wait for.
func (r *run) suspend(fresh []*item) *Result {
	switch size, err := r.vm.Footprint(); {
	case err != nil:
		return r.fail(engineFailure(err, r))
	case size > r.turn.config.MaxSnapshotBytes:
		return r.fail(snapshotOver(r.turn.config.MaxSnapshotBytes))
	}
	if !r.service.keep(r) {
		return r.fail(tooManySuspended)
	}
	pending := r.pendingCalls()
	r.dispatch(fresh)
	result := r.result(Waiting)
	result.Pending, result.Reason = pending, reasonOf(pending)
	result.RunID = r.id
	if !r.park(time.Now().Add(time.Duration(r.turn.config.SnapshotTTLSeconds) * time.Second)) {
		return r.failWith(result, aborted)
	}
	return result
}

// park hands the run over to whoever resumes, aborts or expires it next; the caller must not touch it afterwards. It
// returns false if the run has been aborted, or its client has gone.
func (r *run) park(expiresAt time.Time) bool {
	if !r.detach() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return false
	}
	r.state, r.expiresAt = suspended, expiresAt
	if r.vm != nil {
		r.suspensions++
	}
	if h := r.service.handoffs; h != nil {
		h.park(r)
	}
	left := max(time.Until(expiresAt), 0)
	if r.expiry == nil {
		r.expiry = time.AfterFunc(left, r.abortIfExpired)
	} else {
		r.expiry.Reset(left)
	}
	return true
}

// abortIfExpired is the TTL's end (contract C6). The timer may fire while the run is being resumed, or late, after
// it was parked anew; only the run's own expiry counts.
func (r *run) abortIfExpired() {
	r.mu.Lock()
	expired := r.state == suspended && !time.Now().Before(r.expiresAt)
	r.mu.Unlock()
	if expired {
		r.abort()
	}
}

// pendingCalls lists what the run waits for, in the order of the requests (contract C2).
func (r *run) pendingCalls() []PendingCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := make([]PendingCall, 0, len(r.order))
	for _, it := range r.order {
		if it.settled {
			continue
		}
		p := PendingCall{ID: it.callID, Method: it.method.String()}
		if it.entry != nil {
			p.ToolID, p.Name = it.entry.ID(), it.entry.Name()
		}
		if it.kind == callerItem {
			p.Input = it.input
		}
		calls = append(calls, p)
	}
	return calls
}

func reasonOf(pending []PendingCall) string {
	notYield := func(p PendingCall) bool { return p.Method != engine.MethodYield.String() }
	if len(pending) > 0 && !slices.ContainsFunc(pending, notYield) {
		return "yield"
	}
	return "pending_tools"
}
