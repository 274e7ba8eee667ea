package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bench/growth"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// narrow is a config under which a run may hold 64 KiB.
const narrow = `{"enabled":true,"maxHeldBytes":65536,"drainMs":1}`

func big(n int) string { return `{"s":"` + strings.Repeat("x", n) + `"}` }

func TestHeldBytes(t *testing.T) {
	code := func(got *[]string) enginetest.Step {
		return func(in *input, out *records) error {
			for _, a := range in.Answers {
				if a.Kind == engine.AnswerError {
					*got = append(*got, errorOf(t, a).Code)
				}
			}
			out.Pending()
			return nil
		}
	}
	t.Run("H6 inputs of pending calls are bounded in sum, and the call that is too much rejects", func(t *testing.T) {
		var got []string
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			out.Call(1, "ask", big(30<<10)).Call(2, "ask", big(40<<10)).Call(3, "ask", big(1<<10))
		}), code(&got)), Options{})
		r := w.exec(w.turn(narrow))
		require.Equal(t, Waiting, r.Status)
		require.Equal(t, []string{"too_many_bytes"}, got)
		require.Len(t, r.Pending, 2, "the others are pending")
		require.Less(t, len(r.AppendJSON(nil)), 64<<10, "and so the answer is bounded")
	})
	t.Run("H6 results posted ahead are weighed, and one that is too much leaves its call pending", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			out.Call(1, "ask", "{}").Call(2, "ask", "{}")
		})), Options{})
		turn := w.turn(narrow)
		r := w.exec(turn)
		result := func(n, size int) CallResult {
			return CallResult{ID: r.Pending[n].ID, OK: true, Value: json.RawMessage(big(size))}
		}
		d, err := turn.Deliver(context.Background(), r.RunID, []CallResult{result(0, 30<<10), result(1, 40<<10)})
		require.NoError(t, err)
		require.Equal(t, []string{r.Pending[0].ID}, d.Accepted)
		require.Contains(t, d.Refused[0].Reason, "the run may hold 65536 bytes")
		d, err = turn.Deliver(context.Background(), r.RunID, []CallResult{result(1, 1<<10)})
		require.NoError(t, err)
		require.Len(t, d.Accepted, 1, "a smaller one is taken")
		require.NoError(t, w.AbortRun(tenant, r.RunID))
	})
	t.Run("H6 hits that are too much are not built", func(t *testing.T) {
		var got []string
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Request(1, engine.MethodSearch, "long", "50") }), code(&got)), Options{})
		tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "long", Description: strings.Repeat("x", 70<<10), Executor: json.RawMessage(`{"type":"echo"}`)}
		w.exec(w.turn(`{"enabled":true,"maxHeldBytes":65536}`, tool))
		require.Equal(t, []string{"too_many_bytes"}, got)
	})
	t.Run("H6 an answer of a tool that is too much rejects", func(t *testing.T) {
		var got []string
		w := newWorld(t, enginetest.Always(calls("big"), code(&got)), Options{})
		tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "big", Executor: json.RawMessage(`{"type":"echo","result":` + big(70<<10) + `}`)}
		w.exec(w.turn(`{"enabled":true,"maxHeldBytes":65536}`, tool))
		require.Equal(t, []string{"too_many_bytes"}, got)
	})
	t.Run("H6 a run that has no room even for timers is over", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			for n := range 1000 {
				out.Timer(uint32(n+1), "3600000")
			}
		})), Options{})
		requireFailed(t, w.exec(w.turn(narrow)), CodeMemoryLimit, "65536 bytes")
	})
	t.Run("H6 a context of a run keeps nothing of it alive", func(t *testing.T) {
		turn := aRun(t, `true`).turn
		run := func() (context.Context, weak.Pointer[run]) {
			r, err := newRun(turn, cell{})
			require.NoError(t, err)
			return r.ctx, weak.Make(r)
		}
		ctx, r := run()
		runtime.GC()
		require.Nil(t, r.Value())
		runtime.KeepAlive(ctx)
	})
	t.Run("H6 a call that is answered keeps its input no longer than that is counted", func(t *testing.T) {
		r := aRun(t, `true`)
		tools := []catalog.Tool{{Source: "openclaw", Name: "t"}}
		entries, err := catalog.New(tools, catalog.Policy{})
		require.NoError(t, err)
		r.turn.catalog = entries
		q, err := r.admitOne(r.ctx, &engine.Request{ID: 1, Method: engine.MethodCallValue, Name: "t", Payload: []byte(big(1 << 20))})
		require.NoError(t, err)
		r.requests.start(r.ctx, []*request{q})
		name := r.id.call(1)
		require.NoError(t, r.deliverOne(CallResult{ID: name, OK: true, Value: []byte("1")}))
		require.EqualValues(t, runOverhead+1, r.account.Held()-int64(2*len(r.cell.code)), "the answer")
		require.Empty(t, r.requests.byID[1].input)
		require.ErrorIs(t, r.deliverOne(CallResult{ID: name, OK: true}), errHasResult)
	})
	t.Run("H6 what a guest could be rebuilt from is held too, and given up where there is no room", func(t *testing.T) {
		steps := []enginetest.Step{calls("ask"), calls("ask"), calls("ask"), calls("ask"), returns("1")}
		for n := range steps[:4] {
			steps[n] = asks(func(out *records) { out.Call(uint32(n+1), "ask", "{}") })
		}
		w := newPortableWorld(t, Options{}, steps...)
		turn := w.turn(narrow)
		r := w.exec(turn)
		before := w.Stats().HeldBytes
		for range 3 {
			r = w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true, Value: json.RawMessage(big(20 << 10))})
			require.Equal(t, Waiting, r.Status)
		}
		require.Less(t, w.Stats().HeldBytes, before+(50<<10), "three answers were 60 KiB")
		_, err := turn.Export(context.Background(), r.RunID)
		requireKind(t, err, KindConflict)
		require.Equal(t, Completed, w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true}).Status)
	})
	t.Run("H6 tenants have shares, and the sum is bounded", func(t *testing.T) {
		var got []string
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "ask", big(1<<20)) }), code(&got), returns("1")),
			Options{MemoryBytes: 3 << 20, TenantBytes: 2 << 20})
		first, second := w.turnOf("one", someone(), ""), w.turnOf("two", someone(), "")
		run := w.exec(first)
		require.Greater(t, len(run.Pending[0].Input), 1<<20)
		requireFailed(t, w.exec(first), CodeInternal, neverSettles.text)
		require.Equal(t, []string{"too_many_bytes"}, got, "the tenant's share is used up")
		require.Greater(t, len(w.exec(second).Pending[0].Input), 1<<20, "another's is not")
		require.NoError(t, w.AbortRun("one", run.RunID))
		require.Greater(t, len(w.exec(first).Pending[0].Input), 1<<20)
		_, err := w.Prepare(context.Background(), "three", &TurnRequest{
			Config: json.RawMessage(`true`), Tools: []catalog.Tool{{Source: "openclaw", Name: "t", Description: strings.Repeat("x", 1<<19)}},
		})
		requireKind(t, err, KindOverloaded)
		require.ErrorContains(t, err, "the service may hold", "the sum is bounded")
	})
	t.Run("H6 prepared turns are weighed", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{MemoryBytes: 1 << 20})
		request := &TurnRequest{Config: json.RawMessage(`true`), Tools: []catalog.Tool{{Source: "openclaw", Name: "t", Description: strings.Repeat("x", 100<<10)}}}
		var turns []*Turn
		for {
			turn, err := w.Prepare(context.Background(), tenant, request)
			if err != nil {
				requireKind(t, err, KindOverloaded)
				require.ErrorContains(t, err, "delete turns")
				break
			}
			turns = append(turns, turn)
			require.Less(t, len(turns), 10)
		}
		require.NoError(t, w.DropTurn(tenant, turns[0].ID()))
		_, err := w.Prepare(context.Background(), tenant, request)
		require.NoError(t, err, "one that was deleted makes room")
	})
	t.Run("H6 what is over is released, however it ends", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "ask", big(1<<10)).Call(2, "slow", big(1<<10)).Timer(3, "50000") })), Options{})
		turn := w.turn(`{"enabled":true,"drainMs":1,"timeoutMs":100}`)
		require.NoError(t, w.AbortRun(tenant, w.exec(turn).RunID)) // what is built of the turn once stays
		before := w.Stats().HeldBytes
		for range 20 {
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.Greater(t, w.Stats().HeldBytes, before)
			require.NoError(t, w.AbortRun(tenant, r.RunID))
		}
		require.Equal(t, before, w.Stats().HeldBytes)
		require.NoError(t, w.DropTurn(tenant, turn.ID()))
		require.Zero(t, w.Stats().HeldBytes)
	})
}

