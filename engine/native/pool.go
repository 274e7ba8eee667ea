//go:build cgo

package native

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// pool hands out heaps. A heap that was just given back is handed out again on the same processor if possible: what a
// step touches then still lies in that core's cache, and fetching it from another core's takes longer than the step.
//
// Every free heap is on the list; some are in the processors' own caches as well. Whoever sets taken has the heap,
// wherever it was found, so the other place may be out of date.
type pool struct {
	size  int // bytes of a heap
	limit int
	local sync.Pool
	inUse atomic.Int64

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
		p.give(h)
	}
	return nil
}

// take returns a fresh guest's heap, or engine.ErrOverloaded if all are in use.
func (p *pool) take() (*heap, error) {
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
		h.listed.Store(false) // before it is looked at: see give
		if h.taken.CompareAndSwap(false, true) {
			p.inUse.Add(1)
			return h
		}
	}
	return nil
}

// boot makes a heap, taken by the caller.
func (p *pool) boot() (*heap, error) {
	p.mu.Lock()
	if p.made >= p.limit {
		p.mu.Unlock()
		return nil, engine.ErrOverloaded
	}
	p.made++
	p.mu.Unlock()
	h, err := newHeap(p.size)
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

// give takes a heap back. It is wiped before anybody else can have it.
func (p *pool) give(h *heap) {
	h.reset()
	p.inUse.Add(-1)
	h.taken.Store(false)
	// If it is on the list here, it is free for whoever takes it off; if not, it goes on.
	if !h.listed.Load() {
		p.mu.Lock()
		if !h.listed.Swap(true) {
			p.list = append(p.list, h)
		}
		p.mu.Unlock()
	}
	p.local.Put(h)
}

// close frees the heaps that nobody has. It fails if there are others.
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
