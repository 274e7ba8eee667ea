package snapshot

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUsed means that an exported snapshot was imported before (contract H6).
var ErrUsed = errors.New("the snapshot was imported before")

// LedgerOptions bound a Ledger. Zero values take the defaults.
type LedgerOptions struct {
	// Entries is how many snapshots are remembered, about 300 bytes each. Default 262,144.
	Entries int
	// TenantEntries is how many for one tenant. Default half of Entries.
	TenantEntries int
}

func (o LedgerOptions) bounds() Bounds {
	if o.Entries <= 0 {
		o.Entries = 1 << 18
	}
	return Bounds{Snapshots: o.Entries, TenantSnapshots: o.TenantEntries}.WithDefaults()
}

// clockMargin is for how much longer than needed a snapshot is remembered: clocks are also set back.
const clockMargin = time.Minute

// Ledger remembers which exported snapshots were imported, so that each is imported once (contract H6). It remembers them
// until they have expired, and none is forgotten before: when there is no room for another it is refused. It knows what
// this process has imported and no other. All methods may be called from any goroutine.
type Ledger struct {
	bounds Bounds

	mu      sync.Mutex
	used    map[string]*ledgerEntry // by snapshot
	expiry  deadlines               // of the same
	tenants map[string]Usage
}

type ledgerEntry struct {
	deadline
	tenant string
}

// NewLedger returns an empty ledger.
func NewLedger(o LedgerOptions) *Ledger {
	return &Ledger{bounds: o.bounds(), used: map[string]*ledgerEntry{}, tenants: map[string]Usage{}}
}

// Use notes that a tenant imports a sealed snapshot, which opens no longer when the time has come. Only snapshots that
// have opened may be given: what identifies one can't be changed then. Errors: ErrUsed, ErrFull, ErrQuota.
func (l *Ledger) Use(tenant string, sealed []byte, until time.Time) error {
	id := serial(sealed)
	err := l.use(tenant, id, until)
	if errors.Is(err, ErrFull) {
		for l.dropExpired() {
		}
		err = l.use(tenant, id, until)
	}
	return err
}

func (l *Ledger) use(tenant, id string, until time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[id] != nil {
		return ErrUsed
	}
	own, all := l.tenants[tenant].plus(1, 0), Usage{Snapshots: len(l.used) + 1}
	if err := l.bounds.Check(own, all); err != nil {
		return fmt.Errorf("imported snapshots are remembered until they expire: %w", err)
	}
	e := &ledgerEntry{deadline: deadline{id: id, at: until.Add(clockMargin)}, tenant: tenant}
	l.used[id], l.tenants[tenant] = e, own
	l.expiry.add(&e.deadline)
	return nil
}

// Return takes back a Use: the snapshot was not imported after all.
func (l *Ledger) Return(sealed []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.used[serial(sealed)]; e != nil {
		l.remove(e)
	}
}

// dropExpired forgets a batch of what has expired. It tells whether there may be more.
func (l *Ledger) dropExpired() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for range sweepBatch {
		first := l.expiry.due(now)
		if first == nil {
			return false
		}
		l.remove(l.used[first.id])
	}
	return true
}

// remove needs mu.
func (l *Ledger) remove(e *ledgerEntry) {
	delete(l.used, e.id)
	l.expiry.remove(&e.deadline)
	if l.tenants[e.tenant] = l.tenants[e.tenant].plus(-1, 0); l.tenants[e.tenant] == (Usage{}) {
		delete(l.tenants, e.tenant)
	}
}

// Len counts what is remembered.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.used)
}

// serial identifies a sealed snapshot by its nonce: no two are sealed with the same, and with another one it does not open.
func serial(sealed []byte) string {
	return string(sealed[headerSize : headerSize+nonceSize])
}
