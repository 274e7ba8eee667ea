package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// ErrTimeout matches the error of a call that took longer than its tool may.
var ErrTimeout = errors.New("the tool did not answer in time")

// Binding is how the calls of one tool are carried out. The zero Binding means: by the caller (contract C10).
type Binding struct {
	executor Executor
	spec     json.RawMessage
	timeout  time.Duration
	retries  int
	limit    int // of calls at once; 0 for any number
	places   *places
}

// ByCaller says that nothing here carries the calls out: the caller delivers their results.
func (b *Binding) ByCaller() bool { return b.executor == nil }

// Spec returns the tool's "executor" object, as it came.
func (b *Binding) Spec() json.RawMessage { return b.spec }

// Execute carries out a call within the tool's timeout, which includes waiting for a place and for another attempt. The
// result is one JSON value in valid UTF-8, of a depth that is safe to parse. The error's text may be shown to the cell; one
// that says that time is up matches ErrTimeout.
func (b *Binding) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	limited, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	call.Spec = b.spec
	if call.Progress != nil {
		call.Progress = paced(call.Progress)
	}
	result, err := b.attempts(limited, call)
	if err != nil && ctx.Err() == nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
		return nil, &timeoutError{call.Tool.ID(), b.timeout, err}
	}
	return result, err
}

// attempt makes a call once, when there is a place for it.
func (b *Binding) attempt(ctx context.Context, call Call) (json.RawMessage, error) {
	if b.limit > 0 {
		if err := b.places.enter(ctx, &call, b.limit); err != nil {
			return nil, &noPlaceError{b.limit, err}
		}
		defer b.places.leave(&call)
	}
	if call.Attempts != nil {
		*call.Attempts = call.Attempt
	}
	return b.guarded(ctx, call)
}

// guarded keeps an executor that panics from taking the service along: it fails its call.
func (b *Binding) guarded(ctx context.Context, c Call) (result json.RawMessage, err error) {
	defer func() {
		if recover() != nil {
			result, err = nil, fmt.Errorf("tool %s failed inside its executor", c.Tool.ID())
		}
	}()
	result, err = b.executor.Execute(ctx, c)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(result) {
		result = bytes.ToValidUTF8(result, []byte("\uFFFD")) // as the guest's own strings are mended
	}
	if !jsontext.Valid(result) {
		return nil, fmt.Errorf("tool %s gave a result that is not JSON or is nested too deeply", c.Tool.ID())
	}
	return result, nil
}

// noPlaceError is a call that waited for a place until its time was up, or its run over.
type noPlaceError struct {
	limit int
	cause error
}

func (e *noPlaceError) Error() string { return "no place for the call: " + e.cause.Error() }
func (e *noPlaceError) Unwrap() error { return e.cause }

// timeoutError names the tool and the limit.
type timeoutError struct {
	tool    string
	timeout time.Duration
	cause   error
}

func (e *timeoutError) Error() string {
	var full *noPlaceError
	if errors.As(e.cause, &full) {
		return fmt.Sprintf("tool %s was not called within %v: it is busy with as many calls as it may have at once (%d)", e.tool, e.timeout, full.limit)
	}
	return fmt.Sprintf("tool %s did not answer within %v", e.tool, e.timeout)
}

func (e *timeoutError) Is(target error) bool { return target == ErrTimeout }
