package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/trajectory"
	"github.com/codecell/codecell/engine"
)

// call is a nested tool call on its way through the stages. One goroutine at a time is at work on it, and the fields below
// the request are that one's: first the one that drives the run, then one of the call's own, and, after the call was parked,
// the one that brings what it waited for. At the end of the run it is the one that ends the run, for calls that nobody is at
// work on then. No lock of the run is held in any stage.
type call struct {
	*request
	run       *run
	target    string  // what the cell named
	at        stageID // the stage that it is at
	driving   bool    // at work is the goroutine that drives the run: its invocation is charged for the stages
	decisions []Decision
	result    json.RawMessage  // what the tool answered
	err       error            // why it did not, or why the call was refused
	began     time.Time        // when the cell asked for it
	reached   bool             // its tool, or the caller
	started   time.Time        // by the executor
	attempts  int              // of the executor
	took      time.Duration    // of the executor
	ran       string           // the state of what the tool did, whatever became of its result
	reply     engine.Answer    // what the guest is told, once recorded
	state     string           // the same in one word
	asked     *approval.Ticket // about it, once it needs an approval
	changedBy string           // who changed the input that the cell sent; empty for nobody
	trace     *callTrace       // nil where no spans are recorded
	busy      bool             // somebody is at work on it, other than who drives the run; under requests.mu
	placed    bool             // it has a place; the same

	firstDecision [1]Decision // room for what nearly every call has
}

// Decision is what a stage decided about a call, for the trajectory (contract G5).
type Decision = trajectory.Decision

// Bounds of what is noted for one call.
const (
	maxDecisions      = 64
	maxDecisionReason = 500 // bytes
)

// decide notes what the stage that the call is at has decided. Where the run has no room for the reason, it is left out.
func (c *call) decide(outcome, reason, by string) {
	if c.decisions == nil {
		c.decisions = c.firstDecision[:0]
	}
	if len(c.decisions) == maxDecisions {
		return
	}
	reason = cutText(reason, maxDecisionReason)
	if size := len(reason) + len(by); size > 0 && c.run.requests.charge(c.request, size) != nil {
		reason, by = "", ""
	}
	c.decisions = append(c.decisions, Decision{Stage: c.at.String(), Outcome: outcome, Reason: reason, By: by})
}

// cutText returns what a text begins with, up to so many bytes, as UTF-8.
func cutText(text string, limit int) string {
	if len(text) > limit {
		text = strings.Clone(text[:limit]) // which must not keep the rest
	}
	return strings.ToValidUTF8(text, "")
}

// stageID says where a call is on its way.
type stageID int

// The stages of a nested call, in this order (contract G1). Each is a file of its own, call_….go, and there is no other way
// to a tool.
const (
	atLookUp stageID = iota
	atPolicy
	atHooksBefore
	atApproval
	atValidation
	atExecution
	atHooksAfter
	atRecord
	stageCount
)

// stage is one of the things that happen to a nested call.
type stage struct {
	name string
	// asks says whether the stage has to ask somebody else about this call and wait for the answer. It then happens on a
	// goroutine of the call's own, when there is a place for it (contract D6). Nil: never.
	asks func(*call) bool
	// run returns a *refusalError where the call is refused: it goes on with record. A parkedError where it has to wait for
	// somebody without a goroutine.
	run func(context.Context, *call) error
}

var stages [stageCount]stage

// A variable that is initialized by a literal must not be used by the functions in it, and stages start calls.
func init() {
	stages = [stageCount]stage{
		atLookUp:      {"lookup", nil, lookUp},
		atPolicy:      {"policy", nil, checkPolicy},
		atHooksBefore: {"before", hasHooksBefore, runHooksBefore},
		atApproval:    {"approval", nil, askForApproval},
		atValidation:  {"validate", nil, validateInput},
		atExecution:   {"execute", isCarriedOut, execute},
		atHooksAfter:  {"after", hasHooksAfter, runHooksAfter},
		atRecord:      {"record", nil, record},
	}
}

func (id stageID) String() string { return stages[id].name }

// stageNamed finds a stage by what String returned.
func stageNamed(name string) (stageID, bool) {
	for id := range stageCount {
		if stages[id].name == name {
			return id, true
		}
	}
	return 0, false
}

// refusalError ends a call: the guest's promise rejects with its code and text.
type refusalError struct{ code, text string }

func (e *refusalError) Error() string { return e.text }

// parkedError is no failure: the call waits for whoever settles requests of that kind, and nobody here is at work on it.
// It goes on with the next stage when that one has come (see requests.unpark).
type parkedError requestKind

func (parkedError) Error() string { return "parked" }

