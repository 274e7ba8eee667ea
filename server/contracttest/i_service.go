package contracttest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func problems(t *testing.T, c *client) {
	tn := c.prepare(t, spec{})
	post := func(path, body string) func(t *testing.T) reply {
		return func(t *testing.T) reply { return c.post(t, path, body) }
	}
	for _, p := range []struct {
		rule   string
		send   func(*testing.T) reply
		status int
	}{
		{"JSON that ends too soon", post("/v1/exec", `{"turnId":`), 400},
		{"no JSON at all", post("/v1/turns", `hello`), 400},
		{"a second document", post("/v1/turns", `{}{}`), 400},
		{"an array", post("/v1/exec", `[]`), 400},
		{"null", post("/v1/exec", `null`), 400},
		{"invalid UTF-8", post("/v1/turns", "{\"a\":\"\xff\"}"), 400},
		{"brackets without end", post("/v1/turns", strings.Repeat("[", 100000)), 400},
		{"no turn", post("/v1/exec", `{"code":"return 1"}`), 400},
		{"both turnId and turn", post("/v1/exec", `{"turnId":"x","turn":{},"code":"return 1"}`), 400},
		{"a turnId that is no string", post("/v1/exec", `{"turnId":7,"code":"return 1"}`), 400},
		{"results that are no array", post("/v1/wait", `{"turnId":"`+tn.id+`","runId":"x","results":{}}`), 400},
		{"a result without an id", post("/v1/runs/x/results", `{"turnId":"`+tn.id+`","results":[{"ok":true}]}`), 400},
		{"a tool without a name", post("/v1/turns", `{"tools":[{"source":"openclaw"}]}`), 400},
		{"a tool of an unknown source", post("/v1/turns", `{"tools":[{"source":"moon","name":"x"}]}`), 400},
		{"a colon in an owner", post("/v1/turns", `{"tools":[{"source":"openclaw","owner":"a:b","name":"x"}]}`), 400},
		{"an unknown turn in exec", post("/v1/exec", `{"turnId":"nowhere","code":"return 1"}`), 404},
		{"an unknown turn in wait", post("/v1/wait", `{"turnId":"nowhere","runId":"x"}`), 404},
		{"an unknown turn in results", post("/v1/runs/x/results", `{"turnId":"nowhere","results":[]}`), 404},
		{"an unknown route", post("/v1/nothing", `{}`), 404},
		{"another method", func(t *testing.T) reply { return c.get(t, "/v1/exec") }, 405},
		{"a body that is too large", post("/v1/exec", `{"turnId":"x","code":"`+strings.Repeat("x", 17<<20)+`"}`), 413},
		{"a body of another type", func(t *testing.T) reply {
			return c.post(t, "/v1/exec", `{"turnId":"x","code":"return 1"}`, "Content-Type", "text/plain")
		}, 415},
		{"no key", func(t *testing.T) reply {
			return (&client{target: c.target}).post(t, "/v1/turns", `{}`)
		}, 401},
		{"a wrong key", func(t *testing.T) reply {
			return (&client{target: c.target, key: c.target.Key + "x"}).post(t, "/v1/turns", `{}`)
		}, 401},
		{"another scheme", func(t *testing.T) reply {
			return c.post(t, "/v1/turns", `{}`, "Authorization", "Basic "+c.target.Key)
		}, 401},
	} {
		t.Run("I3 "+p.rule, func(t *testing.T) {
			p.send(t).problem(p.status).conceals("goroutine", ".go:", "panic")
		})
	}
	t.Run("I3 a byte order mark is ignored, on every route", func(t *testing.T) {
		const bom = "\ufeff"
		c.post(t, "/v1/exec", bom+`{"turnId":"`+tn.id+`","code":"return 1"}`).completed(`1`)
		c.post(t, "/v1/turns", bom+`{}`).is(http.StatusOK)
		c.post(t, "/v1/wait", bom+`{"turnId":"`+tn.id+`","runId":"x"}`).refused("code mode run is unavailable or expired.")
		c.post(t, "/v1/payload/check", bom+`{"tools":[]}`).problem(http.StatusConflict)
		c.post(t, "/v1/exec", bom).problem(400, "empty")
		c.post(t, "/v1/exec", bom+bom+`{}`).problem(400)
	})
	t.Run("I3 HEAD where GET is, with the same headers", func(t *testing.T) {
		for _, path := range []string{"/openapi.json", "/healthz", "/v1/namespaces"} {
			got, head := c.get(t, path).is(http.StatusOK), c.send(t, http.MethodHead, path, nil).is(http.StatusOK)
			require.Empty(t, head.raw)
			require.Equal(t, got.header.Get("Content-Type"), head.header.Get("Content-Type"))
			require.Equal(t, got.header.Get("Content-Length"), head.header.Get("Content-Length"))
		}
		c.send(t, http.MethodHead, "/readyz", nil).is(http.StatusOK)
		c.send(t, http.MethodHead, "/nowhere", nil).is(http.StatusNotFound)
	})
	t.Run("I3 another method is told which there are", func(t *testing.T) {
		require.Equal(t, "OPTIONS, POST", allowed(c.send(t, http.MethodHead, "/v1/exec", nil).is(http.StatusMethodNotAllowed)))
		require.Equal(t, "GET, HEAD, OPTIONS", allowed(c.send(t, http.MethodDelete, "/openapi.json", nil).is(http.StatusMethodNotAllowed)))
		require.Equal(t, "GET, HEAD, OPTIONS", allowed(c.send(t, http.MethodOptions, "/openapi.json", nil).is(http.StatusNoContent)))
	})
	t.Run("I3 malformed JSON says where", func(t *testing.T) {
		c.post(t, "/v1/turns", "{\n  \"config\": tru\n}").problem(400, "2")
	})
	t.Run("I2 without a key nothing is told about turns", func(t *testing.T) {
		(&client{target: c.target}).drop(t, "/v1/turns/"+tn.id).problem(401)
		tn.exec(t, `return 1`).completed(`1`)
	})
	t.Run("H5 readiness tells the load", func(t *testing.T) {
		r := (&client{target: c.target}).get(t, "/readyz").is(http.StatusOK)
		for _, count := range []string{"running", "queue", "suspended", "turns"} {
			require.True(t, r.body.Get(count).Exists(), r.story())
		}
		require.NotEmpty(t, r.str("engine"), r.story())
	})
}

