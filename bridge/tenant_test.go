package bridge

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/enginetest"
)

// limited are the limits of one tenant, which a test may change.
func limited(now *atomic.Pointer[TenantLimits]) func(string) TenantLimits {
	return func(name string) TenantLimits {
		if l := now.Load(); l != nil && name == tenant {
			return *l
		}
		return TenantLimits{}
	}
}

func TestTenantLimits(t *testing.T) {
	var now atomic.Pointer[TenantLimits]
	t.Run("I2 ceilings of config keys", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1"), settled), Options{Tenants: limited(&now)})
		now.Store(&TenantLimits{CodeMode: json.RawMessage(`{"timeoutMs":500,"languages":["javascript"],"maxSuspendedRuns":3}`)})
		turn := w.turn(`{"enabled":true,"timeoutMs":60000,"maxSuspendedRuns":9}`)
		require.Equal(t, []int{500, 3}, []int{turn.config.TimeoutMs, turn.config.MaxSuspendedRuns})
		require.Equal(t, []string{"javascript"}, turn.config.Languages)
		require.Equal(t, 10000, w.turnOf("other", someone(), `{"enabled":true,"timeoutMs":60000}`).config.TimeoutMs)
		now.Store(&TenantLimits{CodeMode: json.RawMessage(`false`)})
		turn, err := w.Prepare(context.Background(), tenant, &TurnRequest{Context: someone(), Config: json.RawMessage(`true`)})
		require.NoError(t, err)
		require.False(t, turn.CodeMode(), "a turn can't switch on what is off for its tenant")
		now.Store(&TenantLimits{CodeMode: json.RawMessage(`{"timeout":1}`)})
		_, err = w.Prepare(context.Background(), tenant, &TurnRequest{Context: someone()})
		require.Error(t, err)
		require.NotErrorAs(t, err, new(*Error), "it is no fault of the turn's")
		require.Error(t, now.Load().Check())
	})
	t.Run("I2 execs and waits at once", func(t *testing.T) {
		begun := make(chan struct{})
		w := newWorld(t, enginetest.New(func(source string) enginetest.Script {
			if source == "long" {
				return enginetest.Script{computes(begun)}
			}
			return enginetest.Script{returns("1"), settled}
		}), Options{Tenants: limited(&now)})
		now.Store(&TenantLimits{Running: 1})
		turn, other := w.turn(""), w.turnOf("other", someone(), "")
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan *Result)
		go func() {
			result, err := turn.Exec(ctx, ExecInput{Code: quoted("long")})
			if err != nil {
				panic(err)
			}
			done <- result
		}()
		<-begun
		_, err := turn.Exec(context.Background(), ExecInput{Code: quoted("return 1")})
		requireKind(t, err, KindQuota)
		_, err = turn.Wait(context.Background(), WaitInput{RunID: quoted("r")})
		requireKind(t, err, KindQuota)
		require.Equal(t, Completed, w.exec(other).Status)
		cancel()
		<-done
		require.Equal(t, Completed, w.exec(turn).Status)
	})
	t.Run("H6 bytes held, and a limit that is changed", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{Tenants: limited(&now)})
		now.Store(&TenantLimits{Bytes: 100})
		request := func() *TurnRequest { return &TurnRequest{Context: someone(), Config: json.RawMessage(`true`)} }
		_, err := w.Prepare(context.Background(), tenant, request())
		requireKind(t, err, KindOverloaded)
		_, err = w.Prepare(context.Background(), "other", request())
		require.NoError(t, err)
		now.Store(&TenantLimits{})
		_, err = w.Prepare(context.Background(), tenant, request())
		require.NoError(t, err)
	})
	t.Run("G7 a run that waits for a place ends with its client", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1"), settled), Options{Tenants: limited(&now)})
		now.Store(&TenantLimits{Steps: 1})
		turn := w.turn("")
		require.True(t, turn.of.steps.enter(context.Background(), 1))
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan *Result)
		go func() {
			result, err := turn.Exec(ctx, ExecInput{Code: quoted("return 1")})
			if err != nil {
				panic(err)
			}
			done <- result
		}()
		cancel()
		require.Equal(t, CodeAborted, (<-done).Code)
		turn.of.steps.leave()
		require.Equal(t, Completed, w.exec(turn).Status)
	})
}
