package approval

import (
	"context"
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
		t.follow(about, made.lesson(id))
	}
	return settled.approval, nil
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
	if k.view.Mode == First && d.Verdict == Approve {
		d.Remember = RememberSession
	}
	if d.Remember == RememberSession {
		t.memory.put(k.about, hashOf(k.view.Context.SessionID), d.lesson(id))
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

// follow settles what waits for a decision that is remembered, in the order in which it was asked for.
func (t *Tenant) follow(about subject, d Decision) {
	for told := t.followSome(about, d); len(told) > 0; told = t.followSome(about, d) {
		for _, one := range told {
			one.tell()
		}
	}
}

// decidesAtOnce is how many approvals are settled under the lock.
const decidesAtOnce = 32

func (t *Tenant) followSome(about subject, d Decision) (told []telling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := t.asked[about]
	if waiting == nil {
		return nil
	}
	for e := waiting.Front(); e != nil && len(told) < decidesAtOnce; {
		k := e.Value.(*Ticket)
		e = e.Next()
		if !k.paused {
			told = append(told, t.decide(k, d))
		}
	}
	return told
}
