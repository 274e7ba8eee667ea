package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/codecell/codecell/engine"
)

// Step is one step of a scripted guest. The error is what ended the step from outside (engine.ErrTimeout and the like);
// the records count until then.
type Step func(in *Input, out *Records) error

// Script is what a guest does, step by step. A step beyond the last one is engine.ErrProtocol.
type Script []Step

// Engine is a fake engine. It is safe for concurrent use.
type Engine struct {
	script func(source string) Script

	mu     sync.Mutex
	full   bool
	broken error
	vms    []*VM
	misuse []error
	closed bool
}

// New returns an engine whose guests follow the script that is chosen by the cell's body.
func New(script func(source string) Script) *Engine { return &Engine{script: script} }

// Always returns an engine whose guests all follow one script.
func Always(steps ...Step) *Engine { return New(func(string) Script { return steps }) }

// Fill says whether every heap is taken: NewVM then fails with engine.ErrOverloaded.
func (e *Engine) Fill(full bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.full = full
}

// Break makes NewVM fail with err, or work again if it is nil.
func (e *Engine) Break(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = err
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return "fake" }

// NewVM implements engine.Engine.
func (e *Engine) NewVM(catalog []byte) (engine.VM, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		e.misuse = append(e.misuse, errors.New("a guest was asked for after the engine was closed"))
		return nil, engine.ErrClosed
	case e.broken != nil:
		return nil, e.broken
	case e.full:
		return nil, engine.ErrOverloaded
	}
	v := &VM{engine: e, number: len(e.vms), Catalog: slices.Clone(catalog), interrupted: make(chan struct{})}
	e.vms = append(e.vms, v)
	return v, nil
}

// VMs returns all guests that were ever made, in that order.
func (e *Engine) VMs() []*VM {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.vms)
}

// Stats implements engine.Engine. Nothing ever queues.
func (e *Engine) Stats() engine.Stats {
	var s engine.Stats
	for _, v := range e.VMs() {
		s.Heaps++
		if v.Closed() == 0 {
			s.InUse++
		}
		if v.stepping.Load() {
			s.Running++
		}
	}
	s.Threads = s.Heaps
	return s
}

// Misuse returns what was done to guests that their interface does not allow, nil if nothing.
func (e *Engine) Misuse() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.misuse...)
}

// Close implements engine.Engine. The error says how guests were misused: above all those that were not closed exactly
// once.
func (e *Engine) Close() error {
	for _, v := range e.VMs() {
		if n := v.Closed(); n != 1 {
			e.note(v, fmt.Sprintf("was closed %d times", n))
		}
	}
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	return e.Misuse()
}

func (e *Engine) note(v *VM, what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.misuse = append(e.misuse, fmt.Errorf("guest %d %s", v.number, what))
}
