package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/trajectory"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// hostState is what the host knows of a suspended run, apart from its guest: all that another process needs to go on. It
// is the run's parts, one after the other. What comes in is checked as if a cell had written it.
type hostState struct {
	Code      string          `json:"code"`
	Language  script.Language `json:"language"`
	ParentID  string          `json:"parentId,omitempty"` // the exec that it came of
	ExpiresAt int64           `json:"expiresAt"`          // Unix milliseconds
	Usage     Usage           `json:"usage"`
	Output    outputState     `json:"output"`
	Outcome   outcomeState    `json:"outcome"`
	Requests  requestsState   `json:"requests"`

	Trajectory trajectory.State `json:"trajectory,omitzero"`
}

// outputState is an outputLog at rest.
type outputState struct {
	Items     []json.RawMessage `json:"items,omitempty"`
	Delivered int               `json:"delivered,omitempty"`
	Omitted   int64             `json:"omitted,omitempty"`
}

// outcomeState is where the cell's promise is, and what the model is to be told about it.
type outcomeState struct {
	Settled bool            `json:"settled,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Noticed engine.Hint     `json:"noticed,omitempty"`
	Hints   []string        `json:"hints,omitempty"`
}

// requestsState is requests at rest.
type requestsState struct {
	Pending       []requestState `json:"pending"`
	Answers       []answerState  `json:"answers,omitempty"`
	Effects       []SideEffect   `json:"effects,omitempty"`
	NonIdempotent bool           `json:"nonIdempotent,omitempty"`
}

// requestState is a request that is pending.
type requestState struct {
	ID     uint32          `json:"id"`
	Method engine.Method   `json:"method"`
	Answer json.RawMessage `json:"answer,omitempty"`
	Due    int64           `json:"due,omitempty"` // of a timer, Unix milliseconds

	// Of a call:

	Tool      string          `json:"tool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Stage     string          `json:"stage,omitempty"` // at which it is parked
	Decisions []Decision      `json:"decisions,omitempty"`
	Began     int64           `json:"began,omitempty"` // Unix milliseconds
	Approval  *approvalState  `json:"approval,omitempty"`
	Effect    int             `json:"effect,omitempty"` // one more than its place among the effects
}

// answerState is an answer that the guest has not had yet.
type answerState struct {
	ID      uint32            `json:"id"`
	Kind    engine.AnswerKind `json:"kind"`
	Payload json.RawMessage   `json:"payload,omitempty"`
}

// hostState describes a run that is suspended, or that the caller drives, with the calls that are under way. It shares the
// run's bytes, which do not change.
func (r *run) hostState() hostState {
	return hostState{
		Code: r.cell.code, Language: r.cell.language, ParentID: r.parent, ExpiresAt: r.lifecycle.expires().UnixMilli(),
		Usage: r.usage, Output: r.output.state(), Requests: r.requests.state(),
		Outcome:    outcomeState{Settled: r.settled, Value: r.value, Noticed: r.noticed, Hints: r.hints},
		Trajectory: r.group.State(),
	}
}

// encode returns the state as JSON.
func (s *hostState) encode() []byte {
	text, _ := json.Marshal(s) // what holds JSON has been checked, and the rest always encodes
	return text
}

func (l *outputLog) state() outputState {
	state := outputState{Delivered: l.delivered, Omitted: l.omitted}
	for _, o := range l.items {
		state.Items = append(state.Items, o)
	}
	return state
}

func (s *requests) state() requestsState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := requestsState{Pending: []requestState{}, NonIdempotent: s.nonIdempotent}
	if s.ended {
		return state // the run is of no use any more, and its calls belong to whoever ends it
	}
	place := map[*SideEffect]int{}
	for n, e := range s.effects {
		state.Effects = append(state.Effects, *e)
		place[e] = n + 1
	}
	for q := s.first; q != nil; q = q.next {
		one := requestState{ID: q.id, Method: q.method, Input: q.input, Effect: place[q.effect]}
		if q.entry != nil {
			one.Tool = q.entry.ID()
		}
		switch q.kind {
		case timerRequest:
			one.Due = q.due.UnixMilli()
		case yieldRequest:
			one.Answer = q.answer.Payload
		case callerRequest, approvalRequest:
			// Nobody is at work on it.
			one.Stage, one.Decisions, one.Began = q.call.at.String(), q.call.decisions, q.call.began.UnixMilli()
			if q.kind == approvalRequest {
				one.Approval = stateOfApproval(q.call.asked)
			}
		}
		state.Pending = append(state.Pending, one)
	}
	for _, a := range s.mailbox {
		state.Answers = append(state.Answers, answerState{a.ID, a.Kind, a.Payload})
	}
	return state
}

