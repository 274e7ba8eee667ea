//go:build cgo

package native

import (
	"fmt"
	"runtime"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/courtesy"
	"github.com/codecell/codecell/engine/internal/sizes"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// Linked says whether this binary has the engine.
const Linked = true

// Engine is the native engine. It is safe for concurrent use.
type Engine struct {
	threads *stepper.Threads
	heaps   pool
}

var (
	_ engine.Reporter = (*Engine)(nil)
	_ engine.Yielder  = (*Engine)(nil)
)

// New starts an engine, with its first heaps booted. It fails if the engine can't be loaded at all.
func New(o Options) (*Engine, error) {
	if err := checkStack(); err != nil {
		return nil, fmt.Errorf("native engine: %w", err)
	}
	o = o.withDefaults()
	e := &Engine{threads: stepper.NewThreads(o.Threads, o.Queue)}
	courtesy.Possible() // is found out now: a sandboxed process can't
	e.heaps.size, e.heaps.limit = o.HeapBytes, o.Heaps
	if err := e.heaps.grow(o.Warm); err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("native engine: %w", err)
	}
	return e, nil
}

func (o Options) withDefaults() Options {
	sizes.Defaults(&o.Threads, &o.Queue, &o.Heaps, &o.HeapBytes)
	sizes.Default(&o.Warm, runtime.NumCPU())
	o.HeapBytes = (o.HeapBytes + page - 1) &^ (page - 1)
	o.Warm = min(o.Warm, o.Heaps)
	return o
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return "native" }

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	return courtesy.Report()
}

// RaiseBy implements engine.Yielder.
func (e *Engine) RaiseBy(raise func(thread int)) { e.heaps.raise.By(raise) }

// NewVM implements engine.Engine.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	h, err := e.heaps.acquire()
	if err != nil {
		return nil, err
	}
	return &vm{Stepper: stepper.New(e.threads, false), engine: e, heap: h, catalog: catalog}, nil
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	s := e.threads.Stats()
	s.Heaps, s.InUse = e.heaps.count(), int(e.heaps.inUse.Load())
	return s
}

// Close implements engine.Engine.
func (e *Engine) Close() error { return e.heaps.close() }
