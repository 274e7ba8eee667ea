//go:build cgo

package native

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
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

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, func(h *heap) guest.Status { return h.step(input, v.catalog, timeout) })
}

// Retake implements engine.VM.
func (v *vm) Retake(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, func(h *heap) guest.Status { return h.retake(input, v.catalog, clock, timeout) })
}

func (v *vm) take(ctx context.Context, step func(*heap) guest.Status) (*engine.Effects, error) {
	if v.heap == nil || v.heap.spoiled {
		return nil, engine.ErrClosed
	}
	if err := v.engine.threads.Enter(ctx, v.started); err != nil {
		return nil, err
	}
	defer v.engine.threads.Leave()
	if !v.arm() {
		return nil, engine.ErrStopped
	}
	start := time.Now()
	status := v.run(step)
	took := time.Since(start)
	v.disarm()
	v.started, v.catalog = true, nil
	effects, err := engine.DecodeEffects(bytes.Clone(v.heap.control.Effects()), status == guest.Done)
	if effects != nil {
		effects.Took = took
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

// run takes the step on this goroutine's thread: handing it to another thread would cost more than most steps
// take. The thread is locked because a heap that is inside a step is bound to the stack that it runs on.
func (v *vm) run(step func(*heap) guest.Status) guest.Status {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return step(v.heap)
}

// Footprint implements engine.VM.
func (v *vm) Footprint() int { return v.heap.control.Footprint(v.heap.image) }

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
