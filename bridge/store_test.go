package bridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

// withStore is another turn of the service, in the session, with the store on.
func (c cells) withStore(t *testing.T, session, config string) cells {
	t.Helper()
	turn, err := c.turn.service.Prepare(t.Context(), "", &TurnRequest{
		Context: Context{AgentID: "a", SessionID: session, SessionKey: "k"}, Config: []byte(config),
	})
	require.NoError(t, err)
	return cells{turn}
}

// returns runs a cell and wants its value.
func (c cells) returns(t *testing.T, code, value string) {
	t.Helper()
	r := c.exec(t, script.JavaScript, code)
	require.Equal(t, Completed, r.Status, r.Error)
	require.JSONEq(t, value, string(r.Value))
}

func TestStore(t *testing.T) {
	const on = `{"enabled":true,"timeoutMs":60000,"store":true}`
	onEngines(t, func(t *testing.T, c cells) {
		t.Run("D10 what a cell keeps the next one reads", func(t *testing.T) {
			a := c.withStore(t, "keeps", on)
			a.returns(t, `await store.set("n", {list: [1, "ü\u0000\"", null], __proto__: null}); return store.get("n")`, `{"list":[1,"ü\u0000\"",null]}`)
			c.withStore(t, "keeps", on).returns(t, `const n = await store.get("n"); n.list.push(2); return [n.list.length, store.get("n").list.length]`, `[4,3]`)
			a.returns(t, `return [await store.delete("n"), await store.delete("n"), typeof store.get("n")]`, `[true,false,"undefined"]`)
			a.returns(t, `return typeof store.get("n")`, `"undefined"`)
		})
		t.Run("D10 a cell reads its own changes at once", func(t *testing.T) {
			a := c.withStore(t, "at once", on)
			a.returns(t, `store.set("n", 1); const was = store.get("n"); store.set("n", 2); const is = store.get("n"); store.delete("n");
				return [was, is, typeof store.get("n")]`, `[1,2,"undefined"]`)
			a.returns(t, `return typeof store.get("n")`, `"undefined"`)
			a.returns(t, `store.set("n", 5)`, `null`)
			a.returns(t, `return store.get("n")`, `5`)
		})
		t.Run("D10 a change that is refused is undone", func(t *testing.T) {
			a := c.withStore(t, "undone", `{"enabled":true,"timeoutMs":60000,"store":{"enabled":true,"maxBytes":1024,"maxKeys":2}}`)
			a.returns(t, `await store.set("n", 1);
				const big = store.set("n", "x".repeat(2000)), seen = store.get("n").length;
				const e = await big.catch((e) => e);
				return [seen, e.code, e.message, store.get("n")]`,
				`[2000,"store_full","store is full: key and value have 2003 bytes, the session's other ones 0, and it may keep 1024. Store less, or delete keys.",1]`)
			a.returns(t, `await store.set("m", 1); try { await store.set("o", 1) } catch (e) { return [e.message, typeof store.get("o")] }`,
				`["store is full: the session may keep 2 keys. Delete some, or keep several values under one key.","undefined"]`)
			a.returns(t, `try { await store.set("n", "x".repeat(1e5)) } catch (e) { return e.message }`,
				`"store is full: a session may keep 1024 bytes, and this value alone is larger. Store less."`)
		})
		t.Run("D10 bad keys and values have their errors", func(t *testing.T) {
			a := c.withStore(t, "bad", on)
			a.returns(t, `const said = [];
				for (const [key, value] of [[1, 1], ["", 1], ["k".repeat(257), 1], ["k", undefined], ["k", () => 1], ["k", Promise.resolve(1)]]) {
					await store.set(key, value).catch((e) => said.push(e.message));
				}
				try { store.get({}) } catch (e) { said.push(e.message) }
				await store.delete(Symbol()).catch((e) => said.push(e.message));
				await store.set("k", {toJSON() { throw new Error("mine") }}).catch((e) => said.push(e.message));
				return said`, `["store key must be a string that is not empty.","store key must be a string that is not empty.",
				"store key must have 1 to 256 bytes, and this one has 257.","store.set needs a JSON value; store.delete(key) removes one.",
				"store.set needs a JSON value; store.delete(key) removes one.","store.set was given a promise; await it first.",
				"store key must be a string that is not empty.","store key must be a string that is not empty.","mine"]`)
		})
		t.Run("D10 keys that mean something to objects are keys like others", func(t *testing.T) {
			a := c.withStore(t, "forged", on)
			const keys = `["__proto__", "constructor", "prototype", "toString", "toJSON", "get", "0", "\ud800", "a\u0000b"]`
			a.returns(t, `for (const k of `+keys+`) { if (store.get(k) !== undefined) return k; await store.set(k, {polluted: k}) } return 1`, `1`)
			a.returns(t, `return [({}).polluted, `+keys+`.map((k) => store.get(k).polluted === k || k === "\ud800")]`,
				`[null,[true,true,true,true,true,true,true,true,true]]`)
		})
		t.Run("D1 the store can't be replaced, nor its working be changed by the cell", func(t *testing.T) {
			a := c.withStore(t, "hostile", on)
			a.returns(t, `const errors = [];
				for (const f of [() => { "use strict"; store.get = 1 }, () => { "use strict"; globalThis.store = 1 }, () => { "use strict"; delete globalThis.store }]) {
					try { f() } catch (e) { errors.push(e.name) }
				}
				Object.prototype.toJSON = () => "planted"; String.prototype.toJSON = Array.prototype.toJSON = () => ["planted"];
				JSON.parse = Promise.prototype.then = Reflect.apply = Object.create = () => "planted"; String.prototype.toWellFormed = () => "planted";
				Object.defineProperty(Object.prototype, "key", { get: () => "planted", set() {} });
				store.set("n", 1);
				return errors + " " + typeof store.get("n") + (store.__proto__ === undefined) + ("store" in namespaces)`,
				`"TypeError,TypeError,TypeError numbertruefalse"`)
			a.returns(t, `return [store.get("n"), typeof store.get("planted")]`, `[1,"undefined"]`)
		})
		t.Run("D10 off unless configured, and each session its own", func(t *testing.T) {
			c.withStore(t, "one", on).returns(t, `await store.set("n", 1); return 1`, `1`)
			c.withStore(t, "two", on).returns(t, `return typeof store.get("n")`, `"undefined"`)
			off := c.withStore(t, "one", `{"enabled":true}`)
			off.returns(t, `return [typeof store, "store" in globalThis]`, `["undefined",false]`)
			require.Contains(t, strings.Join(off.exec(t, script.JavaScript, `return store.get("n")`).Hints, " "), "There is no store in this turn")
		})
		t.Run("D10 a turn without a session has a store of its own", func(t *testing.T) {
			alone := func() cells {
				turn, err := c.turn.service.Prepare(t.Context(), "", &TurnRequest{Config: []byte(on)})
				require.NoError(t, err)
				return cells{turn}
			}
			a := alone()
			a.returns(t, `await store.set("n", 1); return 1`, `1`)
			a.returns(t, `return store.get("n")`, `1`)
			alone().returns(t, `return typeof store.get("n")`, `"undefined"`)
			held := a.turn.account.Held()
			require.NoError(t, a.turn.service.DropTurn("", a.turn.id))
			require.Less(t, a.turn.account.Held(), held-int64(a.turn.held))
		})
		t.Run("D10 a suspended run reads what it would have read, and what it changes counts", func(t *testing.T) {
			config := on
			if c.turn.service.offloader != nil {
				config = `{"enabled":true,"timeoutMs":60000,"store":true,"snapshot":{"resume":"restore"}}`
			}
			a := c.withStore(t, "suspended", config)
			a.returns(t, `await store.set("n", 1); await store.set("m", 1); return 1`, `1`)
			r, err := a.turn.Exec(t.Context(), ExecInput{Code: quoted(`await store.set("own", 1); await yield_control(); const n = store.get("n"); await store.set("m", 3);
				await yield_control(); return [n, store.get("n"), store.get("m"), store.get("own")]`)})
			require.NoError(t, err)
			require.Equal(t, Waiting, r.Status)
			a.returns(t, `await store.set("n", 2); await store.set("m", 2); return store.get("own")`, `1`)
			for r.Status == Waiting {
				if c.turn.service.offloader != nil {
					out, err := a.turn.Export(t.Context(), r.RunID)
					require.NoError(t, err)
					_, err = a.turn.Import(t.Context(), r.RunID, out.Snapshot)
					require.NoError(t, err)
				}
				r, err = a.turn.Wait(t.Context(), WaitInput{RunID: quoted(r.RunID)})
				require.NoError(t, err)
			}
			require.JSONEq(t, `[1,1,3,1]`, string(r.Value), r.Error)
			a.returns(t, `return [store.get("n"), store.get("m")]`, `[2,3]`)
		})
		t.Run("G7 the end of the session is that of its store", func(t *testing.T) {
			a := c.withStore(t, "ends", on)
			a.returns(t, `await store.set("n", 1); return 1`, `1`)
			_, err := a.turn.service.DropSession("", "ends")
			require.NoError(t, err)
			c.withStore(t, "ends", on).returns(t, `return typeof store.get("n")`, `"undefined"`)
		})
		t.Run("A4 the model is told of it where it is on", func(t *testing.T) {
			tools, err := c.withStore(t, "told", on).turn.Tools("")
			require.NoError(t, err)
			require.Contains(t, string(tools), "store.get(key)")
			tools, err = c.turn.Tools("")
			require.NoError(t, err)
			require.NotContains(t, string(tools), "store.get(key)")
		})
		t.Run("H6 a cell that can't reach the store is not given it", func(t *testing.T) {
			a := c.withStore(t, "unused", on)
			a.returns(t, `await store.set("n", "`+strings.Repeat("x", 1000)+`"); return 1`, `1`)
			r, err := newRun(a.turn, cell{source: &script.Source{Body: "return 1"}})
			require.NoError(t, err)
			took, err := r.openGlobals(nil)
			require.NoError(t, err)
			require.Zero(t, took)
			require.Empty(t, r.globals)
			r.discard()
		})
	})
}
