package wasi

import (
	"context"
	"errors"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/linear"
)

// Engine is the WASI engine. It is safe for concurrent use.
type Engine struct {
	*linear.Engine
	module *module // once it is loaded
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
	e := &Engine{}
	e.Engine = linear.New("wasi", o.sizes(), func() (*linear.Module, error) {
		guests, m, err := load(context.Background(), wasm, o)
		e.module = m
		return guests, err
	})
	return e, nil
}

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	loaded, err := e.Loaded()
	switch {
	case !loaded:
		return []string{"the WASI engine is being loaded"}
	case err != nil:
		return []string{"no WASI engine: " + err.Error()}
	case e.module.uncached != nil:
		return []string{"the WASI engine was compiled and is compiled again at the next start: " + e.module.uncached.Error()}
	}
	return nil
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	err := e.Engine.Close()
	if e.module != nil {
		err = errors.Join(err, e.module.close())
	}
	return err
}
