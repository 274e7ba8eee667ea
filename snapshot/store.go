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
)

// Store keeps sealed snapshots by run id. All methods may be called from any goroutine.
type Store interface {
	// Put keeps a snapshot for so long, in place of what was there. When it fails, nothing has changed.
	Put(ctx context.Context, id string, sealed []byte, ttl time.Duration) error
	// Take returns a snapshot and forgets it: of any number of takers one gets it, the others ErrNone.
	Take(ctx context.Context, id string) ([]byte, error)
	// Delete forgets a snapshot, if it is there.
	Delete(ctx context.Context, id string) error
	// Stats counts what is kept.
	Stats() Stats
	// Close ends what runs in the background.
	Close() error
}

// Stats is what a store holds.
type Stats struct {
	Snapshots int   `json:"snapshots"`
	Bytes     int64 `json:"bytes"` // sealed
	Expired   int64 `json:"expired"`
}
