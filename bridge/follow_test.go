package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
)

// told takes what a listener has to hear at once: names, with what tells one event from another, and "EOF".
func told(t testing.TB, at *events.Listener) []string {
	t.Helper()
	var all []string
	for {
		e, more, err := at.Next()
		switch {
		case errors.Is(err, io.EOF):
			return append(all, "EOF")
		case more != nil:
			return all
		}
		require.NoError(t, err)
		data := gjson.ParseBytes(e.Data)
		require.True(t, json.Valid(e.Data), "%s", e.Data)
		require.Equal(t, e.Run, data.Get("runId").Str)
		name := e.Name
		for _, key := range []string{"item.text", "toolId", "for", "state", "code", "status", "message", "omittedBytes"} {
			if v := data.Get(key); v.Exists() {
				name += " " + v.String()
			}
		}
		all = append(all, name)
	}
}

func follow(t testing.TB, turn *Turn, after string) *events.Listener {
	t.Helper()
	at, err := turn.Follow(after)
	require.NoError(t, err)
	t.Cleanup(at.Close)
	return at
}

func TestFollow(t *testing.T) {
	says := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
		c.Progress(1, 2, "half")
		return json.RawMessage("1"), nil
	})
	tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: json.RawMessage(`{"type":"own"}`)}
	o := Options{Executors: map[string]executor.Executor{"own": says}}
	one := func(in *input, out *records) error {
		out.Text("one")
		return calls("own")(in, out)
	}
	two := func(in *input, out *records) error {
		out.Text("two")
		return asks(func(out *records) {
			out.Call(7, "nope", `{}`)
			out.Call(8, "ask", `{}`)
		})(in, out)
	}
	rest := asks(func(*records) {})

	t.Run("I5 what happens to the runs of a turn, also over a suspension", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(one, two, rest, returns("1")), o)
		turn := w.turn("", tool)
		at := follow(t, turn, "")
		r := w.exec(turn)
		require.Equal(t, Waiting, r.Status)
		require.Equal(t, []string{
			"run.started", "output one", "call.started openclaw:lab:own", "call.progress openclaw:lab:own half",
			"call.ended openclaw:lab:own completed", "output two", "call.ended refused unknown_tool",
			"call.waiting client:app:ask caller", "run.suspended",
		}, told(t, at))
		run, err := w.FollowRun(tenant, r.RunID, "")
		require.NoError(t, err)
		defer run.Close()
		done := w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true, Value: json.RawMessage("1")})
		require.Equal(t, Completed, done.Status)
		rest := []string{"call.ended client:app:ask completed", "run.resumed", "run.ended completed"}
		require.Equal(t, rest, told(t, at))
		require.Equal(t, append(rest, "EOF"), told(t, run))
	})
	t.Run("I5 an exec or wait hears of its own run", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), o)
		turn := w.turn("")
		at := events.NewListener()
		r, err := turn.Exec(events.With(t.Context(), at), ExecInput{Code: quoted("x"), ToolCallID: "c"})
		require.NoError(t, err)
		other := w.exec(turn)
		require.Equal(t, []string{"run.started", "run.suspended"}, told(t, at))
		at.Close()
		at = events.NewListener()
		defer at.Close()
		_, err = turn.Wait(events.With(t.Context(), at), WaitInput{RunID: quoted(r.RunID)})
		require.NoError(t, err)
		w.wait(turn, other.RunID)
		require.Equal(t, []string{"run.resumed", "run.ended completed", "EOF"}, told(t, at))
	})
	t.Run("I5 a cell that is refused has no events", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), o)
		at := events.NewListener()
		defer at.Close()
		r, err := w.turn("").Exec(events.With(t.Context(), at), ExecInput{})
		require.NoError(t, err)
		require.Equal(t, Failed, r.Status)
		require.Empty(t, told(t, at))
	})
	t.Run("I5 an output too large for an event comes with the result only", func(t *testing.T) {
		large := func(in *input, out *records) error {
			out.Text(strings.Repeat("x", events.MaxEventBytes))
			return returns("1")(in, out)
		}
		w := newWorld(t, enginetest.Always(large), o)
		turn := w.turn(`{"enabled":true,"maxOutputBytes":100000}`)
		at := follow(t, turn, "")
		require.Equal(t, Completed, w.exec(turn).Status)
		require.Equal(t, []string{"run.started", fmt.Sprint("output ", events.MaxEventBytes+len(`{"type":"text","text":""}`)), "run.ended completed"}, told(t, at))
	})
	t.Run("I5 aborting a run ends its stream, deleting the turn all of them", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1)), o)
		turn := w.turn("")
		all := follow(t, turn, "")
		first, second := w.exec(turn), w.exec(turn)
		one, err := w.FollowRun(tenant, first.RunID, "")
		require.NoError(t, err)
		defer one.Close()
		two, err := w.FollowRun(tenant, second.RunID, "")
		require.NoError(t, err)
		defer two.Close()
		require.NoError(t, w.AbortRun(tenant, first.RunID))
		require.Equal(t, []string{"run.ended aborted", "EOF"}, told(t, one))
		require.Empty(t, told(t, two))
		require.NoError(t, w.DropTurn(tenant, turn.ID()))
		require.Equal(t, []string{"run.ended aborted", "EOF"}, told(t, two))
		heard := told(t, all)
		require.Equal(t, []string{"run.ended aborted", "run.ended aborted", "EOF"}, append(heard[4:6:6], heard[7]))
		_, err = turn.Follow("")
		requireKind(t, err, KindNotFound)
	})
	t.Run("I5 a run that another turn of its session resumes is told where it began", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), o)
		first, second := w.turn(""), w.turn("")
		at := follow(t, first, "")
		r := w.exec(first)
		require.Equal(t, Completed, w.wait(second, r.RunID).Status)
		require.Equal(t, []string{"run.started", "run.suspended", "run.resumed", "run.ended completed"}, told(t, at))
	})
	t.Run("I5 who comes back too late for the run is told what is kept, and a newcomer that there is none", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), o)
		turn := w.turn("")
		r := w.exec(turn)
		at, err := w.FollowRun(tenant, r.RunID, "")
		require.NoError(t, err)
		place := at.At()
		at.Close()
		w.wait(turn, r.RunID)
		_, err = w.FollowRun(tenant, r.RunID, "")
		requireKind(t, err, KindNotFound)
		at, err = w.FollowRun(tenant, r.RunID, place)
		require.NoError(t, err)
		defer at.Close()
		require.Equal(t, []string{"run.resumed", "run.ended completed", "EOF"}, told(t, at))
	})
	t.Run("A7 nobody hears of another tenant's run", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), o)
		turn := w.turn("")
		follow(t, turn, "")
		r := w.exec(turn)
		for _, after := range []string{"", events.All} {
			_, err := w.FollowRun("other", r.RunID, after)
			requireKind(t, err, KindNotFound)
		}
		w.wait(turn, r.RunID)
		_, err := w.FollowRun("other", r.RunID, events.All)
		requireKind(t, err, KindNotFound)
	})
	t.Run("H6 as many listeners as may be, and then one more", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), o)
		turn := w.turn("")
		before := w.Stats().HeldBytes
		for range events.MaxListeners {
			follow(t, turn, "")
		}
		require.Greater(t, w.Stats().HeldBytes, before)
		_, err := turn.Follow("")
		requireKind(t, err, KindOverloaded)
	})
	t.Run("I5 a turn that somebody listens to does not expire, and then it does, with its log", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(returns("1")), Options{TurnTTL: 10 * time.Minute})
			turn := w.turn("")
			at := follow(t, turn, "")
			w.exec(turn)
			time.Sleep(time.Hour)
			_, err := w.Turn(tenant, turn.ID())
			require.NoError(t, err)
			at.Close()
			time.Sleep(time.Hour)
			_, err = w.Turn(tenant, turn.ID())
			requireKind(t, err, KindNotFound)
			require.Zero(t, w.Stats().HeldBytes)
			require.NoError(t, w.Close(t.Context()))
		})
	})
}

