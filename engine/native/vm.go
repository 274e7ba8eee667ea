//go:build cgo

package native

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/thread"
)

// vm is a run's heap. The catalog goes in with the first step.
type vm struct {
	engine  *Engine
	catalog []byte
	started bool

	mu          sync.Mutex // held where an Interrupt must not come in between
	heap        *heap      // nil once closed
	stepping    bool
	interrupted bool
}

var statusErrors = map[guest.Status]error{
	guest.Timeout:  engine.ErrTimeout,
	guest.HardStop: engine.ErrTimeout,
	guest.Stopped:  engine.ErrStopped,
	guest.Memory:   engine.ErrMemory,
	guest.Output:   engine.ErrOutput,
	guest.Invalid:  engine.ErrProtocol,
	guest.Diverged: engine.ErrDiverged,
}

var _ engine.Replayer = (*vm)(nil)

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, func(h *heap) guest.Status { return h.step(input, v.catalog, timeout) })
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, func(h *heap) guest.Status { return h.replay(input, v.catalog, clock, timeout) })
}

func (v *vm) take(ctx context.Context, step func(*heap) guest.Status) (*engine.Effects, error) {
	if v.heap == nil || v.heap.spoiled {
		return nil, engine.ErrClosed
	}
	if err := v.engine.threads.Acquire(ctx, v.started); err != nil {
		return nil, err
	}
	defer v.engine.threads.Release()
	if !v.arm() {
		return nil, engine.ErrStopped
	}
	var status guest.Status
	took := thread.Run(func() { status = step(v.heap) })
	v.disarm()
	v.started, v.catalog = true, nil
	effects, err := engine.DecodeEffects(bytes.Clone(v.heap.control.Effects()), status == guest.Done)
	if effects != nil {
		effects.Took, effects.CPU = took.Wall, took.CPU
	}
	if status == guest.Broken {
		return effects, fmt.Errorf("%w: %s", engine.ErrBroken, v.heap.control.Fault())
	}
	if stopped := statusErrors[status]; stopped != nil {
		return effects, stopped
	}
	return effects, err
}

func (v *vm) arm() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.interrupted {
		return false
	}
	v.heap.control.Arm()
	v.stepping = true
	return true
}

func (v *vm) disarm() {
	v.mu.Lock()
	v.stepping = false
	v.mu.Unlock()
}

// Interrupt implements engine.VM.
func (v *vm) Interrupt() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.interrupted = true
	if v.stepping {
		v.heap.stop()
	}
}

// Footprint implements engine.VM.
func (v *vm) Footprint() (int, error) {
	if v.heap == nil || v.heap.spoiled {
		return 0, engine.ErrClosed
	}
	return v.heap.control.Footprint(v.heap.image), nil
}

// HeapBytes implements engine.VM.
func (v *vm) HeapBytes() int { return v.heap.control.Used() }

// Close implements engine.VM.
func (v *vm) Close() {
	v.mu.Lock()
	h := v.heap
	v.heap = nil
	v.mu.Unlock()
	if h != nil {
		v.engine.heaps.give(h)
	}
}
