package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

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

// Deliver hands in results of calls that the caller ran, for a run that is suspended or being resumed (contract C10).
// Results are judged one by one; the refused ones change nothing.
func (t *Turn) Deliver(_ context.Context, runID string, results []CallResult) (*Delivery, error) {
	r, err := t.find(strings.TrimSpace(runID))
	if err != nil {
		return nil, &Error{Kind: KindNotFound, Key: "runId", Msg: err.Error()}
	}
	return r.deliver(results), nil
}

func (r *run) deliver(results []CallResult) *Delivery {
	d := &Delivery{Accepted: []string{}, Refused: []Refusal{}}
	for _, result := range results {
		if err := r.deliverOne(result); err != nil {
			d.Refused = append(d.Refused, Refusal{result.ID, err.Error()})
		} else {
			d.Accepted = append(d.Accepted, result.ID)
		}
	}
	return d
}

// deliverOne returns why the result is refused.
func (r *run) deliverOne(result CallResult) error {
	number, ok := r.id.number(result.ID)
	if !ok {
		return errNotPending
	}
	c, err := r.requests.parked(number, callerRequest)
	if err != nil {
		return err
	}
	value, failed := callerOutcome(result)
	if c, err = r.requests.unpark(number, callerRequest, c.answerSize(value, failed)); err != nil {
		return err
	}
	c.result, c.err = value, failed
	r.goOn(c, nil)
	return nil
}

// callerOutcome reads what the caller's tool answered, or why it did not.
func callerOutcome(result CallResult) (json.RawMessage, error) {
	if !result.OK {
		return nil, errors.New(errorText(result.Error))
	}
	value := bytes.TrimSpace(result.Value)
	if len(value) == 0 {
		value = []byte("null")
	}
	if !jsontext.Valid(value) {
		return nil, errors.New("the caller's result is nested too deeply")
	}
	return value, nil
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
