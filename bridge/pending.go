package bridge

import (
	"slices"

	"github.com/codecell/codecell/engine"
)

// methodApproval is the method of a call that waits for an approval (contract C2, G4).
const methodApproval = "approval"

// pendingCalls lists what the run waits for, in the order of the requests (contract C2).
func (s *requests) pendingCalls() []PendingCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := []PendingCall{}
	for q := s.first; q != nil; q = q.next {
		p := PendingCall{ID: s.run.call(q.id), Method: q.method.String()}
		if q.entry != nil {
			p.ToolID, p.Name = q.entry.ID(), q.entry.Name()
		}
		switch q.kind {
		case callerRequest:
			p.Input = q.input
		case approvalRequest:
			p.Method, p.ApprovalID = methodApproval, q.call.asked.ID()
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