// allowed is the Allow header, sorted.
func allowed(r reply) string {
	methods := strings.Split(r.header.Get("Allow"), ", ")
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func idempotency(t *testing.T, c *client) {
	tool := newToolServer(t, nil)
	tn := c.prepare(t, spec{tools: []object{remote("count", tool.URL), asking("ask")}})
	exec := func(t *testing.T, on *turn, key, code string) reply {
		t.Helper()
		return on.post(t, "/v1/exec", object{"turnId": on.id, "toolCallId": "c", "code": code}, "Idempotency-Key", key)
	}
	same := func(t *testing.T, a, b reply) {
		t.Helper()
		require.Equal(t, string(a.raw), string(b.raw), a.story())
	}
	const code = `return [await tools.count({}), Math.random()]`
	t.Run("I3 a retry gets the first answer and runs nothing twice", func(t *testing.T) {
		first := exec(t, tn, "one", code).result("completed")
		same(t, first, exec(t, tn, "one", code))
		tool.called(t, 1)
	})
	t.Run("I3 another key runs anew, and so does none", func(t *testing.T) {
		exec(t, tn, "two", code).result("completed")
		tn.exec(t, code).result("completed")
		tool.called(t, 3)
	})
	t.Run("I3 the same key with another body is refused", func(t *testing.T) {
		r := exec(t, tn, "one", `return 2`)
		require.Equal(t, 409, r.status, r.story())
		tool.called(t, 3)
	})
	t.Run("I3 a key is its turn's and its tenant's", func(t *testing.T) {
		exec(t, c.prepare(t, spec{}), "one", `return 5`).completed(`5`)
		exec(t, c.other().prepare(t, spec{}), "one", `return 6`).completed(`6`)
	})
	t.Run("I3 two at once run once", func(t *testing.T) {
		calls := tool.calls.Load()
		one := inBackground(func() reply { return exec(t, tn, "both", code) })
		two := inBackground(func() reply { return exec(t, tn, "both", code) })
		same(t, <-one, <-two)
		tool.called(t, calls+1)
	})
	t.Run("I3 a failed cell is an answer too", func(t *testing.T) {
		same(t, exec(t, tn, "fails", `throw new Error(String(Math.random()))`).result("failed"), exec(t, tn, "fails", `throw new Error(String(Math.random()))`))
	})
	t.Run("I3 wait", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); return Math.random()`).waiting("yield")
		body := object{"turnId": tn.id, "runId": r.runID()}
		first := tn.post(t, "/v1/wait", body, "Idempotency-Key", "w").result("completed")
		same(t, first, tn.post(t, "/v1/wait", body, "Idempotency-Key", "w"))
		tn.post(t, "/v1/wait", body).refused(textUnavailable)
	})
	t.Run("I3 results", func(t *testing.T) {
		r := tn.exec(t, `return await tools.ask({})`).waiting("pending_tools")
		body := object{"turnId": tn.id, "results": []object{ok(r.pending(0), object{"details": 1})}}
		send := func() reply {
			return tn.post(t, "/v1/runs/"+r.runID()+"/results", body, "Idempotency-Key", "r").is(200)
		}
		same(t, send().has("refused", `[]`), send())
		tn.wait(t, r.runID()).completed(`1`)
		same(t, send().has("refused", `[]`), send())
	})
}
