package bridge

import (
	"encoding/json"
	"strconv"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// Code says why a run failed (contract B8).
type Code string

// OpenClaw's six codes, and two that are more precise (contract B8).
const (
	CodeInvalidInput       Code = "invalid_input"
	CodeRuntimeUnavailable Code = "runtime_unavailable"
	CodeTimeout            Code = "timeout"
	CodeOutputLimit        Code = "output_limit_exceeded"
	CodeSnapshotLimit      Code = "snapshot_limit_exceeded"
	CodeInternal           Code = "internal_error"
	CodeMemoryLimit        Code = "memory_limit_exceeded"
	CodeAborted            Code = "aborted"
)

// strict folds a code into the contract's six.
func (c Code) strict() Code {
	switch c {
	case CodeMemoryLimit:
		return CodeInternal
	case CodeAborted:
		return CodeTimeout
	}
	return c
}

// Status is which of the three results it is.
type Status string

// The statuses of a result (contract B7).
const (
	Completed Status = "completed"
	Waiting   Status = "waiting"
	Failed    Status = "failed"
)

// Result is a CodeModeResult (contract B7). Value and Output are JSON.
type Result struct {
	Status Status
	Output [][]byte // items {type: "text", text, level?} or {type: "json", value}
	Hints  []string
	// Omitted is how many bytes of value and output were cut in truncate mode.
	Omitted   int64
	Telemetry Telemetry

	Value json.RawMessage // completed

	RunID   string // waiting
	Reason  string // waiting: "yield" or "pending_tools"
	Pending []PendingCall

	Error       string // failed
	Code        Code
	Detail      *Detail
	SideEffects []SideEffect
	Retryable   bool
}

// PendingCall is something that a waiting run waits for (contract C2).
type PendingCall struct {
	ID         string
	Method     string          // search, describe, call, namespace, yield, timer, or approval
	ToolID     string          // of a call
	Name       string          // of its tool
	Input      json.RawMessage // only if the caller must run it
	ApprovalID string          // of a call that a person must approve
}

// Detail is where and what a guest error was, in the cell's own lines (contract B2, B7).
type Detail struct {
	Name    string
	Message string
	Line    int // 1-based; 0 if unknown
	Column  int
	Stack   string // the cell's own frames, one a line
}

// SideEffect is a nested call that the run had started: it may have changed something (contract B7).
type SideEffect struct {
	ID     string
	ToolID string
	State  string // completed, failed, cancelled (was under way; may have happened), pending (with the caller)
}

// AppendJSON appends the result as compact JSON.
func (r *Result) AppendJSON(dst []byte) []byte {
	dst = append(append(append(dst, `{"status":"`...), r.Status...), '"')
	switch r.Status {
	case Completed:
		dst = append(append(dst, `,"value":`...), r.Value...)
	case Waiting:
		dst = r.appendWaiting(dst)
	case Failed:
		dst = r.appendFailed(dst)
	}
	dst = appendOutput(dst, r.Output)
	if r.Omitted > 0 {
		dst = strconv.AppendInt(append(dst, `,"omittedBytes":`...), r.Omitted, 10)
	}
	dst = appendHints(dst, r.Hints)
	dst = r.Telemetry.appendJSON(append(dst, `,"telemetry":`...))
	return append(dst, '}')
}

func (r *Result) appendWaiting(dst []byte) []byte {
	dst = jsontext.AppendField(dst, "runId", r.RunID)
	dst = jsontext.AppendField(dst, "reason", r.Reason)
	dst = append(dst, `,"pendingToolCalls":[`...)
	for i, p := range r.Pending {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(append(dst, `{"id":`...), p.ID)
		dst = jsontext.AppendField(dst, "method", p.Method)
		dst = jsontext.AppendField(dst, "toolId", p.ToolID)
		dst = jsontext.AppendField(dst, "name", p.Name)
		dst = jsontext.AppendField(dst, "approvalId", p.ApprovalID)
		if p.Input != nil {
			dst = append(append(dst, `,"input":`...), p.Input...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (r *Result) appendFailed(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `,"error":`...), r.Error)
	dst = jsontext.AppendField(dst, "code", string(r.Code))
	if d := r.Detail; d != nil {
		dst = jsontext.AppendString(append(dst, `,"detail":{"name":`...), d.Name)
		dst = jsontext.AppendString(append(dst, `,"message":`...), d.Message)
		if d.Line > 0 {
			dst = strconv.AppendInt(append(dst, `,"line":`...), int64(d.Line), 10)
			dst = strconv.AppendInt(append(dst, `,"column":`...), int64(d.Column), 10)
		}
		dst = jsontext.AppendString(append(dst, `,"stack":`...), d.Stack)
		dst = append(dst, '}')
	}
	if len(r.SideEffects) > 0 {
		dst = append(dst, `,"sideEffects":[`...)
		for i, e := range r.SideEffects {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsontext.AppendString(append(dst, `{"id":`...), e.ID)
			dst = jsontext.AppendField(dst, "toolId", e.ToolID)
			dst = jsontext.AppendField(dst, "state", e.State)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return strconv.AppendBool(append(dst, `,"retryable":`...), r.Retryable)
}

func appendOutput(dst []byte, output [][]byte) []byte {
	dst = append(dst, `,"output":[`...)
	for i, item := range output {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, item...)
	}
	return append(dst, ']')
}

func appendHints(dst []byte, hints []string) []byte {
	if len(hints) == 0 {
		return dst
	}
	dst = append(dst, `,"hints":[`...)
	for i, h := range hints {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, h)
	}
	return append(dst, ']')
}
