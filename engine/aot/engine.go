//go:build cgo

package aot

import (
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/courtesy"
	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/wasi"

	// The guest's code, where it was made.
	_ "github.com/codecell/codecell/engine/aot/code"
)

// Engine is the engine. It is safe for concurrent use.
type Engine struct {
	*linear.Engine
	raiser courtesy.Raiser
}

var (
	_ engine.Portable = (*Engine)(nil)
	_ engine.Readier  = (*Engine)(nil)
	_ engine.Reporter = (*Engine)(nil)
	_ engine.Yielder  = (*Engine)(nil)
)

// New returns an engine that boots its first guest in the background, which takes some milliseconds. It fails with what Missing
// returns.
func New(o Options) (*Engine, error) {
	if err := Missing(); err != nil {
		return nil, err
	}
	wasm, err := wasi.Module()
	if err != nil {
		return nil, err
	}
	courtesy.Possible() // is found out now: a sandboxed process can't
	e, s := &Engine{}, o.sizes()
	e.Engine = linear.New("aot", s, func() (*linear.Module, error) {
		pages := linear.Pages(s.HeapBytes)
		return linear.Load(wasm, s.HeapBytes, func() (linear.Machine, error) { return newMachine(pages, &e.raiser) }, keeper())
	})
	return e, nil
}

// keeper keeps the code of the runtime's sources, which is the same for all engines of a process.
func keeper() func(code []byte) {
	index := 0
	return func(code []byte) {
		guest.KeepSandboxCode(index, code)
		index++
	}
}

// Report implements engine.Reporter.
func (e *Engine) Report() []string {
	if loaded, err := e.Loaded(); loaded && err != nil {
		return []string{"no engine that is compiled ahead of time: " + err.Error()}
	}
	return courtesy.Report()
}

// RaiseBy implements engine.Yielder.
func (e *Engine) RaiseBy(raise func(thread int)) { e.raiser.By(raise) }
