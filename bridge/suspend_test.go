package bridge

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestMustSuspend(t *testing.T) {
	const budget = 10 * time.Second
	now := time.Now()
	of := func(kind requestKind, m engine.Method) request { return request{kind: kind, method: m} }
	var (
		local     = of(localRequest, engine.MethodCall)
		namespace = of(localRequest, engine.MethodNamespace)
		ready     = of(answeredRequest, engine.MethodDescribe)
		caller    = of(callerRequest, engine.MethodCall)
		yield     = of(yieldRequest, engine.MethodYield)
		soon      = request{kind: timerRequest, method: engine.MethodTimer, due: now.Add(time.Second)}
		late      = request{kind: timerRequest, method: engine.MethodTimer, due: now.Add(time.Hour)}
	)
	for _, tc := range []struct {
		name  string
		drain string
		items []request
		left  time.Duration
		mail  bool
		want  bool
	}{
		{"all: a call is drained", config.DrainAll, []request{local}, budget, false, false},
		{"all: a lookup is drained", config.DrainAll, []request{ready}, budget, false, false},
		{"all: an MCP call is drained", config.DrainAll, []request{namespace}, budget, false, false},
		{"all: the caller's call suspends", config.DrainAll, []request{caller}, budget, false, true},
		{"all: a call beside the caller's is drained first", config.DrainAll, []request{caller, local}, budget, false, false},
		{"all: an answer beside the caller's call is delivered first", config.DrainAll, []request{caller}, budget, true, false},
		{"all: a yield suspends", config.DrainAll, []request{yield}, budget, false, true},
		{"all: a yield suspends whatever else is pending", config.DrainAll, []request{local, ready, yield}, budget, true, true},
		{"all: a timer within the budget is drained", config.DrainAll, []request{soon}, budget, false, false},
		{"all: a timer beyond the budget suspends", config.DrainAll, []request{late}, budget, false, true},
		{"all: a late timer beside a call is no reason", config.DrainAll, []request{late, local}, budget, false, false},
		{"all: a late timer and the caller's call suspend", config.DrainAll, []request{late, caller}, budget, false, true},
		{"all: a spent budget suspends", config.DrainAll, []request{local}, 0, false, true},
		{"all: a spent budget suspends even if answers are there", config.DrainAll, []request{local}, 0, true, true},
		{"namespaces: a tools call suspends", config.DrainNamespaces, []request{local}, budget, false, true},
		{"namespaces: a lookup suspends", config.DrainNamespaces, []request{ready}, budget, false, true},
		{"namespaces: an MCP call is drained", config.DrainNamespaces, []request{namespace}, budget, false, false},
		{"namespaces: an MCP call beside a tools call suspends", config.DrainNamespaces, []request{namespace, local}, budget, false, true},
		{"namespaces: a timer within the budget is drained", config.DrainNamespaces, []request{soon}, budget, false, false},
		{"namespaces: a spent budget suspends", config.DrainNamespaces, []request{namespace}, 0, false, true},
	} {
		t.Run("C1 "+tc.name, func(t *testing.T) {
			r := aRun(t, `{"drain":"`+tc.drain+`"}`)
			for n := range tc.items {
				q := tc.items[n]
				q.id = uint32(n + 1)
				require.NoError(t, r.requests.add(&q))
			}
			if tc.mail {
				r.requests.mailbox = []engine.Answer{{ID: 9}}
			}
			i := newInvocation(t.Context(), &r.turn.config, "")
			i.waitLeft = tc.left
			require.Equal(t, tc.want, r.mustSuspend(i))
		})
	}
}

func TestPending(t *testing.T) {
	w := newWorld(t, enginetest.Always(asks(func(out *records) {
		out.Call(1, "slow", `{"a":1}`).Request(2, engine.MethodNamespace, "mcp:hub:issue", `[{"b":2}]`).Call(3, "ask", `{"c":3}`).
			Request(4, engine.MethodSearch, "q", "null").Request(5, engine.MethodDescribe, "echo", "null").
			Yield(6, `"why"`).Timer(7, "3600000").Call(8, "nobody", "{}").CallValue(9, "ask", "null")
	})), Options{})
	r := w.exec(w.turn(""))
	require.Equal(t, Waiting, r.Status)
	t.Run("C2 everything pending, in the order of the requests", func(t *testing.T) {
		id := func(n string) string { return r.RunID + "." + n }
		require.Equal(t, []PendingCall{
			{ID: id("1"), Method: "call", ToolID: "openclaw:core:slow", Name: "slow"},
			{ID: id("2"), Method: "namespace", ToolID: "mcp:hub:issue", Name: "issue"},
			{ID: id("3"), Method: "call", ToolID: "client:app:ask", Name: "ask", Input: json.RawMessage(`{"c":3}`)},
			{ID: id("4"), Method: "search"},
			{ID: id("5"), Method: "describe"},
			{ID: id("6"), Method: "yield"},
			{ID: id("7"), Method: "timer"},
			{ID: id("8"), Method: "call"},
			{ID: id("9"), Method: "call", ToolID: "client:app:ask", Name: "ask", Input: json.RawMessage(`{}`)},
		}, r.Pending)
		require.Equal(t, "pending_tools", r.Reason)
	})
	for _, tc := range []struct {
		name    string
		methods []string
		want    string
	}{
		{"one yield", []string{"yield"}, "yield"},
		{"only yields", []string{"yield", "yield"}, "yield"},
		{"a yield and a call", []string{"yield", "call"}, "pending_tools"},
		{"a timer", []string{"timer"}, "pending_tools"},
		{"nothing left", nil, "pending_tools"},
	} {
		t.Run("C2 reason: "+tc.name, func(t *testing.T) {
			var pending []PendingCall
			for _, m := range tc.methods {
				pending = append(pending, PendingCall{Method: m})
			}
			require.Equal(t, tc.want, reasonOf(pending))
		})
	}
}

