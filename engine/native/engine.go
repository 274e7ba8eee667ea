//go:build cgo

package native

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// Engine is the native engine. It is safe for concurrent use.
type Engine struct {
	options Options
	threads chan struct{}
	queued  atomic.Int64
	running atomic.Int64

	mu    sync.Mutex
	free  []*heap // last used last: its memory is still in the caches
	heaps int
}

var _ engine.Engine = (*Engine)(nil)

// New starts an engine, with its first heaps booted. It fails if the engine can't be loaded at all.
func New(o Options) (*Engine, error) {
	if err := checkStack(); err != nil {
		return nil, fmt.Errorf("native engine: %w", err)
	}
	o = o.withDefaults()
	e := &Engine{options: o, threads: make(chan struct{}, o.Threads)}
	for range o.Warm {
		h, err := newHeap(o.HeapBytes)
		if err != nil {
			_ = e.Close()
			return nil, fmt.Errorf("native engine: %w", err)
		}
		e.heaps++
		e.free = append(e.free, h)
	}
	return e, nil
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.Threads, 32},
		{&o.Queue, 1024},
		{&o.Heaps, 1024},
		{&o.HeapBytes, 64 << 20},
		{&o.Warm, runtime.NumCPU()},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	o.HeapBytes = (o.HeapBytes + page - 1) &^ (page - 1)
	o.Warm = min(o.Warm, o.Heaps)
	return o
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return "native" }

// NewVM implements engine.Engine.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	h, err := e.take()
	if err != nil {
		return nil, err
	}
	return &vm{engine: e, heap: h, catalog: catalog}, nil
}

func (e *Engine) take() (*heap, error) {
	e.mu.Lock()
	if n := len(e.free); n > 0 {
		h := e.free[n-1]
		e.free = e.free[:n-1]
		e.mu.Unlock()
		return h, nil
	}
	if e.heaps >= e.options.Heaps {
		e.mu.Unlock()
		return nil, engine.ErrOverloaded
	}
	e.heaps++
	e.mu.Unlock()
	h, err := newHeap(e.options.HeapBytes)
	if err != nil {
		e.mu.Lock()
		e.heaps--
		e.mu.Unlock()
		return nil, err
	}
	return h, nil
}

// give takes a heap back. It is wiped before anybody else can have it.
func (e *Engine) give(h *heap) {
	h.reset()
	e.mu.Lock()
	e.free = append(e.free, h)
	e.mu.Unlock()
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return engine.Stats{
		Heaps:   e.heaps,
		InUse:   e.heaps - len(e.free),
		Running: int(e.running.Load()),
		Queued:  int(e.queued.Load()),
		Threads: e.options.Threads,
	}
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.free {
		h.free()
	}
	e.heaps -= len(e.free)
	e.free = nil
	if e.heaps > 0 {
		return fmt.Errorf("native engine: %d guests are still open", e.heaps)
	}
	return nil
}
