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
	t.Run("D5a other names of parameters are taken, with a remark", func(t *testing.T) {
		schema := object{"type": "object", "properties": object{"n": object{"type": "integer"}}, "required": []string{"n"}}
		for _, name := range []string{"inputSchema", "input_schema", "parametersJsonSchema"} {
			tn := c.prepare(t, spec{tools: []object{with(echo("t"), object{name: schema})}})
			tn.reply.mentions("warnings", name, "parameters")
			tn.exec(t, `return await tools.t({n: "x"}).catch(e => e.code)`).completed(`"invalid_input"`)
		}
		openAI := object{"name": "t", "description": "Does it.", "parameters": schema, "strict": true}
		tn := c.prepare(t, spec{tools: []object{{"source": "openclaw", "owner": "lab", "type": "function", "function": openAI, "executor": object{"type": "echo"}}}})
		tn.reply.mentions("warnings", "strict")
		tn.exec(t, `return [(await tools.t({n: 1})).input, await tools.t({}).catch(e => e.code), ALL_TOOLS[0].description]`).completed(`[{"n":1},"invalid_input","Does it."]`)
	})
	for _, v := range []struct {
		rule string
		body object
		says []string
	}{
		{"a slip for a key that is not there", object{"tools": []object{{"source": "openclaw", "name": "t", "descripton": "x"}}}, []string{"tools[0]", `"descripton"`, `"description"`}},
		{"two names of one thing that differ", object{"tools": []object{with(echo("t"), object{"parameters": object{}, "inputSchema": object{"type": "object"}})}}, []string{"inputSchema", "parameters"}},
		{"a slip below mcp", object{"tools": []object{{"source": "mcp", "owner": "s", "name": "t", "mcp": object{"server_nam": "s"}}}}, []string{"server_nam", "serverName"}},
		{"an unknown key of an executor", object{"tools": []object{lab("t", object{"type": "echo", "delay": 5})}}, []string{"delay", "delayMs"}},
		{"an unknown key of the policy", object{"policy": object{"denny": []string{"*"}}}, []string{"policy", "denny", "deny"}},
		{"an unknown key of the sandbox's policy", object{"policy": object{"sandbox": object{"also_alow": []string{"*"}}}}, []string{"policy.sandbox", "alsoAllow"}},
	} {
		t.Run("D5a refused: "+v.rule, func(t *testing.T) { c.post(t, "/v1/turns", v.body).problem(400, v.says...) })
	}
	t.Run("D5a other unknown keys are warned of, once for all tools", func(t *testing.T) {
		cached := object{"cache_control": object{"type": "ephemeral"}, "annotations": object{"readOnlyHint": true}}
		r := c.prepare(t, spec{context: object{"tenent": "x"}, tools: []object{with(echo("a"), cached), with(echo("b"), cached)}}).reply
		require.Len(t, r.body.Get("warnings").Array(), 2, r.story())
		r.mentions("warnings", "cache_control", "tools[0] and 1 more", "context.tenent")
	})
	t.Run("D5a a turn with its cell is warned of too", func(t *testing.T) {
		turn := object{"config": object{"enabled": true}, "tools": []object{with(echo("a"), object{"x_note": 1})}, "extra": 1}
		c.post(t, "/v1/exec", object{"turn": turn, "code": `return 1`, "langauge": "javascript"}).completed(`1`).mentions("warnings", "x_note", "turn.extra", "langauge", "did you mean")
	})
	t.Run("D5a a result whose value would be lost", func(t *testing.T) {
		asks := c.prepare(t, spec{tools: []object{asking("ask")}})
		r := asks.exec(t, `return await tools.ask({})`).waiting("pending_tools")
		for _, lost := range []object{{"id": r.pending(0), "ok": true, "result": 5}, {"id": r.pending(0), "ok": false, "message": "no"}, {"id": r.pending(0), "ok": true, "vlaue": 5}} {
			asks.wait(t, r.runID(), lost).problem(400, "results[0]")
		}
		asks.wait(t, r.runID(), with(ok(r.pending(0), 5), object{"tookMs": 3})).completed(`5`)
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
