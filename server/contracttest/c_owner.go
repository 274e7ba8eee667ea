package contracttest

import (
	"maps"
	"net/http"
	"testing"
)

// owner is the context that a run of these cases belongs to.
var owner = object{"agentId": "a1", "sessionId": "s1", "sessionKey": "k1", "runId": "r1", "sender": "u1", "channel": "c1"}

// as is owner with changes; nil takes a member out.
func as(change object) object {
	out := maps.Clone(owner)
	for key, v := range change {
		if v == nil {
			delete(out, key)
		} else {
			out[key] = v
		}
	}
	return out
}

func ownership(t *testing.T, c *client) {
	const (
		otherRun     = "code mode run belongs to a different agent run."
		otherSession = "code mode run belongs to a different session."
	)
	tools := []object{asking("ask")}
	mine := c.prepare(t, spec{context: owner, tools: tools})
	for _, s := range []struct {
		rule    string
		client  *client
		context object
		text    string
	}{
		{"another agent run", c, as(object{"runId": "r2"}), otherRun},
		{"an agent run in another case", c, as(object{"runId": "R1"}), otherRun},
		{"no agent run", c, as(object{"runId": nil}), otherRun},
		{"another session id", c, as(object{"sessionId": "s2"}), otherSession},
		{"no session id", c, as(object{"sessionId": nil}), otherSession},
		{"another session key", c, as(object{"sessionKey": "k2"}), otherSession},
		{"no session key", c, as(object{"sessionKey": nil}), otherSession},
		{"another agent", c, as(object{"agentId": "a2"}), otherSession},
		{"no agent", c, as(object{"agentId": nil}), otherSession},
		{"another sender", c, as(object{"sender": "u2"}), otherSession},
		{"another tenant with the same words", c.other(), owner, otherSession},
	} {
		t.Run("C5 "+s.rule+" is refused and the run untouched", func(t *testing.T) {
			r := mine.exec(t, `let n = 0; n += await tools.ask({}); return n`).waiting("pending_tools")
			thief := s.client.prepare(t, spec{context: s.context, tools: tools})
			thief.wait(t, r.runID()).refused(s.text)
			thief.wait(t, r.runID(), ok(r.pending(0), object{"details": 666})).refused(s.text)
			thief.deliver(t, r.runID(), ok(r.pending(0), object{"details": 666})).problem(http.StatusNotFound)
			mine.wait(t, r.runID(), ok(r.pending(0), object{"details": 1})).completed(`1`)
		})
	}
	t.Run("C5 a missing id on both sides is no match", func(t *testing.T) {
		nameless := c.prepare(t, spec{tools: tools})
		r := nameless.exec(t, `return await tools.ask({})`).waiting("pending_tools")
		c.prepare(t, spec{tools: tools}).wait(t, r.runID()).result("failed").has("code", `"invalid_input"`)
		nameless.wait(t, r.runID(), ok(r.pending(0), object{"details": 1})).completed(`1`)
	})
	t.Run("C5 another tenant can't end a run", func(t *testing.T) {
		r := mine.exec(t, `await yield_control(); return 1`).waiting("yield")
		c.other().drop(t, "/v1/runs/"+r.runID()).problem(http.StatusNotFound)
		c.other().drop(t, "/v1/sessions/s1").is(http.StatusOK).has("turnsDropped", `0`)
		mine.wait(t, r.runID()).completed(`1`)
	})
}

func survival(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: []object{asking("ask"), mcp("wiki", "look", object{})}})
	for _, s := range []cell{
		{"closures", `let n = 1; const add = k => n += k; PAUSE; add(2); PAUSE; return add(4)`, `7`},
		{"generators", `function* g() { let i = 0; for (;;) yield i++ } const it = g(); it.next(); PAUSE; it.next(); PAUSE; return it.next().value`, `2`},
		{"async generators", `async function* g() { yield 1; PAUSE; yield 2 } const all = []; for await (const x of g()) { all.push(x); PAUSE } return all`, `[1,2]`},
		{"class privates", `class A { #n = 1; up() { return ++this.#n } static #s = 5; static s() { return A.#s } } const a = new A(); PAUSE; a.up(); PAUSE; return [a.up(), A.s()]`, `[3,5]`},
		{"Map and Set", `const key = {}; const m = new Map([[key, 1]]), s = new Set([key]); PAUSE; return [m.get(key), s.has(key), m.size]`, `[1,true,1]`},
		{"WeakMap", `const key = {}; const m = new WeakMap([[key, 1]]); PAUSE; return m.get(key)`, `1`},
		{"Date", `const d = new Date(5); PAUSE; return [d.getTime(), d instanceof Date]`, `[5,true]`},
		{"symbols", `const s = Symbol("s"); const o = {[s]: 1, [Symbol.for("g")]: 2}; PAUSE; return [o[s], o[Symbol.for("g")]]`, `[1,2]`},
		{"pending promises", `let done; const p = new Promise(r => done = r); PAUSE; done(4); PAUSE; return await p`, `4`},
		{"typed arrays over one buffer", `const b = new Uint8Array([1, 2, 3, 4]), v = new DataView(b.buffer); PAUSE; v.setUint8(0, 9); return [...b]`, `[9,2,3,4]`},
		{"regular expressions with their place", `const r = /a/g; r.exec("aa"); PAUSE; return r.lastIndex`, `1`},
		{"proxies", `const p = new Proxy({}, {get: (_, k) => "got " + k}); PAUSE; return p.x`, `"got x"`},
		{"identity of globals of ours", `const t = tools, m = MCP.wiki; PAUSE; return [t === tools, m === MCP.wiki]`, `[true,true]`},
		{"changed intrinsics", `Array.prototype.twice = function () { return this.length * 2 }; globalThis.g = 3; PAUSE; return [[1].twice(), g]`, `[2,3]`},
		{"try, catch and finally around it", `const log = []; try { PAUSE; throw new Error("e") } catch (e) { PAUSE; log.push(e.message) } finally { PAUSE; log.push("f") } return log`, `["e","f"]`},
		{"errors with their class", `class E2 extends Error {} const e = new E2("x"); PAUSE; return [e instanceof E2, e.message]`, `[true,"x"]`},
		{"a megabyte", `const big = "ab".repeat(5e5); PAUSE; return [big.length, big.slice(-2)]`, `[1000000,"ab"]`},
	} {
		t.Run("C9 "+s.rule+" survive suspension", func(t *testing.T) {
			r := tn.exec(t, pauses(s.code))
			for r.str("status") == "waiting" {
				r = tn.wait(t, r.runID())
			}
			r.completed(s.value)
		})
	}
	t.Run("C9 time goes on", func(t *testing.T) {
		r := tn.exec(t, `const before = Date.now(); await yield_control(); return Date.now() >= before`).waiting("yield")
		tn.wait(t, r.runID()).completed(`true`)
	})
}
