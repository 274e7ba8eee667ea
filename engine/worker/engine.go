package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
	"github.com/codecell/codecell/engine/internal/limiter"
	"github.com/codecell/codecell/engine/internal/sizes"
)

// Options configure an Engine. Zero values mean the default in parentheses.
type Options struct {
	Settings
	Command        []string      // arguments with which this binary calls Serve
	Queue          int           // steps that may wait for others (1024)
	Workers        int           // that serve (1)
	Spares         int           // that are ready to serve (1)
	MaxAge         time.Duration // of a worker, before it is recycled (1 h)
	MaxBytes       int64         // resident, before it is recycled (1 GiB)
	RequireSandbox bool          // refuse workers that lack a layer of it
	Logger         *slog.Logger  // (none)
}

func (o Options) withDefaults() Options {
	sizes.Defaults(&o.Steps, &o.Queue, &o.Heaps, &o.HeapBytes)
	sizes.Default(&o.Workers, 1)
	sizes.Default(&o.Spares, 1)
	if o.MaxAge <= 0 {
		o.MaxAge = time.Hour
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Engine is an engine whose guests live in workers. It is safe for concurrent use.
type Engine struct {
	options     Options
	pool        *pool
	limiter     *limiter.Limiter
	catalogs    catalogs
	guests      atomic.Int64
	quarantined chan struct{} // a slot for each guest that runs isolated

	rebuilt, replayed, poisoned atomic.Int64
}

var (
	_ engine.Readier       = (*Engine)(nil)
	_ engine.Reporter      = (*Engine)(nil)
	_ engine.LimitReporter = (*Engine)(nil)
)

// New returns an engine whose workers start in the background. Ready waits for the first.
func New(o Options) *Engine {
	o = o.withDefaults()
	return &Engine{
		options: o, pool: newPool(o), limiter: limiter.New(o.Steps, o.Queue), quarantined: make(chan struct{}, maxQuarantined),
	}
}

// Ready implements engine.Readier: it waits for the first worker. The error is why there is none: the engine can't be
// loaded, or the worker lacks a layer of the sandbox that is required.
func (e *Engine) Ready() error {
	_, err := e.ready()
	return err
}

func (e *Engine) ready() (*process, error) {
	p, err := e.pool.waitFirst()
	if err != nil {
		return nil, fmt.Errorf("worker with the %s engine: %w", e.options.Engine, err)
	}
	return p, nil
}

// Name implements engine.Engine: it is that of the engine inside.
func (e *Engine) Name() string { return e.options.Engine }

// NewVM implements engine.Engine.
func (e *Engine) NewVM(text []byte) (engine.VM, error) { return e.newVM(text, nil) }

func (e *Engine) newVM(text, image []byte) (*vm, error) {
	if len(text) > maxCatalog {
		return nil, fmt.Errorf("%w: a catalog of %d bytes", engine.ErrMemory, len(text))
	}
	if int(e.guests.Add(1)) > e.options.Heaps {
		e.guests.Add(-1)
		return nil, engine.ErrOverloaded
	}
	v := &vm{engine: e, catalog: e.catalogs.of(text)}
	if image == nil {
		v.journal = journal.New(text)
	} else {
		v.journal, v.begun = journal.Restored(image, text), true
	}
	return v, nil
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	s := e.limiter.Stats()
	s.InUse = int(e.guests.Load())
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	for _, p := range e.pool.all() {
		s.Heaps += int(p.heaps.Load())
	}
	return s
}

// Workers counts what became of workers and their guests since the start.
type Workers struct {
	Serving, Spare int
	Started, Lost  int64
	Rebuilt        int64 // guests that were rebuilt elsewhere
	Replayed       int64 // requests that were executed again, since their worker was lost
	Poisoned       int64 // guests that ended a worker that they had to themselves
}

// Workers counts.
func (e *Engine) Workers() Workers {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	return Workers{
		Serving: len(p.serving), Spare: len(p.spare), Started: p.started, Lost: p.lost,
		Rebuilt: e.rebuilt.Load(), Replayed: e.replayed.Load(), Poisoned: e.poisoned.Load(),
	}
}

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	p := e.pool
	p.mu.Lock()
	best, failed := p.findLeastLoaded(), p.failed
	p.mu.Unlock()
	switch {
	case best == nil && failed != nil:
		return []string{fmt.Sprintf("no worker with the %s engine: %v", e.options.Engine, failed)}
	case best == nil:
		return []string{fmt.Sprintf("a worker with the %s engine is being started", e.options.Engine)}
	}
	notes := []string{fmt.Sprintf("process isolation: the %s engine runs in worker processes, held by %s",
		e.options.Engine, strings.Join(best.ready.Sandbox.Holds, ", "))}
	if !best.ready.Sandbox.Complete() {
		notes = append(notes, "the workers' sandbox lacks "+strings.Join(best.ready.Sandbox.Lacks, ", "))
	}
	return append(notes, best.ready.Notes...)
}

// UnenforcedLimits implements engine.LimitReporter: those of the engine inside, but a worker that does not answer in time
// is ended, whatever its guest is doing. Nil while there is no worker.
func (e *Engine) UnenforcedLimits() []string {
	best := e.pool.leastLoaded()
	if best == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(best.ready.Unenforced), func(limit string) bool { return limit == engine.LimitBuiltin })
}

// Close implements engine.Engine. It fails if guests were open.
func (e *Engine) Close() error {
	e.pool.close()
	if n := e.guests.Load(); n > 0 {
		return fmt.Errorf("%s engine: %d guests were still open", e.options.Engine, n)
	}
	return nil
}

// Portable is an Engine whose workers have a portable engine inside.
type Portable struct{ *Engine }

var _ engine.Portable = Portable{}

// Build implements engine.Portable.
func (e Portable) Build() (string, error) {
	p, err := e.ready()
	if err != nil {
		return "", err
	}
	return p.ready.Build, nil
}

// NewVM implements engine.Engine.
func (e Portable) NewVM(text []byte) (engine.VM, error) {
	v, err := e.newVM(text, nil)
	if err != nil {
		return nil, err
	}
	return &portableVM{v}, nil
}

// Restore implements engine.Portable. It keeps the image.
func (e Portable) Restore(ctx context.Context, image, text []byte) (engine.VM, error) {
	v, err := e.newVM(text, image)
	if err != nil {
		return nil, err
	}
	// The caller is to know now whether it is an image.
	if err := v.retryOnLoss(ctx, func(*session) error { return nil }); err != nil {
		v.Close()
		return nil, err
	}
	return &portableVM{v}, nil
}
