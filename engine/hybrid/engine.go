package hybrid

import (
	"context"
	"errors"
	"slices"

	"github.com/codecell/codecell/engine"
)

// Engine is the two engines as one. It is safe for concurrent use.
type Engine struct {
	primary  engine.Engine
	portable engine.Portable
}

var (
	_ engine.Portable      = (*Engine)(nil)
	_ engine.Readier       = (*Engine)(nil)
	_ engine.Reporter      = (*Engine)(nil)
	_ engine.LimitReporter = (*Engine)(nil)
)

// New returns an engine whose guests begin in primary, and are restored in portable. Both are its own from then on.
func New(primary engine.Engine, portable engine.Portable) *Engine {
	return &Engine{primary, portable}
}

// Name implements engine.Engine: it is the primary engine's.
func (e *Engine) Name() string { return e.primary.Name() }

// NewVM implements engine.Engine. The guest is an engine.Imager.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	guest, err := e.primary.NewVM(catalog)
	if err != nil {
		return nil, err
	}
	if _, ok := guest.(engine.Imager); ok {
		return guest, nil
	}
	return newVM(e, guest, catalog), nil
}

// Restore implements engine.Portable.
func (e *Engine) Restore(ctx context.Context, image, catalog []byte) (engine.VM, error) {
	return e.portable.Restore(ctx, image, catalog)
}

// Build implements engine.Portable: it is the portable engine's.
func (e *Engine) Build() (string, error) { return e.portable.Build() }

// Ready implements engine.Readier. It does not wait for the portable engine, which no guest needs to begin.
func (e *Engine) Ready() error {
	if r, ok := e.primary.(engine.Readier); ok {
		return r.Ready()
	}
	return nil
}

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	return slices.Concat(engine.Reports(e.primary), engine.Reports(e.portable))
}

// UnenforcedLimits implements engine.LimitReporter: what either leaves unenforced.
func (e *Engine) UnenforcedLimits() []string {
	limits := slices.Concat(engine.UnenforcedLimits(e.primary), engine.UnenforcedLimits(e.portable))
	slices.Sort(limits)
	return slices.Compact(limits)
}

// Stats implements engine.Engine: they are the primary engine's.
func (e *Engine) Stats() engine.Stats { return e.primary.Stats() }

// Close implements engine.Engine.
func (e *Engine) Close() error { return errors.Join(e.primary.Close(), e.portable.Close()) }
