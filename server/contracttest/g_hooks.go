package contracttest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// hooked gives a tool to the owner whose calls the target's hooks are asked about.
func hooked(tool object) object { return with(tool, object{"owner": hookOwner}) }

// orders is the text of an input that tells the hooks what to do.
func orders(o object) string { return mustJSON(o) }

func hooks(t *testing.T, c *client) {
	needs := with(hooked(echo("needs")), object{"parameters": object{
		"type": "object", "properties": object{"n": object{"type": "integer"}}, "required": []string{"n"},
	}})
	who := object{"agentId": "a1", "sessionId": "hooks", "sessionKey": "k1", "runId": "r1", "sender": "u1", "channel": "c1"}
	tn := c.prepare(t, spec{context: who, policy: object{"sandbox": object{"allow": []string{"*"}, "alsoAllow": []string{"*"}}}, tools: []object{
		hooked(echo("own")), needs, hooked(broken("fails", "it broke")), hooked(asking("ask")), hooked(mcp(hookOwner, "look", object{})),
		hooked(echo("before_tool_call")), echo("free"),
	}})
	const caught = `.catch(e => e.code + ": " + e.message)`
	for _, tc := range []struct{ name, code, want string }{
		{"nothing to say", `tools.own({a: 1})`, `{"name":"own","input":{"a":1}}`},
		{"a block", `tools.own({before: '{"block":true,"reason":"not today"}'})` + caught, `"hook_blocked: not today"`},
		{"a block of tools.call", `tools.call("openclaw:hooked:own", {before: '{"block":true}'})` + caught, `"hook_blocked: a hook blocked this call"`},
		{"a block of an MCP call", `MCP.hooked.look({before: '{"block":true,"reason":"no"}'})` + caught, `"hook_blocked: no"`},
		{"another input", `tools.own({before: '{"input":{"b":2}}'})`, `{"name":"own","input":{"b":2}}`},
		{"an invalid input that is mended", `tools.needs({before: '{"input":{"n":2}}'})`, `{"name":"needs","input":{"n":2}}`},
		{"a result", `tools.own({after: '{"result":{"details":"***"}}'})`, `"***"`},
		{"a result in place of an error", `tools.fails({after: '{"result":{"details":"***"}}'})`, `"***"`},
		{"an error", `tools.own({after: '{"error":"nothing for you"}'})` + caught, `"tool_error: nothing for you"`},
		{"a tool named like a hook", `tools.before_tool_call({before: '{"input":{"b":2}}'})`, `{"name":"before_tool_call","input":{"b":2}}`},
		{"a tool that no hook is asked about", `tools.free({before: '{"block":true}'})`, `{"name":"free","input":{"before":"{\"block\":true}"}}`},
	} {
		t.Run("G1 "+tc.name, func(t *testing.T) {
			tn.exec(t, `return await `+tc.code).completed(tc.want)
		})
	}
	for _, tc := range []struct {
		name, call string
		says       []string
	}{
		{"an input that does not fit", `tools.needs({n: 1, before: '{"input":{"n":"x"}}'})`, []string{"invalid_input: the input, as hook ", "changed it, is not valid", "n"}},
		{"garbage", `tools.own({before: '<html>'})`, []string{"hook_failed: ", "did not answer with JSON"}},
		{"a misspelt key", `tools.own({before: '{"blok":true}'})`, []string{"hook_failed: ", "did it mean", "block"}},
		{"an error of the hook's server", `tools.own({before: '{}', status: 503})`, []string{"hook_failed: ", "HTTP 503"}},
		{"10 MB", `tools.own({before: '{"reason":"' + "x".repeat(10e6) + '"}'})`, []string{"hook_failed: ", "more than 4194304 bytes"}},
		{"no answer", `tools.own({hang: "before"})`, []string{"hook_failed: ", "did not answer within"}},
		{"garbage afterwards", `tools.own({after: '[]'})`, []string{"hook_failed: ", "the tool's result is withheld"}},
	} {
		t.Run("G1 a hook that fails refuses the call: "+tc.name, func(t *testing.T) {
			r := tn.exec(t, `const all = await Promise.all([`+tc.call+caught+`, tools.free({})]); return all`).result("completed")
			r.mentions("value.0", tc.says...).has("value.1", `{"name":"free","input":{}}`)
		})
	}
	t.Run("G1 what hooks are told", func(t *testing.T) {
		r := tn.execInput(t, object{"toolCallId": "outer-1", "code": `return await tools.own({after: "tell"})`}).result("completed")
		told := r.body.Get("value")
		for key, want := range map[string]string{
			"event": `"after_tool_call"`, "parentCallId": `"outer-1"`, "turnId": mustJSON(tn.id), "toolId": `"openclaw:hooked:own"`, "name": `"own"`,
			"input": `{"after":"tell"}`, "context": mustJSON(with(who, object{"sandboxed": true})), "result.details": `{"name":"own","input":{"after":"tell"}}`,
		} {
			require.JSONEq(t, want, told.Get(key).Raw, key)
		}
		require.True(t, strings.HasPrefix(told.Get("callId").Str, told.Get("runId").Str+"."), told.Raw)
	})
	t.Run("C10 a call of the caller's", func(t *testing.T) {
		r := tn.exec(t, `return await tools.ask(`+orders(object{"before": `{"input":{"q":1,"after":"{\"result\":{\"details\":\"***\"}}"}}`})+`)`).waiting("pending_tools")
		require.EqualValues(t, 1, r.body.Get("pendingToolCalls.0.input.q").Int(), r.story())
		tn.deliver(t, r.runID(), ok(r.pending(0), object{"secret": 1}))
		tn.wait(t, r.runID()).completed(`"***"`)
	})
	t.Run("G7 a call that waits in a hook ends with its run", func(t *testing.T) {
		narrow := c.prepare(t, spec{config: object{"drainMs": 1}, tools: []object{hooked(echo("own"))}})
		r := narrow.exec(t, `return await tools.own({hang: "before"})`).waiting("pending_tools")
		c.drop(t, "/v1/runs/"+r.runID()).is(http.StatusNoContent)
		narrow.wait(t, r.runID()).refused("code mode run is unavailable or expired.")
	})
}

