package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
)

var (
	readOnly   = catalog.Annotations{ReadOnly: true}
	idempotent = catalog.Annotations{Idempotent: true}
)

// annotated is a call of an own tool with annotations.
func annotated(t testing.TB, a catalog.Annotations) Call {
	t.Helper()
	return Call{RunID: "run", Tool: entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "own", Annotations: a})}
}

// bind binds an executor under the type "own".
func bind(t testing.TB, e Executor, spec string, a catalog.Annotations) Binding {
	t.Helper()
	r := NewRegistry(Options{Custom: map[string]Executor{"own": e}})
	t.Cleanup(r.Close)
	b, err := r.Bind("", json.RawMessage(`{"type":"own"`+spec+`}`), a)
	require.NoError(t, err)
	return b
}

// failing fails so many calls, and counts all.
type failing struct {
	times int
	err   error
	at    []time.Duration // when the calls came
	start time.Time
}

func (f *failing) Execute(context.Context, Call) (json.RawMessage, error) {
	if f.start.IsZero() {
		f.start = time.Now()
	}
	if f.at = append(f.at, time.Since(f.start)); len(f.at) <= f.times {
		return nil, f.err
	}
	return json.RawMessage(`"done"`), nil
}

func TestRetry(t *testing.T) {
	passing := &TransientError{Err: errors.New("not now")}
	for _, tc := range []struct {
		name        string
		annotations catalog.Annotations
		spec        string
		times       int
		err         error
		calls       int
		text        string // of the error
	}{
		{"a tool that may be called again", idempotent, ``, 2, passing, 3, ""},
		{"and one that only reads", readOnly, ``, 1, passing, 2, ""},
		{"no other tool", catalog.Annotations{}, ``, 1, passing, 1, "not now"},
		{"no failure that does not pass", idempotent, ``, 1, errors.New("never"), 1, "never"},
		{"not for ever", idempotent, ``, 99, passing, 3, "not now (after 3 attempts)"},
		{"as often as the tool says", idempotent, `,"retries":4`, 99, passing, 5, "not now (after 5 attempts)"},
		{"never, if it says so", idempotent, `,"retries":0`, 99, passing, 1, "not now"},
		{"within bounds", idempotent, `,"retries":1e9,"timeoutMs":3600000`, 99, passing, 11, "not now (after 11 attempts)"},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{times: tc.times, err: tc.err}
				b := bind(t, f, tc.spec, tc.annotations)
				got, err := b.Execute(t.Context(), annotated(t, tc.annotations))
				require.Len(t, f.at, tc.calls)
				if tc.text != "" {
					require.EqualError(t, err, tc.text)
					return
				}
				require.NoError(t, err)
				require.Equal(t, `"done"`, string(got))
			})
		})
	}
	t.Run("G3 retries for a tool that may not be called again are a mistake", func(t *testing.T) {
		r := NewRegistry(Options{Echo: true})
		defer r.Close()
		_, err := r.Bind("", json.RawMessage(`{"type":"echo","retries":1}`), catalog.Annotations{})
		require.EqualError(t, err, "retries: only a tool whose annotations say readOnly or idempotent is called again")
		_, err = r.Bind("", json.RawMessage(`{"type":"echo","retries":0}`), catalog.Annotations{})
		require.NoError(t, err)
	})
	t.Run("G3 attempts are numbered, and the call is the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen []string
			b := bind(t, executorFunc(func(_ context.Context, c Call) (json.RawMessage, error) {
				seen = append(seen, fmt.Sprint(c.ID, " ", c.Attempt))
				return nil, passing
			}), "", idempotent)
			call := annotated(t, idempotent)
			call.ID = "call"
			_, err := b.Execute(t.Context(), call)
			require.ErrorIs(t, err, error(passing))
			require.Equal(t, []string{"call 1", "call 2", "call 3"}, seen)
		})
	})
	t.Run("G3 what a tool asks for is waited", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{times: 1, err: &TransientError{passing, 7 * time.Second}}
			b := bind(t, f, "", idempotent)
			_, err := b.Execute(t.Context(), annotated(t, idempotent))
			require.NoError(t, err)
			require.GreaterOrEqual(t, f.at[1], 7*time.Second)
			require.Less(t, f.at[1], 8*time.Second)
		})
	})
	t.Run("G3 but not where the call's time would be over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for _, asked := range []time.Duration{30 * time.Second, time.Hour, 1<<63 - 1} {
				f := &failing{times: 1, err: &TransientError{passing, asked}}
				b := bind(t, f, "", idempotent)
				start := time.Now()
				_, err := b.Execute(t.Context(), annotated(t, idempotent))
				require.EqualError(t, err, "not now")
				require.Zero(t, time.Since(start))
			}
		})
	})
	t.Run("G3 the time limit is for all attempts together", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bind(t, executorFunc(func(ctx context.Context, _ Call) (json.RawMessage, error) {
				if !sleep(ctx, 900*time.Millisecond) {
					return nil, context.Cause(ctx)
				}
				return nil, passing
			}), `,"retries":5,"timeoutMs":2500`, idempotent)
			start := time.Now()
			_, err := b.Execute(t.Context(), annotated(t, idempotent))
			require.ErrorIs(t, err, ErrTimeout)
			require.Equal(t, 2500*time.Millisecond, time.Since(start))
		})
	})
	t.Run("G7 the end of the run ends the wait for another attempt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			over := errors.New("the run is over")
			ctx, end := context.WithCancelCause(t.Context())
			f := &failing{times: 1, err: &TransientError{passing, 20 * time.Second}}
			b := bind(t, f, "", idempotent)
			time.AfterFunc(time.Second, func() { end(over) })
			start := time.Now()
			_, err := b.Execute(ctx, annotated(t, idempotent))
			require.ErrorIs(t, err, over)
			require.NotErrorIs(t, err, ErrTimeout)
			require.Equal(t, time.Second, time.Since(start))
			require.Len(t, f.at, 1)
		})
	})
}

