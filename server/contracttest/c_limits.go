package contracttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pauses writes out what PAUSE stands for in a cell.
func pauses(code string) string { return strings.ReplaceAll(code, "PAUSE", "await yield_control()") }

const textUnavailable = "code mode run is unavailable or expired."

// maxSuspended is how many runs a tenant may have suspended (contract C6).
const maxSuspended = 64

// suspendedPlaces needs the service to itself: it counts what the service holds.
func suspendedPlaces(t *testing.T, c *client) {
	tool := newToolServer(t, nil)
	tn := c.prepare(t, spec{context: object{"sessionId": "places"}, tools: []object{remote("count", tool.URL), asking("ask")}})
	c.eventually(t, "suspended", 0)
	var runs []string
	for range maxSuspended {
		runs = append(runs, tn.exec(t, `await yield_control(); await yield_control(); return "mine"`).waiting("yield").runID())
	}
	c.eventually(t, "suspended", maxSuspended)
	t.Run("C6 one more fails, and its calls are not dispatched", func(t *testing.T) {
		for _, code := range []string{
			`tools.count({}); await yield_control()`, `await Promise.all([tools.count({}), yield_control()])`,
			`await Promise.all([tools.ask({}), yield_control(), tools.count({}), tools.count({})])`,
		} {
			tn.exec(t, code).failed("invalid_input", "too many suspended code mode runs.")
		}
		tool.called(t, 0)
	})
	t.Run("C6 the same where no tools.* call is drained", func(t *testing.T) {
		narrow := c.prepare(t, spec{config: object{"drain": "namespaces"}, tools: []object{remote("count", tool.URL)}})
		narrow.exec(t, `await tools.count({})`).failed("invalid_input", "too many suspended code mode runs.").lacks("sideEffects")
		tool.called(t, 0)
	})
	t.Run("C6 another tenant has places of its own", func(t *testing.T) {
		other := c.other().prepare(t, spec{})
		run := other.exec(t, `await yield_control(); return "theirs"`).waiting("yield").runID()
		other.wait(t, run).completed(`"theirs"`)
	})
	t.Run("C6 a cell that does not suspend still runs", func(t *testing.T) {
		tn.exec(t, `await tools.count({}); return 1`).completed(`1`)
		tool.called(t, 1)
	})
	t.Run("C6 a resuming run keeps its place", func(t *testing.T) {
		tn.wait(t, runs[0]).waiting("yield")
		tn.exec(t, `await yield_control()`).failed("invalid_input", "too many suspended code mode runs.")
	})
	again := func(t *testing.T) {
		t.Helper()
		runs = append(runs, tn.exec(t, `await yield_control(); return 1`).waiting("yield").runID())
		tn.exec(t, `await yield_control()`).failed("invalid_input", "too many suspended code mode runs.")
	}
	t.Run("C6 completion frees a place at once", func(t *testing.T) {
		tn.wait(t, runs[0]).completed(`"mine"`)
		again(t)
	})
	t.Run("C6 an abort frees a place at once", func(t *testing.T) {
		c.drop(t, "/v1/runs/"+runs[1]).is(http.StatusNoContent)
		again(t)
	})
	t.Run("C6 the end of the session frees them all at once", func(t *testing.T) {
		c.drop(t, "/v1/sessions/places").is(http.StatusOK).has("turnsDropped", `1`)
		c.eventually(t, "suspended", 0)
		fresh := c.prepare(t, spec{})
		r := fresh.exec(t, `await yield_control(); return 1`).waiting("yield")
		fresh.wait(t, r.runID()).completed(`1`)
	})
}

// expirySweep needs the service to itself: it looks at the count of all runs.
func expirySweep(t *testing.T, c *client) {
	tool := newToolServer(t, stall)
	c.eventually(t, "suspended", 0)
	tn := c.prepare(t, spec{config: object{"snapshotTtlSeconds": 1, "drainMs": 1}, tools: []object{remote("stall", tool.URL)}})
	r := tn.exec(t, `await tools.stall({})`).waiting("pending_tools")
	tool.holds(t, 1)
	t.Run("C6 a timer sweeps what has expired, without being asked", func(t *testing.T) {
		c.eventually(t, "suspended", 0)
		tn.wait(t, r.runID()).refused(textUnavailable)
	})
	t.Run("C6 expiry cancels the nested calls", func(t *testing.T) { tool.cancelled(t, 1) })
}