// announcements are about the other tenant's cells, which the target asks a hook about.
func announcements(t *testing.T, c *client) {
	tn := c.other().prepare(t, spec{})
	cell := func(o object, code string) string { return "// " + orders(o) + "\n" + code }
	t.Run("G2 what hooks are told of a cell", func(t *testing.T) {
		r := tn.execInput(t, object{"toolCallId": "outer-1", "command": cell(object{"before": "tell"}, "return 1"), "language": "typescript"})
		r.failed("invalid_input", `the cell was not run: {"event":"before_tool_call","callId":"outer-1"`)
		told := gjson.Parse(strings.TrimPrefix(r.str("error"), "the cell was not run: ")) // which may be cut
		require.Equal(t, []string{"exec", "code_mode_exec", "typescript"}, []string{told.Get("name").Str, told.Get("toolKind").Str, told.Get("toolInputKind").Str}, r.story())
		require.Equal(t, told.Get("input.code").Str, told.Get("input.command").Str)
		require.Contains(t, told.Get("input.code").Str, "return 1")
	})
	for _, tc := range []struct{ name, input, want string }{
		{"code", `{"code":"return 2"}`, `2`},
		{"command", `{"command":"return 2"}`, `2`},
		{"both", `{"code":"return 2","command":"return 2"}`, `2`},
		{"the language", `{"code":"return 2 as number","language":"typescript"}`, `2`},
	} {
		t.Run("G2 a rewrite holds for both names: "+tc.name, func(t *testing.T) {
			tn.exec(t, cell(object{"before": `{"input":` + tc.input + `}`}, "return 1")).completed(tc.want).mentions("hints", "changed the cell")
		})
	}
	t.Run("G2 a cell that a hook blocks is not run", func(t *testing.T) {
		tn.exec(t, cell(object{"before": `{"block":true,"reason":"no cells today"}`}, "return 1")).failed("invalid_input", "the cell was not run: no cells today")
	})
	t.Run("G2 a hook that fails keeps the cell from running", func(t *testing.T) {
		tn.exec(t, cell(object{"before": `<html>`}, "return 1")).failed("runtime_unavailable", `the cell was not run: hook "cells" failed: it did not answer with JSON`)
		tn.exec(t, cell(object{"hang": "before"}, "return 1")).failed("runtime_unavailable", `the cell was not run: hook "cells" failed: it did not answer within`)
	})
	t.Run("G2 other cells run as ever", func(t *testing.T) {
		tn.exec(t, "return 1").completed("1").lacks("hints")
	})
}
