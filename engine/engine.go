package engine

import (
	"context"
	"time"
)

// Engine makes guests. It is safe for concurrent use. What only some engines can do is in capability.go.
type Engine interface {
	// Name is what telemetry calls the engine, such as "native".
	Name() string

	// NewVM returns a fresh guest that sees the given catalog (as catalog text, see Catalog). It fails with
	// ErrOverloaded when every heap is taken.
	NewVM(catalog []byte) (VM, error)

	// Stats returns what the engine holds right now.
	Stats() Stats

	// Close releases everything. Guests must have been closed before.
	Close() error
}

// VM is one guest: a heap at rest between steps. One goroutine at a time may use it.
type VM interface {
	// EngineName is the name of the engine that the guest is in: an engine that is made of several has guests in each.
	EngineName() string

	// Step executes one step. The guest may run for timeout, not counting the time until a thread is free, which ctx
	// bounds. If the step was ended from outside, the error says by what (ErrTimeout, ErrStopped, ErrMemory,
	// ErrOutput), the effects are those until then, if they are known, and no further step can be executed.
	Step(ctx context.Context, input []byte, timeout time.Duration) (*Effects, error)

	// Interrupt ends the step under way, if any, and every later one, with ErrStopped. Any goroutine may call it, also
	// after Close.
	Interrupt()

	// Footprint returns in how many bytes the heap differs from a fresh guest.
	Footprint() (int, error)

	// HeapBytes returns how many bytes the heap reached after the last step.
	HeapBytes() int

	// Close releases the heap. It is safe to call more than once.
	Close()
}

// Stats is a moment's count of what an engine holds.
type Stats struct {
	Heaps   int `json:"heaps"`   // heaps that exist
	InUse   int `json:"inUse"`   // of them, those that belong to a run
	Running int `json:"running"` // steps under way
	Queued  int `json:"queued"`  // steps waiting for a thread
	Threads int `json:"threads"` // steps that may be under way at once
}
