package bridge

import (
	"context"
	"encoding/json"
	"time"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

// requestKind says who settles a request.
type requestKind int

const (
	answeredRequest requestKind = iota // its answer is known already: a lookup, or a call that was refused
	localRequest                       // a call that an executor carries out
	callerRequest                      // a call that the caller carries out
	approvalRequest                    // a call that a person decides about
	yieldRequest                       // waits for the next wait
	timerRequest                       // waits for its time
	requestKinds
)

// request is something that the cell asked for and has not been answered yet. What a step asks for belongs to the
// goroutine that drives the run until requests.add; from then on, the fields from kind on are changed under requests.mu
// (whoever is at work on a call may read them without it), and the others do not change.
type request struct {
	id     uint32 // the guest's own number
	method engine.Method
	call   *call          // on its way, if it is one
	entry  *catalog.Entry // of a call, once it was looked up
	answer engine.Answer  // of an answeredRequest or a yieldRequest
	due    time.Time      // of a timerRequest

	ctx context.Context // of a call that was started

	kind           requestKind
	brought        requestKind // as which it was parked last, once it has what it waited for
	input          json.RawMessage
	held           int         // bytes in the run's account
	heldResult     int         // the same, for the result of a call that is at later stages
	settled        bool        // its answer lies in the mailbox
	noted          bool        // as one that may change something
	callID         string      // by which the world knows the call, once it was started
	effect         *SideEffect // the same
	previous, next *request    // in the order of the requests
	timerIndex     int         // in the heap of timers
}

// requestOverhead is what a request costs beside its input, in bytes.
const requestOverhead = 256

// size is how many bytes are held for the request until it is settled.
func (q *request) size() int {
	size := requestOverhead + len(q.input) + len(q.answer.Payload)
	if q.call != nil {
		for i := range q.call.decisions {
			size += len(q.call.decisions[i].Reason) + len(q.call.decisions[i].By)
		}
	}
	return size
}

// resolve makes it a request whose promise resolves to a JSON value.
func (q *request) resolve(payload []byte) {
	q.kind, q.answer = answeredRequest, engine.Answer{ID: q.id, Kind: engine.AnswerValue, Payload: payload}
}

// The codes that a failed call's error carries (contract D7).
const (
	codeUnknownTool  = "unknown_tool"
	codeInvalidInput = "invalid_input"
	codeToolError    = "tool_error"
	codeToolTimeout  = "tool_timeout"
	codeTooManyBytes = "too_many_bytes"
	codeHookBlocked  = "hook_blocked"
	codeHookFailed   = "hook_failed"
	codeNoAudit      = "audit_unavailable"
	codeStoreFull    = "store_full"
	codeStoreOff     = "store_off"
)

// refuse makes it a request whose promise rejects.
func (q *request) refuse(callID, code, text string) {
	q.kind, q.answer = answeredRequest, q.rejection(callID, code, text)
}

// rejection is an answer that rejects: what the cell catches is a plain error with these as own properties.
func (q *request) rejection(callID, code, text string) engine.Answer {
	payload := jsontext.AppendString([]byte(`{"name":"Error","message":`), text)
	payload = jsontext.AppendField(payload, "code", code)
	if q.entry != nil {
		payload = jsontext.AppendField(payload, "toolId", q.entry.ID())
		payload = jsontext.AppendField(payload, "callId", callID)
	}
	return engine.Answer{ID: q.id, Kind: engine.AnswerError, Payload: append(payload, '}')}
}
