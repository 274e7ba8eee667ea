package approval

import (
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
	settled, about, err := t.settle(id, d)
	settled.tell()
	if err != nil {
		return Approval{}, err
	}
	if made := settled.approval.Decision; made.Remember == RememberSession {
		t.follow(about, made.lesson(id), d.Remember == "")
	}
	return settled.approval.shrunk(), nil
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

// settle returns whom to tell, and what the decision is about.
func (t *Tenant) settle(id string, d Decision) (telling, subject, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, err := t.find(id)
	if err != nil {
		return telling{}, subject{}, err
	}
	now := time.Now()
	if k.over(now) { // its timer is late
		expired := t.expire(k)
		return expired, k.about, &SettledError{expired.approval}
	}
	d.At = now
	ofFirst := d.Remember == "" && k.view.Mode == First && d.Verdict == Approve
	if ofFirst {
		d.Remember = RememberSession
	}
	if d.Remember == RememberSession {
		t.memory.put(k.about, hashOf(k.view.Context.SessionID), d.lesson(id), ofFirst)
	}
	return t.decide(k, d), k.about, nil
}

// decide settles one approval. mu must be held.
func (t *Tenant) decide(k *Ticket, d Decision) telling {
	return t.end(k, d.State(), &d, "")
}

// lesson is a decision as it is remembered: without the input, since another call has one of its own.
func (d *Decision) lesson(id string) Decision {
	l := *d
	l.Input, l.Edited, l.By = nil, false, id
	return l
}

// follow settles what waits for a decision that is remembered, in the order in which it was asked for. One of mode First says
// nothing about calls that are always asked for.
func (t *Tenant) follow(about subject, d Decision, ofFirst bool) {
	for some := range slices.Chunk(t.waitFor(about, ofFirst), decidesAtOnce) {
		for _, one := range t.decideAll(some, d) {
			one.tell()
		}
	}
}

// decidesAtOnce is how many approvals are settled under the lock.
const decidesAtOnce = 32

func (t *Tenant) waitFor(about subject, ofFirst bool) (waiting []*Ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.asked[about]
	if all == nil {
		return nil
	}
	for e := all.Front(); e != nil; e = e.Next() {
		if k := e.Value.(*Ticket); k.view.Mode == First || !ofFirst {
			waiting = append(waiting, k)
		}
	}
	return waiting
}

func (t *Tenant) decideAll(waiting []*Ticket, d Decision) (told []telling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range waiting {
		if k.view.State == Pending && !k.paused {
			told = append(told, t.decide(k, d))
		}
	}
	return told
}