func TestBackoff(t *testing.T) {
	for attempts, longest := range map[int]time.Duration{1: 200 * time.Millisecond, 2: 400 * time.Millisecond, 5: 3200 * time.Millisecond, 10: maxBackoff} {
		require.Equal(t, longest/2, backoff(attempts, 0, 0), "G3 each wait is about twice as long as the one before")
		require.Equal(t, longest, backoff(attempts, 0, 1))
		require.Equal(t, time.Minute, backoff(attempts, time.Minute, 0), "G3 and no shorter than the tool asks for")
		require.Equal(t, time.Minute+longest/2, backoff(attempts, time.Minute, 1), "G3 so that calls don't come back together")
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-1": 0, "1.5": 0, "soon": 0, "99999999999999999999": 0, "2147483647": 2147483647 * time.Second,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:04:00 GMT": 0, "Friday, 02-Jan-26 03:05:05 GMT": time.Minute,
	} {
		require.Equal(t, want, retryAfter(value, now), value)
	}
}

// binding binds the remote tool, with more in its spec.
func (r *remote) binding(t *testing.T, more string, a catalog.Annotations) (*Binding, Call) {
	t.Helper()
	call := r.call(t, more)
	call.Tool = entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "remote", Executor: call.Spec, Annotations: a})
	registry := NewRegistry(Options{Outbound: toLoopback(t)})
	t.Cleanup(registry.Close)
	b, err := registry.Bind("acme", call.Spec, a)
	require.NoError(t, err)
	return &b, call
}

func TestHTTPRetry(t *testing.T) {
	r := newRemote(t)
	for status, again := range map[int]bool{
		408: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true,
		301: false, 400: false, 401: false, 403: false, 404: false, 409: false, 422: false, 501: false, 505: false,
	} {
		t.Run(fmt.Sprint("G3 HTTP ", status), func(t *testing.T) {
			var attempts []string
			r.handle(func(w http.ResponseWriter, req *http.Request) {
				attempts = append(attempts, req.Header.Get("X-Codecell-Attempt"))
				if len(attempts) == 1 {
					w.WriteHeader(status)
					return
				}
				_, _ = io.WriteString(w, `{"details":"done"}`)
			})
			b, call := r.binding(t, "", idempotent)
			_, err := b.Execute(t.Context(), call)
			if again {
				require.NoError(t, err)
				require.Equal(t, []string{"", "2"}, attempts)
				attempts = nil
				b, call = r.binding(t, "", catalog.Annotations{})
				_, err = b.Execute(t.Context(), call)
			}
			require.ErrorContains(t, err, fmt.Sprintf("tool openclaw:core:remote answered HTTP %d: (empty)", status))
			require.NotContains(t, err.Error(), "attempts")
			require.Len(t, attempts, 1)
		})
	}
	t.Run("G3 a connection that breaks off", func(t *testing.T) {
		for _, a := range []catalog.Annotations{idempotent, {}} {
			var calls atomic.Int64
			r.handle(func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, "1")
			})
			b, call := r.binding(t, "", a)
			_, err := b.Execute(t.Context(), call)
			if a.Idempotent {
				require.NoError(t, err)
				require.EqualValues(t, 2, calls.Load())
			} else {
				require.EqualError(t, err, "tool openclaw:core:remote did not answer: the connection was lost")
				require.EqualValues(t, 1, calls.Load())
			}
		}
	})
	t.Run("G3 a tool says when to call again", func(t *testing.T) {
		r.handle(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
			_, _ = io.WriteString(w, "slow down")
		})
		b, call := r.binding(t, "", idempotent)
		_, err := b.Execute(t.Context(), call)
		require.EqualError(t, err, "tool openclaw:core:remote answered HTTP 429: slow down (it asks to be called again in 1h0m0s)")
	})
}

