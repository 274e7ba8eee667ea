package purego

import (
	"fmt"
	"sync/atomic"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/sizes"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// Options size an engine. Zero values take the defaults.
type Options struct {
	Threads int // steps at once. Default 8
	Queue   int // steps that may wait for that. Default 1024
	Heaps   int // guests at once. Default 256
}

// Engine is the pure Go engine. It is safe for concurrent use.
type Engine struct {
	threads *stepper.Threads
	limit   int64
	open    atomic.Int64
}

var _ engine.LimitReporter = (*Engine)(nil)

// New returns an engine. It fails if a guest can't be started at all.
func New(o Options) (*Engine, error) {
	sizes.Default(&o.Threads, 8)
	sizes.Default(&o.Queue, sizes.Queue)
	sizes.Default(&o.Heaps, 256)
	e := &Engine{threads: stepper.NewThreads(o.Threads, o.Queue), limit: int64(o.Heaps)}
	vm, err := e.NewVM(nil)
	if err != nil {
		return nil, fmt.Errorf("pure Go engine: %w", err)
	}
	vm.Close()
	return e, nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return "purego" }

// NewVM implements engine.Engine.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	if e.open.Add(1) > e.limit {
		e.open.Add(-1)
		return nil, engine.ErrOverloaded
	}
	v, err := newVM(e, catalog)
	if err != nil {
		e.open.Add(-1)
		return nil, err
	}
	return v, nil
}

// UnenforcedLimits implements engine.LimitReporter: the size of its heaps is not known, and its interpreter does not
// look at the time inside of a builtin.
func (e *Engine) UnenforcedLimits() []string {
	return []string{engine.LimitFootprint, engine.LimitBuiltin}
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	open := int(e.open.Load())
	s := e.threads.Stats()
	s.Heaps, s.InUse = open, open
	return s
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	if n := e.open.Load(); n > 0 {
		return fmt.Errorf("pure Go engine: %d guests are still open", n)
	}
	return nil
}
