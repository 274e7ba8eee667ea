package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/catalog"
)

// This file is what the service, a turn and a run have to do with approvals (contract G4). What happens to a call that needs
// one is in call_approval.go.

// Approvals lists a tenant's approvals, a page at a time.
func (s *Service) Approvals(tenant string, q approval.Query) approval.Page {
	return s.tenant(tenant).approvals.List(q)
}

// Approval returns one of a tenant's approvals. Another tenant's looks like none (contract A7).
func (s *Service) Approval(tenant, id string) (approval.Approval, error) {
	a, err := s.tenant(tenant).approvals.Get(id)
	return a, approvalProblem(err)
}

// Decide settles one of a tenant's approvals: its call goes on, or is refused. An approval is decided once; of several
// decisions at once one counts, and the others are conflicts.
func (s *Service) Decide(ctx context.Context, tenant, id string, d approval.Decision) (approval.Approval, error) {
	if err := checkDecision(&d); err != nil {
		return approval.Approval{}, err
	}
	a, err := s.tenant(tenant).approvals.Decide(ctx, id, d)
	return a, approvalProblem(err)
}

func checkDecision(d *approval.Decision) error {
	refuse := func(key, msg string, args ...any) error {
		return &Error{Kind: KindInvalid, Key: key, Msg: fmt.Sprintf(msg, args...)}
	}
	switch {
	case d.Verdict != approval.Approve && d.Verdict != approval.Deny:
		return refuse("decision", "decision must be %q or %q", approval.Approve, approval.Deny)
	case len(d.Reason) > approval.MaxReason:
		return refuse("reason", "reason must have at most %d bytes", approval.MaxReason)
	case len(d.Who) > approval.MaxWho:
		return refuse("who", "who must have at most %d bytes", approval.MaxWho)
	case d.Remember != "" && d.Remember != approval.RememberSession:
		return refuse("remember", "remember must be %q, or left out", approval.RememberSession)
	case d.Input != nil && d.Verdict != approval.Approve:
		return refuse("input", "an edited input goes with the decision %q", approval.Approve)
	}
	return nil
}

// approvalProblem says of an approval that can't be had or decided what is the matter.
func approvalProblem(err error) error {
	var settled *approval.SettledError
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return &Error{Kind: KindNotFound, Key: "id", Msg: err.Error()}
	case errors.As(err, &settled), errors.Is(err, approval.ErrPaused):
		return &Error{Kind: KindConflict, Key: "id", Msg: err.Error()}
	}
	return err
}

// approvalRules makes the turn's own rules ready, and says how many bytes they hold.
func (t *Turn) approvalRules() (held int, err error) {
	for _, list := range t.config.Approvals {
		rules := make([]approval.Rule, len(list))
		for n, r := range list {
			rules[n] = approval.Rule{Tool: r.Tool, Approval: approval.Mode(r.Approval)}
			held += 256 + 2*len(r.Tool)
		}
		ready, err := approval.NewRules(rules)
		if err != nil {
			return 0, &Error{Kind: KindInvalid, Key: "approvals", Msg: "approvals" + err.Error()}
		}
		t.approvalLayers = append(t.approvalLayers, ready)
	}
	return held, nil
}

// approvalMode returns when calls of a tool need an approval: by the tenant's rules or the tool's annotations, or more often
// where the turn's config wants that.
func (t *Turn) approvalMode(e *catalog.Entry) approval.Mode {
	ofTenant := func() approval.Mode {
		return t.approvals.Mode(e.ID(), e.Name(), e.Tool().Annotations.Destructive)
	}
	if len(t.approvalLayers) == 0 && !t.approvals.HasRules() {
		return ofTenant()
	}
	if known, ok := t.approvalModes.Load(e); ok { // matching may take a while
		return known.(approval.Mode)
	}
	mode := ofTenant()
	for _, rules := range t.approvalLayers {
		if own, ok := rules.Mode(e.ID(), e.Name()); ok {
			mode = approval.Stricter(mode, own)
		}
	}
	t.approvalModes.Store(e, mode)
	return mode
}

// approvalScope is the session for which decisions are remembered.
func (t *Turn) approvalScope() approval.Scope { return approval.ScopeOf(t.context, t.id) }

// approvalState is an approval that a call waits for, at rest.
type approvalState struct {
	ID        string `json:"id"`
	CreatedAt int64  `json:"createdAt"` // Unix milliseconds
	ExpiresAt int64  `json:"expiresAt"`
}

func stateOfApproval(k *approval.Ticket) *approvalState {
	created, expires := k.Times()
	return &approvalState{k.ID(), created.UnixMilli(), expires.UnixMilli()}
}

// askAgain asks about a call that came here while it waited for an approval. It has the same id, unless that belongs to
// somebody else here, and no more time than it had.
func (c *call) askAgain(state *approvalState) error {
	t := c.run.turn
	if state == nil {
		return fmt.Errorf("it waits for a decision on %q that nobody was asked for", c.entry.ID())
	}
	mode := t.approvalMode(c.entry)
	if mode == approval.Never {
		mode = approval.Always // it was to be approved where it came from
	}
	latest := time.Now().Add(time.Duration(t.config.ApprovalTimeoutSeconds) * time.Second)
	expires := time.UnixMilli(state.ExpiresAt)
	if expires.After(latest) {
		expires = latest
	}
	err := c.ask(mode, approval.Approval{ID: state.ID, CreatedAt: time.UnixMilli(state.CreatedAt), ExpiresAt: expires})
	var parked parkedError
	if errors.As(err, &parked) {
		return nil
	}
	return &Error{Kind: KindOverloaded, Msg: err.Error(), RetryAfter: time.Second}
}

// pauseApprovals keeps people and the caller from bringing what the run's calls wait for, until resume is called or the run
// ends. It returns the calls that have a decision and are about to go on.
func (r *run) pauseApprovals() (resume func(), decided []uint32) {
	var paused []*approval.Ticket
	for _, c := range r.requests.leave(true) {
		if c.asked.Pause() {
			paused = append(paused, c.asked)
		} else {
			decided = append(decided, c.id)
		}
	}
	return func() {
		r.requests.leave(false)
		for _, k := range paused {
			k.Resume()
		}
	}, decided
}
