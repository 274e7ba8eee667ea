package bridge

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

// aCall admits a call of a run that aRun made.
func aCall(t *testing.T, r *run, id uint32, tool string) *request {
	t.Helper()
	q, err := r.admitOne(r.ctx, &engine.Request{ID: id, Method: engine.MethodCall, Name: tool, Payload: []byte(`{}`)})
	require.NoError(t, err)
	return q
}

func TestCallStages(t *testing.T) {
	aRun := func(t *testing.T) *run {
		r := aRun(t, `true`)
		var err error
		r.turn.catalog, err = catalog.New(someTools(), catalog.Policy{})
		require.NoError(t, err)
		r.service.executors = executor.NewRegistry(executor.Options{Echo: true})
		r.turn.executors, err = r.service.bindTools(tenant, r.turn.catalog)
		require.NoError(t, err)
		return r
	}
	t.Run("G1 the stages are in the contract's order", func(t *testing.T) {
		names := []string{"lookup", "policy", "before", "approval", "validate", "execute", "after", "record"}
		for id := range stageCount {
			require.Equal(t, names[id], id.String())
			found, ok := stageNamed(names[id])
			require.True(t, ok)
			require.Equal(t, id, found)
			require.NotNil(t, stages[id].run)
		}
	})
	t.Run("C6 nobody brings the result of a call that was not started", func(t *testing.T) {
		r := aRun(t)
		q := aCall(t, r, 1, "ask")
		result := CallResult{ID: r.id.call(1), OK: true}
		require.ErrorIs(t, r.deliverOne(result), errNotPending)
		r.requests.start(r.unattendedContext(), []*request{q})
		require.NoError(t, r.deliverOne(result))
		require.ErrorIs(t, r.deliverOne(result), errHasResult)
	})
	t.Run("C10 a call of an executor's is not the caller's", func(t *testing.T) {
		r := aRun(t)
		r.requests.start(r.unattendedContext(), []*request{aCall(t, r, 1, "slow")})
		require.ErrorIs(t, r.deliverOne(CallResult{ID: r.id.call(1), OK: true}), errNotCallers)
	})
	t.Run("G5 what is left of a run that ends is recorded, once", func(t *testing.T) {
		r := aRun(t)
		refused, queued, parked, fresh := aCall(t, r, 1, "none"), aCall(t, r, 2, "slow"), aCall(t, r, 3, "ask"), aCall(t, r, 4, "ask")
		was := refused.call.reply
		r.requests.start(r.unattendedContext(), []*request{queued, parked})
		all := []*call{queued.call, parked.call, fresh.call}
		r.requests.end()
		r.abandonCalls()
		for _, c := range all {
			require.Equal(t, stageCount, c.at)
			require.Equal(t, stateCancelled, c.state)
		}
		require.Equal(t, was, refused.call.reply)
		require.Equal(t, stateFailed, refused.call.state)
		require.Nil(t, r.requests.next())
	})
	t.Run("G5 a call that comes to where it would wait, after its run has ended, is recorded", func(t *testing.T) {
		r := aRun(t)
		q := aCall(t, r, 1, "ask")
		r.requests.start(r.unattendedContext(), []*request{q})
		c, err := r.requests.unpark(1, callerRequest, 0)
		require.NoError(t, err)
		r.requests.end()
		r.abandonCalls()
		require.Equal(t, atExecution, c.at, "somebody is at work on it")
		r.leave(c, localRequest)
		require.Equal(t, stageCount, c.at)
		require.Equal(t, stateCancelled, c.state)
	})
}

func TestReviveCall(t *testing.T) {
	w := newPortableWorld(t, Options{}, returns("1"))
	turn := w.turn("")
	revive := func(t *testing.T, pending string) (*run, error) {
		state := hostState{Code: "1", Language: "javascript", ExpiresAt: time.Now().Add(time.Minute).UnixMilli(), Usage: Usage{Steps: 1}}
		require.NoError(t, json.Unmarshal([]byte(`[`+pending+`]`), &state.Requests.Pending))
		return turn.revive(t.Context(), "cm_x", &state)
	}
	for name, pending := range map[string]string{
		"a search that has a tool":           `{"id":1,"method":1,"tool":"client:app:ask","stage":"execute","input":{}}`,
		"a tool that the turn has not":       `{"id":1,"method":3,"tool":"client:app:other","stage":"execute","input":{}}`,
		"no stage":                           `{"id":1,"method":3,"tool":"client:app:ask","input":{}}`,
		"a stage where nothing is parked":    `{"id":1,"method":3,"tool":"client:app:ask","stage":"record","input":{}}`,
		"a stage that is none":               `{"id":1,"method":3,"tool":"client:app:ask","stage":"x","input":{}}`,
		"with the caller, an executor's":     `{"id":1,"method":3,"tool":"openclaw:core:echo","stage":"execute","input":{}}`,
		"no input":                           `{"id":1,"method":3,"tool":"client:app:ask","stage":"execute"}`,
		"a decision of a stage that is none": `{"id":1,"method":3,"tool":"client:app:ask","stage":"execute","input":{},"decisions":[{"stage":"x"}]}`,
	} {
		t.Run("H4 refused: "+name, func(t *testing.T) {
			_, err := revive(t, pending)
			require.Error(t, err)
		})
	}
	t.Run("H4 too many decisions", func(t *testing.T) {
		decisions := `{"stage":"policy","outcome":"allowed"}`
		for range maxDecisions {
			decisions += `,{"stage":"policy","outcome":"allowed"}`
		}
		_, err := revive(t, `{"id":1,"method":3,"tool":"client:app:ask","stage":"execute","input":{},"decisions":[`+decisions+`]}`)
		require.Error(t, err)
	})
	t.Run("G1 a call goes on with the stage at which it was parked", func(t *testing.T) {
		r, err := revive(t, `{"id":1,"method":4,"tool":"client:app:ask","stage":"execute","input":{"a":1},"decisions":[{"stage":"policy","outcome":"allowed"}]}`)
		require.NoError(t, err)
		defer r.discard()
		require.Equal(t, []Decision{{Stage: "policy", Outcome: "allowed"}}, r.requests.byID[1].call.decisions)
		require.NoError(t, r.deliverOne(CallResult{ID: r.id.call(1), OK: true, Value: []byte(`7`)}))
		answers, _, _ := r.requests.take(time.Now())
		require.Equal(t, []engine.Answer{{ID: 1, Kind: engine.AnswerValue, Payload: []byte(`7`)}}, answers)
	})
}