func TestFollowMoved(t *testing.T) {
	from := newPortableWorld(t, Options{SnapshotKey: []byte("one key for both")}, yields(1), returns("1"))
	to := newPortableWorld(t, Options{SnapshotKey: []byte("one key for both")}, yields(1), returns("1"))
	here, there := from.turn(""), to.turn("")
	at, newAt := follow(t, here, ""), follow(t, there, "")
	r := from.exec(here)
	run, err := from.FollowRun(tenant, r.RunID, "")
	require.NoError(t, err)
	defer run.Close()
	out, err := here.Export(t.Context(), r.RunID)
	require.NoError(t, err)
	t.Run("I5 a run that leaves says so, and its stream ends", func(t *testing.T) {
		require.Equal(t, []string{"run.ended exported", "EOF"}, told(t, run))
		require.Equal(t, []string{"run.started", "run.suspended", "run.ended exported"}, told(t, at))
	})
	_, err = there.Import(t.Context(), out.RunID, out.Snapshot)
	require.NoError(t, err)
	t.Run("I5 where it goes on it says so too", func(t *testing.T) {
		e, _, err := newAt.Next()
		require.NoError(t, err)
		require.Equal(t, "run.started", e.Name)
		require.True(t, gjson.GetBytes(e.Data, "imported").Bool(), "%s", e.Data)
		require.Equal(t, Completed, to.wait(there, out.RunID).Status)
		require.Equal(t, []string{"run.suspended", "run.resumed", "run.ended completed"}, told(t, newAt))
	})
}

// BenchmarkListeners measures what a cell pays for those who listen: nothing where nobody does.
func BenchmarkListeners(b *testing.B) {
	steps := []enginetest.Step{func(in *input, out *records) error {
		out.Text("one")
		return calls("echo")(in, out)
	}, returns("1")}
	for _, listeners := range []int{0, 1, 8} {
		b.Run(fmt.Sprint(listeners), func(b *testing.B) {
			w := newWorld(b, enginetest.Always(steps...), Options{})
			turn := w.turn("")
			for range listeners {
				follow(b, turn, "")
			}
			in := ExecInput{Code: quoted("return 1")}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := turn.Exec(context.Background(), in); err != nil || r.Status != Completed {
					b.Fatal(r, err)
				}
			}
		})
	}
}
