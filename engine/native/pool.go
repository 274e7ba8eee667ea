//go:build cgo

package native

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/courtesy"
)

// pool lends heaps to guests. A heap that was just released is lent again on the same processor if possible: what a step
// touches then still lies in that core's cache, and fetching it from another core's takes longer than the step.
//
// Every free heap is on the list; some are in the processors' own caches as well. Whoever sets taken has acquired the
// heap, wherever it was found, so the entry in the other place may be out of date.
type pool struct {
	size  int // bytes of a heap
	limit int
	local sync.Pool
	inUse atomic.Int64
	raise courtesy.Raiser

	mu   sync.Mutex
	all  []*heap
	list []*heap
	made int // heaps that exist or are being booted
}

// grow boots n heaps at once.
func (p *pool) grow(n int) error {
	for range n {
		h, err := p.boot()
		if err != nil {
			return err
		}
		p.release(h)
	}
	return nil
}

// acquire returns a fresh guest's heap, or engine.ErrOverloaded if all are in use.
func (p *pool) acquire() (*heap, error) {
	for {
		h, _ := p.local.Get().(*heap)
		if h == nil {
			break
		}
		if h.taken.CompareAndSwap(false, true) {
			p.inUse.Add(1)
			return h, nil
		}
	}
	if h := p.fromList(); h != nil {
		return h, nil
	}
	return p.boot()
}

func (p *pool) fromList() *heap {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := len(p.list); n > 0; n = len(p.list) {
		h := p.list[n-1]
		p.list = p.list[:n-1]
		h.listed.Store(false) // before it is looked at: see release
		if h.taken.CompareAndSwap(false, true) {
			p.inUse.Add(1)
			return h
		}
	}
	return nil
}

// boot makes a heap, which the caller has acquired then.
func (p *pool) boot() (*heap, error) {
	p.mu.Lock()
	if p.made >= p.limit {
		p.mu.Unlock()
		return nil, engine.ErrOverloaded
	}
	p.made++
	p.mu.Unlock()
	h, err := newHeap(p.size, &p.raise)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.made--
		return nil, err
	}
	h.taken.Store(true)
	p.all = append(p.all, h)
	p.inUse.Add(1)
	return h, nil
}

// release takes a heap back. It is wiped before it can be acquired again.
func (p *pool) release(h *heap) {
	h.reset()
	p.inUse.Add(-1)
	h.taken.Store(false)
	// If it is still on the list, whoever takes it off acquires it; if not, it is put there.
	if !h.listed.Load() {
		p.mu.Lock()
		if !h.listed.Swap(true) {
			p.list = append(p.list, h)
		}
		p.mu.Unlock()
	}
	p.local.Put(h)
}

// close frees the heaps that nobody has acquired. It fails if there are others.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.all[:0]
	for _, h := range p.all {
		if h.taken.CompareAndSwap(false, true) { // for good
			h.free()
			p.made--
		} else {
			kept = append(kept, h)
		}
	}
	p.all, p.list = kept, nil
	if len(kept) > 0 {
		return fmt.Errorf("native engine: %d guests are still open", len(kept))
	}
	return nil
}

func (p *pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made
}
