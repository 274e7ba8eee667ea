package engine

import (
	"context"
	"fmt"
	"time"
)

// The optional capabilities: an engine or a guest has one if it implements the interface. Nobody decides by the name of
// an engine what it can do.

// Portable is an engine whose guests can leave the process: those that are Imagers can be copied out at rest, and go on
// in any process of the same build (contract C4, H4).
type Portable interface {
	Engine

	// Build identifies the guests' build. It waits until the engine is loaded, and is why it can't be, if it can't.
	Build() (string, error)

	// Restore returns a guest as it was when its image was made; it had been made with that catalog, which is no part
	// of the image. What can't be an image of this build and of such a guest is ErrImage. Where the engine has to wait, it
	// waits until ctx ends, which is ErrStopped. The guest is an Imager.
	Restore(ctx context.Context, image, catalog []byte) (VM, error)
}

// Imager is a guest that can be copied out between steps.
type Imager interface {
	VM

	// Capture notes the guest's present state, once it has executed a step. It takes as long as copying what the guest has written; what takes longer is left to the
	// returned function. Errors, of either, wrap ErrPinned when this guest can't be copied out and has to stay where it
	// is, and beside that the cause (such as ErrDiverged). Other errors say nothing about the next time.
	Capture() (Capture, error)
}

// Capture makes the image of a guest as it was when it was captured: the bytes by which it differs from a fresh one, its
// catalog apart. They mean something only to an engine of the same Build, hold nothing of the host's, and can harm
// nothing but the guest that is made of them. It may take long, and ends early with ctx. The guest may execute steps or
// be closed meanwhile. It is called once at most.
type Capture func(ctx context.Context) ([]byte, error)

// Image captures a guest and makes its image. A guest that is no Imager is ErrPinned.
func Image(ctx context.Context, guest VM) ([]byte, error) {
	imager, ok := guest.(Imager)
	if !ok {
		return nil, fmt.Errorf("%w: engine %s copies none out", ErrPinned, guest.EngineName())
	}
	capture, err := imager.Capture()
	if err != nil {
		return nil, err
	}
	return capture(ctx)
}

// Replayer is a guest that can execute a step that another guest has executed before.
type Replayer interface {
	VM

	// Replay is Step with the clock reads of the first time, which the guest gets in their order. It fails with
	// ErrDiverged, like a step that was ended from outside, if the guest reads the clock more often.
	Replay(ctx context.Context, input []byte, clock []ClockRun, timeout time.Duration) (*Effects, error)
}

// Holder is a guest that the service holds bytes for beside its heap: what it was given, so that it can be rebuilt.
type Holder interface {
	VM

	// HeldBytes returns how many bytes that are since the last step.
	HeldBytes() int

	// Forget drops them. From then on the guest can't be copied out (ErrPinned), and is lost with its process (ErrLost).
	Forget()
}

// Readier is an engine that may be without means, at first or for a while.
type Readier interface {
	// Ready waits until the engine is loaded. The error is why it can't execute steps now.
	Ready() error
}

// Yielder is an engine whose steps let others have the processor first. Where they did so, and then get nowhere, their threads'
// priorities have to be raised by somebody else.
type Yielder interface {
	// RaiseBy sets what raises them, given a thread of this process by the kernel's number of it. It must not block. By
	// default the engine does that itself.
	RaiseBy(raise func(thread int))
}

// Reporter is an engine that knows things that an operator should know.
type Reporter interface {
	// Report returns them, a sentence each, without waiting.
	Report() []string
}

// LimitReporter is an engine that can't enforce each limit.
type LimitReporter interface {
	// UnenforcedLimits returns those that it can't: LimitFootprint, LimitBuiltin.
	UnenforcedLimits() []string
}

// What a LimitReporter may not enforce, by the names that the service's self-test has for them.
const (
	LimitFootprint = "maxSnapshotBytes"           // it does not know VM.Footprint
	LimitBuiltin   = "timeoutMs inside a builtin" // it does not end a step inside of one builtin function
)

// UnenforcedLimits returns the limits that an engine can't enforce, nil if it enforces all.
func UnenforcedLimits(e Engine) []string {
	if r, ok := e.(LimitReporter); ok {
		return r.UnenforcedLimits()
	}
	return nil
}

// Reports returns what an operator should know of an engine.
func Reports(e Engine) []string {
	if r, ok := e.(Reporter); ok {
		return r.Report()
	}
	return nil
}
