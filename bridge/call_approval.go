package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

// The codes of a call that was not approved.
const (
	codeApprovalDenied  = "approval_denied"
	codeApprovalExpired = "approval_expired"
	codeTooManyAsked    = "too_many_approvals"
)

// byApprover is who changed an input that an approver edited.
const byApprover = "the approver"

// askForApproval parks a call that a person must approve, unless the session has the answer already (contract G4). What the
// person is asked about is the input as hooks have left it.
func askForApproval(_ context.Context, c *call) error {
	t := c.run.turn
	mode := t.approvalMode(c.entry)
	if mode == approval.Never {
		return nil
	}
	if d, ok := t.approvals.Remembered(t.approvalScope(), c.entry.ID(), mode); ok {
		return c.take(approval.Approval{State: d.State(), Decision: &d})
	}
	if reason := t.service.options.NoApprovers; reason != "" {
		c.decide(string(approval.Denied), reason, "")
		return &refusalError{codeApprovalDenied, denialOf(c.entry, reason)}
	}
	return c.ask(mode, approval.Approval{
		ExpiresAt: time.Now().Add(time.Duration(t.config.ApprovalTimeoutSeconds) * time.Second),
	})
}

// ask reserves an approval, which is opened when the call is parked for it. before says how it was asked for elsewhere, and
// until when.
func (c *call) ask(mode approval.Mode, before approval.Approval) error {
	r, t := c.run, c.run.turn
	ask := before
	ask.Mode, ask.TurnID, ask.RunID, ask.CallID, ask.ParentCallID = mode, t.id, r.id.String(), r.id.call(c.id), r.parent
	ask.ToolID, ask.Name, ask.Input, ask.Context = c.entry.ID(), c.entry.Name(), c.input, t.context
	ticket, err := t.approvals.Reserve(ask, t.approvalScope(), decidedCall{r, c.id, c.entry, c.isMCP()})
	var full *account.FullError
	switch {
	case errors.As(err, &full):
		return &refusalError{codeTooManyBytes, "no approval can be asked for: " + err.Error()}
	case err != nil:
		return &refusalError{codeTooManyAsked, err.Error()}
	}
	c.asked = ticket
	return parkedError(approvalRequest)
}

// take acts on how an approval ended.
func (c *call) take(a approval.Approval) error {
	d := a.Decision
	if d == nil {
		c.decide(string(a.State), a.Why, "")
		return &refusalError{codeApprovalExpired, fmt.Sprintf("the call of %s was not approved: %s", c.entry.ID(), a.Why)}
	}
	c.decide(string(a.State), d.Reason, d.Who)
	switch {
	case a.State != approval.Approved:
		return &refusalError{codeApprovalDenied, denialOf(c.entry, d.Reason)}
	case d.Edited:
		c.decide("changed", "", d.Who)
		c.changedBy = byApprover
		return c.run.requests.rewrite(c.request, d.Input)
	}
	return nil
}

func denialOf(e *catalog.Entry, reason string) string {
	text := fmt.Sprintf("the call of %s was not approved", e.ID())
	if reason != "" {
		text += ": " + reason
	}
	return text
}

// isMCP says whether the call came through the MCP namespace, where defaults of the input are filled in.
func (c *call) isMCP() bool { return c.method == engine.MethodNamespace && c.entry.IsMCP() }

// decidedCall is a call that is parked for an approval, as the approval knows it.
type decidedCall struct {
	run    *run
	number uint32
	entry  *catalog.Entry
	mcp    bool
}

// Edit holds an approver's input against the tool's schema (contract D5) and against what the run may hold, and fills in the
// defaults of MCP tools. The error is an *Error.
func (d decidedCall) Edit(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
	clock := startClock()
	defer func() {
		d.run.turn.share.Charge(clock.lap())
		clock.stop()
	}()
	err := errors.New("it is nested too deeply")
	if jsontext.Valid(input) {
		err = nil
	}
	if err == nil && d.mcp {
		input, err = d.entry.FillMCP(input)
	}
	if err == nil {
		err = d.entry.ValidateContext(ctx, input)
	}
	room := d.run.requests.roomFor(d.number, len(input))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case room != nil:
		return nil, &Error{Kind: KindTooLarge, Key: "input", Msg: fmt.Sprintf("the input has %d bytes, and %v. Approve a smaller one, or deny the call.", len(input), room)}
	case err != nil:
		return nil, &Error{Kind: KindInvalid, Key: "input", Msg: fmt.Sprintf("the input can't be given to %s: %v", d.entry.ID(), err)}
	}
	return input, nil
}

// Settled takes the call on, if its run is still there.
func (d decidedCall) Settled(a approval.Approval) {
	c, err := d.run.requests.unpark(d.number, approvalRequest, 0)
	if err != nil {
		return
	}
	if d.run.isHeard() {
		e := CallDecided{CallID: d.run.id.call(d.number), ToolID: d.entry.ID(), ApprovalID: a.ID, State: string(a.State)}
		if a.Decision != nil {
			e.By = a.Decision.Who
		}
		d.run.observeCall(c.ctx, e)
	}
	d.run.goOn(c, c.take(a))
}
