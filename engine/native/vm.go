//go:build cgo

package native

import (
	"context"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// vm is a guest. The catalog goes in with the first step.
type vm struct {
	stepper.Stepper
	engine  *Engine
	catalog []byte
	heap    *heap // nil once closed
}

var _ engine.Replayer = (*vm)(nil)

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, func() { v.heap.step(input, v.catalog, timeout) })
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, func() { v.heap.replay(input, v.catalog, clock, timeout) })
}

func (v *vm) execute(ctx context.Context, run func()) (*engine.Effects, error) {
	if v.heap == nil {
		return nil, engine.ErrClosed
	}
	effects, err := v.Execute(ctx, v.heap, run)
	if v.Begun() {
		v.catalog = nil
	}
	return effects, err
}

// Footprint implements engine.VM.
func (v *vm) Footprint() (int, error) {
	if v.heap == nil || v.Ended() {
		return 0, engine.ErrClosed
	}
	return v.heap.control.Footprint(v.heap.image), nil
}

// HeapBytes implements engine.VM.
func (v *vm) HeapBytes() int { return v.heap.control.Used() }

// Close implements engine.VM.
func (v *vm) Close() {
	if h := v.heap; h != nil {
		v.heap = nil
		v.engine.heaps.release(h)
	}
}
