package engine

import (
	"context"
	"time"
)

// Engine makes guests. It is safe for concurrent use.
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
	// Step takes one step. The guest may run for timeout, not counting the time until a thread is free, which ctx
	// bounds. If the step was ended from outside, the error says by what (ErrTimeout, ErrStopped, ErrMemory,
	// ErrOutput), the effects are those until then, if they are known, and no further step can be taken.
	Step(ctx context.Context, input []byte, timeout time.Duration) (*Effects, error)

	// Retake takes a step again that was taken elsewhere: the guest's clock gives the reads of then, in their order.
	// It fails with ErrDiverged, like a step that was ended from outside, if the guest reads the clock more often.
	Retake(ctx context.Context, input []byte, clock []ClockRun, timeout time.Duration) (*Effects, error)

	// Interrupt ends the step being taken, if any, and every later one, with ErrStopped. Any goroutine may call it,
	// also after Close.
	Interrupt()

	// Footprint returns in how many bytes the heap differs from a fresh guest.
	Footprint() (int, error)

	// HeapBytes returns how many bytes the heap reached after the last step.
	HeapBytes() int

	// Close gives the heap back. It is safe to call more than once.
	Close()
}

// Portable is an engine whose guests can leave the process: they can be copied out at rest and go on in any process
// of the same build (contract C4, H4). Its guests are Imagers.
type Portable interface {
	Engine

	// Build identifies the guests' build. It waits until the engine is loaded, and is why it can't be, if it can't.
	Build() (string, error)

	// Restore returns a guest as it was when its image was taken; it had been made with that catalog, which is no part
	// of the image. What can't be an image of this build and of such a guest is ErrImage.
	Restore(image, catalog []byte) (VM, error)
}

// Imager is a guest that can be copied out between steps.
type Imager interface {
	VM

	// Image returns the bytes by which the guest, once it has taken a step, differs from a fresh one, its catalog apart.
	// They mean something only to an engine of the same Build, hold nothing of the host's, and can harm nothing but the
	// guest that is made of them.
	Image() ([]byte, error)
}

// Stats is a moment's count of what an engine holds.
type Stats struct {
	Heaps   int `json:"heaps"`   // heaps that exist
	InUse   int `json:"inUse"`   // of them, those that belong to a run
	Running int `json:"running"` // steps being taken
	Queued  int `json:"queued"`  // steps waiting for a thread
	Threads int `json:"threads"` // steps that may be taken at once
}
