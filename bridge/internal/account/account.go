package account

import (
	"fmt"
	"sync/atomic"
)

// Account counts bytes that are held, in itself and in its parents. It is safe for concurrent use.
type Account struct {
	name   string
	parent *Account
	limit  atomic.Int64
	held   atomic.Int64
}

// FullError says which account has no room.
type FullError struct {
	Account string // the account's name: whose limit it is
	Limit   int64  // bytes
}

// Error names the account and its limit.
func (e *FullError) Error() string {
	return fmt.Sprintf("the %s may hold %d bytes, and they are in use", e.Account, e.Limit)
}

// New returns the account at the top of a tree. The name is for error texts, such as "service".
func New(name string, limit int64) *Account {
	a := &Account{}
	a.Open(nil, name, limit)
	return a
}

// Sub returns an account whose bytes count in a as well.
func (a *Account) Sub(name string, limit int64) *Account {
	sub := &Account{}
	sub.Open(a, name, limit)
	return sub
}

// Open makes a zero account one whose bytes count in parent as well, for where an account is part of something.
func (a *Account) Open(parent *Account, name string, limit int64) {
	a.name, a.parent = name, parent
	a.limit.Store(limit)
}

// Hold counts n more bytes. It fails with a *FullError, and counts nothing, if that is over the limit of the account or of
// one above it.
func (a *Account) Hold(n int) error {
	if n == 0 {
		return nil // also while somebody else is being refused
	}
	for at := a; at != nil; at = at.parent {
		limit := at.limit.Load()
		if at.held.Add(int64(n)) <= limit {
			continue
		}
		full := &FullError{at.name, limit}
		at.held.Add(-int64(n))
		for below := a; below != at; below = below.parent {
			below.held.Add(-int64(n))
		}
		return full
	}
	return nil
}

// Release counts n bytes less. They must have been held.
func (a *Account) Release(n int) {
	for ; a != nil; a = a.parent {
		a.held.Add(-int64(n))
	}
}

// Held returns how many bytes are held.
func (a *Account) Held() int64 { return a.held.Load() }

// Limit returns how many bytes may be held.
func (a *Account) Limit() int64 { return a.limit.Load() }

// SetLimit changes how many bytes may be held. What is held already stays, even if it is more.
func (a *Account) SetLimit(limit int64) { a.limit.Store(limit) }

// Close releases all that the account still holds, so that its parents are rid of it whatever was forgotten. Nothing may
// be held in it afterwards.
func (a *Account) Close() {
	if left := a.held.Swap(0); a.parent != nil {
		a.parent.Release(int(left))
	}
}
