package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestWait(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       bridge.WaitInput
	}{
		{"a run", `{"turnId":"turn-1","runId":"run-1"}`, bridge.WaitInput{RunID: json.RawMessage(`"run-1"`)}},
		{"no run: the bridge judges", `{"turnId":"turn-1"}`, bridge.WaitInput{}},
		{"a run of another type: the bridge judges", `{"turnId":"turn-1","runId":7}`, bridge.WaitInput{RunID: json.RawMessage(`7`)}},
		{"the other spelling", `{"turnId":"turn-1","run_id":"run-1"}`, bridge.WaitInput{RunID: json.RawMessage(`"run-1"`)}},
		{"both spellings: runId wins", `{"turnId":"turn-1","run_id":"x","runId":"run-1"}`, bridge.WaitInput{RunID: json.RawMessage(`"run-1"`)}},
		{"null results", `{"turnId":"turn-1","runId":"run-1","results":null}`, bridge.WaitInput{RunID: json.RawMessage(`"run-1"`)}},
		{
			"results", `{"turnId":"turn-1","runId":"run-1","results":[{"id":"p1","ok":true,"value":{"a":[1]}},{"id":"p2","ok":false,"error":"no"}]}`,
			bridge.WaitInput{RunID: json.RawMessage(`"run-1"`), Results: []bridge.CallResult{
				{ID: "p1", OK: true, Value: json.RawMessage(`{"a":[1]}`)}, {ID: "p2", Error: json.RawMessage(`"no"`)},
			}},
		},
	} {
		t.Run("C5 "+tc.name, func(t *testing.T) {
			f := newFake()
			var got bridge.WaitInput
			f.wait = func(_ context.Context, in bridge.WaitInput) (*bridge.Result, error) {
				got = in
				return waitingRun, nil
			}
			rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/wait", tc.body))
			require.Equal(t, http.StatusOK, rec.Code)
			require.Equal(t, tc.want, got)
			require.Equal(t, text(waitingRun), rec.Body.String())
		})
	}
}

func TestDeliver(t *testing.T) {
	f := newFake()
	s := newTestServer(t, Options{Backend: f})
	t.Run("C10 results reach the run", func(t *testing.T) {
		rec := do(t, s, post("/v1/runs/run-1/results", `{"turnId":"turn-1","results":[{"id":"p1","ok":true}]}`))
		require.JSONEq(t, `{"accepted":["p1"],"refused":[]}`, rec.Body.String())
		require.Equal(t, []bridge.CallResult{{ID: "p1", OK: true}}, f.turns["/turn-1"].delivered)
	})
	t.Run("C10 no results are none", func(t *testing.T) {
		rec := do(t, s, post("/v1/runs/run-1/results", `{"turnId":"turn-1"}`))
		require.JSONEq(t, `{"accepted":[],"refused":[]}`, rec.Body.String())
	})
	t.Run("C10 an unknown run", func(t *testing.T) {
		require.Equal(t, http.StatusNotFound, do(t, s, post("/v1/runs/gone/results", `{"turnId":"turn-1"}`)).Code)
	})
	t.Run("I3 values survive the request that brought them", func(t *testing.T) {
		big := `"` + strings.Repeat("v", 10_000) + `"`
		do(t, s, post("/v1/runs/run-1/results", `{"turnId":"turn-1","results":[{"id":"p1","ok":true,"value":`+big+`}]}`))
		kept := f.turns["/turn-1"].delivered
		// The next body takes the same buffer.
		do(t, s, post("/v1/exec", `{"turnId":"turn-1","code":"`+strings.Repeat("x", 20_000)+`"}`))
		require.Equal(t, big, string(kept[0].Value))
	})
}

func TestResumeRefused(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for _, route := range []string{"/v1/wait", "/v1/runs/run-1/results"} {
		for _, tc := range []struct {
			body      string
			status    int
			key, says string
		}{
			{`{"runId":"run-1"}`, 400, "turnId", "missing"},
			{`{"turnId":[]}`, 400, "turnId", "must be a string"},
			{`{"turnId":"other"}`, 404, "turnId", "no such turn"},
			{`{"turnId":"turn-1","results":{}}`, 400, "results", "must be an array, not an object"},
			{`{"turnId":"turn-1","results":[5]}`, 400, "results[0]", "must be an object"},
			{`{"turnId":"turn-1","results":[{"id":"a","ok":true},{"ok":true}]}`, 400, "results[1].id", "missing"},
			{`{"turnId":"turn-1","results":[{"id":7,"ok":true}]}`, 400, "results[0].id", "must be a string"},
			{`{"turnId":"turn-1","results":[{"id":"a"}]}`, 400, "results[0].ok", "true (with value) or false"},
			{`{"turnId":"turn-1","results":[{"id":"a","ok":"true"}]}`, 400, "results[0].ok", "true (with value) or false"},
			{`{"turnId":"turn-1","results":[{"id":"a","id":"b","ok":true}]}`, 400, "results[0].id", "given twice"},
			{`{"turnId":"turn-1","runId":"a","runId":"b"}`, 400, "runId", "given twice"},
		} {
			t.Run("I3 "+route+" "+tc.body, func(t *testing.T) {
				rec := do(t, s, post(route, tc.body))
				require.Equal(t, tc.status, rec.Code)
				doc := problemOf(t, rec)
				require.Equal(t, tc.key, doc.Key)
				require.Contains(t, doc.Detail, tc.says)
			})
		}
	}
}
