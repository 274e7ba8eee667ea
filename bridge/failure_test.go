package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestEngineFailure(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		code   Code
		strict Code
		text   string
	}{
		{"timeout", engine.ErrTimeout, CodeTimeout, CodeTimeout, "10000 ms"},
		{"stopped", engine.ErrStopped, CodeAborted, CodeTimeout, "aborted"},
		{"memory", engine.ErrMemory, CodeMemoryLimit, CodeInternal, "67108864 bytes"},
		{"output", engine.ErrOutput, CodeOutputLimit, CodeOutputLimit, "65536 bytes"},
		{"protocol", fmt.Errorf("%w: at /host/path", engine.ErrProtocol), CodeRuntimeUnavailable, CodeRuntimeUnavailable, "runtime failed"},
		{"broken", fmt.Errorf("%w: at host", engine.ErrBroken), CodeRuntimeUnavailable, CodeRuntimeUnavailable, "Write it differently"},
		{"lost", fmt.Errorf("%w: at host", engine.ErrLost), CodeRuntimeUnavailable, CodeRuntimeUnavailable, "Run the cell again"},
		{"closed", engine.ErrClosed, CodeRuntimeUnavailable, CodeRuntimeUnavailable, "runtime failed"},
		{"anything else", errors.New("secret host text"), CodeRuntimeUnavailable, CodeRuntimeUnavailable, "runtime failed"},
	} {
		t.Run("B8 "+tc.name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
				out.Text("before")
				return tc.err
			}), Options{})
			precise := w.exec(w.turn(""))
			requireFailed(t, precise, tc.code, tc.text)
			require.NotContains(t, precise.Error, "host")
			require.Len(t, precise.Output, 1, "what was put out before stays")
			requireFailed(t, w.exec(w.turn(`{"enabled":true,"errorCodes":"strict"}`)), tc.strict, tc.text)
		})
	}
	t.Run("B8 strict keeps the contract's six", func(t *testing.T) {
		six := []Code{CodeInvalidInput, CodeRuntimeUnavailable, CodeTimeout, CodeOutputLimit, CodeSnapshotLimit, CodeInternal}
		for _, c := range six {
			require.Equal(t, c, c.strict())
		}
		for _, c := range []Code{CodeMemoryLimit, CodeAborted} {
			require.Contains(t, six, c.strict())
		}
	})
	t.Run("B8 a guest's protocol error is no answer about the cell", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			out.Yield(1, "null").Yield(1, "null").Pending()
			return nil
		}), Options{})
		requireFailed(t, w.exec(w.turn("")), CodeRuntimeUnavailable, "")
	})
}

