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
	// MaxSnapshots is how many are kept, for each costs memory beside its bytes. Default 1,048,576.
	MaxSnapshots int
	// Sweep is how often expired snapshots are looked for. Default 30 s.
	Sweep time.Duration
}

func (o MemoryOptions) withDefaults() MemoryOptions {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxSnapshots <= 0 {
		o.MaxSnapshots = 1 << 20
	}
	if o.Sweep <= 0 {
		o.Sweep = 30 * time.Second
	}
	return o
}

// sweepPause is the least time between two sweeps. A full store sweeps before it refuses, and a sweep looks at all that is
// kept: without a pause, whoever fills the store would make every Put that slow.
const sweepPause = time.Second

// Memory keeps snapshots in this process. The cache below knows no bounds, drops what Set replaces without a word, and
// keeps what has expired until it is swept: what is counted here is counted under a lock of our own.
type Memory struct {
	options MemoryOptions
	cache   *cache.Cache

	mu      sync.Mutex // held around every use of the cache
	bytes   int64
	expired int64
	swept   time.Time
	closed  bool

	stop chan struct{}
	done chan struct{}
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. Close ends its sweeping.
func NewMemory(o MemoryOptions) *Memory {
	m := &Memory{
		options: o.withDefaults(),
		// No janitor of the cache's own: it ends only when a finalizer runs.
		cache: cache.New(cache.NoExpiration, 0),
		stop:  make(chan struct{}), done: make(chan struct{}),
	}
	// Called for whatever leaves the cache by Delete or DeleteExpired.
	m.cache.OnEvicted(func(_ string, sealed any) { m.bytes -= int64(len(sealed.([]byte))) })
	go m.sweep()
	return m
}

func (m *Memory) sweep() {
	defer close(m.done)
	tick := time.NewTicker(m.options.Sweep)
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
	if now := time.Now(); now.Sub(m.swept) >= sweepPause {
		m.swept = now
		before := m.cache.ItemCount()
		m.cache.DeleteExpired()
		m.expired += int64(before - m.cache.ItemCount())
	}
}

// Put implements Store.
func (m *Memory) Put(_ context.Context, id string, sealed []byte, ttl time.Duration) error {
	if ttl <= 0 {
		return fmt.Errorf("a snapshot can't be kept for %s", ttl)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if m.room(id, len(sealed)) != nil {
		m.dropExpired()
	}
	if err := m.room(id, len(sealed)); err != nil {
		return err
	}
	m.remove(id)
	m.cache.Set(id, sealed, ttl)
	m.bytes += int64(len(sealed))
	return nil
}

// room says whether so many bytes may be kept under an id, in place of what is there. It needs mu.
func (m *Memory) room(id string, size int) error {
	bytes, count := m.bytes+int64(size), m.cache.ItemCount()+1
	if old, ok := m.cache.Get(id); ok {
		bytes -= int64(len(old.([]byte)))
		count--
	}
	switch {
	case bytes > m.options.MaxBytes:
		return fmt.Errorf("%w: it would have %d bytes, and %d may be", ErrFull, bytes, m.options.MaxBytes)
	case count > m.options.MaxSnapshots:
		return fmt.Errorf("%w: it has %d snapshots, and more may not be", ErrFull, m.options.MaxSnapshots)
	}
	return nil
}

// remove forgets a snapshot and returns it unless it had expired. It needs mu.
func (m *Memory) remove(id string) ([]byte, bool) {
	sealed, ok := m.cache.Get(id) // not what has expired
	before := m.cache.ItemCount()
	m.cache.Delete(id)
	if !ok {
		m.expired += int64(before - m.cache.ItemCount())
		return nil, false
	}
	return sealed.([]byte), true
}

// Take implements Store.
func (m *Memory) Take(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if sealed, ok := m.remove(id); ok {
		return sealed, nil
	}
	return nil, ErrNone
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(id)
	return nil
}

// Stats implements Store.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Snapshots: m.cache.ItemCount(), Bytes: m.bytes, Expired: m.expired}
}

// Close implements Store. What is kept is dropped, and Put fails from then on.
func (m *Memory) Close() error {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.stop)
		m.cache.Flush()
		m.bytes = 0
	}
	m.mu.Unlock()
	<-m.done
	return nil
}
