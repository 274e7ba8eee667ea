package contracttest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func drains(t *testing.T, c *client) {
	tools := []object{echo("echo"), slow("soon", 40), slow("never", 60000), mcp("wiki", "look", object{}), with(mcp("wiki", "stall", object{}), object{"executor": object{"type": "echo", "delayMs": 60000}})}
	t.Run("C1 all: ready work ends inside the same exec", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: tools})
		tn.exec(t, `await tools.search("echo"); await tools.describe("echo"); await tools.soon({}); await MCP.wiki.look({}); return (await tools.echo({n: 1})).input`).
			completed(`{"n":1}`)
	})
	t.Run("C1 all: calls run side by side", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{slow("half", 500)}})
		tn.exec(t, `await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(n => tools.half({n}))); return 1`).completed(`1`).within(3 * time.Second)
	})
	t.Run("C1 all: a spent drain budget suspends", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: tools, config: object{"drainMs": 50}})
		tn.exec(t, `return await tools.never({a: 1})`).waiting("pending_tools").within(5*time.Second).
			has("pendingToolCalls.#.method", `["call"]`).has("pendingToolCalls.0.toolId", `"openclaw:lab:never"`).
			has("pendingToolCalls.0.name", `"never"`).lacks("pendingToolCalls.0.input")
	})
	narrow := c.prepare(t, spec{tools: tools, config: object{"drain": "namespaces", "timeoutMs": 300}})
	for _, call := range []struct{ method, code string }{
		{"search", `await tools.search("echo")`},
		{"describe", `await tools.describe("echo")`},
		{"call", `await tools.call("echo", {})`},
		{"call", `await tools.echo({})`},
	} {
		t.Run("C1 namespaces: a pending tools.* call suspends at once: "+call.code, func(t *testing.T) {
			r := narrow.exec(t, call.code+`; return 7`).waiting("pending_tools").has("pendingToolCalls.#.method", `["`+call.method+`"]`)
			narrow.wait(t, r.runID()).completed(`7`)
		})
	}
	t.Run("C1 namespaces: MCP calls are drained", func(t *testing.T) {
		narrow.exec(t, `await MCP.wiki.look({}); return (await MCP.wiki.look({})).details.name`).completed(`"look"`)
	})
	t.Run("C1 namespaces: an MCP call that takes too long suspends", func(t *testing.T) {
		narrow.exec(t, `await MCP.wiki.stall({})`).waiting("pending_tools").has("pendingToolCalls.#.method", `["namespace"]`)
	})
}

func suspensions(t *testing.T, c *client) {
	tn := c.prepare(t, spec{config: object{"drainMs": 50}, tools: []object{echo("echo"), slow("never", 60000), asking("ask")}})
	t.Run("C2 a yield", func(t *testing.T) {
		r := tn.exec(t, `await yield_control("why"); return 1`).waiting("yield").has("pendingToolCalls.#.method", `["yield"]`).
			lacks("pendingToolCalls.0.toolId", "pendingToolCalls.0.input")
		require.NotEmpty(t, r.pending(0), r.story())
	})
	for rule, code := range map[string]string{
		"a yield and a call":        `const p = tools.never({}); await yield_control(); await p`,
		"a yield and a timer":       `setTimeout(() => 0, 1e6); await yield_control()`,
		"a yield and a client call": `tools.ask({}); await yield_control()`,
		"a call alone":              `await tools.never({})`,
		"a timer alone":             `await new Promise(r => setTimeout(r, 1e6))`,
	} {
		t.Run("C2 the reason is yield only if all are yields: "+rule, func(t *testing.T) {
			tn.exec(t, code).waiting("pending_tools")
		})
	}
	t.Run("C2 two yields are a yield", func(t *testing.T) {
		r := tn.exec(t, `return await Promise.all([yield_control("a"), yield_control("b")])`).waiting("yield").has("pendingToolCalls.#", `2`)
		tn.wait(t, r.runID()).completed(`[{"status":"yielded","reason":"a"},{"status":"yielded","reason":"b"}]`)
	})
	t.Run("C2 a long sleep suspends", func(t *testing.T) {
		tn.exec(t, `await new Promise(r => setTimeout(r, 1e6))`).waiting("pending_tools").has("pendingToolCalls.#.method", `["timer"]`).within(5 * time.Second)
	})
	t.Run("C2 what needs the caller suspends at once, with its input", func(t *testing.T) {
		patient := c.prepare(t, spec{config: object{"timeoutMs": 10000}, tools: []object{asking("ask")}})
		r := patient.exec(t, `return await tools.ask({question: ["a", 1]})`).waiting("pending_tools").within(5*time.Second).
			has("pendingToolCalls.0.method", `"call"`).has("pendingToolCalls.0.toolId", `"client:app:ask"`).
			has("pendingToolCalls.0.name", `"ask"`).has("pendingToolCalls.0.input", `{"question":["a",1]}`)
		require.NotEmpty(t, r.pending(0), r.story())
	})
	t.Run("C2 pending calls come in the order of the requests", func(t *testing.T) {
		r := tn.exec(t, `tools.ask({n: 1}); tools.ask({n: 2}); tools.ask({n: 3}); await tools.never({})`).waiting("pending_tools")
		require.Equal(t, "1 2 3", names(r, "pendingToolCalls.#.input.n"), r.story())
	})
	t.Run("C2 what runs locally is awaited before the caller is asked", func(t *testing.T) {
		r := tn.exec(t, `const asked = tools.ask({}); text((await tools.echo({n: 5})).input); return asked`).
			waiting("pending_tools").has("output.0.text", `"{\"n\":5}"`).has("pendingToolCalls.#", `1`)
		tn.wait(t, r.runID(), ok(r.pending(0), object{"details": 3})).completed(`3`)
	})
}

