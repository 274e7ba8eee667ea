package bridge

import (
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
)

// failure is why a run failed.
type failure struct {
	code   Code
	text   string
	detail *Detail
	again  bool // the same cell might succeed if it is run once more
}

var (
	aborted          = failure{code: CodeAborted, text: "code mode run was aborted.", again: true}
	neverSettles     = failure{code: CodeInternal, text: "code mode promise is pending without host work"}
	tooManySuspended = failure{code: CodeInvalidInput, text: "too many suspended code mode runs.", again: true}
)

func snapshotOver(limit int) failure {
	return failure{code: CodeSnapshotLimit, text: fmt.Sprintf(
		"code mode snapshot limit exceeded: the suspended state is over %d bytes. Keep less data in variables across await, or return it in parts.", limit)}
}

func outputOver(r *run) failure {
	return failure{code: CodeOutputLimit, text: fmt.Sprintf(
		"code mode output limit exceeded: value and output may each have %d bytes as JSON. Return a summary, or only the fields that are needed.",
		r.turn.config.MaxOutputBytes)}
}

// engineFailure says in the contract's words (B8) what ended a step.
func engineFailure(err error, r *run) failure {
	switch {
	case errors.Is(err, engine.ErrTimeout):
		return timedOut(r)
	case errors.Is(err, engine.ErrStopped):
		return aborted
	case errors.Is(err, engine.ErrMemory):
		return failure{code: CodeMemoryLimit, text: fmt.Sprintf(
			"code mode memory limit exceeded: the cell's heap may have %d bytes. Work on less data at once.",
			r.turn.config.MemoryLimitBytes)}
	case errors.Is(err, engine.ErrOutput):
		return outputOver(r)
	case errors.Is(err, errHeld):
		return failure{code: CodeMemoryLimit, text: fmt.Sprintf(
			"code mode memory limit exceeded: the inputs, answers and output of a run may take %d bytes. Await calls before starting others, and pass less data.",
			r.turn.config.MaxHeldBytes)}
	}
	r.service.options.Logger.Error("engine failed a run", "error", err, "turn", r.turn.id)
	switch {
	case errors.Is(err, engine.ErrBroken):
		return failure{code: CodeRuntimeUnavailable, text: "the code mode runtime met a bug of its own in this cell. Write it differently."}
	case errors.Is(err, engine.ErrLost):
		return failure{
			code: CodeRuntimeUnavailable, again: true,
			text: "the process that the cell ran in was lost, and the run could not be rebuilt. Run the cell again.",
		}
	}
	return failure{code: CodeRuntimeUnavailable, text: "the code mode runtime failed; nothing is wrong with the cell that is known", again: true}
}

// timedOut says which clock it was. A guest that had a processor for most of its time has computed too much; one that
// had not was kept from it by others.
func timedOut(r *run) failure {
	limit := time.Duration(r.turn.config.TimeoutMs) * time.Millisecond
	i := r.invocation
	computed := limit - i.left - i.asleep - i.service - i.resting
	if i.measured && i.left <= 0 && i.resting > 0 && i.resting+i.service > computed {
		return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
			"code mode timeout exceeded: for %d ms the service was at work on what the cell asked for (calls, searches, timers), the cell itself for %d ms, and for %d ms other cells that had less to do went first. Ask for less in one cell, or run it again.",
			i.service.Milliseconds(), computed.Milliseconds(), i.resting.Milliseconds())}
	}
	if i.measured && i.left <= 0 && i.service > computed {
		return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
			"code mode timeout exceeded: for %d ms the service was at work on what the cell asked for (calls, searches, timers), and the cell itself for %d ms. Ask for less in one cell.",
			i.service.Milliseconds(), computed.Milliseconds())}
	}
	if i.measured && i.left <= 0 && i.asleep > 0 {
		return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
			"code mode timeout exceeded: the cell computed for %d ms and slept for %d ms, and both together may take %d ms. Sleep less, or return and go on in another cell.",
			computed.Milliseconds(), i.asleep.Milliseconds(), limit.Milliseconds())}
	}
	if i.measured && i.left > 0 && computed < limit/2 {
		return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
			"code mode timeout exceeded: %d ms have passed on the wall clock, in which the cell could compute for only %d ms, since the machine is busy. Run it again.",
			limit.Milliseconds(), computed.Milliseconds())}
	}
	return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
		"code mode timeout exceeded: the cell computed for more than %d ms. Do less in one cell, or leave the heavy part to a tool.",
		limit.Milliseconds())}
}

// fail ends the run and returns the failed result. Calls under way are cancelled (contract G7).
func (r *run) fail(f failure) *Result { return r.failWith(r.result(Failed), f) }

// failWith ends the run although another result was about to be given; what that one carries is kept.
func (r *run) failWith(result *Result, f failure) *Result {
	result.Status = Failed
	effects, harmless := r.requests.end()
	result.SideEffects = effects
	result.Error, result.Code, result.Detail = f.text, f.code, f.detail
	result.Retryable = f.again && harmless
	if r.turn.config.ErrorCodes == config.ErrorCodesStrict {
		result.Code = f.code.strict()
	}
	r.ended = RunEnded{Status: Failed, Code: f.code}
	r.end()
	return result
}

// complete ends the run and returns its value. Timers that nobody waited for go with it.
func (r *run) complete(timers int) *Result {
	c := &r.turn.config
	value, omitted := r.value, int64(0)
	if len(value) > c.MaxOutputBytes {
		if c.OutputOverflow != config.OutputTruncate {
			return r.fail(outputOver(r))
		}
		value, omitted = truncateJSON(value, c.MaxOutputBytes)
	}
	r.hintValue(timers)
	result := r.result(Completed)
	result.Value = value
	result.Omitted += omitted
	r.ended = RunEnded{Status: Completed}
	r.end()
	return result
}

// result returns what every result has. It hands out the output that is due.
func (r *run) result(status Status) *Result {
	t := r.turn.telemetry()
	t.usage(r.guest.engineName(), &r.usage)
	result := &Result{Status: status, Telemetry: t, Hints: r.hints}
	result.Output, result.Omitted = r.output.take(r.turn.config.OutputMode == config.OutputCumulative)
	r.hints = nil
	return result
}
