package bridge

import "time"

// Kind says what went wrong in terms that a caller can act on. It is the whole vocabulary of refusals that are not
// results (contract I3); the service maps each one to an HTTP status, so a new kind needs a status there too.
type Kind string

const (
	// KindInvalid is a request that can never succeed as it stands.
	KindInvalid Kind = "invalid"
	// KindNotFound is a turn, run or session that is not there, or not the caller's: the two look alike on purpose, so
	// that ids can't be probed (contract A7).
	KindNotFound Kind = "not_found"
	// KindConflict is a request that contradicts the present state.
	KindConflict Kind = "conflict"
	// KindTooLarge is a request over one of the operator's size limits.
	KindTooLarge Kind = "too_large"
	// KindOverloaded is a refusal for want of room; RetryAfter says when to come back (contract H5).
	KindOverloaded Kind = "overloaded"
	// KindQuota is a refusal because the tenant has used up what is its own, whatever others have left; RetryAfter says when
	// to come back (contract I2).
	KindQuota Kind = "quota"
	// KindUnavailable is a service that can't run code now: its engine did not load (contract A8) or it is shutting
	// down (contract I1).
	KindUnavailable Kind = "unavailable"
)

// Error is a refusal that is not a result. Its text is safe to show to the caller: it names no host detail.
type Error struct {
	Kind Kind
	// Msg says what is wrong, where, and what to do next.
	Msg string
	// Key is the offending key or path of the request; empty if there is none.
	Key string
	// RetryAfter is how long the caller should wait; zero if waiting won't help.
	RetryAfter time.Duration
}

// Error returns Msg.
func (e *Error) Error() string { return e.Msg }
