package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestNew(t *testing.T) {
	t.Run("A8 without an engine, or a reason for that, there is no service", func(t *testing.T) {
		_, err := New(Options{})
		require.ErrorContains(t, err, "need an Engine")
	})
}

func TestClose(t *testing.T) {
	refusesWork := func(t *testing.T, w *world, turn *Turn) {
		t.Helper()
		_, err := turn.Exec(context.Background(), ExecInput{Code: quoted("x")})
		requireKind(t, err, KindUnavailable)
		_, err = turn.Wait(context.Background(), WaitInput{RunID: quoted("x")})
		requireKind(t, err, KindUnavailable)
		_, err = w.Prepare(context.Background(), tenant, &TurnRequest{})
		requireKind(t, err, KindUnavailable)
		requireKind(t, w.Ready(), KindUnavailable)
	}
	t.Run("I1 with nothing to do", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{})
		turn := w.turn("")
		require.NoError(t, w.Ready())
		require.NoError(t, w.Close(context.Background()))
		refusesWork(t, w, turn)
		require.NoError(t, w.Close(context.Background()), "a second time")
	})
	t.Run("I1 suspended runs are dropped", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1)), Options{})
		turn := w.turn("")
		require.Equal(t, Waiting, w.exec(turn).Status)
		require.NoError(t, w.Close(context.Background()))
		require.Zero(t, w.Stats().Suspended)
		require.Zero(t, w.engine.Stats().InUse)
	})
	t.Run("I1 what is running finishes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("tool"), returns("1")), Options{})
			turn := w.turn("", delayed("tool", 3000))
			done := make(chan *Result)
			go func() { done <- w.exec(turn) }()
			synctest.Wait()
			require.Equal(t, 1, w.Stats().Running)
			go func() { _ = w.Close(context.Background()) }()
			synctest.Wait()
			refusesWork(t, w, turn)
			require.Equal(t, Completed, (<-done).Status)
		})
	})
	t.Run("I1 what does not finish in time is aborted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.New(func(source string) enginetest.Script {
				if source == "call" {
					return enginetest.Script{calls("slow")}
				}
				return enginetest.Script{computes(make(chan struct{}))}
			}), Options{})
			turn := w.turn(`{"enabled":true,"timeoutMs":60000}`)
			done := make(chan *Result, 2)
			go func() { done <- w.execText(turn, "call") }()
			go func() { done <- w.execText(turn, "compute") }()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			start := time.Now()
			require.NoError(t, w.Close(ctx))
			require.Equal(t, 2*time.Second, time.Since(start))
			for range 2 {
				requireFailed(t, <-done, CodeAborted, "aborted")
			}
		})
	})
}

func TestTurnSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1)), Options{TurnTTL: 10 * time.Minute})
		idle, used, busy := w.turn(""), w.turn(""), w.turn("") // its run lives for 15 minutes
		w.exec(busy)
		for range 3 {
			time.Sleep(4 * time.Minute)
			_, err := w.Turn(tenant, used.ID())
			require.NoError(t, err, "H5 a turn in use stays")
		}
		_, err := w.Turn(tenant, idle.ID())
		requireKind(t, err, KindNotFound)
		_, err = w.Turn(tenant, busy.ID())
		require.NoError(t, err, "H5 a turn with a suspended run stays")
		time.Sleep(2 * time.Hour)
		require.Zero(t, w.Stats().Turns)
		require.Zero(t, w.Stats().Suspended)
	})
}

