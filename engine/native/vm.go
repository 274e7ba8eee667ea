//go:build cgo

package native

import (
	"bytes"
	"context"
	"runtime"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
)

// vm is a run's heap. The catalog goes in with the first step.
type vm struct {
	engine  *Engine
	heap    *heap
	catalog []byte
	started bool
}

var statusErrors = map[guest.Status]error{
	guest.Timeout:  engine.ErrTimeout,
	guest.HardStop: engine.ErrTimeout,
	guest.Stopped:  engine.ErrStopped,
	guest.Memory:   engine.ErrMemory,
	guest.Output:   engine.ErrOutput,
	guest.Invalid:  engine.ErrProtocol,
}

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	if v.heap == nil || v.heap.spoiled {
		return nil, engine.ErrClosed
	}
	if err := v.engine.enter(ctx, v.started); err != nil {
		return nil, err
	}
	start := time.Now()
	status := v.run(ctx, input, timeout)
	took := time.Since(start)
	v.engine.leave()
	v.started, v.catalog = true, nil
	effects, err := engine.DecodeEffects(bytes.Clone(v.heap.control.Effects()), status == guest.Done)
	if effects != nil {
		effects.Took = took
	}
	if stopped := statusErrors[status]; stopped != nil {
		return effects, stopped
	}
	return effects, err
}

// run takes the step on this goroutine's thread: handing it to another thread would cost more than most steps
// take. The thread is locked because a heap that is inside a step is bound to the stack that it runs on.
func (v *vm) run(ctx context.Context, input []byte, timeout time.Duration) guest.Status {
	h := v.heap
	h.control.Arm()
	ended := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		h.stop()
		close(ended)
	})
	runtime.LockOSThread()
	status := h.step(input, v.catalog, timeout)
	runtime.UnlockOSThread()
	if !cancel() {
		<-ended // a late stop must not hit the heap's next step
	}
	return status
}

// Footprint implements engine.VM.
func (v *vm) Footprint() int { return v.heap.control.Footprint(v.heap.image) }

// HeapBytes implements engine.VM.
func (v *vm) HeapBytes() int { return v.heap.control.Used() }

// Close implements engine.VM.
func (v *vm) Close() {
	if v.heap == nil {
		return
	}
	v.engine.give(v.heap)
	v.heap = nil
}

// enter waits for a thread. For a new run, a queue that is full is an answer at once: waiting longer would help
// nobody. A run that has begun is let in however long the queue is, since refusing it would lose its work; there are
// no more of those than heaps.
func (e *Engine) enter(ctx context.Context, begun bool) error {
	select {
	case e.threads <- struct{}{}:
		e.running.Add(1)
		return nil
	default:
	}
	if e.queued.Add(1) > int64(e.options.Queue) && !begun {
		e.queued.Add(-1)
		return engine.ErrOverloaded
	}
	defer e.queued.Add(-1)
	select {
	case e.threads <- struct{}{}:
		e.running.Add(1)
		return nil
	case <-ctx.Done():
		return engine.ErrStopped
	}
}

func (e *Engine) leave() {
	e.running.Add(-1)
	<-e.threads
}
