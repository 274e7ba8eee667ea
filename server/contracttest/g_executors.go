package contracttest

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// repeatable makes a remote tool one whose calls may be repeated, with more keys for its executor.
func repeatable(name, url string, more object) object {
	return with(lab(name, with(object{"type": "http", "url": url}, more)), object{"annotations": object{"idempotent": true}})
}

// fails answers so many calls with a status, and those after it well.
func fails(times int64, status int) func(*toolServer, http.ResponseWriter, *http.Request) {
	return func(s *toolServer, w http.ResponseWriter, _ *http.Request) {
		if s.calls.Load() <= times {
			respond(w, status, `"busy"`)
			return
		}
		respond(w, http.StatusOK, `{"details":"done"}`)
	}
}

func attempts(t *testing.T, c *client) {
	const code = `return await tools.tell({}).catch(e => e.message)`
	t.Run("G3 a call that may be repeated is made again", func(t *testing.T) {
		tool := newToolServer(t, fails(2, 503))
		tn := c.prepare(t, spec{tools: []object{repeatable("tell", tool.URL, nil)}})
		tn.exec(t, code).completed(`"done"`)
		tool.called(t, 3)
		require.Equal(t, "3", tool.request().header.Get("X-Codecell-Attempt"))
	})
	t.Run("G3 no other call is", func(t *testing.T) {
		tool := newToolServer(t, fails(2, 503))
		tn := c.prepare(t, spec{tools: []object{remote("tell", tool.URL)}})
		tn.exec(t, code).result("completed").mentions("value", "openclaw:lab:tell", "503", "busy")
		tool.called(t, 1)
	})
	t.Run("G3 a wait that is too long is told and not waited", func(t *testing.T) {
		tool := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			respond(w, http.StatusTooManyRequests, `"slow down"`)
		})
		tn := c.prepare(t, spec{tools: []object{repeatable("tell", tool.URL, nil)}})
		tn.exec(t, code).result("completed").mentions("value", "429", "slow down", "1h0m0s").within(5 * time.Second)
		tool.called(t, 1)
	})
	t.Run("G3 a host that fails is left alone, for the session that had the failures", func(t *testing.T) {
		tool := newToolServer(t, fails(5, 503))
		of := func(session string) *turn {
			return c.prepare(t, spec{context: object{"sessionId": session}, tools: []object{remote("tell", tool.URL)}})
		}
		r := of("breaks").exec(t, `const all = []; for (let i = 0; i < 6; i++) await tools.tell({}).catch(e => all.push(e.message)); return all`)
		r.result("completed").mentions("value.4", "503").mentions("value.5", "openclaw:lab:tell", "left alone", "try again in")
		tool.called(t, 5)
		of("another").exec(t, code).completed(`"done"`)
	})
	t.Run("G7 the end of a run ends its wait for another attempt", func(t *testing.T) {
		tool := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "20")
			respond(w, http.StatusServiceUnavailable, `"busy"`)
		})
		tn := c.prepare(t, spec{tools: []object{repeatable("tell", tool.URL, nil)}})
		open := inBackground(func() reply { return tn.exec(t, code) })
		until(t, "answered", &tool.calls, 1)
		c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
		(<-open).failed("aborted", "").within(5 * time.Second)
		tool.called(t, 1)
	})
}

func places(t *testing.T, c *client) {
	bounded := func(url string) []object {
		return []object{lab("tell", object{"type": "http", "url": url, "maxConcurrent": 2})}
	}
	t.Run("G3 a tool has no more calls at once than it may", func(t *testing.T) {
		tool := newToolServer(t, nil)
		tn := c.prepare(t, spec{tools: bounded(tool.URL)})
		tn.exec(t, `const all = await Promise.all(Array.from({length: 12}, () => tools.tell({}))); return all.length`).completed(`12`)
		require.LessOrEqual(t, tool.most.Load(), int64(2))
	})
	t.Run("G7 the end of a run ends its wait for a place, and others get it", func(t *testing.T) {
		tool := newToolServer(t, func(s *toolServer, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stall" {
				stall(s, w, r)
				return
			}
			respond(w, http.StatusOK, `{"details":"done"}`)
		})
		stalls, other := c.prepare(t, spec{tools: bounded(tool.URL + "/stall")}), c.prepare(t, spec{tools: bounded(tool.URL)})
		open := inBackground(func() reply { return stalls.exec(t, `await Promise.all([1, 2, 3, 4].map(() => tools.tell({})))`) })
		tool.holds(t, 2)
		waits := inBackground(func() reply { return other.exec(t, `return await tools.tell({})`) })
		c.drop(t, "/v1/turns/"+stalls.id).is(http.StatusNoContent)
		(<-open).failed("aborted", "").within(5 * time.Second)
		(<-waits).completed(`"done"`)
		tool.cancelled(t, 2)
		tool.called(t, 3)
	})
}

func streams(t *testing.T, c *client) {
	for _, s := range []struct{ rule, form, body, value string }{
		{"JSON lines", "application/x-ndjson", `{"progress":1,"total":2}` + "\n" + `{"content":[],"details":"end"}` + "\n", `"end"`},
		{"server-sent events", "text/event-stream", ": hello\n\nevent: progress\ndata: {\"message\":\"half\"}\n\ndata: {\"details\":\ndata: \"end\"}\n\n", `"end"`},
	} {
		t.Run("G3 an answer in "+s.rule, func(t *testing.T) {
			tool := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", s.form)
				_, _ = io.WriteString(w, s.body)
			})
			tn := c.prepare(t, spec{tools: []object{remote("tell", tool.URL)}})
			tn.exec(t, `return await tools.tell({})`).completed(s.value)
		})
	}
	t.Run("G3 a stream without a result", func(t *testing.T) {
		tool := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"progress\":1}\n\n")
		})
		tn := c.prepare(t, spec{tools: []object{remote("tell", tool.URL)}})
		tn.exec(t, `return await tools.tell({}).catch(e => e.message)`).completed(`"tool openclaw:lab:tell ended its answer without a result"`)
	})
	t.Run("G3 an answer has a bound", func(t *testing.T) {
		tool := newToolServer(t, giveBody(200, `{"details":"0123456789"}`))
		tn := c.prepare(t, spec{tools: []object{lab("tell", object{"type": "http", "url": tool.URL, "maxResponseBytes": 10})}})
		tn.exec(t, `return await tools.tell({}).catch(e => e.message)`).completed(`"tool openclaw:lab:tell answered with more than 10 bytes"`)
	})
}