func suspensionLimits(t *testing.T, c *client) {
	t.Run("C6 the TTL counts from each suspension", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"snapshotTtlSeconds": 3}})
		r := tn.exec(t, `await yield_control(); await yield_control(); return "alive"`).waiting("yield")
		time.Sleep(1800 * time.Millisecond)
		tn.wait(t, r.runID()).waiting("yield")
		time.Sleep(1800 * time.Millisecond) // 3.6 s after the first suspension
		tn.wait(t, r.runID()).completed(`"alive"`)
	})
	t.Run("C6 an expired run is unavailable", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"snapshotTtlSeconds": 1}, tools: []object{asking("ask")}})
		r := tn.exec(t, `await tools.ask({})`).waiting("pending_tools")
		time.Sleep(1100 * time.Millisecond)
		tn.wait(t, r.runID()).refused(textUnavailable)
		tn.deliver(t, r.runID(), ok(r.pending(0), 1)).problem(http.StatusNotFound)
	})
	tool := newToolServer(t, nil)
	tn := c.prepare(t, spec{config: object{"maxSnapshotBytes": 1 << 20}, tools: []object{remote("count", tool.URL)}})
	const heavy = `const big = new Uint8Array(4 << 20).fill(7); `
	t.Run("C6 a small state fits", func(t *testing.T) {
		r := tn.exec(t, `const a = [1, 2, 3]; await yield_control(); return a`).waiting("yield")
		tn.wait(t, r.runID()).completed(`[1,2,3]`)
	})
	t.Run("C6 a heap over maxSnapshotBytes, uncompressed, fails before exec answers, and nothing is dispatched", func(t *testing.T) {
		tn.exec(t, heavy+`text("kept"); tools.count({}); await yield_control(); return big.length`).
			failed("snapshot_limit_exceeded", "").has("output.0.text", `"kept"`)
		tool.called(t, 0)
	})
	t.Run("C6 the same in wait", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); `+heavy+`tools.count({}); await yield_control(); return big.length`).waiting("yield")
		tn.wait(t, r.runID()).failed("snapshot_limit_exceeded", "")
		tn.wait(t, r.runID()).refused(textUnavailable)
		tool.called(t, 0)
	})
	t.Run("C6 a heavy cell that does not suspend runs", func(t *testing.T) {
		tn.exec(t, heavy+`await tools.count({}); return big.length`).completed(fmt.Sprint(4 << 20))
	})
}

func outputDelivery(t *testing.T, c *client) {
	const code = `text("a"); await yield_control(); text("b"); json(1); await yield_control(); await yield_control(); text("c"); END`
	for mode, want := range map[string][]string{
		"":            {`["a"]`, `["b",null]`, `[]`, `["c"]`},
		"incremental": {`["a"]`, `["b",null]`, `[]`, `["c"]`},
		"cumulative":  {`["a"]`, `["a","b",null]`, `["a","b",null]`, `["a","b",null,"c"]`},
	} {
		for end, status := range map[string]string{"return 1": "completed", "throw 1": "failed"} {
			t.Run("C7 output mode "+mode+", "+status, func(t *testing.T) {
				config := object{}
				if mode != "" {
					config["outputMode"] = mode
				}
				tn := c.prepare(t, spec{config: config})
				r := tn.exec(t, strings.ReplaceAll(code, "END", end))
				for i, texts := range want {
					r.result(map[bool]string{true: status, false: "waiting"}[i == len(want)-1])
					var got []string
					for _, item := range r.body.Get("output").Array() {
						if text := item.Get("text"); text.Exists() {
							got = append(got, text.Raw)
						} else {
							got = append(got, "null")
						}
					}
					require.JSONEq(t, texts, "["+strings.Join(got, ",")+"]", r.story())
					if i < len(want)-1 {
						r = tn.wait(t, r.runID())
					}
				}
			})
		}
	}
	tool := newToolServer(t, nil)
	tn := c.prepare(t, spec{tools: []object{remote("count", tool.URL), broken("bad", "it broke"), asking("ask"), slow("soon", 50)}})
	t.Run("C8 un-awaited calls are started and drained before completed", func(t *testing.T) {
		tn.exec(t, `for (let i = 0; i < 5; i++) tools.count({i}); return "done"`).completed(`"done"`)
		tool.called(t, 5)
	})
	t.Run("C8 what follows an un-awaited call runs too", func(t *testing.T) {
		tn.exec(t, `tools.soon({}).then(() => { text("late"); return tools.soon({}) }).then(() => text("later")); return 1`).
			completed(`1`).has("output.#.text", `["late","later"]`)
	})
	t.Run("C8 what can't be drained suspends first", func(t *testing.T) {
		r := tn.exec(t, `tools.ask({}).then(() => text("answered")); return "value"`).waiting("pending_tools")
		tn.wait(t, r.runID(), ok(r.pending(0), 1)).completed(`"value"`).has("output.0.text", `"answered"`)
	})
	t.Run("C8 an un-awaited call that rejects is a hint", func(t *testing.T) {
		tn.exec(t, `tools.bad({}); return 1`).completed(`1`).mentions("hints", "it broke")
	})
	t.Run("C8 one whose error is caught is none", func(t *testing.T) {
		tn.exec(t, `tools.bad({}).catch(() => 0); return 1`).completed(`1`).lacks("hints")
	})
}

func callerResults(t *testing.T, c *client) {
	tool := newToolServer(t, stall)
	tn := c.prepare(t, spec{context: owner, config: object{"timeoutMs": 10000, "drainMs": 50}, tools: []object{asking("ask"), remote("stall", tool.URL)}})
	two := func(t *testing.T) reply {
		t.Helper()
		return tn.exec(t, `const settled = await Promise.allSettled([tools.ask({n: 1}), tools.ask({n: 2})]);
