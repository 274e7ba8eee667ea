package engine

import (
	"context"
	"errors"
)

// Error is why a guest could not go on. Compare with errors.Is.
type Error struct {
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// Unwrap makes a timeout match context.DeadlineExceeded and a stop context.Canceled.
func (e *Error) Unwrap() error { return e.cause }

// What ends a step, or keeps it from starting.
var (
	ErrTimeout    error = &Error{"guest ran past its deadline", context.DeadlineExceeded}
	ErrStopped    error = &Error{"guest was stopped", context.Canceled}
	ErrMemory     error = &Error{text: "guest heap is full"}
	ErrOutput     error = &Error{text: "guest handed out too much"}
	ErrOverloaded error = &Error{text: "all guest heaps or threads are in use"}
	ErrClosed     error = &Error{text: "guest is closed"}
	// ErrBroken means that the engine met a bug of its own; the same cell would meet it again.
	ErrBroken error = &Error{text: "guest's engine is broken"}
	// ErrLost means that the guest is gone, with the process that it was in, and could not be rebuilt.
	ErrLost error = &Error{text: "guest was lost with its process"}
	// ErrDiverged means that a step, executed again, was not the same step.
	ErrDiverged error = &Error{text: "step differs from its first execution"}
	// ErrPinned means that a guest can't be copied out, and has to stay where it is.
	ErrPinned error = &Error{text: "guest can't leave its heap"}
	// ErrImage means that bytes are no image of this build.
	ErrImage error = &Error{text: "not an image of this engine build"}
	// ErrProtocol means that what an engine handed out, or was given, is no step: never the cell's doing.
	ErrProtocol = errors.New("not a step")
)
