package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/engine"
)

// WaitInput is what the model called wait with, and results that the caller delivers along with it.
type WaitInput struct {
	RunID   json.RawMessage // as it came
	Results []CallResult
}

// CallResult is what the caller's own execution of a call came to (contract C10). Value and Error are JSON.
type CallResult struct {
	ID    string
	OK    bool
	Value json.RawMessage
	Error json.RawMessage
}

// Delivery says which results were taken (contract C10).
type Delivery struct {
	Accepted []string  `json:"accepted"`
	Refused  []Refusal `json:"refused"`
}

// Refusal is a result that was not taken, and why.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
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
func (s *Service) Wait(ctx context.Context, t *Turn, in WaitInput) (*Result, error) {
	end, err := s.beginLeg()
	if err != nil {
		return nil, err
	}
	defer end()
	id, _ := jsonString(in.RunID)
	r, err := s.claim(ctx, t, strings.TrimSpace(id))
	if err != nil {
		return s.refused(t, err.Error()), nil
	}
	r.settleYields()
	for _, refused := range r.deliver(in.Results).Refused {
		r.hint(fmt.Sprintf("The result delivered for %q was not taken: %s.", refused.ID, refused.Reason))
	}
	return r.resume(ctx)
}

// resume waits for something to deliver and drives the run on. If nothing comes in time the run is parked again, as
// it was.
func (r *run) resume(ctx context.Context) (*Result, error) {
	r.attach(ctx)
	started := time.Now()
	answers := r.collect(time.Duration(r.turn.config.TimeoutMs) * time.Millisecond)
	r.waited += time.Since(started)
	if r.ctx.Err() != nil {
		return r.fail(aborted), nil
	}
	if len(answers) > 0 {
		if !r.detach() {
			return r.fail(aborted), nil
		}
		if r.stored {
			if result, err := r.restore(answers); result != nil || err != nil {
				return result, err
			}
		}
		return r.drive(ctx, engine.AppendResume(nil, answers))
	}
	result := r.result(Waiting)
	result.Pending = r.pendingCalls()
	result.Reason, result.RunID = reasonOf(result.Pending), r.id
	if !time.Now().Before(r.expiresAt) {
		return r.failWith(result, failure{code: CodeInvalidInput, text: errNoRun.Error()}), nil
	}
	if !r.park(r.expiresAt) {
		return r.failWith(result, aborted), nil
	}
	return result, nil
}

// restore makes a guest of the run's snapshot. When there is no room for one, the run is parked as it was, answers and
// all, and the caller may come again.
func (r *run) restore(answers []engine.Answer) (*Result, error) {
	err := r.service.handoffs.restore(r)
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, engine.ErrOverloaded):
		r.mu.Lock()
		r.mailbox = append(answers, r.mailbox...)
		r.mu.Unlock()
		r.detach = func() bool { return true }
		if !r.park(r.expiresAt) {
			return r.fail(aborted), nil
		}
		return nil, unavailable(err)
	}
	r.service.options.Logger.Error("a suspended run could not be restored", "run", r.id, "error", err)
	return r.fail(failure{
		code: CodeRuntimeUnavailable, again: true,
		text: "the suspended code mode run could not be restored; run the cell again",
	}), nil
}

// find returns a suspended run that the turn may touch.
func (s *Service) find(t *Turn, id string) (*run, error) {
	if id == "" {
		return nil, errBlankRun
	}
	s.mu.Lock()
	r := s.runs[id]
	s.mu.Unlock()
	if r == nil {
		return nil, errNoRun
	}
	return r, r.turn.ownedBy(t)
}

// ownedBy checks that a run of this turn may be resumed from another (contract C5). An id that is missing on
// either side matches nothing.
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

// claim makes the caller the one that drives the run. Where every wait restores a snapshot, the guest is in one
// afterwards, unless it can't be moved.
func (s *Service) claim(ctx context.Context, t *Turn, id string) (*run, error) {
	r, err := s.find(t, id)
	if err != nil {
		return nil, err
	}
	if s.handoffs != nil && r.turn.config.SnapshotResume == config.ResumeRestore {
		_ = s.handoffs.move(ctx, r) // if that fails the heap is still there
	}
	r.atRest.Lock() // a guest that is being copied out is left alone
	defer r.atRest.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.state == ended || r.state == suspended && !time.Now().Before(r.expiresAt):
		return nil, errNoRun
	case r.state == running:
		return nil, errResuming
	}
	r.state = running
	r.expiry.Stop()
	if s.handoffs != nil {
		s.handoffs.unpark(r)
	}
	return r, nil
}

// settleYields answers every yield: being resumed is what it waited for (contract D9).
func (r *run) settleYields() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, it := range r.order {
		if it.kind == yieldItem {
			r.post(it, it.answer)
		}
	}
}

// Deliver hands in results of calls that the caller ran, for a run that is suspended or being resumed (contract
// C10). Results are judged one by one; the refused ones change nothing.
func (s *Service) Deliver(_ context.Context, t *Turn, runID string, results []CallResult) (*Delivery, error) {
	r, err := s.find(t, strings.TrimSpace(runID))
	if err != nil {
		return nil, &Error{Kind: KindNotFound, Key: "runId", Msg: err.Error()}
	}
	return r.deliver(results), nil
}

func (r *run) deliver(results []CallResult) *Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := &Delivery{Accepted: []string{}, Refused: []Refusal{}}
	for _, result := range results {
		if reason := r.deliverOne(result); reason != "" {
			d.Refused = append(d.Refused, Refusal{result.ID, reason})
		} else {
			d.Accepted = append(d.Accepted, result.ID)
		}
	}
	return d
}

// findCall returns the pending item that the world knows by that id, or nil. r.mu must be held.
func (r *run) findCall(callID string) *item {
	number, err := strconv.ParseUint(callID[strings.LastIndexByte(callID, '.')+1:], 36, 32)
	if err != nil {
		return nil
	}
	if it := r.pending[uint32(number)]; it != nil && it.callID == callID {
		return it
	}
	return nil
}

// deliverOne returns why the result is refused, "" if it is taken. r.mu must be held.
func (r *run) deliverOne(result CallResult) string {
	it := r.findCall(result.ID)
	switch {
	case it == nil || r.state == ended:
		return "no such call is pending in this run"
	case it.kind != callerItem:
		return "this call is not the caller's to run"
	case it.settled:
		return "this call has its result already"
	}
	answer, state := it.callerOutcome(result)
	if it.effect != nil {
		it.effect.State = state
	}
	r.post(it, answer)
	return ""
}

func (it *item) callerOutcome(result CallResult) (engine.Answer, string) {
	if !result.OK {
		return it.failure(codeToolError, errorText(result.Error)), "failed"
	}
	value := bytes.TrimSpace(result.Value)
	if len(value) == 0 {
		value = []byte("null")
	}
	if !jsontext.Valid(value) {
		return it.failure(codeToolError, "the caller's result is nested too deeply"), "failed"
	}
	return it.success(value)
}

// errorText reads what a caller sends as an error: a string, an object with a message, or nothing.
func errorText(raw json.RawMessage) string {
	doc := gjson.ParseBytes(raw)
	if doc.IsObject() {
		doc = doc.Get("message")
	}
	if doc.Type == gjson.String && doc.Str != "" {
		return doc.Str
	}
	return "the caller reported an error without a text"
}