func TestSuspendLimits(t *testing.T) {
	t.Run("C6 a heap over maxSnapshotBytes fails before anything is started", func(t *testing.T) {
		for _, tc := range []struct {
			footprint int
			want      Status
		}{{2048, Waiting}, {2049, Failed}} {
			e := newWaitsFor()
			var w *world
			w = newWorld(t, enginetest.Always(func(_ *input, out *records) error {
				vms := w.engine.VMs()
				vms[len(vms)-1].SetFootprint(tc.footprint)
				out.Call(1, "gated", "{}").Yield(2, "null").Pending()
				return nil
			}), Options{Executors: map[string]executor.Executor{"gated": e}})
			r := w.exec(w.turn(`{"enabled":true,"maxSnapshotBytes":2048}`, gated("gated", catalog.Annotations{})))
			require.Equal(t, tc.want, r.Status)
			if tc.want == Failed {
				requireFailed(t, r, CodeSnapshotLimit, "2048 bytes")
				require.Empty(t, e.starts())
				require.Empty(t, r.SideEffects)
			}
		}
	})
	t.Run("C6 beyond maxSuspendedRuns the calls are not dispatched", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(asks(func(out *records) {
				out.Call(1, "gated", "{}").Yield(2, "null")
			}), returns("1"), settled), Options{Executors: map[string]executor.Executor{"gated": e}})
			turn := w.turn(`{"enabled":true,"maxSuspendedRuns":2}`, gated("gated", catalog.Annotations{}))
			first, second := w.exec(turn), w.exec(turn)
			require.Equal(t, []Status{Waiting, Waiting}, []Status{first.Status, second.Status})
			third := w.exec(turn)
			requireFailed(t, third, CodeInvalidInput, "too many suspended code mode runs.")
			synctest.Wait()
			require.Len(t, e.starts(), 2)
			require.Empty(t, third.SideEffects)
			e.gate("gated") <- struct{}{}
			e.gate("gated") <- struct{}{}
			require.Equal(t, Completed, w.wait(turn, first.RunID).Status)
			require.Equal(t, Waiting, w.exec(turn).Status, "a run that is over gives its place back")
		})
	})
	t.Run("C6 the operator's cap holds over all turns", func(t *testing.T) {
		c, err := config.Default().Merge(json.RawMessage(`{"enabled":true,"maxSuspendedRuns":2}`))
		require.NoError(t, err)
		w := newWorld(t, enginetest.Always(yields(1)), Options{Config: c})
		require.Equal(t, Waiting, w.exec(w.turn("")).Status)
		require.Equal(t, Waiting, w.exec(w.turn("")).Status)
		requireFailed(t, w.exec(w.turn("")), CodeInvalidInput, "too many suspended")
	})
	t.Run("C6 a resuming run keeps its place", func(t *testing.T) {
		w := newWorld(t, enginetest.New(func(string) enginetest.Script {
			return enginetest.Script{yields(1), yields(2), yields(3), returns("1")}
		}), Options{})
		turn := w.turn(`{"enabled":true,"maxSuspendedRuns":1}`)
		id := w.exec(turn).RunID
		for range 2 {
			r := w.wait(turn, id)
			require.Equal(t, Waiting, r.Status)
			require.Equal(t, id, r.RunID, "the id stays")
			requireFailed(t, w.exec(turn), CodeInvalidInput, "too many suspended")
		}
		require.Equal(t, Completed, w.wait(turn, id).Status)
		require.Zero(t, w.Stats().Suspended)
	})
	t.Run("C6 failure gives the place back", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), stops(engine.ErrMemory)), Options{})
		turn := w.turn(`{"enabled":true,"maxSuspendedRuns":1}`)
		for range 3 {
			requireFailed(t, w.wait(turn, w.exec(turn).RunID), CodeMemoryLimit, "")
		}
	})
}

