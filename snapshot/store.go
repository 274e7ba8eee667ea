package snapshot

import (
	"context"
	"errors"
	"time"
)

// Why a store refuses.
var (
	// ErrFull means that the store's bounds allow no more.
	ErrFull = errors.New("the snapshot store is full")
	// ErrNone means that there is no such snapshot: it was never there, was taken, or has expired.
	ErrNone = errors.New("no such snapshot")
	// ErrClosed means that the store keeps nothing any more.
	ErrClosed = errors.New("the snapshot store is closed")
)

// Store keeps sealed snapshots by run id (contract C6). All methods may be called from any goroutine. Other errors than
// those above are of a store that can't be reached: whether it has done what it was asked to is then not known.
type Store interface {
	// Put keeps a snapshot for so long, in place of what was there. The bytes are the store's from then on. When it fails
	// with ErrFull, nothing has changed.
	Put(ctx context.Context, id string, sealed []byte, ttl time.Duration) error
	// Take returns a snapshot and forgets it: of any number of takers one gets it, the others ErrNone.
	Take(ctx context.Context, id string) ([]byte, error)
	// Delete forgets a snapshot, if it is there.
	Delete(ctx context.Context, id string) error
	// Stats counts what is kept.
	Stats() Stats
	// Close ends what runs in the background. To close twice is no error.
	Close() error
}

// Stats is what a store holds.
type Stats struct {
	Snapshots int   `json:"snapshots"` // what has expired counts until it is swept
	Bytes     int64 `json:"bytes"`     // sealed, of these
	Expired   int64 `json:"expired"`   // dropped since the start because nobody came for them
}