func TestTurns(t *testing.T) {
	t.Run("H5 no more than MaxTurns", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1")), Options{MaxTurns: 2})
		first := w.turn("")
		w.turn("")
		_, err := w.Prepare(context.Background(), tenant, &TurnRequest{})
		requireKind(t, err, KindOverloaded)
		require.NoError(t, w.DropTurn(tenant, first.ID()))
		w.turn("")
	})
	t.Run("A7 another tenant's turn looks like none", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
		turn := w.turn("")
		id := w.exec(turn).RunID
		_, foreign := w.Turn("other", turn.ID())
		_, none := w.Turn("other", "none")
		require.Equal(t, none, foreign)
		require.Equal(t, none, w.DropTurn("other", turn.ID()))
		require.Equal(t, w.AbortRun("other", "none"), w.AbortRun("other", id))
		n, err := w.DropSession("other", turn.context.SessionID)
		require.NoError(t, err)
		require.Zero(t, n)
		require.Equal(t, Completed, w.wait(turn, id).Status)
	})
	t.Run("G7 dropping a turn ends its runs, wherever they are", func(t *testing.T) {
		begun := make(chan struct{})
		w := newWorld(t, enginetest.New(func(source string) enginetest.Script {
			if source == "compute" {
				return enginetest.Script{computes(begun)}
			}
			return enginetest.Script{yields(1)}
		}), Options{})
		turn, other := w.turn(""), w.turn("")
		w.exec(turn)
		kept := w.exec(other)
		done := make(chan *Result)
		go func() { done <- w.execText(turn, "compute") }()
		<-begun
		require.NoError(t, w.DropTurn(tenant, turn.ID()))
		requireFailed(t, <-done, CodeAborted, "aborted")
		require.Equal(t, 1, w.Stats().Suspended)
		require.Equal(t, 1, w.Stats().Turns)
		require.NoError(t, w.AbortRun(tenant, kept.RunID))
		requireKind(t, w.DropTurn(tenant, turn.ID()), KindNotFound)
	})
	t.Run("G7 dropping a session drops its turns and no others", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1)), Options{})
		other, nameless := someone(), someone()
		other.SessionID, nameless.SessionID = "other", ""
		w.exec(w.turn(""))
		w.exec(w.turn(""))
		w.exec(w.turnOf(tenant, other, ""))
		w.exec(w.turnOf(tenant, nameless, ""))
		w.exec(w.turnOf("another tenant", someone(), ""))
		n, err := w.DropSession(tenant, "session")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		n, err = w.DropSession(tenant, "")
		require.NoError(t, err)
		require.Zero(t, n, "turns without a session are in none")
		require.Equal(t, 3, w.Stats().Suspended)
	})
	t.Run("A3 no tools by intent keeps code mode off", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1")), Options{})
		for _, req := range []TurnRequest{
			{Raw: true}, {DisableTools: true}, {Policy: catalog.Policy{Allow: []string{}}}, {Config: json.RawMessage(`{"enabled":false}`)},
		} {
			if req.Config == nil {
				req.Config = json.RawMessage(`true`)
			}
			turn, err := w.Prepare(context.Background(), tenant, &req)
			require.NoError(t, err)
			require.False(t, turn.CodeMode(), fmt.Sprintf("%+v", req))
			requireFailed(t, w.exec(turn), CodeInvalidInput, "code mode is disabled.")
		}
	})
	t.Run("A2 a mistake in the turn is refused with its key", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{})
		for _, req := range []TurnRequest{
			{Config: json.RawMessage(`{"timeout":1}`)},
			{Tools: []catalog.Tool{{Source: "nowhere", Name: "x"}}},
		} {
			_, err := w.Prepare(context.Background(), tenant, &req)
			requireKind(t, err, KindInvalid)
			require.Zero(t, w.Stats().Turns)
		}
	})
	t.Run("A1 a turn shows exec and wait", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{})
		raw, err := w.turn("").Tools("")
		require.NoError(t, err)
		var tools []struct{ Name string }
		require.NoError(t, json.Unmarshal(raw, &tools))
		require.Equal(t, []struct{ Name string }{{"exec"}, {"wait"}}, tools)
	})
	t.Run("B4 the shell tool is named to a model that sent a command", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{})
		turn := w.turn("", catalog.Tool{Source: "openclaw", Owner: "core", Name: "bash"})
		requireFailed(t, w.execText(turn, "git status"), CodeInvalidInput, "openclaw:core:bash")
	})
}
