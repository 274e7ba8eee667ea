package executor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/internal/breaker"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/outbound"
)

const (
	maxResponse     = 16 << 20 // bytes, all updates of a stream together
	maxErrorBody    = 4 << 10  // what is read of the body of an error
	maxErrorSnippet = 300      // what is shown of it
)

// answer is what a tool answered to a request, and what that shows of its host.
type answer struct {
	call   *Call
	limit  int // bytes
	result json.RawMessage
	err    error
	showed breaker.Outcome
}

func (a *answer) failf(format string, more ...any) {
	a.err = fmt.Errorf("tool %s "+format, append([]any{a.call.Tool.ID()}, more...)...)
}

// read reads a response.
func (a *answer) read(ctx context.Context, resp *http.Response) {
	a.showed = breaker.Answered
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		a.refused(ctx, resp)
		return
	}
	body := &bounded{body: resp.Body, limit: a.limit, hold: a.call.Hold}
	var err error
	switch form := mediaType(resp.Header.Get("Content-Type")); {
	case form == eventsType:
		err = a.stream(&eventReader{lines: newLineReader(body)})
	case slices.Contains(lineTypes, form):
		err = a.stream(&jsonLineReader{newLineReader(body)})
	default:
		a.result, err = io.ReadAll(body)
	}
	var own *boundError
	switch {
	case errors.As(err, &own):
		a.failf("%w", own)
	case err != nil:
		a.lost(ctx, err, "broke off its answer")
	case a.err == nil && !jsontext.Valid(a.result):
		a.failf("did not answer with JSON: %s", snippet(a.result))
	}
	if a.err != nil {
		a.result = nil
	}
}

// refused reads the response of a tool that has not done what it was asked for.
func (a *answer) refused(ctx context.Context, resp *http.Response) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && ctx.Err() != nil {
		a.lost(ctx, err, "")
		return
	}
	after := retryAfter(resp.Header.Get("Retry-After"), time.Now())
	a.failf("answered HTTP %d: %s", resp.StatusCode, snippet(body))
	if resp.StatusCode/100 == 3 {
		a.err = fmt.Errorf("%w (redirects are not followed)", a.err)
	}
	if after > 0 {
		a.err = fmt.Errorf("%w (it asks to be called again in %v)", a.err, after)
	}
	switch resp.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		a.showed = breaker.Failed
		a.err = &TransientError{a.err, after}
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError:
		a.err = &TransientError{a.err, after}
	}
}

// retryAfter reads the header, which has seconds or a date. It is 0 if there is nothing to wait for.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now).Round(time.Second))
	}
	return 0
}

// lost says what a cell may know where there is no answer: what became of the connection, not where it led.
func (a *answer) lost(ctx context.Context, err error, what string) {
	if cause := context.Cause(ctx); cause != nil {
		a.err = cause
		if errors.Is(cause, context.DeadlineExceeded) {
			a.showed = breaker.Failed
		} else {
			a.showed = breaker.Unknown // the run is over
		}
		return
	}
	if refused, ok := outbound.Refused(err); ok {
		a.failf("can't be called: %w", refused)
		return
	}
	a.showed = breaker.Failed
	if outbound.NotSent(err) {
		a.showed, what = breaker.Unreachable, "can't be reached"
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		what = "did not answer in time"
	}
	a.failf("%s", what)
	var untrusted *tls.CertificateVerificationError
	if !outbound.NoSuchHost(err) && !errors.As(err, &untrusted) {
		a.err = &TransientError{Err: a.err}
	}
}

func snippet(body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 2*maxErrorSnippet)]), "\uFFFD")), " ")
	if len(text) > maxErrorSnippet {
		text = strings.ToValidUTF8(text[:maxErrorSnippet], "") + "…"
	}
	if text == "" {
		return "(empty)"
	}
	return text
}

// bounded reads a body up to a limit, and counts what is read in the run's account.
type bounded struct {
	body  io.Reader
	limit int
	hold  func(int) error

	read, held int
}

// boundError says which bound a body is over.
type boundError struct {
	text string
	hold error // that of Call.Hold, if it is the run's
}

func (e *boundError) Error() string { return e.text }
func (e *boundError) Unwrap() error { return e.hold }

// holdEvery is how many bytes are counted at a time. So the answers of most calls are not counted here, only with what the
// run keeps of them.
const holdEvery = 64 << 10

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.read += n; b.read > b.limit {
		return 0, &boundError{fmt.Sprintf("answered with more than %d bytes", b.limit), nil}
	}
	for b.hold != nil && b.read-b.held >= holdEvery {
		if err := b.hold(holdEvery); err != nil {
			return 0, &boundError{fmt.Sprintf("answered with more than %d bytes, and %v", b.held, err), err}
		}
		b.held += holdEvery
	}
	return n, err
}
