package approval

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
)

// Tenant has the approvals of one tenant, and what its sessions remember. It is safe for concurrent use.
type Tenant struct {
	registry    *Registry
	account     *account.Account
	rules       Rules
	destructive Mode

	mu      sync.Mutex // no Call is called under it
	byID    map[string]*Ticket
	log     log                    // those that were opened, in that order
	asked   map[subject]*list.List // of *Ticket: of them, those that are pending
	pending int                    // with those that are reserved
	settled *list.List             // of *Ticket, in the order in which they ended
	kept    int                    // bytes that those hold
	memory  memory
}

func newTenant(r *Registry, name string, held *account.Account) *Tenant {
	rules, destructive := r.options.Policy.of(name)
	return &Tenant{
		registry: r, account: held, rules: rules, destructive: destructive, byID: map[string]*Ticket{}, asked: map[subject]*list.List{}, settled: list.New(),
		memory: newMemory(r.options.Remember, held),
	}
}

// subject is what a decision is about, where it is remembered.
type subject struct {
	scope Scope
	tool  string // its id
}

// Bytes that are held for an approval with the texts of a decision, and of an input when it is kept after the approval was
// settled. A pending one's input is held by its run.
const (
	overhead  = 4 << 10
	keptInput = 16 << 10
)

// ErrUnknown says that the tenant has no such approval.
var ErrUnknown = errors.New("no such approval: it was never asked for here, was settled long ago, or its run has left")

// ErrPaused says that an approval can't be decided now. Later it can, here or elsewhere.
var ErrPaused = errors.New("this approval can't be decided now: its run is about to leave this service; decide it where the run goes on, or here if it has stayed")

// TooManyError says that more approvals are pending than may be.
type TooManyError struct {
	Limit  int
	Tenant bool // of this tenant, not of all
}

// Error names the limit.
func (e *TooManyError) Error() string {
	whose := "the service"
	if e.Tenant {
		whose = "the tenant"
	}
	return fmt.Sprintf("too many approvals are pending: %s may have %d; some of them must be decided first", whose, e.Limit)
}

// Remembered returns what the session has decided for good about calls of a tool that are asked for by a mode.
func (t *Tenant) Remembered(scope Scope, toolID string, mode Mode) (Decision, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.memory.get(subject{scope, toolID}, mode)
}

// ForgetTurn drops what a turn that is a session of its own remembers.
func (t *Tenant) ForgetTurn(turnID string) {
	scope := scopeOfTurn(turnID)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory.forget(func(l *lesson) bool { return l.about.scope == scope })
}

// ForgetSession drops what the sessions with that id remember, of whichever agent and key they are.
func (t *Tenant) ForgetSession(sessionID string) {
	id := hashOf(sessionID)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory.forget(func(l *lesson) bool { return l.session == id })
}

// Get returns an approval. The error is ErrUnknown.
func (t *Tenant) Get(id string) (Approval, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.byID[id]
	if k == nil || !k.opened {
		return Approval{}, ErrUnknown
	}
	return k.view, nil
}

// end settles a pending approval in one way or another. What it keeps is small from now on. It returns whom to tell, with
// the approval complete. mu must be held.
func (t *Tenant) end(k *Ticket, state State, d *Decision, why string) telling {
	k.view.State, k.view.Decision, k.view.Why = state, d, why
	told := telling{k.call, k.view}
	k.call, k.endedAt = nil, time.Now()
	t.uncount()
	t.asked[k.about].Remove(k.waits)
	if t.asked[k.about].Len() == 0 {
		delete(t.asked, k.about)
	}
	t.shrink(k)
	k.place = t.settled.PushBack(k)
	t.kept += k.held
	k.timer.Reset(t.registry.options.Retain)
	for n := t.settled.Len(); n > t.registry.options.MaxTenantPending || n > 1 && int64(t.kept) > t.account.Limit()/settledShare; n-- {
		t.evict(t.settled.Front().Value.(*Ticket))
	}
	return told
}

// settledShare is how much settled approvals may hold, as one part in so many of what the tenant may: else they could keep
// its runs from beginning.
const settledShare = 8

// shrink leaves large inputs of a settled approval out. mu must be held.
func (t *Tenant) shrink(k *Ticket) {
	small := k.view.shrunk()
	k.view.Input, k.view.InputBytes, k.view.Decision = small.Input, small.InputBytes, small.Decision // Times reads others
	d := small.Decision
	if d == nil || d.Input == nil {
		return
	}
	if t.account.Hold(len(d.Input)) == nil {
		k.held += len(d.Input)
	} else {
		d.Input = nil
	}
}

// shrunk is a settled approval as it is kept: its inputs are copied out of what they are part of if they are small, and left
// out if not.
func (a Approval) shrunk() Approval {
	a = a.brief()
	a.Input = bytes.Clone(a.Input)
	if a.Decision != nil {
		kept := *a.Decision
		if a.Decision = &kept; len(kept.Input) > keptInput {
			kept.Input = nil
		}
		kept.Input = bytes.Clone(kept.Input)
	}
	return a
}

// brief leaves a large input out.
func (a Approval) brief() Approval {
	if len(a.Input) > keptInput {
		a.Input, a.InputBytes = nil, len(a.Input)
	}
	return a
}

// hold counts bytes for a ticket. Settled ones make room, the oldest first. mu must be held.
func (t *Tenant) hold(k *Ticket, n int) error {
	err := t.account.Hold(n)
	for err != nil && t.settled.Len() > 0 {
		t.evict(t.settled.Front().Value.(*Ticket))
		err = t.account.Hold(n)
	}
	if err == nil {
		k.held += n
	}
	return err
}

// evict forgets a settled approval. mu must be held.
func (t *Tenant) evict(k *Ticket) {
	k.timer.Stop()
	t.settled.Remove(k.place)
	k.place = nil
	t.kept -= k.held
	t.log.remove(k.number)
	t.drop(k)
}

// drop takes a ticket off the list of ids. mu must be held.
func (t *Tenant) drop(k *Ticket) {
	delete(t.byID, k.id)
	t.account.Release(k.held)
	k.held = 0
}

// uncount counts one less that is pending. mu must be held.
func (t *Tenant) uncount() {
	t.pending--
	t.registry.pending.Add(-1)
}

// telling is a call that is to be told of its approval, once no lock is held.
type telling struct {
	call     Call
	approval Approval
}

func (t telling) tell() {
	if t.call != nil {
		t.call.Settled(t.approval)
	}
}
