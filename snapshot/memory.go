package snapshot

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/patrickmn/go-cache"
)

// MemoryOptions are for NewMemory. Zero values take the defaults.
type MemoryOptions struct {
	Bounds
	// Sweep is how often expired records are looked for. Default 30 s.
	Sweep time.Duration
}

// sweepBatch is how many expired records are dropped before others may use the store.
const sweepBatch = 256

// Memory keeps records in this process. The cache below knows neither bounds nor claims, and would look through all that
// it has to find what has expired: all of that is kept beside it, under a lock of our own.
type Memory struct {
	bounds Bounds
	every  time.Duration
	cache  *cache.Cache // of *held

	mu      sync.Mutex // held around every use of the cache
	expiry  deadlines  // of all that is in the cache
	tenants map[string]Usage
	all     Usage
	expired int64
	fence   Fence // the last that was given
	closed  bool

	stop chan struct{}
	done chan struct{}
}

var _ Store = (*Memory)(nil)

// held is a record with its claim.
type held struct {
	deadline
	record Record
	fence  Fence     // of the last claim, zero once it was given up
	lease  time.Time // until when it holds
}

func (e *held) claimed(now time.Time) bool { return e.fence != 0 && !now.After(e.lease) }

// NewMemory returns an empty store. Close ends its sweeping.
func NewMemory(o MemoryOptions) *Memory {
	if o.Sweep <= 0 {
		o.Sweep = 30 * time.Second
	}
	m := &Memory{
		bounds: o.WithDefaults(), every: o.Sweep,
		// No janitor of the cache's own: it ends only when a finalizer runs.
		cache:   cache.New(cache.NoExpiration, 0),
		tenants: map[string]Usage{},
		stop:    make(chan struct{}), done: make(chan struct{}),
	}
	go m.sweepOften()
	return m
}

func (m *Memory) sweepOften() {
	defer close(m.done)
	tick := time.NewTicker(m.every)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			m.sweep()
		}
	}
}

// sweep drops what has expired, and lets others use the store in between.
func (m *Memory) sweep() {
	for m.dropExpired() {
	}
}

// dropExpired drops one batch. It tells whether there may be more.
func (m *Memory) dropExpired() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for range sweepBatch {
		first := m.expiry.due(now)
		if first == nil {
			return false
		}
		m.find(first.id, now)
	}
	return true
}

// find returns a record that has not expired, or nil. One that has is dropped. It needs mu.
func (m *Memory) find(id string, now time.Time) *held {
	// The cache is not asked to expire anything: it reads the clock again, and could miss what is still counted here.
	found, ok := m.cache.Get(id)
	if !ok {
		return nil
	}
	e := found.(*held)
	if now.After(e.at) {
		m.remove(e)
		m.expired++
		return nil
	}
	return e
}

// add keeps a record. It needs mu.
func (m *Memory) add(e *held) {
	m.cache.Set(e.id, e, cache.NoExpiration)
	m.expiry.add(&e.deadline)
	m.count(e.record.Tenant, 1, len(e.record.Sealed))
}

// remove forgets a record. It needs mu.
func (m *Memory) remove(e *held) {
	m.cache.Delete(e.id)
	m.expiry.remove(&e.deadline)
	m.count(e.record.Tenant, -1, -len(e.record.Sealed))
}

// count adds to what is kept for a tenant and for all. It needs mu.
func (m *Memory) count(tenant string, snapshots, bytes int) {
	if u := m.tenants[tenant].plus(snapshots, bytes); u != (Usage{}) {
		m.tenants[tenant] = u
	} else {
		delete(m.tenants, tenant)
	}
	m.all = m.all.plus(snapshots, bytes)
}

func (u Usage) plus(snapshots, bytes int) Usage {
	return Usage{Snapshots: u.Snapshots + snapshots, Bytes: u.Bytes + int64(bytes)}
}

// room says whether a tenant may have so much more. It needs mu.
func (m *Memory) room(tenant string, snapshots, bytes int) error {
	return m.bounds.Check(m.tenants[tenant].plus(snapshots, bytes), m.all.plus(snapshots, bytes))
}

// locked calls f with the lock held, unless the store was closed.
func (m *Memory) locked(f func(now time.Time) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return f(time.Now())
}

