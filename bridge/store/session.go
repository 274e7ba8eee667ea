package store

import "time"

// Scope names a session. Two turns share a store if and only if their scopes are equal.
type Scope struct {
	AgentID, SessionID, SessionKey string
	// TurnID is that of a turn without a session, which is one of its own; else empty.
	TurnID string
}

// Limits bound what one session keeps.
type Limits struct {
	MaxKeys  int
	MaxBytes int // UTF-8 bytes of all keys and values
	TTL      time.Duration
}

// session is what a session keeps. Tenant.mu guards it.
type session struct {
	values map[string]value
	bytes  int // of keys and values
	held   int // bytes in the account
	timer  *time.Timer
}

// value is the JSON text of a value. The text is never changed.
type value struct {
	json    string
	expires time.Time
}

// What a session and a key cost beside their text, in bytes.
const (
	sessionOverhead = 512
	keyOverhead     = 128
)

// size is how many bytes are held for a key and its value.
func size(key string, v value) int { return keyOverhead + len(key) + len(v.json) }

// expire drops what has expired, and returns when the next value does (zero if there is none).
func (s *session) expire(now time.Time) (freed int, next time.Time) {
	for key, v := range s.values {
		switch {
		case !v.expires.After(now):
			freed += s.drop(key)
		case next.IsZero() || v.expires.Before(next):
			next = v.expires
		}
	}
	return freed, next
}

// drop removes a key, and returns how many bytes need not be held any more.
func (s *session) drop(key string) int {
	v, ok := s.values[key]
	if !ok {
		return 0
	}
	delete(s.values, key)
	s.bytes -= len(key) + len(v.json)
	freed := size(key, v)
	s.held -= freed
	return freed
}