func TestDrain(t *testing.T) {
	t.Run("C2 a spent budget suspends and the call goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(calls("gated"), returns("1")), Options{Executors: map[string]executor.Executor{"gated": e}})
			turn := w.turn(`{"enabled":true,"drainMs":200,"timeoutMs":1000}`, gated("gated", catalog.Annotations{}))
			start := time.Now()
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.Equal(t, 200*time.Millisecond, time.Since(start))
			require.Nil(t, r.Pending[0].Input, "only the caller's calls show their input")
			e.gate("gated") <- struct{}{}
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
			require.Equal(t, 200*time.Millisecond, time.Since(start))
		})
	})
	t.Run("C3 a wait without progress takes timeoutMs and changes nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{})
			turn := w.turn(`{"enabled":true,"timeoutMs":700}`)
			first := w.exec(turn)
			for range 2 {
				start := time.Now()
				r := w.wait(turn, first.RunID)
				require.Equal(t, Waiting, r.Status)
				require.Equal(t, 700*time.Millisecond, time.Since(start))
				require.Equal(t, first.RunID, r.RunID)
				require.Equal(t, first.Pending, r.Pending)
				require.Equal(t, first.Reason, r.Reason)
			}
			require.Len(t, w.engine.VMs()[0].Inputs(), 1, "the guest was left alone")
		})
	})
	t.Run("C1 namespaces: suspends at once, and starts the calls", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
			turn := w.turn(`{"enabled":true,"drain":"namespaces"}`)
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.Equal(t, "call", r.Pending[0].Method)
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		})
	})
	t.Run("C8 a call that nobody awaits is drained before completed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(
				func(_ *input, out *records) error {
					out.Call(1, "gated", "{}").Fulfil(`"value"`, 0)
					return nil
				},
				settled,
			), Options{Executors: map[string]executor.Executor{"gated": e}})
			time.AfterFunc(time.Second, func() { e.gate("gated") <- struct{}{} })
			r := w.exec(w.turn("", gated("gated", catalog.Annotations{})))
			require.Equal(t, Completed, r.Status)
			require.Equal(t, `"value"`, string(r.Value))
			require.Len(t, e.starts(), 1)
			require.InDelta(t, 1000, r.Telemetry.WaitMs, 1)
		})
	})
	t.Run("C8 what can't be drained suspends first", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(
			func(_ *input, out *records) error {
				out.Call(1, "ask", "{}").Fulfil(`"value"`, 0)
				return nil
			},
			settled,
		), Options{})
		turn := w.turn("")
		r := w.exec(turn)
		require.Equal(t, Waiting, r.Status)
		r = w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true})
		require.Equal(t, Completed, r.Status)
		require.Equal(t, `"value"`, string(r.Value))
	})
}

func TestClientGoesAway(t *testing.T) {
	t.Run("G7 inside a step", func(t *testing.T) {
		begun := make(chan struct{})
		w := newWorld(t, enginetest.Always(computes(begun)), Options{})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-begun
			cancel()
		}()
		r, err := w.turn("").Exec(ctx, ExecInput{Code: quoted("for(;;);")})
		require.NoError(t, err)
		requireFailed(t, r, CodeAborted, "aborted")
		require.True(t, r.Retryable, "nothing had been started")
	})
	t.Run("G7 while calls are under way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("slow")), Options{})
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			r, err := w.turn("").Exec(ctx, ExecInput{Code: quoted("x")})
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "aborted")
			require.Equal(t, "cancelled", r.SideEffects[0].State)
		})
	})
	t.Run("G7 during a wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask")), Options{})
			turn := w.turn("")
			id := w.exec(turn).RunID
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			r, err := turn.Wait(ctx, WaitInput{RunID: quoted(id)})
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "aborted")
			require.Zero(t, w.Stats().Suspended)
		})
	})
	t.Run("G7 as the run is suspended: it is alive, or gone with its place", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
		turn := w.turn("")
		for i := range 1500 {
			ctx, cancel := context.WithCancel(context.Background())
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				for range i % 150 {
					_ = ctx.Err() // some time to spend, less than a timer can measure
				}
				cancel()
			}()
			r, err := turn.Exec(ctx, ExecInput{Code: quoted("x")})
			require.NoError(t, err)
			<-gone
			if r.Status != Waiting {
				continue
			}
			r = w.wait(turn, r.RunID)
			require.NotEqual(t, CodeAborted, r.Code, "a run that is dead kept its place")
			require.Eventually(t, func() bool { return w.Stats().Suspended == 0 }, time.Minute, time.Millisecond)
		}
	})
}
