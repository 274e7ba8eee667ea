package engine

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// Share is what somebody gets of the machine: a tenant, and a part of it, such as one turn's runs. Engines serve who has
// had less first, where not all can be served at once. It is safe for concurrent use.
type Share struct {
	parent *Share
	held   atomic.Int64 // steps under way
	used   atomic.Int64 // processor time in nanoseconds, of which the past counts ever less
	asOf   atomic.Int64 // when it was last made less, in half-lives since the process began
}

// Sub returns the share of a part of somebody.
func (s *Share) Sub() *Share { return &Share{parent: s} }

// Charge counts processor time that was used, also by those that the share is a part of.
func (s *Share) Charge(d time.Duration) {
	for ; s != nil; s = s.parent {
		s.used.Add(int64(d))
	}
}

// Hold counts n steps that have begun, or, below zero, ended.
func (s *Share) Hold(n int) {
	for ; s != nil; s = s.parent {
		s.held.Add(int64(n))
	}
}

// Held returns how many steps are under way.
func (s *Share) Held() int {
	if s == nil {
		return 0
	}
	return int(s.held.Load())
}

const (
	// halfLife is the time after which what was used counts half.
	halfLife = time.Second
	// heldCounts is what a step under way counts: what it has used is known when it has ended.
	heldCounts = 50 * time.Millisecond
)

var processBegan = time.Now()

// Recent returns the processor time that was used lately.
func (s *Share) Recent() time.Duration {
	now := int64(time.Since(processBegan) / halfLife)
	if before := s.asOf.Load(); now > before && s.asOf.CompareAndSwap(before, now) {
		used := s.used.Load()
		s.used.Add(used>>min(now-before, 63) - used)
	}
	return time.Duration(s.used.Load())
}

// Before says whether s is to be served before o: the topmost of those that they are part of decide, if they are not the
// same, by what they have used lately and what they have under way. Nobody's share comes last.
func (s *Share) Before(o *Share) bool {
	a, b := s.path(), o.path()
	for n := range a {
		if a[n] == b[n] {
			continue
		}
		if x, y := a[n].weight(), b[n].weight(); x != y {
			return x < y
		}
	}
	return false
}

// Owner returns whose share it is in the end: the topmost that it is a part of. Nobody's is nil.
func (s *Share) Owner() *Share {
	for s != nil && s.parent != nil {
		s = s.parent
	}
	return s
}

// path is the share and the one that it is a part of, the topmost first. Deeper ones count no more.
func (s *Share) path() [2]*Share {
	if s == nil || s.parent == nil {
		return [2]*Share{s, s}
	}
	return [2]*Share{s.parent, s}
}

func (s *Share) weight() time.Duration {
	if s == nil {
		return math.MaxInt64
	}
	return s.Recent() + time.Duration(s.Held())*heldCounts
}

// Claim is on whose behalf steps are executed. It goes along in the context of VM.Step, and is changed only between steps.
type Claim struct {
	Share *Share
	// Long says that the run has used much already, so that those that have not go first.
	Long bool
}

type claimKey struct{}

// WithClaim returns a context for steps that are executed on a claim.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// ClaimOf returns a context's claim: whose share it is, nil for nobody's, and whether the run is a long one.
func ClaimOf(ctx context.Context) (share *Share, long bool) {
	if c, ok := ctx.Value(claimKey{}).(*Claim); ok {
		return c.Share, c.Long
	}
	return nil, false
}
