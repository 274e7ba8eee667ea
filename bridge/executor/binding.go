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
}

// ByCaller says that nothing here carries the calls out: the caller delivers their results.
func (b *Binding) ByCaller() bool { return b.executor == nil }

// Spec returns the tool's "executor" object, as it came.
func (b *Binding) Spec() json.RawMessage { return b.spec }

// Execute carries out a call within the tool's timeout. The result is one JSON value in valid UTF-8, of a depth that is
// safe to parse. The error's text may be shown to the cell; one that says that time is up matches ErrTimeout.
func (b *Binding) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	limited, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	call.Spec = b.spec
	result, err := b.guarded(limited, call)
	if err != nil && ctx.Err() == nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
		return nil, &timeoutError{call.Tool.ID(), b.timeout}
	}
	return result, err
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

// timeoutError names the tool and the limit.
type timeoutError struct {
	tool    string
	timeout time.Duration
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("tool %s did not answer within %v", e.tool, e.timeout)
}

func (e *timeoutError) Is(target error) bool { return target == ErrTimeout }
