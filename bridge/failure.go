package bridge

import (
	"errors"
	"fmt"

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
	stuck            = failure{code: CodeInternal, text: "code mode promise is pending without host work"}
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
		return failure{code: CodeTimeout, again: true, text: fmt.Sprintf(
			"code mode timeout exceeded: the cell computed for more than %d ms. Do less in one cell, or leave the heavy part to a tool.",
			r.turn.config.TimeoutMs)}
	case errors.Is(err, engine.ErrStopped):
		return aborted
	case errors.Is(err, engine.ErrMemory):
		return failure{code: CodeMemoryLimit, text: fmt.Sprintf(
			"code mode memory limit exceeded: the cell's heap may have %d bytes. Work on less data at once.",
			r.turn.config.MemoryLimitBytes)}
	case errors.Is(err, engine.ErrOutput):
		return outputOver(r)
	}
	r.service.options.Logger.Error("engine failed a run", "error", err, "turn", r.turn.id)
	return failure{code: CodeRuntimeUnavailable, text: "the code mode runtime failed; nothing is wrong with the cell that is known", again: true}
}

// fail ends the run and returns the failed result. Calls under way are cancelled (contract G7).
func (r *run) fail(f failure) *Result {
	result := r.result(Failed)
	r.mu.Lock()
	for _, e := range r.effects {
		result.SideEffects = append(result.SideEffects, *e)
	}
	r.mu.Unlock()
	result.Error, result.Code, result.Detail = f.text, f.code, f.detail
	result.Retryable = f.again && r.harmless()
	if r.turn.config.ErrorCodes == ErrorCodesStrict {
		result.Code = f.code.strict()
	}
	r.end()
	return result
}

// harmless says whether running the cell again can repeat nothing that must not be repeated (contract G3).
func (r *run) harmless() bool {
	for _, e := range r.effects {
		entry := r.turn.catalog.ByID(e.ToolID)
		if entry == nil {
			return false
		}
		if a := entry.Tool().Annotations; !a.ReadOnly && !a.Idempotent {
			return false
		}
	}
	return true
}

// complete ends the run and returns its value. Timers that nobody waited for go with it.
func (r *run) complete(timers int) *Result {
	c := &r.turn.config
	value, omitted := r.value, int64(0)
	if len(value) > c.MaxOutputBytes {
		if c.OutputOverflow != OutputTruncate {
			return r.fail(outputOver(r))
		}
		value, omitted = truncateJSON(value, c.MaxOutputBytes)
	}
	r.hintValue(timers)
	result := r.result(Completed)
	result.Value = value
	result.Omitted += omitted
	r.end()
	return result
}

// result returns what every result has. It hands out the output that is due.
func (r *run) result(status Status) *Result {
	t := r.service.telemetry(r.turn)
	t.Steps, t.HeapBytes = r.steps, r.vm.HeapBytes()
	t.GuestMs, t.WaitMs = r.guest.Seconds()*1000, r.waited.Seconds()*1000
	result := &Result{
		Status: status, Telemetry: t, Omitted: r.output.omitted, Hints: r.hints,
		Output: r.output.take(r.turn.config.OutputMode == OutputCumulative),
	}
	r.hints, r.output.omitted = nil, 0
	return result
}
