package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// hostState is what the host knows of a suspended run, apart from its guest: all that another process needs to go on.
// What comes in is checked as if a cell had written it.
type hostState struct {
	Code      string          `json:"code"`
	Language  script.Language `json:"language"`
	ParentID  string          `json:"parentId,omitempty"`
	ExpiresAt int64           `json:"expiresAt"` // Unix milliseconds

	Output    []json.RawMessage `json:"output,omitempty"`
	Delivered int               `json:"delivered,omitempty"`
	Omitted   int64             `json:"omitted,omitempty"`
	Settled   bool              `json:"settled,omitempty"`
	Value     json.RawMessage   `json:"value,omitempty"`
	Noticed   engine.Hint       `json:"noticed,omitempty"`
	Hints     []string          `json:"hints,omitempty"`

	Steps  int           `json:"steps"`
	Heap   int           `json:"heap"`
	Guest  time.Duration `json:"guest"`
	Waited time.Duration `json:"waited"`

	Items   []itemState   `json:"items"`
	Answers []answerState `json:"answers,omitempty"`
	Effects []SideEffect  `json:"effects,omitempty"`
	Harmful bool          `json:"harmful,omitempty"`
}

// itemState is a request that is pending.
type itemState struct {
	ID      uint32          `json:"id"`
	Method  engine.Method   `json:"method"`
	Tool    string          `json:"tool,omitempty"`  // of a call
	Input   json.RawMessage `json:"input,omitempty"` // of a call
	Answer  json.RawMessage `json:"answer,omitempty"`
	Due     int64           `json:"due,omitempty"`    // of a timer, Unix milliseconds
	Effect  int             `json:"effect,omitempty"` // one more than its place among the effects
	Settled bool            `json:"settled,omitempty"`
}

// answerState is an answer that the guest has not had yet.
type answerState struct {
	ID      uint32            `json:"id"`
	Kind    engine.AnswerKind `json:"kind"`
	Payload json.RawMessage   `json:"payload,omitempty"`
}

// hostState describes a run that the caller drives, unless calls of it are under way.
func (r *run) hostState() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ids := r.underWay(); len(ids) > 0 {
		return nil, errUnderWay(ids)
	}
	state := hostState{
		Code: r.code, Language: r.language, ParentID: r.parentID, ExpiresAt: r.expiresAt.UnixMilli(),
		Delivered: r.output.delivered, Omitted: r.output.omitted,
		Settled: r.settled, Value: r.value, Noticed: r.noticed, Hints: r.hints,
		Steps: r.steps, Heap: r.heap, Guest: r.guest, Waited: r.waited, Harmful: r.harmful,
		Items: []itemState{},
	}
	for _, o := range r.output.items {
		state.Output = append(state.Output, o)
	}
	place := map[*SideEffect]int{}
	for n, e := range r.effects {
		state.Effects = append(state.Effects, *e)
		place[e] = n + 1
	}
	for _, it := range r.order {
		is := itemState{ID: it.id, Method: it.method, Input: it.input, Effect: place[it.effect], Settled: it.settled}
		if it.entry != nil {
			is.Tool = it.entry.ID()
		}
		switch it.kind {
		case timerItem:
			is.Due = it.due.UnixMilli()
		case yieldItem:
			is.Answer = it.answer.Payload
		}
		state.Items = append(state.Items, is)
	}
	for _, a := range r.mailbox {
		state.Answers = append(state.Answers, answerState{a.ID, a.Kind, a.Payload})
	}
	return json.Marshal(state)
}

// revive makes a run of the turn from an exported state.
func (s *Service) revive(t *Turn, runID string, state *hostState) (*run, error) {
	if !t.codeMode {
		return nil, errors.New("code mode is off")
	}
	source, err := script.Prepare(state.Code, state.Language, script.Options{MaxBytes: t.config.MaxSourceBytes, ShellTool: t.shellTool})
	if err != nil {
		return nil, err
	}
	expires := time.UnixMilli(state.ExpiresAt)
	if left := time.Until(expires); left <= 0 || left > time.Duration(t.config.SnapshotTTLSeconds)*time.Second+time.Minute {
		return nil, errors.New("it has expired")
	}
	if state.Steps < 0 || state.Heap < 0 || state.Guest < 0 || state.Waited < 0 {
		return nil, errors.New("its counters are wrong")
	}
	r := newRun(s, t, source, state.Language)
	r.id, r.code, r.parentID, r.expiresAt = runID, state.Code, state.ParentID, expires
	r.settled, r.value, r.noticed, r.hints = state.Settled, state.Value, state.Noticed, state.Hints
	r.steps, r.heap, r.guest, r.waited = state.Steps, state.Heap, state.Guest, state.Waited
	r.harmful, r.engine, r.catalog = state.Harmful, s.options.Engine.Name(), t.guestCatalogFor(source.Body)
	for _, step := range []func(*hostState) error{r.reviveOutput, r.reviveItems, r.reviveAnswers} {
		if err := step(state); err != nil {
			r.cancel()
			return nil, err
		}
	}
	return r, nil
}

