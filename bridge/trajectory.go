package bridge

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/bridge/trajectory"
)

// Auditor keeps lines of what cells did. Its methods return at once and may be called from any goroutine. *audit.Log is one.
type Auditor interface {
	// Ready returns nil if lines are kept, else why they may not be; the text may be shown to a cell.
	Ready() error
	// Append keeps a line: the members of a JSON object, without braces. members is the Auditor's.
	Append(members []byte)
}

// canAudit refuses a call that could not be audited.
func (s *Service) canAudit() error {
	if s.options.Audit == nil {
		return nil
	}
	if err := s.options.Audit.Ready(); err != nil {
		return &refusalError{codeNoAudit, "the tool was not called: " + err.Error()}
	}
	return nil
}

// Formats of Turn.Trajectory.
const (
	formatLines      = "jsonl"
	formatTranscript = "transcript"
)

// Trajectory returns what the turn's execs did so far (contract G5), as JSON Lines: an entry each ("jsonl", or an empty format),
// or the messages of a transcript ("transcript"). An unknown format is an *Error.
func (t *Turn) Trajectory(format string) (io.WriterTo, error) {
	switch format {
	case "", formatLines:
		return charged{t, trajectory.Lines{Log: t.trajectory, Redactor: t.redactor(), Pending: t.pendingEntries}}, nil
	case formatTranscript:
		return charged{t, trajectory.Transcript{Log: t.trajectory, Redactor: t.redactor()}}, nil
	}
	return nil, &Error{Kind: KindInvalid, Key: "format", Msg: "unknown format; the formats are " + formatLines + " (the default) and " + formatTranscript}
}

// charged charges the turn's share for the time that writing takes (contract H6).
type charged struct {
	turn *Turn
	io.WriterTo
}

// WriteTo implements io.WriterTo.
func (c charged) WriteTo(w io.Writer) (int64, error) {
	began := time.Now()
	timed := &timedWriter{w: w}
	n, err := c.WriterTo.WriteTo(timed)
	c.turn.share.Charge(time.Since(began) - timed.took)
	return n, err
}

// timedWriter measures how long another one takes, which is the client's time.
type timedWriter struct {
	w    io.Writer
	took time.Duration
}

// Write implements io.Writer.
func (t *timedWriter) Write(p []byte) (int, error) {
	began := time.Now()
	defer func() { t.took += time.Since(began) }()
	return t.w.Write(p)
}

// newRedactor returns one that knows the secrets of the turn's own tools too. Where there is no room for them, everything that
// may be one of them is hidden.
func (t *Turn) newRedactor() *redact.Redactor {
	var secrets []string
	for _, e := range t.catalog.Entries() {
		secrets = append(secrets, toolSecrets(e.Tool().Executor)...)
	}
	if len(secrets) == 0 {
		return t.service.options.Redactor
	}
	r := t.service.options.Redactor.With(secrets...)
	if !t.trajectory.Hold(r.Size()) {
		return redact.Blind()
	}
	return r
}

// toolSecrets returns what of a tool's "executor" object is secret: the values of its headers, and what is in its URL.
func toolSecrets(spec json.RawMessage) []string {
	var of struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if len(spec) == 0 || json.Unmarshal(spec, &of) != nil {
		return nil
	}
	return append(redact.Configured(of.Headers), redact.ConfiguredURL(of.URL)...)
}

// enter puts a call that is over into the trajectory.
func (c *call) enter() {
	r := c.run
	e := trajectory.Entry{
		Kind: trajectory.Call, ID: c.callID, ParentID: r.group.ID(), RunID: r.id.String(), Name: c.target, Number: c.id,
		Input: c.input, Result: c.result, ResultBytes: len(c.result), StartedAt: c.began, Took: time.Since(c.began),
		ToolTook: c.took, Attempts: c.attempts, Decisions: c.decisions,
	}
	if e.ID == "" {
		e.ID = r.id.call(c.id)
	}
	if c.entry != nil {
		e.ToolID, e.Name = c.entry.ID(), c.entry.Name()
	}
	e.Outcome, e.Code = c.ending()
	switch {
	case c.err != nil:
		e.Error = c.err.Error()
	case c.state == stateFailed:
		e.Error, _ = failureText(c.result)
	}
	r.turn.enter(r.group, &e)
}

// pendingEntries are the calls that are not over, of the runs that are alive.
func (t *Turn) pendingEntries() map[*trajectory.Group][]*trajectory.Entry {
	t.mu.Lock()
	runs := slices.Collect(maps.Keys(t.runs))
	t.mu.Unlock()
	pending := make(map[*trajectory.Group][]*trajectory.Entry, len(runs))
	for _, r := range runs {
		for _, e := range r.requests.entries(r.group.ID()) {
			pending[r.group] = append(pending[r.group], e.Keep(t.redactor))
		}
	}
	return pending
}