// advance takes a call on until it has passed all stages, is parked, or has come to a stage that asks somebody else, unless
// this may be waited for here. It returns what kind of request the call is then; an answeredRequest has its reply.
func (c *call) advance(ctx context.Context, mayWait bool) requestKind {
	for c.at < stageCount {
		s := &stages[c.at]
		if !mayWait && s.asks != nil && s.asks(c) {
			return localRequest
		}
		err := s.run(ctx, c)
		if err == nil {
			c.at++
			continue
		}
		var parked parkedError
		switch {
		case errors.As(err, &parked):
			return requestKind(parked)
		case c.driving && ctx.Err() != nil:
			c.fail(errRunOver)
		default:
			c.fail(err)
		}
	}
	return answeredRequest
}

// fail lets a call go on with record.
func (c *call) fail(err error) { c.err, c.at = err, atRecord }

// The stages up to the first that asks somebody else change nothing. They happen when a step has asked for the call, before
// it is known whether the run must be suspended: one that may not be must not have started the calls of that suspension
// (contract C6).

// admitCall takes a call so far. It fails when ctx ends before that; the call is recorded then.
func (r *run) admitCall(ctx context.Context, q *request, asked *engine.Request) error {
	c := &call{request: q, run: r, target: asked.Name, began: time.Now(), driving: true, trace: r.tracedCall()}
	q.call, q.input = c, asked.Payload
	q.kind = c.advance(ctx, false)
	c.driving = false
	if ctx.Err() != nil {
		if q.kind != answeredRequest {
			r.giveUp(c)
		}
		return ctx.Err()
	}
	if q.kind == answeredRequest {
		q.answer, q.input = c.reply, nil // what it held is not needed any more
	}
	return nil
}

// carryOut takes a call that has a place further, and starts the next one that waits for it.
func (r *run) carryOut(c *call) {
	r.leave(c, r.handle(c, true))
	r.startCalls()
}

// handle takes a call further on a goroutine of its own, and notes what that takes of a processor for the invocation to be
// charged (contract H6). It is taken from the wall clock, which goes on while a tool is waited for, so it is bounded by what
// a call of that size takes.
func (r *run) handle(c *call, mayWait bool) requestKind {
	began := time.Now()
	kind := c.advance(c.ctx, mayWait)
	r.handled.Add(int64(min(time.Since(began), maxHandling(len(c.input)+len(c.result)+len(c.reply.Payload)))))
	return kind
}

// maxHandling is about what the service takes at most to carry out a call with so many bytes of input and result.
func maxHandling(bytes int) time.Duration {
	const each, perByte = 20 * time.Microsecond, 2 * time.Nanosecond
	return each + time.Duration(bytes)*perByte
}

// goOn takes a call further that was parked and has what it waited for, unless that is a reason to refuse it. It does not
// wait: what must be asked for is asked on a goroutine of the call's own.
func (r *run) goOn(c *call, refused error) {
	if c.at++; refused != nil {
		c.fail(refused)
	}
	r.leave(c, r.handle(c, false))
	r.startCalls()
}

// leave says where a call is that the caller is not at work on any more. Its place is free then.
func (r *run) leave(c *call, kind requestKind) {
	var left bool
	switch kind {
	case answeredRequest:
		r.requests.finish(c)
		return
	case localRequest:
		left = r.requests.enqueue(c)
	default:
		asked := c.asked
		r.observeWait(c.ctx, c.request, kind)
		if left = r.requests.park(c, kind); left && asked != nil {
			asked.Open()
		}
	}
	if !left {
		r.giveUp(c)
	}
}

// errRunOver is why a call ends that has not passed all stages when its run ends.
var errRunOver = errors.New("the run has ended")

// giveUp records a call of a run that is over, which nobody is at work on any more.
func (r *run) giveUp(c *call) {
	c.withdraw(errRunOver.Error())
	c.fail(errRunOver)
	c.advance(r.ctx, false)
}

// withdraw ends an approval that nobody waits for any more.
func (c *call) withdraw(why string) {
	if c.asked != nil {
		c.asked.Withdraw(why)
	}
}

// refuse answers a request with an error. What it held is not needed any more.
func (r *run) refuse(q *request, err error) {
	if c := q.call; c != nil && c.at < stageCount { // a call that was admitted
		c.fail(err)
		c.advance(r.ctx, false)
		q.kind, q.answer, q.input = answeredRequest, c.reply, nil
		return
	}
	q.refuse(r.id.call(q.id), refusalCode(err), err.Error())
	q.input = nil
}

func refusalCode(err error) string {
	var refused *refusalError
	if errors.As(err, &refused) {
		return refused.code
	}
	return codeInvalidInput
}
