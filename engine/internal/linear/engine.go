package linear

import (
	"context"
	"fmt"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// Sizes size an engine.
type Sizes struct {
	Threads   int // steps at once
	Queue     int // steps that may wait for that
	Heaps     int // guests at once
	HeapBytes int // the most that a run's memory limit can be
	Spare     int // instances kept for the next guests
}

// Engine is an engine of guests in linear memory. It is safe for concurrent use.
type Engine struct {
	name    string
	threads *stepper.Threads
	heap    int
	pool    pool

	loaded chan struct{}
	module *Module // nil if err is not
	err    error
}

var (
	_ engine.Portable = (*Engine)(nil)
	_ engine.Readier  = (*Engine)(nil)
)

// New returns an engine that is loaded in the background. Whoever needs a guest before that waits.
func New(name string, s Sizes, load func() (*Module, error)) *Engine {
	e := &Engine{
		name: name, threads: stepper.NewThreads(s.Threads, s.Queue), heap: s.HeapBytes,
		pool: pool{limit: s.Heaps, spare: s.Spare}, loaded: make(chan struct{}),
	}
	go func() {
		defer close(e.loaded)
		e.module, e.err = load()
	}()
	return e
}

// Loaded says whether it has been loaded, and why it could not be.
func (e *Engine) Loaded() (bool, error) {
	select {
	case <-e.loaded:
		return true, e.err
	default:
		return false, nil
	}
}

// Ready implements engine.Readier.
func (e *Engine) Ready() error {
	<-e.loaded
	if e.err != nil {
		return fmt.Errorf("engine %s: %w", e.name, e.err)
	}
	return nil
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.name }

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
	if open := e.pool.close(); open > 0 {
		return fmt.Errorf("engine %s: %d guests were still open", e.name, open)
	}
	return nil
}