// entries are the calls that have been started and are not over. What was decided about one is shown while nobody is at work
// on it.
func (s *requests) entries(parent string) []trajectory.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []trajectory.Entry
	for q := s.first; q != nil && !s.ended; q = q.next {
		if q.call == nil || q.ctx == nil || q.kind == answeredRequest {
			continue
		}
		e := trajectory.Entry{
			Kind: trajectory.Call, ID: s.run.call(q.id), ParentID: parent, RunID: s.run.String(), ToolID: q.entry.ID(), Name: q.entry.Name(),
			Number: q.id, Input: q.input, Outcome: trajectory.Pending, StartedAt: q.call.began,
		}
		if !q.call.busy && q.kind != localRequest {
			e.Decisions = q.call.decisions
		}
		all = append(all, e)
	}
	return all
}

// enter keeps an entry, and audits it.
func (t *Turn) enter(g *trajectory.Group, e *trajectory.Entry) {
	kept := e.Keep(t.redactor)
	g.Add(kept)
	if a := t.service.options.Audit; a != nil && !t.ofService {
		a.Append(t.appendAudit(kept.AppendMembers(nil, t.redactor())))
	}
}

// appendAudit appends on whose behalf the turn is.
func (t *Turn) appendAudit(members []byte) []byte {
	members = jsontext.AppendField(members, "tenant", t.tenant)
	members = jsontext.AppendField(members, "turnId", t.id)
	context, _ := t.redactor().JSON([]byte(owner(t.context)), maxAuditContext)
	return append(append(members, `,"context":`...), context...)
}

// maxAuditContext bounds the context in a line of the audit file, in bytes: a client sizes it.
const maxAuditContext = 2 << 10

// execEntry is an exec on its way into the trajectory.
type execEntry struct {
	turn      *Turn
	group     *trajectory.Group
	in        ExecInput
	began     time.Time
	announced *announcement
	run       *run // once there is one
}

func (t *Turn) enterExec(in ExecInput) execEntry {
	return execEntry{turn: t, group: t.trajectory.Begin(trajectory.Exec, in.ToolCallID), in: in, began: time.Now()}
}

// over puts the exec into the trajectory, with the cell as it was run.
func (x *execEntry) over(result *Result, err error) {
	e := trajectory.Entry{Kind: trajectory.Exec, ID: x.group.ID(), StartedAt: x.began, Took: time.Since(x.began)}
	in := &x.in
	if x.announced != nil {
		in, e.Decisions = &x.announced.in, x.announced.decisions
	}
	e.Input = in.json()
	if x.run != nil && x.run.id.given() {
		e.RunID = x.run.id.String()
	}
	conclude(&e, result, err)
	x.turn.enter(x.group, &e)
}

// enterWait puts a wait into the trajectory; r is its run, if it has one.
func (t *Turn) enterWait(r *run, in *WaitInput, began time.Time, result *Result, err error) {
	e := trajectory.Entry{Kind: trajectory.Wait, ID: in.ToolCallID, StartedAt: began, Took: time.Since(began)}
	if in.RunID != nil {
		e.Input = append(append([]byte(`{"runId":`), in.RunID...), '}')
	}
	conclude(&e, result, err)
	if r == nil {
		t.enter(t.trajectory.Begin(trajectory.Wait, in.ToolCallID), &e)
		return
	}
	e.RunID = r.id.String()
	r.turn.enter(r.group, &e)
}

// conclude notes what an exec or wait gave.
func conclude(e *trajectory.Entry, result *Result, err error) {
	var known *Error
	switch {
	case result != nil:
		e.Outcome, e.Code, e.Error = string(result.Status), string(result.Code), result.Error
		e.Result = result.essence()
		e.ResultBytes = len(e.Result)
	case errors.As(err, &known):
		e.Outcome, e.Error = trajectory.Failed, known.Msg
	default:
		e.Outcome, e.Error = trajectory.Failed, "the service failed"
	}
}

// json is the input as it came.
func (in *ExecInput) json() json.RawMessage {
	text := make([]byte, 0, len(in.Code)+len(in.Command)+len(in.Language)+40)
	for _, member := range []struct {
		key   string
		value json.RawMessage
	}{{"code", in.Code}, {"command", in.Command}, {"language", in.Language}} {
		if member.value == nil {
			continue
		}
		text = append(append(append(append(text, ',', '"'), member.key...), '"', ':'), member.value...)
	}
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	text[0] = '{'
	return append(text, '}')
}

// essence is the result as JSON without what only tells of the run.
func (r *Result) essence() []byte {
	size := 64 + len(r.Value) + len(r.Error) + len(r.RunID)
	for _, item := range r.Output {
		size += len(item) + 1
	}
	text := append(append(append(make([]byte, 0, size), `{"status":"`...), r.Status...), '"')
	if r.Status == Completed {
		text = append(append(text, `,"value":`...), r.Value...)
	}
	text = jsontext.AppendField(text, "runId", r.RunID)
	text = jsontext.AppendField(text, "reason", r.Reason)
	text = jsontext.AppendField(text, "error", r.Error)
	text = jsontext.AppendField(text, "code", string(r.Code))
	return append(appendOutput(text, r.Output), '}')
}
