//go:build cgo

package native

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
)

// Engine is the native engine. It is safe for concurrent use.
type Engine struct {
	options Options
	threads chan struct{}
	queued  atomic.Int64
	running atomic.Int64
	heaps   pool
}

var _ engine.Engine = (*Engine)(nil)

// New starts an engine, with its first heaps booted. It fails if the engine can't be loaded at all.
func New(o Options) (*Engine, error) {
	if err := checkStack(); err != nil {
		return nil, fmt.Errorf("native engine: %w", err)
	}
	o = o.withDefaults()
	e := &Engine{options: o, threads: make(chan struct{}, o.Threads)}
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
		Running: int(e.running.Load()),
		Queued:  int(e.queued.Load()),
		Threads: e.options.Threads,
	}
}

// Close implements engine.Engine.
func (e *Engine) Close() error { return e.heaps.close() }