return settled.map(s => s.value ?? s.reason.message)`).waiting("pending_tools")
	}
	t.Run("C10 delivered by themselves, then waited for", func(t *testing.T) {
		r := two(t)
		tn.deliver(t, r.runID(), ok(r.pending(0), object{"details": "a"})).is(200).has("accepted.0", `"`+r.pending(0)+`"`).has("refused", `[]`)
		tn.deliver(t, r.runID(), notOK(r.pending(1), "no")).is(200)
		tn.wait(t, r.runID()).completed(`["a","no"]`)
	})
	t.Run("C10 delivered inside wait", func(t *testing.T) {
		r := two(t)
		half := tn.wait(t, r.runID(), ok(r.pending(1), object{"details": "b"})).waiting("pending_tools").has("pendingToolCalls.#", `1`)
		require.Equal(t, r.pending(0), half.pending(0), half.story())
		tn.wait(t, r.runID(), notOK(r.pending(0), object{"message": "told off"})).completed(`["told off","b"]`)
	})
	t.Run("C10 refused one by one, the others count", func(t *testing.T) {
		r := two(t)
		d := tn.deliver(t, r.runID(), ok("forged", 1), ok(r.pending(0), object{"details": "first"}), ok(r.pending(0), object{"details": "second"})).is(200)
		require.Equal(t, r.pending(0), names(d, "accepted"), d.story())
		require.Equal(t, "forged "+r.pending(0), names(d, "refused.#.id"), d.story())
		require.NotEmpty(t, d.str("refused.0.reason"), d.story())
		tn.deliver(t, r.runID(), ok(r.pending(0), object{"details": "third"})).has("accepted", `[]`)
		tn.wait(t, r.runID(), ok(r.pending(1), object{"details": "b"}), ok("forged", 2)).completed(`["first","b"]`)
	})
	t.Run("C10 ids of another run are refused", func(t *testing.T) {
		a, b := two(t), two(t)
		tn.deliver(t, a.runID(), ok(b.pending(0), 666)).has("accepted", `[]`)
		tn.wait(t, b.runID(), ok(b.pending(0), 1), ok(b.pending(1), 2)).completed(`[1,2]`)
	})
	t.Run("C10 a call that the service runs is not the caller's to answer", func(t *testing.T) {
		r := tn.exec(t, `return await tools.stall({})`).waiting("pending_tools")
		tn.deliver(t, r.runID(), ok(r.pending(0), object{"details": "forged"})).is(200).has("accepted", `[]`)
		c.drop(t, "/v1/runs/"+r.runID()).is(204)
	})
	t.Run("C10 nor is a yield", func(t *testing.T) {
		r := tn.exec(t, `return (await yield_control()).status`).waiting("yield")
		tn.deliver(t, r.runID(), ok(r.pending(0), "forged")).is(200).has("accepted", `[]`)
		tn.wait(t, r.runID()).completed(`"yielded"`)
	})
	t.Run("C10 delivered while a wait is open", func(t *testing.T) {
		r := two(t)
		open := inBackground(func() reply { return tn.wait(t, r.runID(), ok(r.pending(0), object{"details": "a"})) })
		half := (<-open).waiting("pending_tools")
		open = inBackground(func() reply { return tn.wait(t, r.runID()) })
		tn.deliver(t, r.runID(), ok(half.pending(0), object{"details": "b"})).is(200).has("refused", `[]`)
		// The wait may have begun before or after the delivery; either way it ends now.
		(<-open).completed(`["a","b"]`).within(5 * time.Second)
	})
	t.Run("C10 to a run that is over or never was", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); return 1`).waiting("yield")
		tn.wait(t, r.runID()).completed(`1`)
		tn.deliver(t, r.runID(), ok("x", 1)).problem(http.StatusNotFound)
		tn.deliver(t, "cm_nowhere", ok("x", 1)).problem(http.StatusNotFound)
	})
	t.Run("D5 the value of a result that the caller gives", func(t *testing.T) {
		for _, v := range []struct{ value, want string }{
			{`{"details":{"a":1},"structuredContent":2}`, `{"a":1}`},
			{`{"structuredContent":{"b":2}}`, `{"b":2}`},
			{`{"content":[{"type":"text","text":"{\"c\":3}"}]}`, `{"c":3}`},
			{`{"content":[{"type":"text","text":"plain"}]}`, `"plain"`},
			{`"bare"`, `"bare"`},
			{`null`, `null`},
			{`[1]`, `[1]`},
		} {
			r := tn.exec(t, `return await tools.ask({})`).waiting("pending_tools")
			tn.post(t, "/v1/wait", `{"turnId":"`+tn.id+`","runId":"`+r.runID()+`","results":[{"id":"`+r.pending(0)+`","ok":true,"value":`+v.value+`}]}`).completed(v.want)
		}
	})
	t.Run("D5 isError from the caller throws", func(t *testing.T) {
		r := tn.exec(t, `return await tools.ask({}).catch(e => "caught " + e.message)`).waiting("pending_tools")
		tn.wait(t, r.runID(), ok(r.pending(0), object{"isError": true, "content": []object{{"type": "text", "text": "said no"}}})).completed(`"caught said no"`)
	})
}
