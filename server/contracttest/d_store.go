package contracttest

import (
	"net/http"
	"testing"
)

// stored prepares a turn with the store on, in a session.
func (c *client) stored(t *testing.T, context, config object) *turn {
	t.Helper()
	return c.prepare(t, spec{context: context, config: with(object{"store": true}, config)})
}

// stores is `store` of D10.
func stores(t *testing.T, c *client) {
	session := func(id string) object {
		return object{"agentId": "a", "sessionId": "store-" + id, "sessionKey": "k", "runId": "r"}
	}
	t.Run("D10 what a cell keeps, the session's other cells read, also in another turn", func(t *testing.T) {
		first := c.stored(t, session("kept"), nil)
		first.exec(t, `await store.set("n", {deep: [1, null, "ü"]}); await store.set("__proto__", {x: 1}); return ({}).x`).completed(`null`)
		first.exec(t, `return store.get("n")`).completed(`{"deep":[1,null,"ü"]}`)
		next := c.stored(t, with(session("kept"), object{"runId": "another", "sender": "someone"}), nil)
		next.exec(t, `return [await store.get("n"), store.get("__proto__"), store.get("no") === undefined]`).
			completed(`[{"deep":[1,null,"ü"]},{"x":1},true]`)
		next.exec(t, `return [await store.delete("n"), await store.delete("n")]`).completed(`[true,false]`)
		first.exec(t, `return typeof store.get("n")`).completed(`"undefined"`)
	})
	t.Run("D10 off unless configured", func(t *testing.T) {
		c.prepare(t, spec{context: session("off")}).exec(t, `return typeof store`).completed(`"undefined"`)
		c.stored(t, session("off"), object{"store": object{"maxKeys": 5}}).exec(t, `return typeof store`).completed(`"undefined"`)
	})
	t.Run("D10 of no other session, key, agent or tenant", func(t *testing.T) {
		mine := c.stored(t, session("own"), nil)
		mine.exec(t, `await store.set("n", "mine")`).completed(`null`)
		for name, other := range map[string]*turn{
			"session": c.stored(t, session("other"), nil),
			"key":     c.stored(t, with(session("own"), object{"sessionKey": "l"}), nil),
			"agent":   c.stored(t, with(session("own"), object{"agentId": "b"}), nil),
			"tenant":  c.other().stored(t, session("own"), nil),
			"none":    c.stored(t, nil, nil),
		} {
			t.Run(name, func(t *testing.T) {
				other.exec(t, `await store.delete("n"); return typeof store.get("n")`).completed(`"undefined"`)
			})
		}
		c.other().drop(t, "/v1/sessions/store-own").is(http.StatusOK)
		mine.exec(t, `return store.get("n")`).completed(`"mine"`)
	})
	t.Run("D10 a suspended run reads what it would have read", func(t *testing.T) {
		tn := c.stored(t, session("suspended"), nil)
		tn.exec(t, `await store.set("n", 1); await store.set("m", 1)`).completed(`null`)
		r := tn.exec(t, `await store.set("own", 1); await yield_control(); await store.set("m", 3); return [store.get("n"), store.get("m"), store.get("own")]`).
			waiting("yield")
		tn.exec(t, `await store.set("n", 2); await store.set("m", 2); return store.get("own")`).completed(`1`)
		tn.wait(t, r.runID()).completed(`[1,3,1]`)
		tn.exec(t, `return [store.get("n"), store.get("m")]`).completed(`[2,3]`)
	})
	t.Run("D10 what is too much is refused and nothing else is hurt", func(t *testing.T) {
		tn := c.stored(t, session("full"), object{"store": object{"enabled": true, "maxKeys": 2, "maxBytes": 1024}})
		tn.exec(t, `const codes = [];
			for (const [k, v] of [["a", 1], ["b", "x".repeat(1100)], ["b", "x".repeat(1e6)], ["b", 2], ["c", 3], ["k".repeat(300), 1]])
				await store.set(k, v).catch((e) => codes.push(e.code));
			return [codes, store.get("a"), store.get("b"), typeof store.get("c")]`).
			completed(`[["store_full","store_full","store_full","invalid_input"],1,2,"undefined"]`)
	})
	t.Run("D10 what is not awaited is kept, and a refusal told", func(t *testing.T) {
		tn := c.stored(t, session("unawaited"), object{"store": object{"enabled": true, "maxBytes": 1024}})
		tn.exec(t, `store.set("n", 1)`).completed(`null`)
		tn.exec(t, `const n = store.get("n"); store.set("n", "x".repeat(2000)); return n`).completed(`1`).mentions("hints", "store is full")
		tn.exec(t, `return store.get("n")`).completed(`1`)
	})
	t.Run("G7 the end of its session is that of a store", func(t *testing.T) {
		c.stored(t, session("ended"), nil).exec(t, `await store.set("n", 1)`).completed(`null`)
		c.drop(t, "/v1/sessions/store-ended").is(http.StatusOK)
		c.stored(t, session("ended"), nil).exec(t, `return typeof store.get("n")`).completed(`"undefined"`)
	})
}