func TestTimeBudget(t *testing.T) {
	took := func(d time.Duration, then enginetest.Step) enginetest.Step {
		return func(in *input, out *records) error {
			out.Took(d)
			return then(in, out)
		}
	}
	t.Run("H1 steps share the time of an invocation", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(took(600*time.Millisecond, calls("echo")), took(300*time.Millisecond, returns("1"))), Options{})
		require.Equal(t, Completed, w.exec(w.turn(`{"enabled":true,"timeoutMs":1000}`)).Status)
		requireTimeouts(t, []time.Duration{time.Second, 400 * time.Millisecond}, w)
	})
	t.Run("H1 an invocation that is used up ends, though no single step was too long", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(took(600*time.Millisecond, calls("echo")), took(600*time.Millisecond, calls("echo"))), Options{})
		requireFailed(t, w.exec(w.turn(`{"enabled":true,"timeoutMs":1000}`)), CodeTimeout, "1000 ms")
	})
	t.Run("H1 time without a processor is not charged, and a step may take all of what is left", func(t *testing.T) {
		busy := func(in *input, out *records) error {
			out.Took(300 * time.Millisecond).Waited(600 * time.Millisecond)
			return calls("echo")(in, out)
		}
		w := newWorld(t, enginetest.Always(busy, busy, returns("1")), Options{})
		r := w.exec(w.turn(`{"enabled":true,"timeoutMs":1000}`))
		require.Equal(t, Completed, r.Status)
		requireTimeouts(t, []time.Duration{time.Second, 700 * time.Millisecond, 400 * time.Millisecond}, w)
		require.InDelta(t, 1800, r.Telemetry.GuestMs, 1)
		require.InDelta(t, 600, r.Telemetry.CPUMs, 1)
	})
	t.Run("H1 the error says which clock it was", func(t *testing.T) {
		ends := func(computed, waited time.Duration) *Result {
			w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
				out.Took(computed).Waited(waited)
				return engine.ErrTimeout
			}), Options{})
			return w.exec(w.turn(`{"enabled":true,"timeoutMs":1000}`))
		}
		requireFailed(t, ends(time.Second, 0), CodeTimeout, "computed for more than 1000 ms")
		requireFailed(t, ends(900*time.Millisecond, 100*time.Millisecond), CodeTimeout, "computed for more than 1000 ms")
		requireFailed(t, ends(100*time.Millisecond, 900*time.Millisecond), CodeTimeout, "1000 ms have passed on the wall clock, in which the cell could compute for only 100 ms")
	})
	t.Run("C3 a wait has the whole time again", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(took(600*time.Millisecond, yields(1)), took(600*time.Millisecond, returns("1"))), Options{})
		turn := w.turn(`{"enabled":true,"timeoutMs":1000}`)
		require.Equal(t, Completed, w.wait(turn, w.exec(turn).RunID).Status)
	})
}

func TestGuestOutcome(t *testing.T) {
	run := func(t *testing.T, config string, steps ...enginetest.Step) *Result {
		w := newWorld(t, enginetest.Always(steps...), Options{})
		return w.exec(w.turn(config))
	}
	t.Run("B8 a guest exception is internal_error", func(t *testing.T) {
		r := run(t, "", func(_ *input, out *records) error {
			out.Reject(engine.Thrown{IsError: true, Name: "TypeError", Message: "no", Stack: "    at f (cell.js:1:2)\n"})
			return nil
		})
		requireFailed(t, r, CodeInternal, "TypeError: no")
		require.Equal(t, &Detail{Name: "TypeError", Message: "no", Line: 1, Column: 2, Stack: "    at f (cell.js:1:2)"}, r.Detail)
	})
	t.Run("B10 pending without work fails at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(asks(func(*records) {})), Options{})
			turn, start := w.turn(""), time.Now()
			requireFailed(t, w.exec(turn), CodeInternal, "code mode promise is pending without host work")
			require.Zero(t, time.Since(start))
			require.NoError(t, w.Close(t.Context()))
		})
	})
	t.Run("D8 a value of exactly the limit", func(t *testing.T) {
		value := string(quoted(string(make([]byte, 0)) + fmt.Sprintf("%01022d", 0)))
		require.Len(t, value, 1024)
		require.Equal(t, Completed, run(t, `{"enabled":true,"maxOutputBytes":1024}`, returns(value)).Status)
	})
	t.Run("D8 a value one byte over", func(t *testing.T) {
		value := string(quoted(fmt.Sprintf("%01023d", 0)))
		requireFailed(t, run(t, `{"enabled":true,"maxOutputBytes":1024}`, returns(value)), CodeOutputLimit, "1024 bytes")
	})
	t.Run("D8 a value one byte over is cut in truncate mode", func(t *testing.T) {
		value := string(quoted(fmt.Sprintf("%01023d", 0)))
		r := run(t, `{"enabled":true,"maxOutputBytes":1024,"outputOverflow":"truncate"}`, returns(value))
		require.Equal(t, Completed, r.Status)
		require.LessOrEqual(t, len(r.Value), 1024)
		require.Equal(t, int64(len(value)-len(r.Value)), r.Omitted)
	})
	t.Run("D8 value and output are not added up", func(t *testing.T) {
		text := fmt.Sprintf("%0900d", 0)
		r := run(t, `{"enabled":true,"maxOutputBytes":1024}`, func(_ *input, out *records) error {
			out.Text(text).Fulfil(string(quoted(text)), 0)
			return nil
		})
		require.Equal(t, Completed, r.Status)
	})
	t.Run("D8 too much output fails though the cell returned", func(t *testing.T) {
		r := run(t, `{"enabled":true,"maxOutputBytes":1024}`, func(_ *input, out *records) error {
			out.Text("kept").Text(fmt.Sprintf("%02000d", 0)).Fulfil("1", 0)
			return nil
		})
		requireFailed(t, r, CodeOutputLimit, "1024 bytes")
		require.Len(t, r.Output, 1)
	})
	t.Run("D8 cumulative output says each time what is missing", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			out.Text(fmt.Sprintf("%02000d", 0)).Yield(1, "null").Pending()
			return nil
		}, returns("1")), Options{})
		turn := w.turn(`{"enabled":true,"maxOutputBytes":1024,"outputOverflow":"truncate","outputMode":"cumulative"}`)
		first := w.exec(turn)
		second := w.wait(turn, first.RunID)
		require.Equal(t, first.Output, second.Output)
		require.Positive(t, first.Omitted)
		require.Equal(t, first.Omitted, second.Omitted)
	})
}

