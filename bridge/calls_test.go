package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// keepsOrder is a script that asks for calls and collects the ids of the answers, one list a step, until all are there.
func keepsOrder(n int, ask func(out *records), seen *[][]uint32) enginetest.Script {
	count := 0
	step := func(in *input, out *records) error {
		var ids []uint32
		for _, a := range in.Answers {
			ids = append(ids, a.ID)
		}
		*seen = append(*seen, ids)
		if count += len(ids); count == n {
			out.Fulfil("1", 0)
		} else {
			out.Pending()
		}
		return nil
	}
	script := enginetest.Script{asks(ask)}
	for range n {
		script = append(script, step)
	}
	return script
}

func delayed(name string, ms int) catalog.Tool {
	return catalog.Tool{
		Source: "openclaw", Owner: "lab", Name: name, Executor: json.RawMessage(fmt.Sprintf(`{"type":"echo","delayMs":%d}`, ms)),
	}
}

func TestCollectOrder(t *testing.T) {
	t.Run("C3 answers come in the order in which calls end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen [][]uint32
			w := newWorld(t, enginetest.Always(keepsOrder(4, func(out *records) {
				out.Call(1, "late", "{}").Call(2, "soon", "{}").Call(3, "mid", "{}").Timer(4, "150")
			}, &seen)...), Options{})
			turn := w.turn("", delayed("late", 300), delayed("soon", 100), delayed("mid", 200))
			require.Equal(t, Completed, w.exec(turn).Status)
			require.Equal(t, [][]uint32{{2}, {4}, {3}, {1}}, seen)
		})
	})
	t.Run("C3 what ended while the run was suspended comes in that order too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen [][]uint32
			w := newWorld(t, enginetest.Always(keepsOrder(4, func(out *records) {
				out.Call(1, "late", "{}").Call(2, "soon", "{}").Call(3, "mid", "{}").Yield(4, "null")
			}, &seen)...), Options{})
			turn := w.turn("", delayed("late", 300), delayed("soon", 100), delayed("mid", 200))
			id := w.exec(turn).RunID
			time.Sleep(time.Second)
			require.Equal(t, Completed, w.wait(turn, id).Status)
			require.Equal(t, [][]uint32{{2, 3, 1, 4}}, seen)
		})
	})
	t.Run("C3 lookups are answered in the order of the requests", func(t *testing.T) {
		var seen [][]uint32
		w := newWorld(t, enginetest.Always(keepsOrder(3, func(out *records) {
			out.Request(1, engine.MethodSearch, "x", "null").Call(2, "nobody", "{}").Request(3, engine.MethodDescribe, "echo", "null")
		}, &seen)...), Options{})
		require.Equal(t, Completed, w.exec(w.turn("")).Status)
		require.Equal(t, [][]uint32{{1, 2, 3}}, seen)
	})
}

func TestQueue(t *testing.T) {
	t.Run("D6 no more than maxPendingToolCalls run, in order, as places free up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const n = 7
			e := newWaitsFor()
			var seen [][]uint32
			w := newWorld(t, enginetest.Always(keepsOrder(n, func(out *records) {
				for i := range n {
					out.Call(uint32(i+1), "gated", fmt.Sprint(`{"i":`, i, `}`))
				}
			}, &seen)...), Options{Executors: map[string]executor.Executor{"gated": e}})
			turn := w.turn(`{"enabled":true,"maxPendingToolCalls":3,"timeoutMs":60000}`, gated("gated", catalog.Annotations{}))
			done := make(chan *Result)
			go func() { done <- w.exec(turn) }()
			for i := range n {
				synctest.Wait()
				require.Len(t, e.starts(), min(3+i, n))
				e.gate("gated") <- struct{}{}
			}
			require.Equal(t, Completed, (<-done).Status)
			require.Equal(t, 3, e.most)
			require.ElementsMatch(t, []string{`{"i":0}`, `{"i":1}`, `{"i":2}`}, e.starts()[:3])
			for i, input := range e.starts()[3:] {
				require.Equal(t, fmt.Sprint(`{"i":`, i+3, `}`), input)
			}
		})
	})
	t.Run("D6 the caller's calls take no place", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask", "ask", "echo"), asks(func(*records) {})), Options{})
			r := w.exec(w.turn(`{"enabled":true,"maxPendingToolCalls":1}`))
			require.Equal(t, Waiting, r.Status)
			require.Len(t, r.Pending, 2, "the local call was carried out")
		})
	})
	t.Run("D6 queued calls of an aborted run are never started", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(calls("gated", "gated", "gated")), Options{Executors: map[string]executor.Executor{"gated": e}})
			turn := w.turn(`{"enabled":true,"maxPendingToolCalls":1}`, gated("gated", catalog.Annotations{}))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			r, err := turn.Exec(ctx, ExecInput{Code: quoted("x")})
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "")
			synctest.Wait()
			require.Len(t, e.starts(), 1)
			require.Zero(t, e.running, "the one under way was cancelled")
			require.Len(t, r.SideEffects, 1)
		})
	})
	t.Run("D6 the queue goes on while the run is suspended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var seen [][]uint32
			w := newWorld(t, enginetest.Always(keepsOrder(4, func(out *records) {
				out.Call(1, "soon", "{}").Call(2, "soon", "{}").Call(3, "soon", "{}").Yield(4, "null")
			}, &seen)...), Options{})
			turn := w.turn(`{"enabled":true,"maxPendingToolCalls":1}`, delayed("soon", 100))
			id := w.exec(turn).RunID
			time.Sleep(time.Second)
			require.Equal(t, Completed, w.wait(turn, id).Status)
			require.Equal(t, [][]uint32{{1, 2, 3, 4}}, seen)
		})
	})
}

