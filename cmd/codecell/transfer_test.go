package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/wasi"
)

// ask posts JSON and returns the answer.
func ask(t *testing.T, status int, url string, body map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	response, err := http.Post(url, "application/json", bytes.NewReader(text))
	require.NoError(t, err)
	defer response.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var answer map[string]any
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	require.Equal(t, status, response.StatusCode, "%v", answer)
	return answer
}

// keeper holds what only its heap knows, asks the caller, and uses it afterwards.
const keeper = `class Counter { #n = 40; up(by) { return (this.#n += by) } }
	const counter = new Counter(), seen = new Map([[counter, new Set([1n << 70n])]]);
	const r = Math.random();
	const answer = await tools.callValue("ask", {q: "by how much?"});
	console.log("went on");
	return [counter.up(answer), [...seen.get(counter)], r === r]`

func TestAnotherProcess(t *testing.T) {
	if _, err := wasi.Module(); err != nil {
		require.NotEqual(t, "required", os.Getenv("CODECELL_GUEST"), "%v", err)
		return // a binary without the guest answers 503 here, which bridge tests
	}
	turn := map[string]any{
		"context": map[string]any{"agentId": "a", "sessionId": "s", "sessionKey": "k", "runId": "r"},
		"config":  map[string]any{"enabled": true},
		"tools":   []any{map[string]any{"source": "client", "owner": "app", "name": "ask"}},
	}
	const key = `{snapshot: {key: "one key for all replicas"}}`
	prepare := func(base string) string {
		return ask(t, http.StatusOK, base+"/v1/turns", turn)["turnId"].(string)
	}
	t.Run("C9 H4 a run suspended in one process completes in another", func(t *testing.T) {
		service := serveProcess(t, key)
		first := service.base
		from := prepare(first)
		waiting := ask(t, http.StatusOK, first+"/v1/exec", map[string]any{"turnId": from, "code": keeper})
		require.Equal(t, "waiting", waiting["status"], "%v", waiting)
		run := waiting["runId"].(string)
		exported := ask(t, http.StatusOK, first+"/v1/runs/"+run+"/export", map[string]any{"turnId": from})
		ask(t, http.StatusNotFound, first+"/v1/runs/"+run+"/export", map[string]any{"turnId": from})
		service.kill()

		second := serveProcess(t, key).base
		to := prepare(second)
		bring := map[string]any{"turnId": to, "snapshot": exported["snapshot"]}
		ask(t, http.StatusOK, second+"/v1/runs/"+run+"/import", bring)
		ask(t, http.StatusConflict, second+"/v1/runs/"+run+"/import", bring)
		call := waiting["pendingToolCalls"].([]any)[0].(map[string]any)["id"]
		done := ask(t, http.StatusOK, second+"/v1/wait", map[string]any{
			"turnId": to, "runId": run, "results": []any{map[string]any{"id": call, "ok": true, "value": 2}},
		})
		require.Equal(t, "completed", done["status"], "%v", done)
		require.Equal(t, `[42 [1180591620717411303424] true]`, fmt.Sprint(done["value"]))
		require.Len(t, done["output"], 1)
	})
	t.Run("H4 a process with another key refuses it", func(t *testing.T) {
		first := serveProcess(t, key).base
		from := prepare(first)
		run := ask(t, http.StatusOK, first+"/v1/exec", map[string]any{"turnId": from, "code": keeper})["runId"].(string)
		exported := ask(t, http.StatusOK, first+"/v1/runs/"+run+"/export", map[string]any{"turnId": from})
		second := serveProcess(t, "{}").base
		refused := ask(t, http.StatusBadRequest, second+"/v1/runs/"+run+"/import", map[string]any{
			"turnId": prepare(second), "snapshot": exported["snapshot"],
		})
		require.Contains(t, refused["detail"], "does not open")
	})
}