func TestServiceTime(t *testing.T) {
	t.Run("H6 admission is charged and stops when the time is over", func(t *testing.T) {
		const searches = 1 << 20
		tools := make([]catalog.Tool, 50)
		for n := range tools {
			tools[n] = catalog.Tool{Source: "openclaw", Owner: "lab", Name: fmt.Sprintf("tool_%d", n), Description: strings.Repeat("word other ", 20)}
		}
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			for n := range searches {
				out.Request(uint32(n+1), engine.MethodSearch, fmt.Sprintf("query %d other words", n), "1")
			}
		})), Options{MemoryBytes: 8 << 30})
		turn := w.turn(`{"enabled":true,"timeoutMs":100,"maxHeldBytes":1073741824}`, tools...)
		r := w.exec(turn)
		requireFailed(t, r, CodeTimeout, "the service was at work")
		require.Less(t, r.Telemetry.SearchCount, int64(searches), "the rest is not looked at")
		require.Greater(t, r.Telemetry.ServiceMs, 90.0)
	})
	t.Run("G7 a run is aborted in the middle of admission", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			for n := range 100_000 {
				out.Request(uint32(n+1), engine.MethodSearch, "query", "50")
			}
			cancel()
		})), Options{})
		r, err := w.turn(`{"enabled":true,"timeoutMs":60000}`).Exec(ctx, ExecInput{Code: quoted("x")})
		require.NoError(t, err)
		requireFailed(t, r, CodeAborted, "")
		require.Less(t, r.Telemetry.SearchCount, int64(100_000))
	})
	t.Run("H6 a check that takes too long ends the run, and is no answer about the input", func(t *testing.T) {
		r := aRun(t, `{"enabled":true,"timeoutMs":100}`)
		tools := []catalog.Tool{{Source: "openclaw", Name: "t", Parameters: json.RawMessage(`{"type":"object"}`)}}
		entries, err := catalog.New(tools, catalog.Policy{})
		require.NoError(t, err)
		r.turn.catalog = entries
		call := &engine.Request{ID: 1, Method: engine.MethodCall, Name: "t", Payload: []byte(`{}`)}
		_, err = r.admitOne(&deadline{r.ctx, time.Now().Add(-time.Second)}, call)
		require.ErrorIs(t, err, engine.ErrTimeout)
		q, err := r.admitOne(&deadline{r.ctx, time.Now().Add(time.Hour)}, call)
		require.NoError(t, err)
		require.Equal(t, callerRequest, q.kind)
		r.cancel()
		_, err = r.admitOne(&deadline{r.ctx, time.Now().Add(time.Hour)}, call)
		require.ErrorIs(t, err, engine.ErrStopped)
	})
	t.Run("H6 what is asked for and taken back costs in proportion", func(t *testing.T) {
		growth.Linear(t, 20_000, func(n int) func() {
			r := aRun(t, `{"enabled":true,"timeoutMs":60000}`)
			e := effectsOf(n, aTimer)
			for id := range n - 1 {
				e.Cancelled = append(e.Cancelled, uint32(id+1))
			}
			i := newInvocation(context.Background(), &r.turn.config, "")
			return func() {
				_, err := r.admit(i, e)
				require.NoError(t, err)
			}
		})
	})
	t.Run("H6 sleeping alone is charged, waiting for others is not", func(t *testing.T) {
		i := newInvocation(context.Background(), &aRun(t, `{"timeoutMs":1000}`).turn.config, "")
		i.waiting(300*time.Millisecond, true)
		require.Equal(t, time.Second, i.left)
		i.waiting(300*time.Millisecond, false)
		require.Equal(t, 700*time.Millisecond, i.left)
		require.Equal(t, 400*time.Millisecond, i.waitLeft)
		require.Equal(t, 650*time.Millisecond, i.sleepLeft(), "some is left to wake up with")
	})
	t.Run("H6 what carrying calls out takes is charged, and waiting for a tool is not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("slow", "slow", "slow"), asks(func(*records) {}), asks(func(*records) {}), returns("1")), Options{})
			tool := delayed("slow", 5000)
			turn, err := w.Prepare(t.Context(), tenant, &TurnRequest{Context: someone(), Config: json.RawMessage(`true`), Tools: []catalog.Tool{tool}})
			require.NoError(t, err)
			charged := w.exec(turn).Telemetry.ServiceMs
			// The clock of the test stands still but for the tools' five seconds.
			require.InDelta(t, 3*maxHandling(0).Seconds()*1000, charged, maxHandling(0).Seconds()*1000)
		})
	})
	t.Run("H6 the handover of a step is charged, up to what a busy machine adds", func(t *testing.T) {
		i := newInvocation(context.Background(), &aRun(t, `{"timeoutMs":1000}`).turn.config, "")
		require.Equal(t, 100*time.Microsecond, i.executed(&engine.Effects{Took: time.Millisecond, CPU: time.Millisecond}, 1100*time.Microsecond))
		require.Equal(t, maxHandover, i.executed(&engine.Effects{}, time.Minute))
		require.Equal(t, time.Second-1100*time.Microsecond-maxHandover, i.left)
	})
}
