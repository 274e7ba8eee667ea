package bridge

import (
	"context"
	"time"

	"github.com/codecell/codecell/bridge/executor"
)

// execute has the tool's executor carry the call out (contract G3).
func execute(ctx context.Context, c *call) error {
	r := c.run
	tool := r.turn.executor(c.entry)
	r.observeCall(ctx, CallStarted{CallID: c.callID, ToolID: c.entry.ID()})
	c.started = time.Now()
	c.result, c.err = tool.Execute(ctx, executor.Call{
		ID: c.callID, ParentID: r.parentID(ctx), RunID: r.id.String(), TurnID: r.turn.id, Tenant: r.turn.tenant,
		Tool: c.entry, Input: c.input, Context: r.turn.context, Progress: r.progressOf(ctx, c),
	})
	return c.err
}
