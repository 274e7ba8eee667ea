package trajectory

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/redact"
)

// Kind says what an entry is about.
type Kind string

// The kinds of entries: the model's two calls, and those that a cell makes.
const (
	Exec Kind = "exec"
	Wait Kind = "wait"
	Call Kind = "call"
)

// Outcomes that mean something here, of calls, execs and waits; there are others.
const (
	Completed = "completed"
	Waiting   = "waiting"
	Failed    = "failed"
	Running   = "running" // an exec that has not given a result yet
	Pending   = "pending" // a call that is not over
)

// Decision is what a stage decided about a call, for the trajectory (contract G5).
type Decision struct {
	Stage   string `json:"stage"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	By      string `json:"by,omitempty"` // the hook, or the person
}

// Entry is one call. It does not change once it is in a Log. As JSON it is part of a run's state; AppendMembers
// is what is shown.
type Entry struct {
	Kind        Kind            `json:"kind"`
	ID          string          `json:"id"`
	ParentID    string          `json:"parentId,omitempty"` // of a call: the exec that it came of
	RunID       string          `json:"runId,omitempty"`
	ToolID      string          `json:"toolId,omitempty"`
	Name        string          `json:"name,omitempty"` // of the tool, or what the cell named where there is none
	Input       json.RawMessage `json:"input,omitempty"`
	Outcome     string          `json:"outcome"`
	Code        string          `json:"code,omitempty"` // of what failed
	Error       string          `json:"error,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"`
	ResultBytes int             `json:"resultBytes,omitempty"`
	Omitted     int             `json:"omitted,omitempty"` // bytes of input, error and result that were left out
	StartedAt   time.Time       `json:"startedAt"`
	Took        time.Duration   `json:"took,omitempty"`     // from when it was asked for
	ToolTook    time.Duration   `json:"toolTook,omitempty"` // of the executor
	Attempts    int             `json:"attempts,omitempty"` // of the executor
	Decisions   []Decision      `json:"decisions,omitempty"`
	Number      uint32          `json:"number,omitempty"` // of a call, by which those of a run are ordered

	first [1]Decision // room for what nearly every call has
}

// Bounds of what an entry keeps, in bytes.
const (
	maxCode   = 16 << 10 // of the input of an exec
	maxValue  = 4 << 10  // of other inputs, and of results
	maxError  = 1 << 10
	maxName   = 256
	maxReason = 512
	overhead  = 512
	// maxEntry is more than any entry holds: what is cut to a size in characters may have escapes.
	maxEntry = 256 << 10
)

// Keep returns what an entry keeps of its inputs and texts. Secrets in what is cut are taken out, by what redactor returns. The
// input and result of a call are copied, since what holds them may be much larger.
func (e Entry) Keep(redactor func() *redact.Redactor) *Entry {
	inputs := maxValue
	if e.Kind == Exec {
		inputs = maxCode
	}
	e.Input = e.bound(redactor, e.Input, inputs)
	e.Result = e.bound(redactor, e.Result, maxValue)
	if e.Kind == Call {
		both := append(append(make([]byte, 0, len(e.Input)+len(e.Result)), e.Input...), e.Result...)
		if e.Result != nil {
			e.Result = both[len(e.Input):]
		}
		e.Input = both[:len(e.Input):len(e.Input)]
	}
	if len(e.Error) > maxError {
		var omitted int
		e.Error, omitted = redactor().Text(e.Error, maxError)
		e.Omitted += omitted
	}
	e.ID, e.ParentID, e.Name = cut(e.ID), cut(e.ParentID), cut(e.Name)
	kept := e
	kept.Decisions = append(kept.first[:0], e.Decisions...)
	return &kept
}

// bound cuts a value that is too large.
func (e *Entry) bound(redactor func() *redact.Redactor, value json.RawMessage, limit int) json.RawMessage {
	if len(value) <= limit {
		return value
	}
	shown, omitted := redactor().JSON(value, limit)
	e.Omitted += omitted
	return shown
}

func cut(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(strings.Clone(name[:maxName]), "") + "…"
}

// size is how many bytes an entry holds.
func (e *Entry) size() int {
	n := overhead + len(e.ID) + len(e.ParentID) + len(e.Name) + len(e.Input) + len(e.Error) + len(e.Result)
	for i := range e.Decisions {
		n += 64 + len(e.Decisions[i].Reason) + len(e.Decisions[i].By)
	}
	return n
}

// bare is an entry without all that may be large.
func (e *Entry) bare() *Entry {
	b := *e
	b.Omitted += len(e.Input) + len(e.Error) + len(e.Result)
	b.Input, b.Error, b.Result, b.Decisions = nil, "", nil, b.first[:0]
	for _, d := range e.Decisions[:min(len(e.Decisions), maxBareDecisions)] {
		d.Reason = ""
		b.Decisions = append(b.Decisions, d)
	}
	return &b
}

const maxBareDecisions = 8

// sound says what is wrong with an entry that comes from outside.
func (e *Entry) sound(runID string) error {
	switch {
	case e.Kind != Exec && e.Kind != Wait && e.Kind != Call:
		return fmt.Errorf("an entry of the kind %q", e.Kind)
	case e.RunID != "" && e.RunID != runID:
		return errors.New("an entry of another run")
	case e.size() > maxEntry:
		return errors.New("an entry that is too large")
	case e.ResultBytes < 0 || e.Omitted < 0 || e.Took < 0 || e.ToolTook < 0 || e.Attempts < 0:
		return errors.New("an entry with a negative number")
	}
	for _, text := range []json.RawMessage{e.Input, e.Result} {
		if text != nil && (!jsontext.Valid(text) || !utf8.Valid(text)) {
			return errors.New("an entry that is not JSON")
		}
	}
	return nil
}
