package bridge

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine"
)

// record notes what the call came to: every call ends here, also one that was refused, and it does so once. Its reply is
// what the guest is told (contract B7, D5, D7).
func record(ctx context.Context, c *call) error {
	c.withdraw("the call was refused")
	c.reply, c.state = c.outcome()
	if c.err != nil && (errors.Is(c.err, errRunOver) || c.run.ctx.Err() != nil) {
		c.state = stateCancelled
	}
	if c.ran == "" {
		c.ran = c.state
	}
	c.enter()
	c.observeEnd(ctx)
	return nil
}

// observeEnd tells what the call came to, and ends its span.
func (c *call) observeEnd(ctx context.Context) {
	if !c.run.isHeard() && c.trace == nil {
		return
	}
	e := CallEnded{CallID: c.callID, Took: c.took, Decisions: c.decisions}
	e.State, e.Code = c.ending()
	if e.CallID == "" && c.run.turn.log.Load() != nil {
		e.CallID = c.run.id.call(c.id) // it was refused before anybody named it
	}
	if c.entry != nil {
		e.ToolID = c.entry.ID()
	}
	c.run.observeCall(ctx, e)
	c.endSpan(ctx, e.State, e.Code)
}

// ending says for those who look on what the call came to, and with which code if it has failed.
func (c *call) ending() (state, code string) {
	state = c.state
	if state == stateFailed && !c.reached {
		state = stateRefused
	}
	switch {
	case c.err != nil:
		code = codeOfError(c.err)
	case c.state == stateFailed: // the tool's result says so
		code = codeToolError
	}
	return state, code
}

// outcome turns what the stages left in the call into the guest's answer.
func (c *call) outcome() (engine.Answer, string) {
	if c.err == nil {
		return c.success()
	}
	return c.reject(codeOfError(c.err), c.err.Error())
}

// codeOfError is the code that the guest's error has.
func codeOfError(err error) string {
	var refused *refusalError
	var full *account.FullError
	switch {
	case errors.As(err, &refused):
		return refused.code
	case errors.As(err, &full):
		return codeTooManyBytes
	case errors.Is(err, executor.ErrTimeout):
		return codeToolTimeout
	}
	return codeToolError
}

func (c *call) reject(code, text string) (engine.Answer, string) {
	return c.rejection(c.run.id.call(c.id), code, text), stateFailed
}

// success is the answer for a tool's result, and the state of its call: a result may say of itself that it is an error.
func (c *call) success() (engine.Answer, string) {
	text, isError := failureText(c.result)
	state := stateCompleted
	if isError {
		state = stateFailed
	}
	answer := engine.Answer{ID: c.id, Kind: engine.AnswerValue, Payload: c.result}
	switch c.method {
	case engine.MethodCall:
		payload := append([]byte(`{"tool":`), c.entry.JSON()...)
		payload = append(append(payload, `,"result":`...), c.result...)
		answer.Payload = append(payload, '}')
	case engine.MethodCallValue:
		if isError {
			return c.reject(codeToolError, text)
		}
		answer.Payload = usefulValue(c.result)
	case engine.MethodNamespace:
		if c.entry.IsMCP() {
			break // the cell is given what the server said
		}
		if isError {
			return c.reject(codeToolError, text)
		}
		answer.Payload = detailsOf(c.result)
	}
	return answer, state
}

// answerSize is about how many bytes the guest's answer has.
func (c *call) answerSize(result json.RawMessage, failed error) int {
	if failed != nil {
		return len(failed.Error())
	}
	size := len(result)
	if c.method == engine.MethodCall {
		size += len(c.entry.JSON())
	}
	return size
}