// withRoom is locked for what may find the store full. It then drops what has expired and tries once more.
func (m *Memory) withRoom(f func(now time.Time) error) error {
	err := m.locked(f)
	if errors.Is(err, ErrFull) {
		m.sweep()
		err = m.locked(f)
	}
	return err
}

// holding is locked for the holder of a record.
func (m *Memory) holding(id string, f Fence, do func(e *held, now time.Time) error) func(time.Time) error {
	return func(now time.Time) error {
		e := m.find(id, now)
		switch {
		case e == nil:
			return ErrNone
		case e.fence != f || !e.claimed(now):
			return ErrFence
		}
		return do(e, now)
	}
}

// Put implements Store.
func (m *Memory) Put(_ context.Context, id string, r Record, ttl time.Duration) error {
	if ttl <= 0 {
		return ErrLifetime
	}
	return m.withRoom(func(now time.Time) error {
		if m.find(id, now) != nil {
			return ErrExists
		}
		if err := m.room(r.Tenant, 1, len(r.Sealed)); err != nil {
			return err
		}
		m.add(&held{deadline: deadline{id: id, at: now.Add(ttl)}, record: r})
		return nil
	})
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, id string, lease time.Duration) (claim Claim, err error) {
	if lease <= 0 {
		return Claim{}, ErrLifetime
	}
	err = m.locked(func(now time.Time) error {
		e := m.find(id, now)
		switch {
		case e == nil:
			return ErrNone
		case e.claimed(now):
			return ErrClaimed
		}
		m.fence++
		e.fence = m.fence
		m.extend(e, now, lease)
		claim = Claim{Record: e.record, Fence: e.fence}
		return nil
	})
	return claim, err
}

// extend gives a lease, and the record the time to be claimed after it. It needs mu.
func (m *Memory) extend(e *held, now time.Time, lease time.Duration) {
	e.lease = now.Add(lease)
	if after := e.lease.Add(lease); after.After(e.at) {
		m.expiry.move(&e.deadline, after)
	}
}

// Renew implements Store.
func (m *Memory) Renew(_ context.Context, id string, f Fence, lease time.Duration) error {
	if lease <= 0 {
		return ErrLifetime
	}
	return m.locked(m.holding(id, f, func(e *held, now time.Time) error {
		m.extend(e, now, lease)
		return nil
	}))
}

// Release implements Store.
func (m *Memory) Release(_ context.Context, id string, f Fence) error {
	return m.locked(m.holding(id, f, func(e *held, _ time.Time) error {
		e.fence = 0
		return nil
	}))
}

// Replace implements Store.
func (m *Memory) Replace(_ context.Context, id string, f Fence, r Record, ttl time.Duration) error {
	if ttl <= 0 {
		return ErrLifetime
	}
	return m.withRoom(m.holding(id, f, func(e *held, now time.Time) error {
		if r.Tenant != e.record.Tenant {
			return ErrTenant
		}
		more := len(r.Sealed) - len(e.record.Sealed)
		// What does not grow is never refused: there is no room to find.
		if err := m.room(r.Tenant, 0, more); more > 0 && err != nil {
			return err
		}
		m.count(r.Tenant, 0, more)
		e.record, e.fence = r, 0
		m.expiry.move(&e.deadline, now.Add(ttl))
		return nil
	}))
}

// Ack implements Store.
func (m *Memory) Ack(_ context.Context, id string, f Fence) error {
	return m.locked(m.holding(id, f, func(e *held, _ time.Time) error {
		m.remove(e)
		return nil
	}))
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, id string) error {
	return m.locked(func(now time.Time) error {
		if e := m.find(id, now); e != nil {
			m.remove(e)
		}
		return nil
	})
}

// Usage implements Store.
func (m *Memory) Usage(tenant string) Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tenants[tenant]
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Usage: m.all, Expired: m.expired}
}

// Close implements Store. What is kept is dropped.
func (m *Memory) Close() error {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.stop)
		m.cache.Flush()
		m.expiry, m.tenants, m.all = nil, map[string]Usage{}, Usage{}
	}
	m.mu.Unlock()
	<-m.done
	return nil
}
