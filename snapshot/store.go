package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Why a store refuses. Any other error is of a store that can't be reached: whether it has done what it was asked to is
// then not known.
var (
	// ErrFull means that the store's bounds allow no more.
	ErrFull = errors.New("the snapshot store is full")
	// ErrQuota means that the bounds of one tenant allow no more. It is an ErrFull too.
	ErrQuota = fmt.Errorf("%w for this tenant", ErrFull)
	// ErrNone means that there is no such record: it was never put, was acknowledged or deleted, or has expired.
	ErrNone = errors.New("no such snapshot")
	// ErrExists means that there is a record of this id already, claimed or not.
	ErrExists = errors.New("there is a snapshot of this id already")
	// ErrClaimed means that another holder has the record.
	ErrClaimed = errors.New("the snapshot is claimed by another holder")
	// ErrFence means that the caller's claim is over: its lease has passed, it was given up, or another has the record.
	ErrFence = errors.New("the claim on the snapshot is over")
	// ErrTenant means that a record may not be replaced by one of another tenant.
	ErrTenant = errors.New("the snapshot belongs to another tenant")
	// ErrLifetime means that a time to live or a lease is not longer than zero.
	ErrLifetime = errors.New("a snapshot's time to live and a claim's lease must be longer than zero")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("the snapshot store is closed")
)

// Record is all that is kept of one suspended run. It is complete: whoever claims it goes on with the run without having
// known it before, in the same process or another.
type Record struct {
	// Tenant is whose run it is, and for whom it is counted.
	Tenant string
	// Sealed is the run's Snapshot, sealed. Its host state is never left out.
	Sealed []byte
}

// Fence is a fencing token: the number of one claim. Later claims of the same id have larger ones, also when the record
// was deleted and put again in between. It is never zero.
type Fence uint64

// Claim is a record that the caller holds until its lease has passed.
type Claim struct {
	Record Record // not to be changed
	Fence  Fence
}

// Store keeps the records of suspended runs, each for a time (contract C6). Of any number of claimants one holds a record
// at a time, and only until its lease has passed (contract C5). What its holder does afterwards carries the claim's fence
// and is refused once the claim is over. A record stays in the store, and is counted, while it is claimed: a holder that
// dies loses nothing.
//
// A record expires when its time to live has passed. Claim and Renew put that off until one more lease after the lease
// that they give has passed, so that another can take over from a holder that died.
//
// All methods may be called from any goroutine. A call that fails with one of the errors above has changed nothing.
type Store interface {
	// Put keeps a record of a run that has none, for ttl. The bytes are the store's from then on. Errors: ErrExists,
	// ErrFull, ErrQuota, ErrLifetime, ErrClosed.
	Put(ctx context.Context, id string, r Record, ttl time.Duration) error
	// Claim gives the caller the record for as long as the lease, counted from before the call. Errors: ErrNone,
	// ErrClaimed, ErrLifetime, ErrClosed.
	Claim(ctx context.Context, id string, lease time.Duration) (Claim, error)
	// Renew makes a claim last for so long from now. Errors: ErrNone, ErrFence, ErrLifetime, ErrClosed.
	Renew(ctx context.Context, id string, f Fence, lease time.Duration) error
	// Release gives up a claim; the record is as it was, and may be claimed at once. Errors: ErrNone, ErrFence, ErrClosed.
	Release(ctx context.Context, id string, f Fence) error
	// Replace gives up a claim and keeps another record of the run in place of the claimed one, for ttl: the run was
	// suspended again. When it fails with ErrFull the caller still holds the old record. Errors: ErrNone, ErrFence,
	// ErrFull, ErrQuota, ErrTenant, ErrLifetime, ErrClosed.
	Replace(ctx context.Context, id string, f Fence, r Record, ttl time.Duration) error
	// Ack ends a claim and forgets the record: the run has ended, or it lives on without the store. Errors: ErrNone,
	// ErrFence, ErrClosed.
	Ack(ctx context.Context, id string, f Fence) error
	// Delete forgets a record, whoever holds it; if there is none that is no error. Errors: ErrClosed.
	Delete(ctx context.Context, id string) error
	// Usage counts what is kept for one tenant, claimed or not.
	Usage(tenant string) Usage
	// Stats counts what is kept for all.
	Stats() Stats
	// Close ends what runs in the background. To close twice is no error.
	Close() error
}

// Usage is what a store keeps. What has expired counts until it is dropped, which is before anything is refused because
// of it.
type Usage struct {
	Snapshots int   `json:"snapshots"`
	Bytes     int64 `json:"bytes"` // sealed, of these
}

// Stats is what a store keeps and has done.
type Stats struct {
	Usage
	Expired int64 `json:"expired"` // dropped since the start because nobody came for them
}

// Bounds are what a store keeps at most. Zero values take the defaults.
type Bounds struct {
	// Bytes is how many bytes of sealed snapshots are kept. Default 1 GiB.
	Bytes int64
	// Snapshots is how many are kept, for each costs memory beside its bytes. Default 1,048,576.
	Snapshots int
	// TenantBytes and TenantSnapshots are as much for one tenant. Default half of the above, so that no tenant uses up
	// everything.
	TenantBytes     int64
	TenantSnapshots int
}

// WithDefaults returns the bounds that apply.
func (b Bounds) WithDefaults() Bounds {
	if b.Bytes <= 0 {
		b.Bytes = 1 << 30
	}
	if b.Snapshots <= 0 {
		b.Snapshots = 1 << 20
	}
	if b.TenantBytes <= 0 {
		b.TenantBytes = (b.Bytes + 1) / 2
	}
	if b.TenantSnapshots <= 0 {
		b.TenantSnapshots = (b.Snapshots + 1) / 2
	}
	return b
}

// Check says whether a store may come to keep so much, for the tenant and for all. Errors: ErrFull, ErrQuota.
func (b Bounds) Check(tenant, all Usage) error {
	switch {
	case tenant.Bytes > b.TenantBytes:
		return fmt.Errorf("%w: it would have %d bytes, and %d may be", ErrQuota, tenant.Bytes, b.TenantBytes)
	case tenant.Snapshots > b.TenantSnapshots:
		return fmt.Errorf("%w: it has %d snapshots, and more may not be", ErrQuota, b.TenantSnapshots)
	case all.Bytes > b.Bytes:
		return fmt.Errorf("%w: it would have %d bytes, and %d may be", ErrFull, all.Bytes, b.Bytes)
	case all.Snapshots > b.Snapshots:
		return fmt.Errorf("%w: it has %d snapshots, and more may not be", ErrFull, b.Snapshots)
	}
	return nil
}