func TestCall(t *testing.T) {
	t.Run("G1 the executor is told everything, and the call's own id", func(t *testing.T) {
		var got []executor.Call
		own := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
			got = append(got, c)
			return json.RawMessage("1"), nil
		})
		w := newWorld(t, enginetest.Always(calls("own"), yields(7), calls("own"), returns("1")), Options{Executors: map[string]executor.Executor{"own": own}})
		spec := json.RawMessage(`{"type":"own","x":[1]}`)
		turn := w.turn("", catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: spec})
		r := w.exec(turn)
		require.Equal(t, Waiting, r.Status)
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		require.Len(t, got, 2)
		c := got[0]
		require.Equal(t, []string{r.RunID + ".1", "parent", r.RunID, turn.ID()}, []string{c.ID, c.ParentID, c.RunID, c.TurnID})
		require.Equal(t, "openclaw:lab:own", c.Tool.ID())
		require.JSONEq(t, `{"i":1}`, string(c.Input))
		require.JSONEq(t, string(spec), string(c.Spec))
		require.Equal(t, someone(), c.Context)
	})
	t.Run("G3 a call that takes too long is cancelled and rejects", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got guestError
			w := newWorld(t, enginetest.Always(calls("tool"), func(in *input, out *records) error {
				got = errorOf(t, in.Answers[0])
				out.Fulfil("1", 0)
				return nil
			}), Options{})
			tool := delayed("tool", 5000)
			tool.Executor = json.RawMessage(`{"type":"echo","delayMs":5000,"timeoutMs":1200}`)
			start := time.Now()
			require.Equal(t, Completed, w.exec(w.turn("", tool)).Status)
			require.Equal(t, 1200*time.Millisecond, time.Since(start))
			require.Equal(t, "tool_timeout", got.Code)
			require.Equal(t, "tool openclaw:lab:tool did not answer within 1.2s", got.Message)
		})
	})
	t.Run("G3 an executor that returns its context's error says the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got guestError
			plain := executorFunc(func(ctx context.Context, _ executor.Call) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			w := newWorld(t, enginetest.Always(calls("tool"), func(in *input, out *records) error {
				got = errorOf(t, in.Answers[0])
				out.Fulfil("1", 0)
				return nil
			}), Options{Executors: map[string]executor.Executor{"plain": plain}})
			tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "tool", Executor: json.RawMessage(`{"type":"plain","timeoutMs":1000}`)}
			require.Equal(t, Completed, w.exec(w.turn("", tool)).Status)
			require.Equal(t, "tool_timeout", got.Code)
			require.Equal(t, "tool openclaw:lab:tool did not answer within 1s", got.Message)
		})
	})
	t.Run("G3 a call that succeeds after the run is over changes nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stubborn := executorFunc(func(context.Context, executor.Call) (json.RawMessage, error) {
				time.Sleep(10 * time.Second)
				return json.RawMessage("1"), nil
			})
			w := newWorld(t, enginetest.Always(calls("tool")), Options{Executors: map[string]executor.Executor{"stubborn": stubborn}})
			tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "tool", Executor: json.RawMessage(`{"type":"stubborn"}`)}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			r, err := w.turn("", tool).Exec(ctx, ExecInput{Code: quoted("x")})
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "")
			time.Sleep(20 * time.Second)
			require.Equal(t, "cancelled", r.SideEffects[0].State, "a result that was handed out stays as it is")
		})
	})
}
