package snapshot

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/patrickmn/go-cache"
)

// MemoryOptions bound a Memory store. Zero values take the defaults.
type MemoryOptions struct {
	// MaxBytes is how many bytes of sealed snapshots are kept. Default 1 GiB.
	MaxBytes int64
	// Sweep is how often expired snapshots are looked for. Default 30 s.
	Sweep time.Duration
}

// Memory keeps snapshots in this process. The cache below knows no bounds, drops what Set replaces without a word, and
// keeps what has expired until it is swept: what is counted here is counted under a lock of our own.
type Memory struct {
	max   int64
	cache *cache.Cache

	mu      sync.Mutex
	bytes   int64
	expired int64

	stop chan struct{}
	done chan struct{}
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. Close ends its sweeping.
func NewMemory(o MemoryOptions) *Memory {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.Sweep <= 0 {
		o.Sweep = 30 * time.Second
	}
	// No janitor of the cache's own: it ends only when a finalizer runs.
	m := &Memory{
		max: o.MaxBytes, cache: cache.New(cache.NoExpiration, 0),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	// Called by Delete, and by DeleteExpired for what has expired, always with mu held.
	m.cache.OnEvicted(func(_ string, sealed any) { m.bytes -= int64(len(sealed.([]byte))) })
	go m.sweep(o.Sweep)
	return m
}

func (m *Memory) sweep(every time.Duration) {
	defer close(m.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			m.mu.Lock()
			m.dropExpired()
			m.mu.Unlock()
		}
	}
}

// dropExpired needs mu.
func (m *Memory) dropExpired() {
	before := m.cache.ItemCount()
	m.cache.DeleteExpired()
	m.expired += int64(before - m.cache.ItemCount())
}

// Put implements Store.
func (m *Memory) Put(_ context.Context, id string, sealed []byte, ttl time.Duration) error {
	if ttl <= 0 {
		return fmt.Errorf("a snapshot can't be kept for %s", ttl)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.held(id)
	if m.bytes-old+int64(len(sealed)) > m.max {
		m.dropExpired()
		old = m.held(id)
	}
	if need := m.bytes - old + int64(len(sealed)); need > m.max {
		return fmt.Errorf("%w: it would have %d bytes, and %d may be", ErrFull, need, m.max)
	}
	m.cache.Delete(id)
	m.cache.Set(id, sealed, ttl)
	m.bytes += int64(len(sealed))
	return nil
}

// held returns how many bytes are kept under an id and would be freed by replacing it. It needs mu.
func (m *Memory) held(id string) int64 {
	if sealed, ok := m.cache.Get(id); ok {
		return int64(len(sealed.([]byte)))
	}
	return 0
}

// Take implements Store.
func (m *Memory) Take(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sealed, ok := m.cache.Get(id) // not what has expired
	if !ok {
		return nil, ErrNone
	}
	m.cache.Delete(id)
	return sealed.([]byte), nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache.Delete(id)
	return nil
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Snapshots: m.cache.ItemCount(), Bytes: m.bytes, Expired: m.expired}
}

// Close implements Store. What is kept is dropped.
func (m *Memory) Close() error {
	close(m.stop)
	<-m.done
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache.Flush()
	m.bytes = 0
	return nil
}
