package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/engine"
)

// WaitInput is what the model called wait with, and results that the caller delivers along with it.
type WaitInput struct {
	ToolCallID string          // may be empty
	RunID      json.RawMessage // as it came
	Results    []CallResult
}

// The texts of contract C5.
const (
	errBlankRun      = refusal("runId must be a non-empty string.")
	errNoRun         = refusal("code mode run is unavailable or expired.")
	errOtherAgentRun = refusal("code mode run belongs to a different agent run.")
	errOtherSession  = refusal("code mode run belongs to a different session.")
	errResuming      = refusal("code mode run is already being resumed.")
)

// Wait resumes a suspended run (contract C3).
func (t *Turn) Wait(ctx context.Context, in WaitInput) (*Result, error) {
	end, err := t.service.beginInvocation(t.of)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, span := t.startSpan(ctx, waitName, "")
	result, err := t.wait(ctx, span, in)
	span.done(result, err)
	return result, err
}

func (t *Turn) wait(ctx context.Context, span *invocationSpan, in WaitInput) (*Result, error) {
	id, _ := jsonString(in.RunID)
	began := time.Now()
	r, err := t.claim(ctx, strings.TrimSpace(id))
	if errors.Is(err, errResuming) {
		return t.alreadyResuming(r, in.Results), nil
	}
	if err != nil {
		refused := t.refused(err.Error())
		t.enterWait(nil, &in, began, refused, nil)
		return refused, nil
	}
	span.of(r)
	result, err := r.serveWait(ctx, &in)
	t.enterWait(r, &in, began, result, err)
	return result, err
}

// serveWait resumes a run that the caller drives.
func (r *run) serveWait(ctx context.Context, in *WaitInput) (*Result, error) {
	r.followedBy(ctx)
	r.requests.answerYields()
	for _, refused := range r.deliver(in.Results).Refused {
		r.hint(notTaken(refused))
	}
	return r.resume(newInvocation(ctx, &r.turn.config, r.parent))
}

// alreadyResuming answers a wait that came while another one drives the run. Its results are as good as if they had been
// delivered by themselves (contract C10), and the same wait may come again (contract C5).
func (t *Turn) alreadyResuming(r *run, results []CallResult) *Result {
	refused := t.refused(errResuming.Error())
	refused.Retryable = true
	delivery := r.deliver(results)
	if n := len(delivery.Accepted); n > 0 {
		refused.Hints = append(refused.Hints, fmt.Sprintf("%d result(s) of this wait were taken; they need not be sent again.", n))
	}
	for _, no := range delivery.Refused[:min(len(delivery.Refused), maxHints-1)] {
		refused.Hints = append(refused.Hints, notTaken(no))
	}
	return refused
}

func notTaken(refused Refusal) string {
	return fmt.Sprintf("The result delivered for %q was not taken: %s.", refused.ID, refused.Reason)
}

// resume waits for something to deliver and drives the run on. If nothing comes in time the run is parked again, as it was.
func (r *run) resume(i *invocation) (*Result, error) {
	r.attach(i)
	r.observe(RunResumed{})
	answers := r.awaitFirst(i)
	if r.ctx.Err() != nil {
		return r.fail(aborted), nil
	}
	if len(answers) > 0 {
		if result, err := r.restore(answers); result != nil || err != nil {
			return result, err
		}
		return r.drive(i, engine.AppendResume(nil, answers))
	}
	result := r.result(Waiting)
	result.Pending = r.requests.pendingCalls()
	result.Reason, result.RunID = reasonOf(result.Pending), r.id.String()
	expiresAt := r.lifecycle.expires()
	if r.lifecycle.isOver() {
		return r.failWith(result, failure{code: CodeInvalidInput, text: errNoRun.Error()}), nil
	}
	if !r.park(expiresAt) {
		return r.failWith(result, aborted), nil
	}
	return result, nil
}

// awaitFirst waits for pending work as long as a wait may (contract C3). What the run only sleeps for gets half of that, so
// that enough is left to go on with.
func (r *run) awaitFirst(i *invocation) []engine.Answer {
	rest := i.left
	i.left = i.limit/2 + i.limit/awakeShare // of which await leaves the share
	i.waitLeft = i.limit
	answers := r.await(i, func(*invocation) bool { return false }) // also for the caller, or a person
	i.left = rest - i.asleep - i.resting
	i.waitLeft = drainBudget(&r.turn.config)
	return answers
}

// restore makes a guest of the run's snapshot, if that is where it is. When there is no room for one, the run is parked as
// it was, answers and all, and the caller may come again.
func (r *run) restore(answers []engine.Answer) (*Result, error) {
	if r.guest.inHeap() {
		return nil, nil
	}
	err := r.service.offloader.restore(r)
	switch {
	case err == nil:
		return nil, nil
	case r.ctx.Err() != nil:
		return r.fail(aborted), nil
	case errors.Is(err, engine.ErrOverloaded):
		if full := r.requests.giveBack(answers); full != nil {
			return r.fail(engineFailure(fmt.Errorf("%w: %w", errHeld, full), r)), nil
		}
		if !r.park(r.lifecycle.expires()) {
			return r.fail(aborted), nil
		}
		return nil, unavailable(err)
	}
	r.service.options.Logger.Error("a suspended run could not be restored", "run", r.id.String(), "error", err)
	return r.fail(failure{
		code: CodeRuntimeUnavailable, again: true,
		text: "the suspended code mode run could not be restored; run the cell again",
	}), nil
}

// find returns a suspended run that the turn may touch.
func (t *Turn) find(id string) (*run, error) {
	if id == "" {
		return nil, errBlankRun
	}
	r := t.service.run(id)
	if r == nil {
		return nil, errNoRun
	}
	return r, r.turn.ownedBy(t)
}

// ownedBy checks that a run of this turn may be resumed from another (contract C5). An id that is missing on either
// side matches nothing.
func (t *Turn) ownedBy(other *Turn) error {
	if t == other {
		return nil
	}
	if t.tenant != other.tenant {
		return errOtherSession
	}
	a, b := t.context, other.context
	if a.RunID == "" || a.RunID != b.RunID {
		return errOtherAgentRun
	}
	if a.SessionID == "" || a.SessionKey == "" || a.SessionID != b.SessionID || a.SessionKey != b.SessionKey ||
		a.AgentID != b.AgentID || a.Sender != b.Sender {
		return errOtherSession
	}
	return nil
}

// claim makes the caller the one that drives the run; with errResuming it returns the run too. Where every wait restores a snapshot, the guest is in one afterwards,
// unless it can't be moved.
func (t *Turn) claim(ctx context.Context, id string) (*run, error) {
	r, err := t.find(id)
	if err != nil {
		return nil, err
	}
	o := t.service.offloader
	if o != nil && r.restores() {
		_ = o.move(ctx, r) // if that fails the heap is still there
	}
	if err := r.lifecycle.claim(); err != nil {
		return r, err
	}
	r.guest.wake()
	if o != nil {
		o.unpark(r)
	}
	return r, nil
}