func waits(t *testing.T, c *client) {
	brief := spec{config: object{"drainMs": 1, "timeoutMs": 5000}, tools: []object{
		echo("echo"), slow("fast", 150), slow("never", 60000), broken("bad", "it broke"), asking("ask"),
	}}
	tn := c.prepare(t, brief)
	t.Run("C3 the wait brings the result", func(t *testing.T) {
		r := tn.exec(t, `return (await tools.fast({n: 1})).input`).waiting("pending_tools")
		tn.wait(t, r.runID()).completed(`{"n":1}`)
	})
	for rule, config := range map[string]object{
		"inside one exec": {}, "over waits": {"drain": "namespaces"},
	} {
		t.Run("C3 the first to be done wins, whatever was asked first, "+rule, func(t *testing.T) {
			gated := c.prepare(t, spec{config: config, tools: append(gate(t), echo("echo"))})
			r := gated.exec(t, `const order = [], note = name => () => order.push(name);
const held = tools.held({}).then(note("held")), quick = tools.echo({}).then(note("quick"));
await Promise.race([held, quick]); await tools.release({}); await held; return order`)
			for r.str("status") == "waiting" {
				r = gated.wait(t, r.runID())
			}
			r.completed(`["quick","held"]`)
		})
	}
	t.Run("C3 nothing settled: waiting again, the same run", func(t *testing.T) {
		quick := c.prepare(t, spec{config: object{"timeoutMs": 100}, tools: brief.tools})
		first := quick.exec(t, `text("once"); return await tools.never({})`).waiting("pending_tools")
		again := quick.wait(t, first.runID()).waiting("pending_tools").has("output", `[]`)
		third := quick.wait(t, first.runID()).waiting("pending_tools")
		require.Equal(t, []string{first.runID(), first.runID()}, []string{again.runID(), third.runID()})
		require.Equal(t, first.pending(0), third.pending(0), "the call keeps its id")
	})
	t.Run("C3 runId stays the same for the life of the run", func(t *testing.T) {
		r := tn.exec(t, `for (let i = 0; i < 3; i++) await yield_control(i); await tools.fast({}); return "end"`).waiting("yield")
		id := r.runID()
		for r.str("status") == "waiting" {
			require.Equal(t, id, r.runID(), r.story())
			r = tn.wait(t, id)
		}
		r.completed(`"end"`)
		tn.wait(t, id).failed("invalid_input", "code mode run is unavailable or expired.")
	})
	t.Run("C3 a failing call rejects after the wait", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); await tools.bad({})`).waiting("yield")
		for r.str("status") == "waiting" {
			r = tn.wait(t, r.runID())
		}
		r.failed("internal_error", "Error: it broke")
	})
	t.Run("C3 each wait has a time of its own", func(t *testing.T) {
		quick := c.prepare(t, spec{config: object{"timeoutMs": 2000}})
		r := quick.exec(t, `const spin = () => { const end = Date.now() + 700; while (Date.now() < end); };
for (let i = 0; i < 4; i++) { spin(); await yield_control() } return "done"`).waiting("yield")
		for r.str("status") == "waiting" {
			r = quick.wait(t, r.runID())
		}
		r.completed(`"done"`)
	})
	t.Run("C3 a wait that computes too long times out", func(t *testing.T) {
		quick := c.prepare(t, spec{config: object{"timeoutMs": 200}})
		r := quick.exec(t, `text("a"); await yield_control(); text("b"); for(;;);`).waiting("yield")
		quick.wait(t, r.runID()).failed("timeout", "code mode timeout exceeded")
		quick.wait(t, r.runID()).failed("invalid_input", "code mode run is unavailable or expired.")
	})
	t.Run("C3 runId may be padded with blanks", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); return 1`).waiting("yield")
		tn.wait(t, " "+r.runID()+"\n").completed(`1`)
	})
	for rule, id := range map[string]any{"missing": nil, "empty": "", "blank": "  ", "a number": 7, "an object": object{"id": "x"}, "an array": []string{"x"}} {
		t.Run("C5 a runId that is "+rule, func(t *testing.T) {
			tn.post(t, "/v1/wait", object{"turnId": tn.id, "runId": id}).refused("runId must be a non-empty string.")
		})
	}
	for _, id := range []string{"cm_nowhere", "../../etc/passwd", "__proto__", "constructor", strings.Repeat("x", 5000), "\u0000", "*"} {
		t.Run("C5 an unknown runId "+id[:min(len(id), 12)], func(t *testing.T) {
			tn.wait(t, id).refused("code mode run is unavailable or expired.")
		})
	}
	t.Run("C5 a finished run", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); throw new Error("over")`).waiting("yield")
		tn.wait(t, r.runID()).failed("internal_error", "Error: over")
		tn.wait(t, r.runID()).refused("code mode run is unavailable or expired.")
	})
	t.Run("C5 two waits at once: one resumes, one is told", func(t *testing.T) {
		held := c.prepare(t, spec{config: object{"timeoutMs": 1500}, tools: []object{asking("ask")}})
		r := held.exec(t, `return await tools.ask({})`).waiting("pending_tools")
		one := inBackground(func() reply { return held.wait(t, r.runID()) })
		two := inBackground(func() reply { return held.wait(t, r.runID()) })
		// Which of them comes first is open; the other is answered at once.
		select {
		case told := <-one:
			told.refused("code mode run is already being resumed.").has("retryable", `true`)
			(<-two).waiting("pending_tools")
		case told := <-two:
			told.refused("code mode run is already being resumed.").has("retryable", `true`)
			(<-one).waiting("pending_tools")
		}
		held.wait(t, r.runID(), ok(r.pending(0), object{"details": "still there"})).completed(`"still there"`)
	})
	t.Run("C5 two waits at once, each with a result: both count, whoever is refused", func(t *testing.T) {
		held := c.prepare(t, spec{config: object{"timeoutMs": 1500}, tools: []object{asking("ask"), asking("pick")}})
		r := held.exec(t, `return await Promise.all([tools.ask({}), tools.pick({})])`).waiting("pending_tools")
		one := inBackground(func() reply { return held.wait(t, r.runID(), ok(r.pending(0), object{"details": 1})) })
		two := held.wait(t, r.runID(), ok(r.pending(1), object{"details": 2}))
		for _, answer := range []reply{<-one, two} {
			switch answer.str("status") {
			case "completed":
				answer.completed(`[1,2]`)
				return
			case "failed":
				answer.refused("code mode run is already being resumed.").has("retryable", `true`).mentions("hints", "were taken")
			}
		}
		held.wait(t, r.runID()).completed(`[1,2]`)
	})
	t.Run("C3 a wait by a turn that is gone", func(t *testing.T) {
		gone := c.prepare(t, brief)
		r := gone.exec(t, `await yield_control(); return 1`).waiting("yield")
		gone.drop(t, "/v1/turns/"+gone.id).is(http.StatusNoContent)
		gone.wait(t, r.runID()).problem(http.StatusNotFound)
		tn.wait(t, r.runID()).refused("code mode run is unavailable or expired.")
	})
}

// gate is two tools: held answers only once release was called, so that who is first does not hang on how busy the
// machine is.
func gate(t *testing.T) []object {
	open := make(chan struct{})
	held := newToolServer(t, func(s *toolServer, w http.ResponseWriter, _ *http.Request) {
		select {
		case <-open:
			respond(w, http.StatusOK, `{"details":1}`)
		case <-s.stop:
		}
	})
	release := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
		close(open)
		respond(w, http.StatusOK, `{"details":1}`)
	})
	return []object{remote("held", held.URL), remote("release", release.URL)}
}
