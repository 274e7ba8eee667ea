package bridge

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestProgress(t *testing.T) {
	says, goOn := make(chan string), make(chan struct{})
	own := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
		for message := range says {
			c.Progress(1, 2, message)
			goOn <- struct{}{}
		}
		return json.RawMessage("1"), nil
	})
	tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: json.RawMessage(`{"type":"own"}`)}
	asksAndYields := asks(func(out *records) {
		out.Call(1, "own", `{}`)
		out.Yield(2, "null")
	})
	w := newWorld(t, enginetest.Always(asksAndYields, yields(3), returns("1"), settled), Options{Executors: map[string]executor.Executor{"own": own}})
	turn := w.turn("", tool)
	heard := map[string][]CallProgressed{}
	as := func(name string) context.Context {
		return WithProgress(t.Context(), func(e CallProgressed) { heard[name] = append(heard[name], e) })
	}
	say := func(message string) {
		says <- message
		<-goOn
	}
	r, err := turn.Exec(as("exec"), ExecInput{Code: quoted("x")})
	require.NoError(t, err)
	require.Equal(t, Waiting, r.Status)
	say("one")
	t.Run("E5 the exec hears of its tool", func(t *testing.T) {
		require.Len(t, heard["exec"], 1)
		one := heard["exec"][0]
		require.NotEmpty(t, one.CallID)
		one.CallID = ""
		require.Equal(t, CallProgressed{"", "openclaw:lab:own", 1, 2, "one"}, one)
	})
	r, err = turn.Wait(as("wait"), WaitInput{RunID: quoted(r.RunID)})
	require.NoError(t, err)
	require.Equal(t, Waiting, r.Status)
	say("two")
	t.Run("E5 and then the wait does", func(t *testing.T) {
		require.Len(t, heard["exec"], 1)
		require.Len(t, heard["wait"], 1)
	})
	close(says)
	last := w.wait(turn, r.RunID)
	require.Equal(t, Completed, last.Status, "%+v", last)
	t.Run("E5 a wait that does not ask hears nothing", func(t *testing.T) { require.Len(t, heard, 2) })
}
