package bridge

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestArriving(t *testing.T) {
	own := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: json.RawMessage(`{"type":"own"}`)}
	t.Run("H6 an answer is counted while it arrives, and then no more", func(t *testing.T) {
		var before, during int64
		var w *world
		e := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
			before = w.account.Held()
			if err := c.Hold(10_000); err != nil {
				return nil, err
			}
			during = w.account.Held()
			return json.RawMessage("1"), nil
		})
		w = newWorld(t, enginetest.Always(calls("own"), yields(7), returns("1")), Options{Executors: map[string]executor.Executor{"own": e}})
		turn := w.turn("", own)
		r := w.exec(turn)
		require.EqualValues(t, 10_000, during-before)
		require.Less(t, w.account.Held(), before+1000)
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
	})
	t.Run("H6 one that is too much rejects", func(t *testing.T) {
		var got guestError
		e := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) { return nil, c.Hold(70_000) })
		w := newWorld(t, enginetest.Always(calls("own"), func(in *input, out *records) error {
			got = errorOf(t, in.Answers[0])
			out.Fulfil("1", 0)
			return nil
		}), Options{Executors: map[string]executor.Executor{"own": e}})
		require.Equal(t, Completed, w.exec(w.turn(`{"enabled":true,"maxHeldBytes":65536}`, own)).Status)
		require.Equal(t, "too_many_bytes", got.Code)
		require.Equal(t, "the run may hold 65536 bytes, and they are in use", got.Message)
	})
	t.Run("G7 a run that is over holds nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ended, late := make(chan struct{}), make(chan error, 1)
			e := executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
				if err := c.Hold(10_000); err != nil {
					return nil, err
				}
				<-ended
				late <- c.Hold(10_000)
				return nil, nil
			})
			w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "own", "{}").Yield(2, "null") })),
				Options{Executors: map[string]executor.Executor{"own": e}})
			turn := w.turn("", own)
			before := w.heldBeside(turn)
			r := w.exec(turn)
			synctest.Wait()
			require.NoError(t, w.AbortRun(tenant, r.RunID))
			require.Equal(t, before, w.heldBeside(turn))
			close(ended)
			require.EqualError(t, <-late, "the run is over")
			synctest.Wait()
			require.Equal(t, before, w.heldBeside(turn))
		})
	})
}
