package contracttest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func wireFormat(t *testing.T, c *client) {
	whole := object{
		"context": owner, "config": object{"enabled": true, "timeoutMs": 10000},
		"policy": object{"allow": []string{"*"}, "deny": []string{"openclaw:core:exec"}}, "tools": mixed,
		"mcpServers": []string{}, "raw": false, "disableTools": false,
	}
	t.Run("J a turn", func(t *testing.T) {
		r := c.post(t, "/v1/turns", whole).is(http.StatusOK).has("codeMode", `true`).has("warnings", `[]`).
			has("catalog", `{"size":5,"sources":{"openclaw":3,"mcp":1,"client":1}}`)
		require.Equal(t, "catalog codeMode tools turnId warnings", keys(r.body), r.story())
		require.GreaterOrEqual(t, len(r.str("turnId")), 22, "a turn's id is a capability")
	})
	t.Run("J an unknown member of a turn is a warning", func(t *testing.T) {
		r := c.post(t, "/v1/turns", object{"contxt": 1}).is(http.StatusOK)
		r.mentions("warnings", "contxt")
	})
	t.Run("J turn and cell together", func(t *testing.T) {
		c.post(t, "/v1/exec", object{"turn": whole, "code": `return ALL_TOOLS.length`}).completed(`4`).lacks("turnId")
	})
	t.Run("J turn and cell together, resumed by the turnId of the answer", func(t *testing.T) {
		r := c.post(t, "/v1/exec", object{"turn": whole, "code": `return await tools.pick({})`}).waiting("pending_tools")
		tn := &turn{client: c, id: r.str("turnId")}
		tn.wait(t, r.runID(), ok(r.pending(0), object{"details": "picked"})).completed(`"picked"`)
	})
	t.Run("J a turn that is wrong is a problem there too", func(t *testing.T) {
		c.post(t, "/v1/exec", object{"turn": object{"config": object{"nope": 1}}, "code": `return 1`}).problem(400, "nope")
		c.post(t, "/v1/exec", object{"turn": "x", "code": `return 1`}).problem(400, "turn")
	})
	tn := c.prepare(t, spec{tools: []object{
		{"source": "openclaw", "name": "free"},
		with(echo("described"), object{"executor": object{"type": "caller"}}),
		giving("given", object{"details": 5}), slow("late", 20), broken("bad", "it broke"),
	}})
	t.Run("J a tool without an executor is the caller's, one of type caller too", func(t *testing.T) {
		r := tn.exec(t, `return await Promise.all([tools.free({}), tools.described({})])`).waiting("pending_tools").has("pendingToolCalls.#.toolId", `["openclaw:core:free","openclaw:lab:described"]`)
		tn.wait(t, r.runID(), ok(r.pending(0), 1), ok(r.pending(1), 2)).completed(`[1,2]`)
	})
	t.Run("J the echo executor", func(t *testing.T) {
		tn.exec(t, `return [await tools.given({}), (await tools.late({q: 1})).input, await tools.bad({}).catch(e => e.message)]`).completed(`[5,{"q":1},"it broke"]`)
	})
	t.Run("J the payload check", func(t *testing.T) {
		c.post(t, "/v1/payload/check", object{"tools": tn.reply.body.Get("tools").Value()}).is(http.StatusOK).has("ok", `true`)
		c.post(t, "/v1/payload/check", object{"tools": []object{{"name": "exec"}, {"name": "wait"}, {"name": "x"}}}).problem(http.StatusConflict, "x")
	})
	t.Run("J the same tool twice is one, with a warning", func(t *testing.T) {
		twice := c.prepare(t, spec{tools: []object{echo("same"), with(echo("same"), object{"description": "The last."})}})
		twice.reply.has("catalog.size", `1`).mentions("warnings", "openclaw:lab:same")
		twice.exec(t, `return ALL_TOOLS.map(e => e.description)`).completed(`["The last."]`)
	})
}
