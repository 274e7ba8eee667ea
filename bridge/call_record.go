package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/engine"
)

// record notes what the call came to and hands its answer to the guest (contract B7, D5, D7).
func record(ctx context.Context, c *call) error {
	answer, state := c.run.outcome(c)
	c.run.observeCall(ctx, CallEnded{
		CallID: c.callID, ToolID: c.entry.ID(), State: state, Took: time.Since(c.started),
	})
	c.run.requests.finish(c.request, answer, state, ctx.Err() != nil && c.err != nil)
	return nil
}

// outcome turns what an executor returned into the guest's answer.
func (r *run) outcome(c *call) (engine.Answer, string) {
	switch {
	case errors.Is(c.err, executor.ErrTimeout):
		return c.rejection(c.callID, codeToolTimeout, c.err.Error()), stateFailed
	case c.err != nil:
		return c.rejection(c.callID, codeToolError, c.err.Error()), stateFailed
	}
	return r.success(c.request, c.result)
}

// success is the answer for a tool's result, and the state of its call: a result may say of itself that it is an error.
func (r *run) success(q *request, result []byte) (engine.Answer, string) {
	text, isError := failureText(result)
	state := stateCompleted
	if isError {
		state = stateFailed
	}
	answer := engine.Answer{ID: q.id, Kind: engine.AnswerValue, Payload: result}
	switch q.method {
	case engine.MethodCall:
		payload := append([]byte(`{"tool":`), q.entry.JSON()...)
		payload = append(append(payload, `,"result":`...), result...)
		answer.Payload = append(payload, '}')
	case engine.MethodCallValue:
		if isError {
			return q.rejection(r.id.call(q.id), codeToolError, text), state
		}
		answer.Payload = usefulValue(result)
	case engine.MethodNamespace:
		if q.entry.IsMCP() {
			break // the cell is given what the server said
		}
		if isError {
			return q.rejection(r.id.call(q.id), codeToolError, text), state
		}
		answer.Payload = detailsOf(result)
	}
	return answer, state
}
