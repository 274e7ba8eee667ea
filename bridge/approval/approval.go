package approval

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/executor"
)

// State is where an approval stands. It leaves Pending once, and never comes back.
type State string

// The states of an approval.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Denied    State = "denied"
	Expired   State = "expired"   // nobody decided in time
	Withdrawn State = "withdrawn" // the run ended, or has left this service
)

// States are all states.
var States = []State{Pending, Approved, Denied, Expired, Withdrawn}

// Approval is what a person is asked, and what came of it. It is a copy that does not change.
type Approval struct {
	ID    string `json:"id"`
	State State  `json:"state"`
	// Mode is the mode by which the call needs one: always or first.
	Mode      Mode      `json:"approval"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	TurnID    string    `json:"turnId"`
	RunID     string    `json:"runId"`
	CallID    string    `json:"callId"`
	ToolID    string    `json:"toolId"`
	Name      string    `json:"name"` // of the tool
	// ParentCallID is the exec or wait that the call came of, as the caller names it.
	ParentCallID string `json:"parentCallId,omitempty"`
	// Input is what the tool would be called with, JSON. A large one is left out of lists, and once the approval is settled;
	// InputBytes says then how large it was.
	Input      json.RawMessage  `json:"input,omitempty"`
	InputBytes int              `json:"inputBytes,omitempty"`
	Context    executor.Context `json:"context"`
	// Decision is there once it is approved or denied.
	Decision *Decision `json:"decision,omitempty"`
	// Why says what ended an approval that nobody decided.
	Why string `json:"reason,omitempty"`
}

// Verdict is what a person may say.
type Verdict string

// The verdicts.
const (
	Approve Verdict = "approve"
	Deny    Verdict = "deny"
)

// Bounds of what a person says, in bytes.
const (
	MaxReason = 2000
	MaxWho    = 200
)

// RememberSession is the one way to remember a decision: for the rest of the session.
const RememberSession = "session"

// Decision is what a person said.
type Decision struct {
	Verdict Verdict   `json:"decision"`
	Reason  string    `json:"reason,omitempty"` // at most MaxReason; a cell sees that of a denial
	Who     string    `json:"who,omitempty"`    // at most MaxWho
	At      time.Time `json:"at"`
	// Input is what the tool is called with in place of its input, if the approver edited that. Once the approval is settled
	// a large one is left out, and Edited still says that there was one.
	Input  json.RawMessage `json:"input,omitempty"`
	Edited bool            `json:"edited,omitempty"`
	// Remember is RememberSession where later calls of the tool in the session are not asked for.
	Remember string `json:"remember,omitempty"`
	// By is the approval whose decision this one follows, for a call that nobody was asked about.
	By string `json:"by,omitempty"`
}

// State is the state of an approval that is decided so.
func (d *Decision) State() State {
	if d.Verdict == Approve {
		return Approved
	}
	return Denied
}

// SettledError says that an approval has been settled already, and how.
type SettledError struct{ Approval Approval }

// Error says what was decided.
func (e *SettledError) Error() string {
	a := e.Approval
	d := a.Decision
	if d == nil {
		return fmt.Sprintf("this approval is %s: %s", a.State, a.Why)
	}
	text := fmt.Sprintf("this approval was %s already at %s", a.State, d.At.UTC().Format(time.RFC3339))
	if d.Who != "" {
		text += fmt.Sprintf(" by %q", d.Who)
	}
	if d.Reason != "" {
		text += fmt.Sprintf(" with the reason %q", d.Reason)
	}
	return text
}

// idPrefix is what an approval's id begins with.
const idPrefix = "ap_"

// newID returns an id that nobody can guess: 128 random bits.
func newID() string { return idPrefix + rand.Text() }

// soundID says whether a text can be an id of this package's.
func soundID(id string) bool {
	text, ok := strings.CutPrefix(id, idPrefix)
	return ok && len(text) == len(rand.Text()) && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// size is about how many bytes the texts of an approval have that stay when it is settled.
func (a *Approval) size() int {
	c := &a.Context
	return len(c.AgentID) + len(c.SessionID) + len(c.SessionKey) + len(c.RunID) + len(c.Sender) + len(c.Channel) +
		len(a.TurnID) + len(a.RunID) + len(a.CallID) + len(a.ToolID) + len(a.Name) + len(a.ParentCallID)
}

// Bytes is about how many bytes the approval has as JSON.
func (a *Approval) Bytes() int {
	n := overhead + a.size() + len(a.Input)
	if a.Decision != nil {
		n += len(a.Decision.Input)
	}
	return n
}

// Scope is a session, in a form of fixed size: what is remembered holds for one.
type Scope [sha256.Size]byte

// ScopeOf returns the session of a turn: agent, session id and session key. A turn that does not name all of its session is
// a session of its own, because an id that is missing matches nothing (contract C5).
func ScopeOf(c executor.Context, turnID string) Scope {
	if c.SessionID == "" || c.SessionKey == "" {
		return scopeOfTurn(turnID)
	}
	return hashOf("session", c.AgentID, c.SessionID, c.SessionKey)
}

func scopeOfTurn(id string) Scope { return hashOf("turn", id) }

func hashOf(parts ...string) Scope {
	h := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return Scope(h.Sum(nil))
}
