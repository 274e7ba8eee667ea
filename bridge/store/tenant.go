package store

import (
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
)

// MaxKeyBytes bounds a key, in UTF-8 bytes.
const MaxKeyBytes = 256

// maxSessions bounds the sessions of a tenant that keep something.
const maxSessions = 10_000

// share is which part of what a tenant may hold its stores may take, one in so many.
const share = 4

// Tenant has the stores of a tenant's sessions. It is safe for concurrent use. Nothing takes its lock for longer than it takes
// to go through the keys of one session, or, in Forget, through the list of sessions.
type Tenant struct {
	account *account.Account

	mu       sync.Mutex
	sessions map[Scope]*session
}

// NewTenant returns the stores of a tenant, whose bytes are held in the account.
func NewTenant(of *account.Account) *Tenant {
	return &Tenant{account: of.Sub("tenant's session stores", of.Limit()/share), sessions: map[Scope]*session{}}
}

// Item is a key and the JSON text of its value.
type Item struct{ Key, JSON string }

// View returns what a session keeps now, in no particular order.
func (t *Tenant) View(scope Scope) []Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[scope]
	if s == nil {
		return nil
	}
	t.expire(scope, s)
	items := make([]Item, 0, len(s.values))
	for key, v := range s.values {
		items = append(items, Item{key, v.json})
	}
	return items
}

// FullError says that a session has no room for a value.
type FullError struct{ msg string }

// Error says which limit it is, and what to do.
func (e *FullError) Error() string { return e.msg }

// Set keeps a value, which must be JSON, until the TTL is over. What is in its place is replaced. The error is a *FullError,
// or an *account.FullError where the tenant has no room; then everything stays as it was.
func (t *Tenant) Set(scope Scope, key, json string, l Limits) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[scope]
	fresh := s == nil
	if fresh {
		s = &session{values: map[string]value{}}
	} else {
		s.release(t.account, l)
	}
	old, known := s.values[key]
	v := value{json, time.Now().Add(l.TTL)}
	need := size(key, v)
	bytes := s.bytes + len(key) + len(json)
	if known {
		need -= size(key, old)
		bytes -= len(key) + len(old.json)
	}
	if bytes > l.MaxBytes {
		return &FullError{fmt.Sprintf("store is full: key and value have %d bytes, the session's other ones %d, and it may keep %d. Store less, or delete keys.",
			len(key)+len(json), bytes-len(key)-len(json), l.MaxBytes)}
	}
	if !known && len(s.values) >= l.MaxKeys {
		return &FullError{fmt.Sprintf("store is full: the session may keep %d keys. Delete some, or keep several values under one key.", l.MaxKeys)}
	}
	overhead := 0
	if fresh {
		overhead = sessionOverhead
	}
	if fresh && len(t.sessions) >= maxSessions {
		return &FullError{"store is full: too many sessions keep something. Delete those that are over with DELETE /v1/sessions/{id}."}
	}
	if err := t.hold(need + overhead); err != nil {
		return err
	}
	s.held += need
	s.values[key], s.bytes = v, bytes
	if fresh {
		t.sessions[scope] = s
	}
	t.wake(scope, s, l.TTL)
	return nil
}

// hold counts bytes, of which there may be fewer than before.
func (t *Tenant) hold(n int) error {
	if n < 0 {
		t.account.Release(-n)
		return nil
	}
	return t.account.Hold(n)
}

// release drops what has expired before a value is judged for which there may be no room otherwise.
func (s *session) release(held *account.Account, l Limits) {
	if len(s.values) >= l.MaxKeys || s.bytes > l.MaxBytes/2 {
		freed, _ := s.expire(time.Now())
		held.Release(freed)
	}
}

// Delete removes a key, and says whether it was there.
func (t *Tenant) Delete(scope Scope, key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[scope]
	if s == nil {
		return false
	}
	v, ok := s.values[key]
	t.account.Release(s.drop(key))
	if len(s.values) == 0 {
		t.remove(scope, s)
	}
	return ok && v.expires.After(time.Now())
}

// Forget drops the stores of all sessions with that id, of whichever agent and key they are.
func (t *Tenant) Forget(sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for scope, s := range t.sessions {
		if scope.TurnID == "" && scope.SessionID == sessionID {
			t.remove(scope, s)
		}
	}
}

// ForgetTurn drops the store of a turn without a session.
func (t *Tenant) ForgetTurn(scope Scope) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[scope]; s != nil && scope.TurnID != "" {
		t.remove(scope, s)
	}
}

// wake has the session looked at when a value expires, unless that happens earlier. mu must be held.
func (t *Tenant) wake(scope Scope, s *session, after time.Duration) {
	if s.timer == nil {
		s.timer = time.AfterFunc(after, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.sessions[scope] == s {
				t.expire(scope, s)
			}
		})
	}
}

// expire drops what of a session has expired, and the session with its last value. mu must be held.
func (t *Tenant) expire(scope Scope, s *session) {
	now := time.Now()
	freed, next := s.expire(now)
	t.account.Release(freed)
	if next.IsZero() {
		t.remove(scope, s)
		return
	}
	s.timer.Reset(max(next.Sub(now), minWake))
}

// minWake is how long a session is left alone at least.
const minWake = time.Second

// remove forgets a session. mu must be held.
func (t *Tenant) remove(scope Scope, s *session) {
	s.timer.Stop()
	t.account.Release(s.held + sessionOverhead)
	delete(t.sessions, scope)
}
