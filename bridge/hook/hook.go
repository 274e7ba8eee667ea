package hook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/codecell/codecell/bridge/executor"
)

// The events that hooks are asked at, as HTTP hooks are told them.
const (
	BeforeToolCall = "before_tool_call"
	AfterToolCall  = "after_tool_call"
)

// ExecKind is the ToolKind of an exec, by which a hook tells a cell from a shell tool that is named exec too.
const ExecKind = "code_mode_exec"

// Call is a call as a hook is told of it: a nested one, or the exec itself.
type Call struct {
	ID            string `json:"callId,omitempty"`
	ParentID      string `json:"parentCallId,omitempty"` // the exec or wait that caused it
	RunID         string `json:"runId,omitempty"`        // an exec has none yet
	TurnID        string `json:"turnId"`
	Tenant        string `json:"-"`
	ToolID        string `json:"toolId,omitempty"` // of a nested call
	Name          string `json:"name"`
	ToolKind      string `json:"toolKind,omitempty"`      // ExecKind for an exec
	ToolInputKind string `json:"toolInputKind,omitempty"` // the language of its cell
	// Input is JSON. That of an exec has code and command, which are the same, and language if the model gave it.
	Input   json.RawMessage  `json:"input"`
	Context executor.Context `json:"context"`
}

// Verdict is what a hook says before a call. The zero Verdict lets it pass.
type Verdict struct {
	Block bool
	// Reason is shown to the cell where the call is blocked, and noted in the trajectory in any case.
	Reason string
	// Input is what the call goes on with instead of its own input, if it is not nil. JSON; it is validated like the cell's.
	Input json.RawMessage
}

// Outcome is what a call came to, as a hook is told afterwards: Result, or Error with Code.
type Outcome struct {
	Result json.RawMessage
	Error  string
	Code   string
	Took   time.Duration // of the tool; 0 if the caller ran it
}

// Revision is what a hook says after a call. The zero Revision leaves it as it is.
type Revision struct {
	// Result is what the cell is given in place of the result, or of the error. JSON in the form of a tool's result.
	Result json.RawMessage
	// Error fails the call with this text. With Result it is not allowed.
	Error string
	// Reason is noted in the trajectory.
	Reason string
}

// Before is asked before a call. It must return soon after ctx ends. An error means that it could not decide; its text may
// be shown to the cell, so it must name nothing of the host.
type Before interface {
	BeforeToolCall(ctx context.Context, call Call) (Verdict, error)
}

// After is asked after a call, on the same terms.
type After interface {
	AfterToolCall(ctx context.Context, call Call, outcome Outcome) (Revision, error)
}

// Bounds of the time that a hook may take for an answer.
const (
	DefaultTimeout = 5 * time.Second
	MaxTimeout     = time.Minute
)

// Hook says who is asked, about which calls.
type Hook struct {
	// Name is by what the trajectory and error texts call it. Unique.
	Name string
	// Tools are globs over ids and names of tools, of which one must match; `exec` and `code_mode_exec` match an exec. None
	// means all calls.
	Tools []string
	// Tenants are those whose calls it is asked about. None means all.
	Tenants []string
	// Timeout bounds the wait for an answer. Default DefaultTimeout, at most MaxTimeout.
	Timeout time.Duration
	// FailOpen lets a call pass where the hook fails. By default it is refused, or its result withheld.
	FailOpen bool
	// Before and After are who is asked; one may be nil.
	Before Before
	After  After
}
