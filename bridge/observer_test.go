package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// listener notes the events of each run by their types, and the values of their contexts.
type listener struct {
	mu     sync.Mutex
	events []string
	values []any
	runs   map[string]bool
}

type traceKey struct{}

type observerFunc func(Event)

func (f observerFunc) Observe(_ context.Context, _ RunInfo, e Event) { f(e) }

func (l *listener) Observe(ctx context.Context, run RunInfo, e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := fmt.Sprintf("%T", e)[len("bridge."):]
	switch e := e.(type) {
	case RunEnded:
		name += " " + string(e.Status) + string(e.Code) + string(e.Cause)
	case CellRefused:
		name += " " + string(e.Code)
	case HookAnswered:
		name += " " + e.Hook + " " + e.Outcome
	case CallEnded:
		name += " " + e.ToolID + " " + e.State
		if e.Code != "" {
			name += " " + e.Code
		}
	}
	l.events = append(l.events, name)
	l.values = append(l.values, ctx.Value(traceKey{}))
	l.runs[run.RunID] = true
}

func (l *listener) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.events
	l.events = nil
	return events
}

func TestObserver(t *testing.T) {
	traced := context.WithValue(context.Background(), traceKey{}, "trace")
	var seen any
	own := executorFunc(func(ctx context.Context, _ executor.Call) (json.RawMessage, error) {
		seen = ctx.Value(traceKey{})
		return json.RawMessage("1"), nil
	})
	tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: json.RawMessage(`{"type":"own"}`)}
	world := func(t *testing.T, steps ...enginetest.Step) (*world, *listener) {
		l := &listener{runs: map[string]bool{}}
		return newWorld(t, enginetest.Always(steps...), Options{Observer: l, Executors: map[string]executor.Executor{"own": own}}), l
	}
	t.Run("I4 a run's life, and the values of its request", func(t *testing.T) {
		w, l := world(t, calls("own"), yields(2), returns("1"))
		turn := w.turn("", tool)
		r, err := turn.Exec(traced, ExecInput{Code: quoted("x")})
		require.NoError(t, err)
		require.Equal(t, []string{
			"RunStarted", "StepEnded", "CallStarted", "CallEnded openclaw:lab:own completed", "StepEnded", "RunSuspended",
		}, l.take())
		require.Equal(t, "trace", seen, "tools are called with them too")
		require.NotContains(t, l.values, nil)
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		require.Equal(t, []string{"RunResumed", "StepEnded", "RunEnded completed"}, l.take())
		require.True(t, l.runs[r.RunID])
	})
	t.Run("I4 every end is told, once", func(t *testing.T) {
		w, l := world(t, yields(1))
		turn := w.turn("")
		require.NoError(t, w.AbortRun(tenant, w.exec(turn).RunID))
		require.Equal(t, []string{"RunStarted", "StepEnded", "RunSuspended", "RunEnded aborted"}, l.take())
		w.engine.Fill(true)
		_, err := turn.Exec(traced, ExecInput{Code: quoted("x")})
		requireKind(t, err, KindOverloaded)
		require.Empty(t, l.take(), "that one was never started")
		w.engine.Fill(false)
		require.NoError(t, w.DropTurn(tenant, turn.ID()))
		_, err = turn.Exec(traced, ExecInput{Code: quoted("x")})
		requireKind(t, err, KindNotFound)
		require.Empty(t, l.take(), "nor was that one")
	})
	t.Run("I4 a run that nobody resumes has expired", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, l := world(t, yields(1))
			require.Equal(t, Waiting, w.exec(w.turn("")).Status)
			l.take()
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			require.Equal(t, []string{"RunEnded expired"}, l.take())
		})
	})
	t.Run("I4 a cell that never was a run", func(t *testing.T) {
		w, l := world(t)
		requireFailed(t, w.execText(w.turn(""), ""), CodeInvalidInput, "")
		require.Equal(t, []string{"CellRefused invalid_input"}, l.take())
	})
	t.Run("I4 calls that the caller carried out, or nobody", func(t *testing.T) {
		w, l := world(t, calls("ask", "nobody", "ask"), returns("1"), settled)
		turn := w.turn("")
		r := w.exec(turn)
		require.Equal(t, Waiting, r.Status)
		require.Contains(t, l.take(), "CallEnded  refused unknown_tool")
		r = w.wait(turn, r.RunID, CallResult{ID: r.RunID + ".1", OK: true}, CallResult{ID: r.RunID + ".3", Error: json.RawMessage(`"no"`)})
		require.Equal(t, Completed, r.Status)
		require.Subset(t, l.take(), []string{"CallEnded client:app:ask completed", "CallEnded client:app:ask failed tool_error"})
	})
	t.Run("I4 calls of a run that ends are told of before its end", func(t *testing.T) {
		w, l := world(t, calls("ask"))
		require.NoError(t, w.AbortRun(tenant, w.exec(w.turn("")).RunID))
		events := l.take()
		require.Equal(t, []string{"CallEnded client:app:ask cancelled tool_error", "RunEnded aborted"}, events[len(events)-2:])
	})
	t.Run("I4 what hooks say of calls and of the cell", func(t *testing.T) {
		l := &listener{runs: map[string]bool{}}
		all := broken("all", true)
		all.Tools = nil
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{
			Observer: l, Hooks: []hook.Hook{all, verdict("no", hook.Verdict{Block: true})},
		})
		require.Equal(t, Completed, w.exec(w.turn("")).Status)
		require.Equal(t, []string{
			"HookAnswered all failOpen", "RunStarted", "StepEnded", "HookAnswered all failOpen", "HookAnswered no blocked",
			"CallEnded openclaw:core:echo refused hook_blocked", "StepEnded", "RunEnded completed",
		}, l.take())
	})
	t.Run("I4 what a run has used is told with its end", func(t *testing.T) {
		var end RunEnded
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{Observer: Observers{observerFunc(func(e Event) {
			if e, ok := e.(RunEnded); ok {
				end = e
			}
		})}})
		require.Equal(t, Completed, w.exec(w.turn("")).Status)
		require.Equal(t, 2, end.Usage.Steps)
		require.Positive(t, end.Wall)
	})
	t.Run("I4 a failure has its code", func(t *testing.T) {
		w, l := world(t, stops(engine.ErrTimeout))
		requireFailed(t, w.exec(w.turn("")), CodeTimeout, "")
		events := l.take()
		require.Equal(t, "RunEnded failedtimeout", events[len(events)-1])
	})
}
