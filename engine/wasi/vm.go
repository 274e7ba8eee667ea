package wasi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/thread"
)

// vm is a run's guest. The catalog goes in with the first step.
type vm struct {
	engine  *Engine
	catalog []byte
	started bool

	mu          sync.Mutex // held where an Interrupt must not come in between
	instance    *instance  // nil once closed
	interrupted bool
}

var (
	_ engine.Imager   = (*vm)(nil)
	_ engine.Replayer = (*vm)(nil)
)

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, input, timeout, func(*instance) {})
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, input, timeout, func(i *instance) { i.replayed, i.reads, i.used = true, clock, 0 })
}

func (v *vm) take(ctx context.Context, input []byte, timeout time.Duration, prepare func(*instance)) (*engine.Effects, error) {
	if v.instance == nil || v.instance.trapped {
		return nil, engine.ErrClosed
	}
	if limit, first := limitOf(input); first && limit > v.engine.heap {
		return nil, fmt.Errorf("%w: a memory limit of %d bytes, and heaps have %d", engine.ErrProtocol, limit, v.engine.heap)
	}
	if err := v.engine.threads.Acquire(ctx, v.started); err != nil {
		return nil, err
	}
	defer v.engine.threads.Release()
	if v.stopped() {
		return nil, engine.ErrStopped
	}
	i := v.instance
	prepare(i)
	var status status
	var fault error
	took := thread.Run(func() { status, fault = i.take(input, v.catalog, timeout) })
	i.replayed, i.reads = false, nil
	v.started, v.catalog = true, nil
	effects, err := engine.DecodeEffects(i.effects(), status == done)
	if effects != nil {
		effects.Took, effects.CPU = took.Wall, took.CPU
	}
	switch {
	case status == broken:
		return effects, fmt.Errorf("%w: %w", engine.ErrBroken, fault)
	case status != done:
		return effects, errors.Join(statusErrors[status], fault)
	}
	return effects, err
}

func (v *vm) stopped() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.interrupted
}

// Interrupt implements engine.VM.
func (v *vm) Interrupt() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.interrupted = true
	if v.instance != nil {
		v.instance.stop.Store(true)
	}
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
	v.mu.Lock()
	i := v.instance
	v.instance = nil
	v.mu.Unlock()
	if i != nil {
		v.engine.pool.give(i)
	}
}
