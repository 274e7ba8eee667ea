package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
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

func (l *listener) Observe(ctx context.Context, run RunInfo, e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := fmt.Sprintf("%T", e)[len("bridge."):]
	switch e := e.(type) {
	case RunEnded:
		name += " " + string(e.Status) + string(e.Code)
	case CallEnded:
		name += " " + e.ToolID + " " + e.State
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
		require.Equal(t, []string{"RunStarted", "StepEnded", "RunSuspended", "RunEnded "}, l.take())
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
	t.Run("I4 a failure has its code", func(t *testing.T) {
		w, l := world(t, stops(engine.ErrTimeout))
		requireFailed(t, w.exec(w.turn("")), CodeTimeout, "")
		events := l.take()
		require.Equal(t, "RunEnded failedtimeout", events[len(events)-1])
	})
}
