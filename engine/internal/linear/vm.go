package linear

import (
	"context"
	"fmt"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// vm is a guest. The catalog goes in with the first step.
type vm struct {
	stepper.Stepper
	engine   *Engine
	catalog  []byte
	instance *instance // nil once closed
}

var (
	_ engine.Imager   = (*vm)(nil)
	_ engine.Replayer = (*vm)(nil)
)

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, nil, timeout)
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, stepper.ReadsOf(clock), timeout)
}

// execute executes a step. reads are nil unless it is replayed.
func (v *vm) execute(ctx context.Context, input []byte, reads *stepper.Reads, timeout time.Duration) (*engine.Effects, error) {
	i := v.instance
	if i == nil || i.trapped {
		return nil, engine.ErrClosed
	}
	if limit, first := limitOf(input); first && limit > v.engine.heap {
		return nil, fmt.Errorf("%w: a memory limit of %d bytes, and heaps have %d", engine.ErrProtocol, limit, v.engine.heap)
	}
	effects, err := v.Execute(ctx, i, func() { i.execute(input, v.catalog, reads, timeout) })
	if v.Begun() {
		v.catalog = nil
	}
	return effects, err
}

// rest makes the guest ready to be looked at: what it has freed is wiped.
func (v *vm) rest() error {
	if v.instance == nil || v.instance.trapped {
		return engine.ErrClosed
	}
	if err := v.instance.wipe(); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrBroken, err)
	}
	return nil
}

// Capture implements engine.Imager. The image is made at once: only the heap has what it is made of.
func (v *vm) Capture() (engine.Capture, error) {
	if err := v.rest(); err != nil {
		return nil, err
	}
	image, err := v.instance.image()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrBroken, err)
	}
	return func(context.Context) ([]byte, error) { return image, nil }, nil
}

// Footprint implements engine.VM.
func (v *vm) Footprint() (int, error) {
	if err := v.rest(); err != nil {
		return 0, err
	}
	return v.instance.footprint(), nil
}

// HeapBytes implements engine.VM.
func (v *vm) HeapBytes() int { return int(v.instance.high() - v.instance.layout.arena) }

// Close implements engine.VM.
func (v *vm) Close() {
	if i := v.instance; i != nil {
		v.instance = nil
		v.engine.pool.release(i)
	}
}