// waitsFor is an executor whose calls last until they are let go, by their tools' names.
type waitsFor struct {
	mu      sync.Mutex
	started []string
	running int
	most    int
	let     map[string]chan struct{}
}

func newWaitsFor() *waitsFor { return &waitsFor{let: map[string]chan struct{}{}} }

func (e *waitsFor) gate(name string) chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.let[name] == nil {
		e.let[name] = make(chan struct{}, 1000)
	}
	return e.let[name]
}

// Execute answers with the input that it got once it is let go; a call that is cancelled fails.
func (e *waitsFor) Execute(ctx context.Context, c executor.Call) (json.RawMessage, error) {
	gate := e.gate(c.Tool.Name())
	e.mu.Lock()
	e.started = append(e.started, string(c.Input))
	e.running++
	e.most = max(e.most, e.running)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.running--
		e.mu.Unlock()
	}()
	select {
	case <-gate:
		return c.Input, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (e *waitsFor) starts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.started)
}

func gated(name string, a catalog.Annotations) catalog.Tool {
	return catalog.Tool{Source: "openclaw", Owner: "lab", Name: name, Annotations: a, Executor: json.RawMessage(`{"type":"gated","timeoutMs":3600000}`)}
}

func TestSideEffects(t *testing.T) {
	rejects := func(_ *input, out *records) error {
		out.Reject(engine.Thrown{Other: "enough"})
		return nil
	}
	states := func(r *Result) map[string]string {
		m := map[string]string{}
		for _, e := range r.SideEffects {
			m[e.ToolID] += e.State
		}
		return m
	}
	t.Run("B7 each started call, as far as it is known", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(
				asks(func(out *records) {
					out.Call(1, "echo", "{}").Call(2, "fail", "{}").Call(3, "slow", "{}").Call(4, "ask", "{}").
						Call(5, "nobody", "{}").Request(6, engine.MethodSearch, "x", "null").Yield(7, "null")
				}),
				rejects,
			), Options{})
			turn := w.turn("")
			id := w.exec(turn).RunID
			synctest.Wait()
			r := w.wait(turn, id)
			requireFailed(t, r, CodeInternal, "enough")
			require.Equal(t, map[string]string{
				"openclaw:core:echo": "completed", "openclaw:core:fail": "failed", "openclaw:core:slow": "cancelled",
				"client:app:ask": "pending",
			}, states(r), "refused calls and lookups were never started")
			require.Contains(t, r.SideEffects, SideEffect{ID: id + ".1", ToolID: "openclaw:core:echo", State: "completed"})
			require.False(t, r.Retryable)
		})
	})
	t.Run("B7 a queued call that was never started is none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(
				asks(func(out *records) {
					out.Call(1, "one", `{"i":1}`).Call(2, "two", `{"i":2}`).Call(3, "two", `{"i":3}`)
				}),
				rejects,
			), Options{Executors: map[string]executor.Executor{"gated": e}})
			turn := w.turn(`{"enabled":true,"maxPendingToolCalls":1}`, gated("one", catalog.Annotations{}), gated("two", catalog.Annotations{}))
			e.gate("one") <- struct{}{}
			r := w.exec(turn)
			requireFailed(t, r, CodeInternal, "enough")
			synctest.Wait()
			require.Len(t, r.SideEffects, len(e.starts()), "what an executor saw is listed, and nothing else")
		})
	})
	for _, tc := range []struct {
		name  string
		tools []catalog.Annotations
		want  bool
	}{
		{"nothing was called", nil, true},
		{"only readOnly calls", []catalog.Annotations{{ReadOnly: true}, {ReadOnly: true}}, true},
		{"only idempotent calls", []catalog.Annotations{{Idempotent: true}}, true},
		{"one that is neither", []catalog.Annotations{{ReadOnly: true}, {}}, false},
	} {
		t.Run("G3 retryable after a timeout: "+tc.name, func(t *testing.T) {
			var tools []catalog.Tool
			var names []string
			for i, a := range tc.tools {
				tool := gated(fmt.Sprint("t", i), a)
				tool.Executor = json.RawMessage(`{"type":"echo"}`)
				tools, names = append(tools, tool), append(names, tool.Name)
			}
			steps := []enginetest.Step{calls(names...), stops(engine.ErrTimeout), stops(engine.ErrTimeout), stops(engine.ErrTimeout)}
			if len(names) == 0 {
				steps = steps[1:]
			}
			w := newWorld(t, enginetest.Always(steps...), Options{})
			r := w.exec(w.turn("", tools...))
			requireFailed(t, r, CodeTimeout, "")
			require.Equal(t, tc.want, r.Retryable)
		})
	}
	t.Run("G3 a write after a thousand reads is not forgotten", func(t *testing.T) {
		read, write := gated("read", catalog.Annotations{ReadOnly: true}), gated("write", catalog.Annotations{})
		read.Executor, write.Executor = json.RawMessage(`{"type":"echo"}`), json.RawMessage(`{"type":"echo"}`)
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(
				asks(func(out *records) {
					for i := range maxSideEffects {
						out.Call(uint32(i+1), "read", "{}")
					}
					out.Call(maxSideEffects+1, "write", "{}").Yield(maxSideEffects+2, "null")
				}),
				stops(engine.ErrTimeout),
			), Options{})
			turn := w.turn("", read, write)
			id := w.exec(turn).RunID
			synctest.Wait()
			r := w.wait(turn, id)
			requireFailed(t, r, CodeTimeout, "")
			require.LessOrEqual(t, len(r.SideEffects), maxSideEffects)
			require.False(t, r.Retryable)
		})
	})
}

// TestFailWhileCallsEnd is for the race detector: a run fails while its calls end and queued ones start.
func TestFailWhileCallsEnd(t *testing.T) {
	const n = 40
	w := newWorld(t, enginetest.Always(
		asks(func(out *records) {
			for i := range n {
				out.Call(uint32(i+1), "echo", "{}")
			}
		}),
		func(_ *input, out *records) error {
			out.Reject(engine.Thrown{Other: "enough"})
			return nil
		},
	), Options{})
	turn := w.turn(`{"enabled":true,"maxPendingToolCalls":2}`)
	for range 100 {
		r := w.exec(turn)
		requireFailed(t, r, CodeInternal, "enough")
	}
}

// requireTimeouts holds what each step of the first guest was given, up to what the service itself was charged for.
func requireTimeouts(t *testing.T, want []time.Duration, w *world) {
	t.Helper()
	given := w.engine.VMs()[0].Timeouts()
	require.Len(t, given, len(want))
	for n := range want {
		require.LessOrEqual(t, given[n], want[n])
		require.Greater(t, given[n], want[n]-100*time.Millisecond)
	}
}
