package bridge

import (
	"slices"

	"github.com/codecell/codecell/engine"
)

// pendingCalls lists what the run waits for, in the order of the requests (contract C2).
func (r *run) pendingCalls() []PendingCall {
	pending := r.requests.pending()
	calls := make([]PendingCall, 0, len(pending))
	for _, q := range pending {
		p := PendingCall{ID: r.id.call(q.id), Method: q.method.String()}
		if q.entry != nil {
			p.ToolID, p.Name = q.entry.ID(), q.entry.Name()
		}
		if q.kind == callerRequest {
			p.Input = q.input
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
