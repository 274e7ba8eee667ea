package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine"
)

// VM is a scripted guest.
type VM struct {
	// Catalog is what the guest was made with.
	Catalog []byte

	engine      *Engine
	number      int
	stepping    atomic.Bool
	closed      atomic.Int64
	footprint   atomic.Int64
	once        sync.Once
	interrupted chan struct{}

	mu     sync.Mutex
	script Script
	inputs []*Input
	raw    [][]byte
	left   []time.Duration
}

// EngineName implements engine.VM.
func (v *VM) EngineName() string { return v.engine.Name() }

// Step implements engine.VM. Anything that the interface forbids is noted for Engine.Misuse.
func (v *VM) Step(ctx context.Context, raw []byte, timeout time.Duration) (*engine.Effects, error) {
	if !v.stepping.CompareAndSwap(false, true) {
		v.engine.note(v, "was to execute two steps at once")
		return nil, engine.ErrProtocol
	}
	defer v.stepping.Store(false)
	if v.Closed() > 0 {
		v.engine.note(v, "was to execute a step after it was closed")
		return nil, engine.ErrClosed
	}
	select {
	case <-v.interrupted:
		return nil, engine.ErrStopped
	default:
	}
	if ctx.Err() != nil {
		return nil, engine.ErrStopped
	}
	in, step, err := v.next(raw, timeout)
	if err != nil {
		return nil, err
	}
	return execute(step, in)
}

// next decodes the input and finds the step that goes with it.
func (v *VM) next(raw []byte, timeout time.Duration) (*Input, Step, error) {
	in, err := DecodeInput(raw)
	if err != nil {
		v.engine.note(v, "got no input: "+err.Error())
		return nil, nil, engine.ErrProtocol
	}
	in.Interrupted = v.interrupted
	v.mu.Lock()
	defer v.mu.Unlock()
	if (in.Begin != nil) != (len(v.inputs) == 0) {
		v.engine.note(v, fmt.Sprintf("got the wrong kind of input for step %d", len(v.inputs)+1))
		return nil, nil, engine.ErrProtocol
	}
	if in.Begin != nil {
		v.script = v.engine.script(in.Begin.Source)
	}
	n := len(v.inputs)
	v.inputs, v.left, v.raw = append(v.inputs, in), append(v.left, timeout), append(v.raw, slices.Clone(raw))
	if n >= len(v.script) {
		return nil, nil, fmt.Errorf("%w: the script has only %d steps", engine.ErrProtocol, len(v.script))
	}
	return in, v.script[n], nil
}

// execute runs a step. One that could not begin (ErrOverloaded) has no effects.
func execute(step Step, in *Input) (*engine.Effects, error) {
	out := &Records{}
	err := step(in, out)
	if errors.Is(err, engine.ErrOverloaded) {
		return nil, err
	}
	effects, bad := out.Decode(err == nil)
	if err == nil {
		err = bad
	}
	return effects, err
}

// Replay implements engine.Replayer. A script reads no clock, so the reads are not looked at.
func (v *VM) Replay(ctx context.Context, raw []byte, _ []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.Step(ctx, raw, timeout)
}

// Interrupt implements engine.VM.
func (v *VM) Interrupt() { v.once.Do(func() { close(v.interrupted) }) }

// SetFootprint sets what Footprint returns.
func (v *VM) SetFootprint(n int) { v.footprint.Store(int64(n)) }

// Footprint implements engine.VM.
func (v *VM) Footprint() (int, error) { return int(v.footprint.Load()), nil }

// HeapBytes implements engine.VM.
func (v *VM) HeapBytes() int { return 1 << 16 }

// Close implements engine.VM, but counts: the interface allows a second time, a careful user does not need it.
func (v *VM) Close() {
	if v.stepping.Load() {
		v.engine.note(v, "was closed inside a step")
	}
	v.closed.Add(1)
}

// Closed returns how often the guest was closed.
func (v *VM) Closed() int { return int(v.closed.Load()) }

// Inputs returns the inputs of all steps so far.
func (v *VM) Inputs() []*Input {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.inputs)
}

// Timeouts returns what each step so far was allowed to take.
func (v *VM) Timeouts() []time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.left)
}
