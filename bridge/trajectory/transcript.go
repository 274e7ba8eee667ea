package trajectory

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/redact"
)

// Transcript is a trajectory as the messages of a transcript, one a line: the model's own calls of exec and wait, each an
// assistant message and its tool result, and after the result of an exec the calls that its cell made, as if they were the
// model's too. Those name the exec as their parent. What has no result yet is not shown.
type Transcript struct {
	Log      *Log
	Redactor *redact.Redactor
}

// WriteTo implements io.WriterTo.
func (t Transcript) WriteTo(w io.Writer) (int64, error) {
	return write(w, func(put func([]byte) error) error {
		groups, omitted := t.Log.view()
		for n := range groups {
			if groups[n].Head == nil {
				continue
			}
			for _, e := range groups[n].entries(nil) {
				if err := t.messages(e, put); err != nil {
					return err
				}
			}
		}
		if omitted == (Omitted{}) {
			return nil
		}
		notice := fmt.Sprintf("Left out of this transcript: %d execs, %d calls, %d waits, and parts of %d others.",
			omitted.Execs, omitted.Calls, omitted.Waits, omitted.Parts)
		return putMessage(put, message{Role: "notice", Content: []any{textBlock{"text", notice}}})
	})
}

// message is one of a transcript.
type message struct {
	Role         string         `json:"role"` // assistant, toolResult, or notice
	ToolCallID   string         `json:"toolCallId,omitempty"`
	ToolName     string         `json:"toolName,omitempty"`
	IsError      *bool          `json:"isError,omitempty"`
	Content      []any          `json:"content"`
	Details      map[string]any `json:"details,omitempty"`
	StopReason   string         `json:"stopReason,omitempty"`
	ParentCallID string         `json:"parentToolCallId,omitempty"`
	ToolID       string         `json:"toolId,omitempty"`
	Timestamp    int64          `json:"timestamp,omitempty"` // Unix milliseconds
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolCall struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
}

// messages are the two of an entry.
func (t Transcript) messages(e *Entry, put func([]byte) error) error {
	r := t.Redactor
	text := func(s string, limit int) string {
		shown, _ := r.Text(s, limit)
		return shown
	}
	input := json.RawMessage(`{}`)
	if e.Input != nil {
		input, _ = r.JSON(e.Input, maxCode+64)
	}
	id, parent, name := e.ID, e.ParentID, e.shownName(text)
	asked := message{
		Role: "assistant", StopReason: "toolUse", ParentCallID: parent, ToolID: e.ToolID,
		Content: []any{toolCall{"toolCall", id, name, input, input}},
	}
	if !e.StartedAt.IsZero() {
		asked.Timestamp = e.StartedAt.UnixMilli()
	}
	if err := putMessage(put, asked); err != nil {
		return err
	}
	failed := e.Outcome != Completed && e.Outcome != Waiting
	answer := message{
		Role: "toolResult", ToolCallID: id, ToolName: name, IsError: &failed, ParentCallID: parent, ToolID: e.ToolID,
		Content: e.content(r, text), Details: map[string]any{"status": e.Outcome},
	}
	if asked.Timestamp > 0 {
		answer.Timestamp = e.StartedAt.Add(e.Took).UnixMilli()
	}
	if e.Omitted > 0 {
		answer.Details["omittedBytes"] = e.Omitted
	}
	if e.Error != "" {
		answer.Details["error"] = text(e.Error, maxError+64)
	}
	if e.Code != "" {
		answer.Details["code"] = e.Code
	}
	return putMessage(put, answer)
}

func (e *Entry) shownName(text func(string, int) string) string {
	if e.Kind != Call {
		return string(e.Kind)
	}
	return text(e.Name, maxName+8)
}

// content is what a tool result shows: the blocks that the tool gave, or its result or error as a text.
func (e *Entry) content(r *redact.Redactor, text func(string, int) string) []any {
	if e.Result == nil {
		said := text(e.Error, maxError+64)
		if said == "" {
			said = e.Outcome
		}
		return []any{textBlock{"text", said}}
	}
	shown, _ := r.JSON(e.Result, maxValue+64)
	var blocks []any
	if e.Kind == Call {
		for _, block := range gjson.GetBytes(shown, "content").Array() {
			switch {
			case block.IsObject():
				blocks = append(blocks, json.RawMessage(block.Raw))
			case block.Type == gjson.String: // says what was cut off
				blocks = append(blocks, textBlock{"text", block.Str})
			}
		}
	}
	if blocks == nil {
		blocks = []any{textBlock{"text", string(shown)}}
	}
	return blocks
}

func putMessage(put func([]byte) error, m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		// The blocks that a tool gave are deeper than encoding/json goes.
		text = jsontext.AppendString([]byte(`{"role":"notice","content":[],"details":{"error":`), err.Error())
		text = append(text, "}}"...)
	}
	return put(text)
}
