package trajectory

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/redact"
)

// Lines is a trajectory as JSON Lines: each exec, then its calls in the order in which the cell asked for them, then its waits.
type Lines struct {
	Log      *Log
	Redactor *redact.Redactor
	// Pending returns the calls that are not over, by their exec. It may return some that have come to be. Nil for none.
	Pending func() map[*Group][]*Entry
}

// WriteTo implements io.WriterTo.
func (t Lines) WriteTo(w io.Writer) (int64, error) {
	return write(w, func(put func([]byte) error) error {
		var pending map[*Group][]*Entry
		if t.Pending != nil {
			pending = t.Pending() // before the others are looked at, so that none is missing
		}
		groups, omitted := t.Log.view()
		for n := range groups {
			for _, e := range groups[n].entries(pending[groups[n].group]) {
				if err := put(e.appendLine(nil, t.Redactor)); err != nil {
					return err
				}
			}
		}
		if omitted == (Omitted{}) {
			return nil
		}
		text, _ := json.Marshal(omitted) // numbers
		return put(append([]byte(`{"type":"omitted",`), text[1:]...))
	})
}

// write calls f with what writes one line.
func write(w io.Writer, f func(put func([]byte) error) error) (n int64, err error) {
	buffered := bufio.NewWriterSize(w, 32<<10)
	err = f(func(line []byte) error {
		n += int64(len(line)) + 1
		_, err := buffered.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return n, err
	}
	return n, buffered.Flush()
}

// entries are those of an exec in the order in which they are shown.
func (s *shown) entries(pending []*Entry) []*Entry {
	head := s.Head
	if head == nil {
		head = &Entry{Kind: Exec, ID: s.ID, Outcome: Running}
	}
	over := make(map[uint32]bool, len(s.Calls))
	for _, e := range s.Calls {
		over[e.Number] = true
	}
	calls := slices.Clone(s.Calls)
	for _, e := range pending {
		if !over[e.Number] {
			calls = append(calls, e)
		}
	}
	slices.SortFunc(calls, func(a, b *Entry) int { return cmp.Compare(a.Number, b.Number) })
	return slices.Concat([]*Entry{head}, calls, s.Waits)
}

func (e *Entry) appendLine(dst []byte, r *redact.Redactor) []byte {
	return append(e.AppendMembers(append(dst, '{'), r), '}')
}

// AppendMembers appends the members of an entry's JSON object, without secrets.
func (e *Entry) AppendMembers(dst []byte, r *redact.Redactor) []byte {
	omitted := e.Omitted
	text := func(s string, limit int) string {
		shown, more := r.Text(s, limit)
		omitted += more
		return shown
	}
	dst = jsontext.AppendString(append(dst, `"type":`...), string(e.Kind))
	dst = jsontext.AppendField(dst, "callId", e.ID)
	dst = jsontext.AppendField(dst, "parentCallId", e.ParentID)
	dst = jsontext.AppendField(dst, "runId", e.RunID)
	dst = jsontext.AppendField(dst, "toolId", e.ToolID)
	dst = jsontext.AppendString(append(dst, `,"name":`...), e.shownName(text))
	if !e.StartedAt.IsZero() {
		dst = jsontext.AppendField(dst, "startedAt", e.StartedAt.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	dst = appendMs(dst, "durationMs", e.Took)
	dst = appendMs(dst, "toolMs", e.ToolTook)
	dst = appendCount(dst, "attempts", e.Attempts)
	dst = jsontext.AppendField(dst, "outcome", e.Outcome)
	dst = jsontext.AppendField(dst, "code", e.Code)
	dst = jsontext.AppendField(dst, "error", text(e.Error, maxError+64))
	if e.Outcome != Running && e.Outcome != Pending {
		dst = strconv.AppendInt(append(dst, `,"resultBytes":`...), int64(e.ResultBytes), 10)
	}
	if e.Input != nil {
		shown, more := r.JSON(e.Input, maxCode+64)
		omitted += more
		dst = append(append(dst, `,"input":`...), shown...)
	}
	dst = append(dst, `,"decisions":[`...)
	for i, d := range e.Decisions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(append(dst, `{"stage":`...), d.Stage)
		dst = jsontext.AppendField(dst, "outcome", d.Outcome)
		dst = jsontext.AppendField(dst, "reason", text(d.Reason, maxReason))
		dst = append(jsontext.AppendField(dst, "by", text(d.By, maxName)), '}')
	}
	return appendCount(append(dst, ']'), "omittedBytes", omitted)
}

func appendMs(dst []byte, key string, d time.Duration) []byte {
	if d <= 0 {
		return dst
	}
	dst = append(append(append(dst, ',', '"'), key...), '"', ':')
	return strconv.AppendFloat(dst, float64(d.Microseconds())/1000, 'f', -1, 64)
}

func appendCount(dst []byte, key string, n int) []byte {
	if n == 0 {
		return dst
	}
	dst = append(append(append(dst, ',', '"'), key...), '"', ':')
	return strconv.AppendInt(dst, int64(n), 10)
}
