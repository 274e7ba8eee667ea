package wasi

import (
	"context"
	"fmt"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// Engine is the WASI engine. It is safe for concurrent use.
type Engine struct {
	threads *stepper.Threads
	heap    int
	pool    pool

	loaded chan struct{}
	module *module // nil if err is not
	err    error
}

var (
	_ engine.Portable = (*Engine)(nil)
	_ engine.Readier  = (*Engine)(nil)
	_ engine.Reporter = (*Engine)(nil)
)

// New returns an engine that loads its module in the background: compiling takes a second, a cached one a few
// milliseconds. Whoever needs a guest before that waits. It fails with ErrNoGuest if there is no module.
func New(o Options) (*Engine, error) {
	wasm, err := Module()
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	e := &Engine{
		threads: stepper.NewThreads(o.Threads, o.Queue), heap: o.HeapBytes,
		pool: pool{limit: o.Heaps, spare: o.Spare}, loaded: make(chan struct{}),
	}
	go func() {
		defer close(e.loaded)
		e.module, e.err = load(context.Background(), wasm, o)
	}()
	return e, nil
}

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	select {
	case <-e.loaded:
	default:
		return []string{"the WASI engine is being loaded"}
	}
	switch {
	case e.err != nil:
		return []string{"no WASI engine: " + e.err.Error()}
	case e.module.uncached != nil:
		return []string{"the WASI engine was compiled and is compiled again at the next start: " + e.module.uncached.Error()}
	}
	return nil
}

// Ready implements engine.Readier.
func (e *Engine) Ready() error {
	<-e.loaded
	if e.err != nil {
		return fmt.Errorf("WASI engine: %w", e.err)
	}
	return nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return "wasi" }

// Build implements engine.Portable.
func (e *Engine) Build() (string, error) {
	if err := e.Ready(); err != nil {
		return "", err
	}
	return e.module.build, nil
}

// NewVM implements engine.Engine.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	i, err := e.acquire()
	if err != nil {
		return nil, err
	}
	return &vm{Stepper: stepper.New(e.threads, false), engine: e, instance: i, catalog: catalog}, nil
}

// Restore implements engine.Portable.
func (e *Engine) Restore(_ context.Context, image, catalog []byte) (engine.VM, error) {
	i, err := e.acquire()
	if err != nil {
		return nil, err
	}
	if err := i.restore(image, catalog); err != nil {
		e.pool.release(i)
		return nil, err
	}
	return &vm{Stepper: stepper.New(e.threads, true), engine: e, instance: i}, nil
}

func (e *Engine) acquire() (*instance, error) {
	if err := e.Ready(); err != nil {
		return nil, err
	}
	return e.pool.acquire(e.module)
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	heaps, used := e.pool.counts()
	s := e.threads.Stats()
	s.Heaps, s.InUse = heaps, used
	return s
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	<-e.loaded
	open := e.pool.close()
	if e.module != nil {
		e.module.close()
	}
	if open > 0 {
		return fmt.Errorf("WASI engine: %d guests were still open", open)
	}
	return nil
}
