//go:build cgo

package native

import (
	"fmt"
	"runtime"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/limiter"
)

// Linked says whether this binary has the engine.
const Linked = true

// Engine is the native engine. It is safe for concurrent use.
type Engine struct {
	threads *limiter.Limiter
	heaps   pool
}

var _ engine.Engine = (*Engine)(nil)

// New starts an engine, with its first heaps booted. It fails if the engine can't be loaded at all.
func New(o Options) (*Engine, error) {
	if err := checkStack(); err != nil {
		return nil, fmt.Errorf("native engine: %w", err)
	}
	o = o.withDefaults()
	e := &Engine{threads: limiter.New(o.Threads, o.Queue)}
	e.heaps.size, e.heaps.limit = o.HeapBytes, o.Heaps
	if err := e.heaps.grow(o.Warm); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("native engine: %w", err)
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
	h, err := e.heaps.take()
	if err != nil {
		return nil, err
	}
	return &vm{engine: e, heap: h, catalog: catalog}, nil
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	return engine.Stats{
		Heaps:   e.heaps.count(),
		InUse:   int(e.heaps.inUse.Load()),
		Running: e.threads.Running(),
		Queued:  e.threads.Queued(),
		Threads: e.threads.Slots(),
	}
}

// Close implements engine.Engine.
func (e *Engine) Close() error { return e.heaps.close() }