// TestNoHiddenRetry: net/http sends a POST again when a connection that was used before breaks, if a header says that this
// does no harm. The header is the gateway's; whether it does harm is what the annotations say.
func TestNoHiddenRetry(t *testing.T) {
	var calls atomic.Int64
	r := newRemote(t)
	r.handle(func(w http.ResponseWriter, req *http.Request) {
		if calls.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(w, "1")
	})
	for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		calls.Store(0)
		b, call := r.binding(t, `,"headers":{"`+header+`":"k"}`, catalog.Annotations{})
		_, err := b.Execute(t.Context(), call)
		require.NoError(t, err)
		_, err = b.Execute(t.Context(), call)
		require.ErrorContains(t, err, "the connection was lost")
		require.EqualValues(t, 2, calls.Load(), "G3 a call that may not be repeated is sent once: %s", header)
	}
}

func TestCircuit(t *testing.T) {
	r := newRemote(t)
	var calls atomic.Int64
	r.handle(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(503)
	})
	b, call := r.binding(t, "", catalog.Annotations{})
	t.Run("G3 a host that fails is not called for a while, and that is said", func(t *testing.T) {
		var last error
		for range 20 {
			_, last = b.Execute(t.Context(), call)
		}
		require.EqualValues(t, 5, calls.Load())
		require.Regexp(t, `^tool openclaw:core:remote is not called: its host failed 5 times in a row and is left alone; try again in [0-9.]+m?s$`, last.Error())
	})
	t.Run("G3 the other sessions are not concerned", func(t *testing.T) {
		other := call
		other.Context.SessionID = "other"
		_, err := b.Execute(t.Context(), other)
		require.ErrorContains(t, err, "answered HTTP 503")
	})
	t.Run("G3 where attempts have opened it the call says what they came to", func(t *testing.T) {
		calls.Store(0)
		b, call := r.binding(t, "", idempotent)
		_, err := b.Execute(t.Context(), call)
		require.EqualError(t, err, "tool openclaw:core:remote answered HTTP 503: (empty) (after 3 attempts)")
		_, err = b.Execute(t.Context(), call)
		require.EqualError(t, err, "tool openclaw:core:remote answered HTTP 503: (empty) (after 2 attempts)")
		require.EqualValues(t, 5, calls.Load())
	})
	t.Run("G3 errors of the tool are not the host's", func(t *testing.T) {
		for _, status := range []int{400, 429, 500} {
			calls.Store(0)
			r.handle(func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.WriteHeader(status)
			})
			b, call := r.binding(t, "", catalog.Annotations{})
			for range 20 {
				_, err := b.Execute(t.Context(), call)
				require.ErrorContains(t, err, fmt.Sprint("answered HTTP ", status))
			}
			require.EqualValues(t, 20, calls.Load())
		}
	})
	t.Run("G3 a host that can't be connected to is the whole tenant's", func(t *testing.T) {
		gone := httptest.NewServer(nil)
		gone.Close()
		b, call := r.binding(t, "", catalog.Annotations{})
		spec := strings.ReplaceAll(string(call.Spec), r.url, gone.URL)
		registry := NewRegistry(Options{Outbound: toLoopback(t)})
		defer registry.Close()
		*b, _ = registry.Bind("acme", json.RawMessage(spec), catalog.Annotations{})
		for n := range 5 {
			call.Context.SessionID = fmt.Sprint(n)
			_, err := b.Execute(t.Context(), call)
			require.ErrorContains(t, err, "can't be reached")
		}
		call.Context.SessionID = "other"
		_, err := b.Execute(t.Context(), call)
		require.ErrorContains(t, err, "is not called")
		call.Tenant = "another"
		_, err = b.Execute(t.Context(), call)
		require.ErrorContains(t, err, "can't be reached", "and no other tenant's")
	})
	t.Run("G7 calls of runs that ended say nothing about the host", func(t *testing.T) {
		entered := make(chan struct{})
		r.handle(func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			entered <- struct{}{}
			<-req.Context().Done()
		})
		b, call := r.binding(t, "", catalog.Annotations{})
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-entered
				cancel()
			}()
			_, err := b.Execute(ctx, call)
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}
