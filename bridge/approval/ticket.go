package approval

import (
	"container/list"
	"context"
	"encoding/json"
	"time"
)

// Call is the nested call that waits for an approval. Its methods are called without any lock, from any goroutine.
type Call interface {
	// Edit judges an input that the approver gives in place of the call's own. It returns the input as the tool will see it,
	// or why it can't be taken.
	Edit(ctx context.Context, input json.RawMessage) (json.RawMessage, error)
	// Settled is told how the approval ended: approved, denied or expired. It is called once, and never when the approval
	// was withdrawn.
	Settled(Approval)
}

// Ticket is the asker's hold on an approval.
type Ticket struct {
	tenant *Tenant
	about  subject
	id     string

	// The rest is guarded by the tenant's lock.
	call    Call // nil once it is settled
	view    Approval
	held    int // bytes
	opened  bool
	paused  bool          // not to be decided now
	number  uint64        // on the log, once it is opened
	timer   *time.Timer   // the same
	waits   *list.Element // among those that wait for the same decision, once it is opened
	place   *list.Element // among the settled ones
	endedAt time.Time
}

// Reserve takes a place for an approval that is about to be asked for. Nobody sees it before Open. ask says what is asked and
// until when; if it was asked before, in another process, also since when, and which id it should have if that is still free.
// Errors: *TooManyError, *account.FullError.
func (t *Tenant) Reserve(ask Approval, scope Scope, call Call) (*Ticket, error) {
	if !t.registry.reserve() {
		return nil, &TooManyError{Limit: t.registry.options.MaxPending}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &Ticket{tenant: t, about: subject{scope, ask.ToolID}, call: call, view: ask}
	var err error
	if limit := t.registry.options.MaxTenantPending; t.pending >= limit {
		err = &TooManyError{Limit: limit, Tenant: true}
	} else {
		err = t.hold(k, overhead+ask.size()+min(len(ask.Input), keptInput))
	}
	if err != nil {
		t.registry.pending.Add(-1)
		return nil, err
	}
	k.id = t.nameFor(k)
	k.view.ID, k.view.State = k.id, Pending
	if now := time.Now(); k.view.CreatedAt.IsZero() || k.view.CreatedAt.After(now) {
		k.view.CreatedAt = now
	}
	t.byID[k.id] = k
	t.pending++
	return k, nil
}

// nameFor returns the id that an approval asks for where it can have it: nobody has it, or the same call had it before its
// run left. Else it is a new one. mu must be held.
func (t *Tenant) nameFor(k *Ticket) string {
	wanted := k.view.ID
	if !soundID(wanted) {
		return newID()
	}
	before := t.byID[wanted]
	switch {
	case before == nil:
	case before.view.State == Withdrawn && before.view.RunID == k.view.RunID && before.view.CallID == k.view.CallID:
		t.evict(before)
	default:
		return newID()
	}
	return wanted
}

// ID is the approval's id.
func (k *Ticket) ID() string { return k.id }

// Times are since when and until when the approval is asked for. They do not change.
func (k *Ticket) Times() (createdAt, expiresAt time.Time) { return k.view.CreatedAt, k.view.ExpiresAt }

// Pause keeps the approval from being decided, or expiring, until Resume. It returns false if it is settled already: then
// its call has been told, or is about to be.
func (k *Ticket) Pause() bool {
	t := k.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	k.paused = k.view.State == Pending
	return k.paused
}

// Resume ends a Pause. What was missed meanwhile counts now.
func (k *Ticket) Resume() {
	k.resume().tell()
}

func (k *Ticket) resume() telling {
	t := k.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	if !k.paused || k.view.State != Pending {
		return telling{}
	}
	k.paused = false
	if !k.opened {
		return telling{}
	}
	return t.begin(k)
}

// begin lets a pending approval wait until it expires, unless the session knows the answer. mu must be held.
func (t *Tenant) begin(k *Ticket) telling {
	if d, ok := t.memory.get(k.about, k.view.Mode); ok {
		return t.decide(k, d)
	}
	k.timer.Reset(time.Until(k.view.ExpiresAt))
	return telling{}
}

// Open shows the approval to those who decide, until it expires. If the session has learnt meanwhile what to do with the
// tool, the call is told so at once.
func (k *Ticket) Open() {
	k.open().tell()
}

func (k *Ticket) open() telling {
	t := k.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.opened || k.view.State != Pending {
		return telling{}
	}
	k.opened, k.number = true, t.log.add(k)
	if t.asked[k.about] == nil {
		t.asked[k.about] = list.New()
	}
	k.waits = t.asked[k.about].PushBack(k)
	k.timer = time.AfterFunc(time.Until(k.view.ExpiresAt), k.tick)
	return t.begin(k)
}

// Withdraw ends an approval that nobody is to decide any more, because its run has ended or left. Its call is not told.
func (k *Ticket) Withdraw(why string) {
	t := k.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case k.view.State != Pending:
	case k.opened:
		t.end(k, Withdrawn, nil, why)
	default:
		k.view.State, k.call = Withdrawn, nil
		t.uncount()
		t.drop(k)
	}
}

// tick is the approval's timer: it expires, or has been kept for long enough. The timer may fire late, after it was set
// anew; only the approval's own times count.
func (k *Ticket) tick() {
	k.timeIsUp().tell()
}

func (k *Ticket) timeIsUp() telling {
	t := k.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	switch now := time.Now(); {
	case k.view.State == Pending && !k.paused && k.over(now):
		return t.expire(k)
	case k.place != nil && !now.Before(k.endedAt.Add(t.registry.options.Retain)):
		t.evict(k)
	}
	return telling{}
}

// over says whether the time for a decision is over.
func (k *Ticket) over(now time.Time) bool { return !now.Before(k.view.ExpiresAt) }

func (t *Tenant) expire(k *Ticket) telling {
	return t.end(k, Expired, nil, "nobody decided before "+k.view.ExpiresAt.UTC().Format(time.RFC3339))
}