func (r *run) reviveOutput(state *hostState) error {
	for _, o := range state.Output {
		r.output.items = append(r.output.items, o)
		r.output.bytes += len(o) + min(len(r.output.items)-1, 1)
	}
	r.output.delivered, r.output.omitted = state.Delivered, state.Omitted
	switch {
	case r.output.bytes > r.output.limit:
		return errors.New("it has put out more than a run of this turn may")
	case state.Delivered < 0 || state.Delivered > len(state.Output) || state.Omitted < 0:
		return errors.New("its output is miscounted")
	case state.Settled && !jsontext.Valid(state.Value):
		return errors.New("it has a value that is not JSON")
	case len(state.Hints) > maxHints:
		return errors.New("it has too many hints")
	case state.Omitted > 0:
		r.output.bytes = r.output.limit // what was cut stays cut
	}
	return nil
}

func (r *run) reviveItems(state *hostState) error {
	c := &r.turn.config
	if most := c.MaxPendingToolCalls + c.MaxQueuedToolCalls + maxTimers; len(state.Items) > most || len(state.Effects) > maxSideEffects {
		return fmt.Errorf("it waits for more than %d things", most)
	}
	for n := range state.Effects {
		r.effects = append(r.effects, &state.Effects[n])
	}
	r.pending = map[uint32]*item{}
	for n := range state.Items {
		it, err := r.reviveItem(&state.Items[n])
		if err != nil {
			return err
		}
		if it.id == 0 || r.pending[it.id] != nil {
			return fmt.Errorf("two things that it waits for have the number %d", it.id)
		}
		r.pending[it.id] = it
		r.order = append(r.order, it)
	}
	return nil
}

// reviveItem makes a pending item; what it names is looked up in the turn's own catalog, as ever.
func (r *run) reviveItem(is *itemState) (*item, error) {
	it := &item{id: is.ID, callID: r.callID(is.ID), method: is.Method, settled: is.Settled, kind: readyItem}
	if is.Effect < 0 || is.Effect > len(r.effects) {
		return nil, errors.New("its calls are miscounted")
	}
	if is.Method < engine.MethodSearch || is.Method > engine.MethodTimer {
		return nil, fmt.Errorf("it waits for a thing of an unknown kind, %d", is.Method)
	}
	if is.Effect > 0 {
		it.effect = r.effects[is.Effect-1]
	}
	switch {
	case is.Method == engine.MethodYield:
		it.kind, it.answer = yieldItem, engine.Answer{ID: is.ID, Payload: is.Answer}
		if !jsontext.Valid(is.Answer) {
			return nil, errors.New("the answer to a yield is not JSON")
		}
	case is.Method == engine.MethodTimer:
		it.kind, it.due = timerItem, time.UnixMilli(is.Due)
	case is.Tool != "":
		e, err := r.turn.catalog.Lookup(is.Tool)
		if err != nil || e.ID() != is.Tool {
			return nil, fmt.Errorf("it waits for a tool %q that the turn does not have", is.Tool)
		}
		it.entry, it.input = e, is.Input
		if !is.Settled {
			it.kind = callerItem
			if tool := r.turn.executor(e); !tool.ByCaller() || !jsontext.Valid(is.Input) {
				return nil, fmt.Errorf("it waits for the caller to run %q, which is not the caller's", is.Tool)
			}
		}
	case !is.Settled:
		return nil, fmt.Errorf("it waits for something that nobody works on (number %d)", is.ID)
	}
	return it, nil
}

func (r *run) reviveAnswers(state *hostState) error {
	seen := map[uint32]bool{}
	for _, a := range state.Answers {
		if a.ID == 0 || seen[a.ID] || a.Kind > engine.AnswerFired || a.Kind != engine.AnswerFired && (!jsontext.Valid(a.Payload) || !utf8.Valid(a.Payload)) {
			return errors.New("an answer that it waits for is none")
		}
		seen[a.ID] = true
		r.mailbox = append(r.mailbox, engine.Answer{ID: a.ID, Kind: a.Kind, Payload: a.Payload})
	}
	for _, it := range r.order {
		if it.settled && !seen[it.id] {
			return errors.New("an answer that it waits for is missing")
		}
	}
	return nil
}
