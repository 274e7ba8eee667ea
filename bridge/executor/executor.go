package executor

import (
	"context"
	"encoding/json"

	"github.com/codecell/codecell/catalog"
)

// Context says on whose behalf a turn runs. It goes along with every nested call (contract G1), and a suspended run is
// resumed only by a turn with the same one (contract C5).
type Context struct {
	AgentID    string `json:"agentId,omitempty"`
	SessionID  string `json:"sessionId,omitempty"`
	SessionKey string `json:"sessionKey,omitempty"`
	RunID      string `json:"runId,omitempty"`
	Sender     string `json:"sender,omitempty"`
	Channel    string `json:"channel,omitempty"`
	// Sandboxed says that the agent is: its turn has a sandbox policy, or its caller says so.
	Sandboxed bool `json:"sandboxed,omitempty"`
}

// Call is one nested tool call, as an executor gets it.
type Call struct {
	ID       string // of the call; another attempt at the same call has the same id
	ParentID string // the exec or wait that caused it
	RunID    string
	TurnID   string
	Tenant   string // whose turn it is; empty where the service has no tenants
	Tool     *catalog.Entry
	Input    json.RawMessage
	Spec     json.RawMessage // the tool's "executor" object
	Context  Context
	Attempt  int // 1 for the first
	// Attempts is set to how many there were. It may be nil.
	Attempts *int
	// Progress passes on what the tool says of its progress while it is at work: how far it has come, of how much (0 if that is
	// not known), and a text. It may be nil.
	Progress func(done, total float64, message string)
	// Hold counts bytes of the answer that are in memory, until Execute has returned. It fails, with a text that the cell may
	// see, when the run may hold no more. It may be nil.
	Hold func(bytes int) error
}

// Executor carries out calls. It must return soon after ctx ends. The result is the tool's own JSON, usually {content,
// details, isError}. An error rejects the guest's promise with its text, which the cell sees: it must name nothing of
// the host. A *TransientError has the call made again, if the tool allows that.
type Executor interface {
	Execute(ctx context.Context, call Call) (json.RawMessage, error)
}

// Checker is an Executor that can tell when a turn is prepared whether it understands a tool's "executor" object.
type Checker interface {
	Check(spec json.RawMessage) error
}

// Closer is an Executor that holds something between calls. The registry closes it.
type Closer interface {
	Close()
}
