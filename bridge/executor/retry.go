package executor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/codecell/codecell/catalog"
)

// TransientError is the failure of a call that may succeed if it is made again: the tool could not be reached, or is
// overloaded. Calls of tools that their annotations call readOnly or idempotent are made again then, and no others: a call
// that failed may have been carried out all the same.
type TransientError struct {
	Err   error         // its text is what the cell sees if there is no other attempt
	After time.Duration // how long the tool asks to be left alone; 0 if it does not say
}

// Error is that of the wrapped error.
func (e *TransientError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *TransientError) Unwrap() error { return e.Err }

// How often a call is made again, unless its tool says so, and at most; and how long is waited before: about twice as long
// each time. The tool's time limit holds for all attempts together.
const (
	defaultRetries = 2
	maxRetries     = 10
	minBackoff     = 200 * time.Millisecond
	maxBackoff     = 10 * time.Second
)

// repeatable tells whether a call may be carried out twice.
func repeatable(a catalog.Annotations) bool { return a.ReadOnly || a.Idempotent }

// retriesOf is how often calls of a tool may be made again, if they fail in a way that may pass.
func retriesOf(a catalog.Annotations, wanted *float64) (int, error) {
	switch {
	case wanted == nil && repeatable(a):
		return defaultRetries, nil
	case wanted == nil || *wanted <= 0:
		return 0, nil
	case !repeatable(a):
		return 0, errors.New("retries: only a tool whose annotations say readOnly or idempotent is called again")
	}
	return int(min(*wanted, maxRetries)), nil
}

// attempts makes a call, again if that may help. There is no wait that would end after the time limit: it is better to say
// at once what is wrong.
func (b *Binding) attempts(ctx context.Context, call Call) (result []byte, err error) {
	var before error // what the last attempt came to
	for call.Attempt = 1; ; call.Attempt++ {
		result, err = b.attempt(ctx, call)
		var skipped *notTriedError
		if before != nil && errors.As(err, &skipped) {
			return nil, afterAttempts(before, call.Attempt-1)
		}
		var transient *TransientError
		if call.Attempt > b.retries || !errors.As(err, &transient) {
			return result, afterAttempts(err, call.Attempt)
		}
		wait := backoff(call.Attempt, transient.After, rand.Float64())
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
			return nil, afterAttempts(err, call.Attempt)
		}
		if !sleep(ctx, wait) {
			return nil, context.Cause(ctx)
		}
		before = err
	}
}

// notTriedError is the failure of a call that was not made, since others failed.
type notTriedError struct{ error }

// afterAttempts adds to an error how many attempts there were.
func afterAttempts(err error, attempts int) error {
	if err == nil || attempts == 1 {
		return err
	}
	return fmt.Errorf("%w (after %d attempts)", err, attempts)
}

// backoff is how long is waited after so many attempts: between half of a time that doubles with each and all of it, so that
// calls which failed together don't come back together, and no less than the tool asks for. chance is from 0 to 1.
func backoff(attempts int, asked time.Duration, chance float64) time.Duration {
	longest := min(minBackoff<<(attempts-1), maxBackoff)
	jitter := time.Duration(chance * float64(longest/2))
	if asked > 0 {
		return max(min(asked, maxTimeout), longest/2) + jitter // no call has more time
	}
	return longest/2 + jitter
}

// sleep waits, and is false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