// revive makes a run of the turn from an exported state.
func (t *Turn) revive(ctx context.Context, id string, state *hostState) (*run, error) {
	if !t.codeMode {
		return nil, errors.New("code mode is off")
	}
	c, err := t.cellOf(ctx, state.Code, state.Language)
	if err != nil {
		return nil, err
	}
	expires := time.UnixMilli(state.ExpiresAt)
	if left := time.Until(expires); left <= 0 || left > time.Duration(t.config.SnapshotTTLSeconds)*time.Second+time.Minute {
		return nil, errors.New("it has expired")
	}
	if !state.Usage.sound() {
		return nil, errors.New("its counters are wrong")
	}
	r, err := newRun(t, c)
	if err != nil {
		return nil, err
	}
	// The guest has its globals already; what their functions stand for is this service's to say.
	scopes, err := t.openScopes()
	if err == nil {
		err = r.see(scopes)
	}
	if err != nil {
		r.discard()
		return nil, err
	}
	r.id.text, r.parent, r.usage = id, state.ParentID, state.Usage
	r.lifecycle.expiresAt = expires
	for _, part := range []func() error{
		func() error { return r.reviveOutput(&state.Output) },
		func() error { return r.reviveOutcome(&state.Outcome) },
		func() error { return r.requests.revive(r, &state.Requests) },
		func() error { return r.reviveTrajectory(&state.Trajectory) },
	} {
		if err := part(); err != nil {
			r.discard()
			return nil, err
		}
	}
	return r, nil
}

func (l *outputLog) revive(state *outputState) error {
	for _, o := range state.Items {
		l.items = append(l.items, o)
		l.bytes += len(o) + min(len(l.items)-1, 1)
	}
	l.delivered, l.omitted = state.Delivered, state.Omitted
	switch {
	case l.bytes > l.limit:
		return errors.New("it has put out more than a run of this turn may")
	case state.Delivered < 0 || state.Delivered > len(state.Items) || state.Omitted < 0:
		return errors.New("its output is miscounted")
	case state.Omitted > 0:
		l.bytes = l.limit // what was cut stays cut
	}
	return nil
}

func (r *run) reviveOutput(state *outputState) error {
	if err := r.output.revive(state); err != nil {
		return err
	}
	return r.keep(r.output.bytes)
}

func (r *run) reviveOutcome(state *outcomeState) error {
	switch {
	case state.Settled && !jsontext.Valid(state.Value):
		return errors.New("it has a value that is not JSON")
	case len(state.Hints) > maxHints:
		return errors.New("it has too many hints")
	}
	r.settled, r.value, r.noticed, r.hints = state.Settled, state.Value, state.Noticed, state.Hints
	return r.keep(len(state.Value))
}

// reviveTrajectory makes the group of the run, which joins the turn's trajectory when the run is admitted.
func (r *run) reviveTrajectory(state *trajectory.State) (err error) {
	if state.ID == "" {
		state.ID = "exec"
	}
	r.group, err = r.turn.trajectory.Revive(r.id.String(), state)
	return err
}

// revive fills empty requests.
func (s *requests) revive(r *run, state *requestsState) error {
	c := &r.turn.config
	if limit := c.MaxPendingToolCalls + c.MaxQueuedToolCalls + maxTimers; len(state.Pending) > limit ||
		len(state.Answers) > limit || len(state.Effects) > maxSideEffects {
		return fmt.Errorf("it waits for more than %d things", limit)
	}
	s.nonIdempotent = state.NonIdempotent
	for n := range state.Effects {
		s.effects = append(s.effects, &state.Effects[n])
	}
	ctx := r.unattendedContext()
	for n := range state.Pending {
		q, err := r.reviveRequest(&state.Pending[n], s.effects)
		if err != nil {
			return err
		}
		q.ctx, q.held = ctx, q.size()
		if err := s.account.Hold(q.held); err != nil {
			return err
		}
		if q.id == 0 || s.add(q) != nil {
			return fmt.Errorf("two things that it waits for have the number %d", q.id)
		}
		if q.kind == approvalRequest {
			if err := q.call.askAgain(state.Pending[n].Approval); err != nil {
				return err
			}
		}
	}
	return s.reviveAnswers(state.Answers)
}

