package bridge

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/engine"
)

// maxSideEffects bounds what a failed run lists; the first ones are kept.
const maxSideEffects = 1000

// dispatch starts what a step asked for, in the order of the requests. Calls beyond maxPendingToolCalls wait for a
// place (contract D6).
func (r *run) dispatch(fresh []*item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, it := range fresh {
		switch it.kind {
		case readyItem:
			r.post(it, it.answer)
		case localItem:
			r.queue = append(r.queue, it)
		case callerItem:
			r.noteStart(it, "pending")
		}
	}
	r.startQueued()
}

// startQueued fills the free places. r.mu must be held.
func (r *run) startQueued() {
	for len(r.queue) > 0 && r.active < r.turn.config.MaxPendingToolCalls && r.ctx.Err() == nil {
		it := r.queue[0]
		r.queue = r.queue[1:]
		r.active++
		r.noteStart(it, "cancelled") // until it is known how it ended
		go r.call(it, executor.Call{
			ID: it.callID, ParentID: r.parentID, RunID: r.runID(), TurnID: r.turn.id, Tenant: r.turn.tenant,
			Tool: it.entry, Input: it.input, Context: r.turn.context,
		})
	}
}

// noteStart lists a call that may change something from now on, and whether it matters if that happens twice
// (contract B7, G3). r.mu must be held.
func (r *run) noteStart(it *item, state string) {
	if a := it.entry.Tool().Annotations; !a.ReadOnly && !a.Idempotent {
		r.harmful = true
	}
	if len(r.effects) < maxSideEffects {
		it.effect = &SideEffect{ID: it.callID, ToolID: it.entry.ID(), State: state}
		r.effects = append(r.effects, it.effect)
	}
}

// call carries out one call and posts its answer.
func (r *run) call(it *item, c executor.Call) {
	tool := r.turn.executor(it.entry)
	result, err := tool.Execute(r.ctx, c)
	answer, state := it.outcome(result, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	if it.effect != nil && (r.ctx.Err() == nil || err == nil) {
		it.effect.State = state
	}
	r.post(it, answer)
	r.startQueued()
}

// outcome turns what an executor returned into the guest's answer (contract D5, D7).
func (it *item) outcome(result json.RawMessage, err error) (engine.Answer, string) {
	switch {
	case errors.Is(err, executor.ErrTimeout):
		return it.failure(codeToolTimeout, err.Error()), "failed"
	case err != nil:
		return it.failure(codeToolError, err.Error()), "failed"
	}
	return it.success(result)
}

func (it *item) success(result json.RawMessage) (engine.Answer, string) {
	text, isError := failureText(result)
	state := "completed"
	if isError {
		state = "failed"
	}
	answer := engine.Answer{ID: it.id, Kind: engine.AnswerValue, Payload: result}
	switch it.method {
	case engine.MethodCall:
		payload := append([]byte(`{"tool":`), it.entry.JSON()...)
		payload = append(append(payload, `,"result":`...), result...)
		answer.Payload = append(payload, '}')
	case engine.MethodCallValue:
		if isError {
			return it.failure(codeToolError, text), state
		}
		answer.Payload = usefulValue(result)
	}
	return answer, state
}

// post puts an answer into the mailbox, once. r.mu must be held.
func (r *run) post(it *item, answer engine.Answer) {
	if it.settled || r.state == ended {
		return
	}
	it.settled = true
	r.mailbox = append(r.mailbox, answer)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// collect waits until something can be delivered to the guest, for limit at most, and takes it: answers in the
// order in which they came, and the timers that are due (contract C3). It returns nothing when the limit has passed
// or the run was aborted.
func (r *run) collect(limit time.Duration) []engine.Answer {
	deadline := time.Now().Add(limit)
	for {
		answers, next := r.takeAnswers(time.Now())
		if len(answers) > 0 || r.ctx.Err() != nil {
			return answers
		}
		until := deadline
		if !next.IsZero() && next.Before(deadline) {
			until = next
		}
		if !r.sleep(time.Until(until)) && !time.Now().Before(deadline) {
			return nil
		}
	}
}

// sleep returns true if it was woken, false when d has passed or the run was aborted.
func (r *run) sleep(d time.Duration) bool {
	if d <= 0 {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.wake:
		return true
	case <-timer.C:
	case <-r.ctx.Done():
	}
	return false
}

// takeAnswers empties the mailbox, fires the timers that are due, and says when the next one is.
func (r *run) takeAnswers(now time.Time) ([]engine.Answer, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers := r.mailbox
	r.mailbox = nil
	due, next := r.dueTimers(now)
	for _, it := range due {
		it.settled = true
		answers = append(answers, engine.Answer{ID: it.id, Kind: engine.AnswerFired})
	}
	if len(answers) > 0 {
		r.dropSettled()
	}
	return answers, next
}

// dropSettled forgets the items whose answers have been taken. r.mu must be held.
func (r *run) dropSettled() {
	kept := r.order[:0]
	for _, it := range r.order {
		if it.settled {
			delete(r.pending, it.id)
		} else {
			kept = append(kept, it)
		}
	}
	clear(r.order[len(kept):])
	r.order = kept
}
