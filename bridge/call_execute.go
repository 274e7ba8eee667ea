package bridge

import (
	"context"
	"time"

	"github.com/codecell/codecell/bridge/executor"
)

// isCarriedOut says whether an executor of the service is at work on the call, and not the caller.
func isCarriedOut(c *call) bool {
	tool := c.run.turn.executor(c.entry)
	return !tool.ByCaller()
}

// execute has the tool's executor carry the call out (contract G3); one of the caller's waits for the caller (contract C10).
func execute(ctx context.Context, c *call) error {
	r := c.run
	tool := r.turn.executor(c.entry)
	if err := r.service.canAudit(); err != nil {
		return err
	}
	c.reached = true
	if tool.ByCaller() {
		return parkedError(callerRequest)
	}
	if !r.requests.begin(c.request) {
		return errRunOver
	}
	r.observeCall(ctx, CallStarted{CallID: c.callID, ToolID: c.entry.ID()})
	ctx = c.startSpan(ctx)
	c.started = time.Now()
	answer := arriving{requests: &r.requests}
	defer answer.release()
	c.result, c.err = tool.Execute(ctx, executor.Call{
		ID: c.callID, ParentID: r.parentID(ctx), RunID: r.id.String(), TurnID: r.turn.id, Tenant: r.turn.tenant,
		Tool: c.entry, Input: c.input, Context: r.turn.context, Progress: r.progressOf(ctx, c), Hold: answer.hold, Attempts: &c.attempts,
	})
	c.took = time.Since(c.started)
	return nil // what it came to is in the call, for the stages that follow
}
