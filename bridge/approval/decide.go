package approval

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Decide settles an approval by what a person says: verdict, reason, who, an edited input, and whether to remember it.
// What is remembered settles the other approvals of the tool that the session waits for as well. It returns the approval as
// it is then. Errors: ErrUnknown; *SettledError, if it was settled before, also by somebody who was faster; ErrPaused; and
// what Call.Edit returns, which leaves the approval open.
func (t *Tenant) Decide(ctx context.Context, id string, d Decision) (Approval, error) {
	if d.Input != nil {
		call, err := t.waiting(id)
		if err != nil {
			return Approval{}, err
		}
		if d.Input, err = call.Edit(ctx, d.Input); err != nil {
			return Approval{}, err
		}
		d.Edited = true
	}
	settled, err := t.settle(id, d)
	for _, s := range settled {
		s.tell()
	}
	if err != nil {
		return Approval{}, err
	}
	return settled[0].approval, nil
}

// waiting returns the call of a pending approval.
func (t *Tenant) waiting(id string) (Call, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, err := t.find(id)
	if err != nil {
		return nil, err
	}
	return k.call, nil
}

// find returns a pending approval. mu must be held.
func (t *Tenant) find(id string) (*Ticket, error) {
	k := t.byID[id]
	switch {
	case k == nil || !k.opened:
		return nil, ErrUnknown
	case k.view.State != Pending:
		return nil, &SettledError{k.view}
	case k.paused:
		return nil, ErrPaused
	}
	return k, nil
}

// settle returns whom to tell, the one that was decided first.
func (t *Tenant) settle(id string, d Decision) ([]telling, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, err := t.find(id)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if k.over(now) { // its timer is late
		expired := t.expire(k)
		return []telling{expired}, &SettledError{expired.approval}
	}
	d.At = now
	if k.view.Mode == First && d.Verdict == Approve {
		d.Remember = RememberSession
	}
	told := []telling{t.decide(k, d)}
	if d.Remember != RememberSession {
		return told, nil
	}
	d.Input, d.Edited, d.By = nil, false, id // another call has an input of its own
	t.memory.put(k.about, hashOf(k.view.Context.SessionID), d)
	for _, other := range t.inOrder(k.about) {
		told = append(told, t.decide(other, d))
	}
	return told, nil
}

// decide settles one approval. mu must be held.
func (t *Tenant) decide(k *Ticket, d Decision) telling {
	state := Denied
	if d.Verdict == Approve {
		state = Approved
	}
	return t.end(k, state, &d, "")
}

// inOrder returns what waits for the same decision, in the order in which it was asked for. mu must be held.
func (t *Tenant) inOrder(about subject) []*Ticket {
	var waiting []*Ticket
	for k := range t.asked[about] {
		if !k.paused {
			waiting = append(waiting, k)
		}
	}
	slices.SortFunc(waiting, func(a, b *Ticket) int { return cmp.Compare(a.number, b.number) })
	return waiting
}