// reviveRequest makes a pending request; what it names is looked up in the turn's own catalog, as ever.
func (r *run) reviveRequest(state *requestState, effects []*SideEffect) (*request, error) {
	q := &request{id: state.ID, method: state.Method}
	if state.Effect < 0 || state.Effect > len(effects) {
		return nil, errors.New("its calls are miscounted")
	}
	if state.Effect > 0 {
		q.effect = effects[state.Effect-1]
	}
	switch {
	case state.Method < engine.MethodSearch || state.Method > engine.MethodTimer:
		return nil, fmt.Errorf("it waits for a thing of an unknown kind, %d", state.Method)
	case state.Method == engine.MethodYield:
		q.kind, q.answer = yieldRequest, engine.Answer{ID: state.ID, Payload: state.Answer}
		if !jsontext.Valid(state.Answer) {
			return nil, errors.New("the answer to a yield is not JSON")
		}
	case state.Method == engine.MethodTimer:
		q.kind, q.due = timerRequest, time.UnixMilli(state.Due)
	case state.Tool != "" && isCall(state.Method):
		return q, r.reviveCall(q, state)
	default:
		return nil, fmt.Errorf("it waits for something that nobody works on (number %d)", state.ID)
	}
	return q, nil
}

// reviveCall makes a call that is parked. The stages that are before it look at it as if it had come that far here.
func (r *run) reviveCall(q *request, state *requestState) error {
	e := r.turn.catalog.ByID(state.Tool)
	if e == nil {
		return fmt.Errorf("it waits for a tool %q that the turn does not have", state.Tool)
	}
	c := &call{request: q, run: r, decisions: state.Decisions, began: time.UnixMilli(state.Began)}
	q.call, q.callID, q.entry, q.input = c, r.id.call(q.id), e, state.Input
	if !jsontext.Valid(state.Input) || !utf8.Valid(state.Input) {
		return fmt.Errorf("the input of %q is not JSON", state.Tool)
	}
	if len(state.Decisions) > maxDecisions {
		return fmt.Errorf("it has too many decisions about %q", state.Tool)
	}
	for _, d := range state.Decisions {
		if _, ok := stageNamed(d.Stage); !ok {
			return fmt.Errorf("it has a decision of a stage %q, which is none", d.Stage)
		}
	}
	c.at, _ = stageNamed(state.Stage)
	switch c.at {
	case atExecution:
		q.kind, c.reached = callerRequest, true
		if isCarriedOut(c) {
			return fmt.Errorf("it waits for the caller to run %q, which is not the caller's", state.Tool)
		}
	case atApproval:
		q.kind = approvalRequest
		if q.effect != nil {
			return fmt.Errorf("it waits for a decision on %q, which was begun", state.Tool)
		}
	default:
		return fmt.Errorf("it waits at a stage %q, where no call is parked", state.Stage)
	}
	return nil
}

func (s *requests) reviveAnswers(answers []answerState) error {
	seen := map[uint32]bool{}
	for _, a := range answers {
		known := a.Kind == engine.AnswerFired || a.Kind < engine.AnswerFired && jsontext.Valid(a.Payload) && utf8.Valid(a.Payload)
		if a.ID == 0 || seen[a.ID] || s.byID[a.ID] != nil || !known {
			return errors.New("an answer that it waits for is none")
		}
		seen[a.ID] = true
		if err := s.account.Hold(len(a.Payload)); err != nil {
			return err
		}
		s.mailBytes += len(a.Payload)
		s.mailbox = append(s.mailbox, engine.Answer{ID: a.ID, Kind: a.Kind, Payload: a.Payload})
	}
	return nil
}

func errUnderWay(r *run, ids []uint32) error {
	names := make([]string, len(ids))
	for n, id := range ids {
		names[n] = r.id.call(id)
	}
	return &Error{
		Kind: KindConflict, Key: "runId",
		Msg: fmt.Sprintf("calls of this run are under way here: %s. Wait for them, then export it.", strings.Join(names, ", ")),
	}
}
