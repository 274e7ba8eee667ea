package bridge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

type itemKind int

const (
	readyItem  itemKind = iota // its answer is known already: a lookup, or a call that was refused
	localItem                  // a call that an executor carries out
	callerItem                 // a call that the caller carries out
	yieldItem                  // waits for the next wait
	timerItem                  // waits for its time
)

// item is a request that has not been answered yet.
type item struct {
	id      uint32
	callID  string
	method  engine.Method
	kind    itemKind
	entry   *catalog.Entry // of a call
	input   json.RawMessage
	answer  engine.Answer // of a readyItem
	due     time.Time     // of a timerItem
	effect  *SideEffect   // once it was started
	settled bool          // its answer lies in the mailbox
}

// admit takes in what a step asked for. Nothing is started yet: a run that can't be suspended must not have
// started the calls of that suspension (contract C6). The error means that the step can't be the guest's.
func (r *run) admit(e *engine.Effects) ([]*item, error) {
	if len(e.Requests) == 0 && len(e.Cancelled) == 0 {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending == nil {
		r.pending = map[uint32]*item{}
	}
	fresh := make([]*item, 0, len(e.Requests))
	for i := range e.Requests {
		q := &e.Requests[i]
		if r.pending[q.ID] != nil {
			return nil, fmt.Errorf("%w: request %d is already pending", engine.ErrProtocol, q.ID)
		}
		it := r.newItem(q)
		r.pending[q.ID] = it
		r.order = append(r.order, it)
		fresh = append(fresh, it)
	}
	for _, id := range e.Cancelled {
		if it := r.pending[id]; it != nil && it.kind == timerItem {
			r.remove(it)
		}
	}
	return slices.DeleteFunc(fresh, func(it *item) bool { return r.pending[it.id] != it }), nil
}

// remove forgets an item. r.mu must be held.
func (r *run) remove(it *item) {
	delete(r.pending, it.id)
	r.order = slices.DeleteFunc(r.order, func(o *item) bool { return o == it })
}

// newItem judges a request: everything that it names is looked up in the turn's own catalog.
func (r *run) newItem(q *engine.Request) *item {
	it := &item{id: q.ID, method: q.Method, callID: r.callID(q.ID)}
	switch q.Method {
	case engine.MethodSearch:
		r.search(it, q)
	case engine.MethodDescribe:
		r.describe(it, q)
	case engine.MethodCall, engine.MethodCallValue:
		r.lookUpCall(it, q)
	case engine.MethodNamespace:
		r.lookUpNamespace(it, q)
	case engine.MethodYield:
		it.kind = yieldItem
		it.answer = engine.Answer{ID: it.id, Payload: yielded(q.Payload)}
	case engine.MethodTimer:
		it.kind = timerItem
		it.due = time.Now().Add(timerDelay(q.Payload))
	}
	return it
}

func yielded(reason []byte) []byte {
	return append(append([]byte(`{"status":"yielded","reason":`), reason...), '}')
}

// maxDelay keeps a timer's due time within the range of time.Duration; a run expires long before.
const maxDelay = 365 * 24 * time.Hour

func timerDelay(payload []byte) time.Duration {
	ms := gjson.ParseBytes(payload).Float()
	if math.IsNaN(ms) || ms < 0 {
		return 0
	}
	return time.Duration(min(ms, float64(maxDelay/time.Millisecond)) * float64(time.Millisecond))
}

func (it *item) value(payload []byte) {
	it.kind, it.answer = readyItem, engine.Answer{ID: it.id, Kind: engine.AnswerValue, Payload: payload}
}

// The codes that a failed call's error carries (contract D7).
const (
	codeUnknownTool  = "unknown_tool"
	codeInvalidInput = "invalid_input"
	codeToolError    = "tool_error"
	codeToolTimeout  = "tool_timeout"
)

func (it *item) refuse(code, text string) {
	it.kind, it.answer = readyItem, it.failure(code, text)
}

// failure is an answer that rejects: what the cell catches is a plain error with these as own properties.
func (it *item) failure(code, text string) engine.Answer {
	payload := jsontext.AppendString([]byte(`{"name":"Error","message":`), text)
	payload = jsontext.AppendField(payload, "code", code)
	if it.entry != nil {
		payload = jsontext.AppendField(payload, "toolId", it.entry.ID())
		payload = jsontext.AppendField(payload, "callId", it.callID)
	}
	return engine.Answer{ID: it.id, Kind: engine.AnswerError, Payload: append(payload, '}')}
}

func (r *run) search(it *item, q *engine.Request) {
	r.turn.counts.search.Add(1)
	c := &r.turn.config
	limit := c.SearchDefaultLimit
	if v := gjson.ParseBytes(q.Payload); v.Type != gjson.Null {
		if v.Num < 1 || v.Num != math.Trunc(v.Num) {
			it.refuse(codeInvalidInput, "limit must be a positive integer.")
			return
		}
		limit = int(min(v.Num, float64(c.MaxSearchLimit)))
	}
	payload := []byte{'['}
	for i, e := range r.turn.catalog.Search(q.Name, limit) {
		if i > 0 {
			payload = append(payload, ',')
		}
		payload = append(payload, e.JSON()...)
	}
	it.value(append(payload, ']'))
}

func (r *run) describe(it *item, q *engine.Request) {
	r.turn.counts.describe.Add(1)
	e, err := r.turn.catalog.Lookup(q.Name)
	if err != nil {
		it.refuse(codeUnknownTool, err.Error())
		return
	}
	it.value(e.DescribeJSON())
}

func (r *run) lookUpCall(it *item, q *engine.Request) {
	r.turn.counts.describe.Add(1)
	e, err := r.turn.catalog.Lookup(q.Name)
	if err != nil {
		it.refuse(codeUnknownTool, err.Error())
		return
	}
	input := json.RawMessage(q.Payload)
	if string(input) == "null" {
		input = json.RawMessage("{}")
	}
	r.prepareCall(it, e, input)
}

// prepareCall is the gate of every nested call (contract G1): the tool is in the catalog, so policy lets it
// through; its input must fit its schema.
func (r *run) prepareCall(it *item, e *catalog.Entry, input json.RawMessage) {
	r.turn.counts.call.Add(1)
	it.entry, it.input, it.kind = e, input, localItem
	if err := e.Validate(input); err != nil {
		it.refuse(codeInvalidInput, err.Error())
		return
	}
	if tool := r.turn.executor(e); tool.ByCaller() {
		it.kind = callerItem
	}
}
