package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
)

// newReal serves the real bridge on the native engine.
func newReal(t testing.TB) *Server {
	t.Helper()
	engine, err := native.New(native.Options{Threads: 2, Heaps: 16, Warm: 1})
	require.NoError(t, err)
	service, err := bridge.New(bridge.Options{Engine: engine, TestExecutors: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, service.Close(ctx))
		require.NoError(t, engine.Close())
	})
	return newTestServer(t, Options{Backend: FromBridge(service, func() []string { return []string{"test"} })})
}

const realTurn = `{"context":{"agentId":"a","sessionId":"s","sessionKey":"k","runId":"r"},"config":{"enabled":true,"timeoutMs":500,"maxOutputBytes":2048},
	"tools":[{"source":"openclaw","owner":"lab","name":"noop","description":"Answers with its input.","parameters":{"type":"object"},"executor":{"type":"echo"}},
	         {"source":"openclaw","owner":"lab","name":"slow","executor":{"type":"echo","delayMs":60000}},
	         {"source":"client","owner":"app","name":"ask","description":"Asks the user."}]}`

// TestTraffic drives every route over the real bridge; do holds all of it against the OpenAPI document (contract I4).
func TestTraffic(t *testing.T) {
	s := newReal(t)
	created := do(t, s, post("/v1/turns", realTurn))
	require.Equal(t, http.StatusOK, created.Code, created.Body)
	turn := gjson.Get(created.Body.String(), "turnId").Str
	exec := func(t *testing.T, code string) gjson.Result {
		t.Helper()
		rec := do(t, s, post("/v1/exec", `{"turnId":"`+turn+`","toolCallId":"c1","code":`+quote(code)+`}`))
		require.Equal(t, http.StatusOK, rec.Code, rec.Body)
		return gjson.ParseBytes(rec.Body.Bytes())
	}
	t.Run("J the turn", func(t *testing.T) {
		require.True(t, gjson.Get(created.Body.String(), "codeMode").Bool())
		require.JSONEq(t, `{"size":3,"sources":{"openclaw":2,"mcp":0,"client":1}}`, gjson.Get(created.Body.String(), "catalog").Raw)
	})
	for _, tc := range []struct{ name, code, status, path, want string }{
		{"a value", `return 1+1`, "completed", "value", `2`},
		{"all kinds of output", `text("a"); json({b:1}); console.warn("c"); return null`, "completed", "output.#", `3`},
		{"a nested call", `return (await tools.noop({a:1})).input`, "completed", "value", `{"a":1}`},
		{"a hint", `return tools.noop({}), undefined`, "completed", "hints.#", `1`},
		{"a guest error", "\nnull.x", "failed", "detail.line", `2`},
		{"a syntax error", `return )`, "failed", "code", `"internal_error"`},
		{"side effects", `await tools.noop({}); throw new Error("late")`, "failed", "sideEffects.0.state", `"completed"`},
		{"a timeout", `for(;;);`, "failed", "code", `"timeout"`},
		{"too much output", `return "x".repeat(5000)`, "failed", "code", `"output_limit_exceeded"`},
		{"module access", `import "fs"`, "failed", "code", `"invalid_input"`},
		{"nothing", ` `, "failed", "error", `"code or command must be a non-empty string."`},
	} {
		t.Run("B7 "+tc.name, func(t *testing.T) {
			result := exec(t, tc.code)
			require.Equal(t, tc.status, result.Get("status").Str, result.Raw)
			require.Equal(t, tc.want, result.Get(tc.path).Raw, result.Raw)
		})
	}
	t.Run("C3 yield and wait", func(t *testing.T) {
		waiting := exec(t, `await yield_control("later"); return 7`)
		require.Equal(t, "yield", waiting.Get("reason").Str)
		body := `{"turnId":"` + turn + `","runId":"` + waiting.Get("runId").Str + `"}`
		require.EqualValues(t, 7, gjson.GetBytes(do(t, s, post("/v1/wait", body)).Body.Bytes(), "value").Int())
		require.Equal(t, "failed", gjson.GetBytes(do(t, s, post("/v1/wait", body)).Body.Bytes(), "status").Str)
	})
	t.Run("C10 a call that the caller runs", func(t *testing.T) {
		waiting := exec(t, `return (await tools.ask({q:1})).text`)
		run, id := waiting.Get("runId").Str, waiting.Get("pendingToolCalls.0.id").Str
		results := `{"turnId":"` + turn + `","results":[{"id":"` + id + `","ok":true,"value":{"details":{"text":"yes"}}},{"id":"other","ok":false,"error":"x"}]}`
		delivered := gjson.ParseBytes(do(t, s, post("/v1/runs/"+run+"/results", results)).Body.Bytes())
		require.Equal(t, id, delivered.Get("accepted.0").Str)
		require.Equal(t, "other", delivered.Get("refused.0.id").Str)
		done := do(t, s, post("/v1/wait", `{"turnId":"`+turn+`","runId":"`+run+`"}`))
		require.Equal(t, "yes", gjson.GetBytes(done.Body.Bytes(), "value").Str, done.Body)
	})
	t.Run("J turn and cell together, resumed", func(t *testing.T) {
		rec := do(t, s, post("/v1/exec", `{"turn":`+realTurn+`,"code":"await yield_control(); return 5"}`))
		waiting := gjson.ParseBytes(rec.Body.Bytes())
		done := do(t, s, post("/v1/wait", `{"turnId":"`+waiting.Get("turnId").Str+`","runId":"`+waiting.Get("runId").Str+`"}`))
		require.EqualValues(t, 5, gjson.GetBytes(done.Body.Bytes(), "value").Int(), done.Body)
	})
	for _, format := range []string{"openai", "openai-responses", "anthropic", "gemini", "mcp"} {
		t.Run("A5 "+format, func(t *testing.T) {
			rec := do(t, s, post("/v1/turns?format="+format, realTurn))
			require.Equal(t, http.StatusOK, rec.Code)
			check := do(t, s, post("/v1/payload/check", `{"tools":`+gjson.GetBytes(rec.Body.Bytes(), "tools").Raw+`}`))
			require.Equal(t, http.StatusOK, check.Code, "A6 what we render passes our own check: %s", check.Body)
		})
	}
	t.Run("A5 an unknown format names the known ones", func(t *testing.T) {
		require.Contains(t, problemOf(t, do(t, s, post("/v1/turns?format=yaml", realTurn))).Detail, "anthropic")
	})
	t.Run("A2 a config error names the key", func(t *testing.T) {
		doc := problemOf(t, do(t, s, post("/v1/turns", `{"config":{"timeoutMS":5}}`)))
		require.Equal(t, "timeoutMS", doc.Key)
		require.Contains(t, doc.Detail, `did you mean "timeoutMs"`)
	})
	t.Run("A1 a bad tool is named", func(t *testing.T) {
		doc := problemOf(t, do(t, s, post("/v1/turns", `{"tools":[{"source":"nowhere","name":"x"}]}`)))
		require.Contains(t, doc.Detail, "tools[0]")
	})
	t.Run("G7 ending runs, turns and sessions", func(t *testing.T) {
		drop := func(path string) int { return do(t, s, call{method: http.MethodDelete, path: path}).Code }
		run := exec(t, `await yield_control(); return 1`).Get("runId").Str
		require.Equal(t, http.StatusNoContent, drop("/v1/runs/"+run))
		require.Equal(t, http.StatusNotFound, drop("/v1/runs/no-such-run"))
		require.Equal(t, http.StatusNoContent, drop("/v1/turns/"+turn))
		require.Equal(t, http.StatusNotFound, drop("/v1/turns/"+turn))
		require.Equal(t, http.StatusOK, drop("/v1/sessions/s"))
	})
	t.Run("H5 readiness", func(t *testing.T) {
		rec := do(t, s, call{method: http.MethodGet, path: "/readyz"})
		require.Equal(t, "native", gjson.GetBytes(rec.Body.Bytes(), "engine").Str)
	})
}

// TestHangUpReal checks that a run whose client has gone leaves nothing behind.
func TestHangUpReal(t *testing.T) {
	s := newReal(t)
	for name, code := range map[string]string{"a loop": `for(;;);`, "a slow tool": `await tools.slow({})`} {
		t.Run("G7 "+name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			started := time.Now()
			rec := httptest.NewRecorder()
			c := post("/v1/exec", `{"turn":`+strings.Replace(realTurn, `"timeoutMs":500`, `"timeoutMs":60000`, 1)+`,"code":`+quote(code)+`}`)
			s.Handler().ServeHTTP(rec, c.request().WithContext(ctx))
			require.Less(t, time.Since(started), 50*time.Second, "it does not go on for all of its time")
			require.Eventually(t, func() bool {
				h := s.backend.Health()
				return h.Running == 0 && h.Suspended == 0 && h.Turns == 0
			}, time.Minute, 5*time.Millisecond)
		})
	}
}

func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}
