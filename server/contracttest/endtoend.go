package contracttest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Start starts a service with that as the operator's tools.codeMode, to end with the test.
type Start func(t *testing.T, codeMode string) Target

// EndToEnd is the page's E2E test plan, step by step: a service with code mode off, then one with it on, and agents' turns
// with tools of all sources behind servers of their own.
func EndToEnd(t *testing.T, start Start) {
	d := newDesks(t)
	direct := d.tools()[:1]
	t.Run("1 a service with enabled: false", func(t *testing.T) {
		target := start(t, `{"enabled":false}`)
		c := &client{target: target, key: target.Key}
		var r reply
		t.Run("2 a turn with a small set of direct tools", func(t *testing.T) {
			r = c.post(t, "/v1/turns", object{"tools": direct, "context": whoever}).is(http.StatusOK).has("codeMode", `false`)
		})
		t.Run("3 the model's tools are unchanged", func(t *testing.T) {
			r.has("tools.#.name", `["read_file"]`).has("tools.0.parameters", `{"type":"object","properties":{"text":{"type":"string"}}}`)
			c.post(t, "/v1/exec", object{"turnId": r.str("turnId"), "code": "return 1"}).refused("code mode is disabled.")
		})
	})
	t.Run("4 the service again, with enabled: true", func(t *testing.T) {
		target := start(t, `{"enabled":true}`)
		turnsWithAll(t, &client{target: target, key: target.Key}, d)
	})
}

// whoever is on whose behalf the turns are.
var whoever = object{"agentId": "agent", "sessionId": "e2e", "sessionKey": "key", "runId": "run", "sender": "user", "channel": "chat"}

// turnsWithAll is the plan from its fifth step on.
func turnsWithAll(t *testing.T, c *client, d *desks) {
	slow := newToolServer(t, func(s *toolServer, w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.stop:
		case <-r.Context().Done():
		case <-time.After(400 * time.Millisecond):
			respond(w, http.StatusOK, `{"content":[],"details":{"took":"a while"}}`)
		}
	})
	denied := newToolServer(t, nil)
	tools := append(d.tools(), remote("slow", slow.URL), remote("secret", denied.URL))
	body := object{
		"context": whoever, "tools": tools, "mcpServers": []string{"wiki"},
		"policy": object{"deny": []string{"openclaw:lab:secret", "mcp:wiki:erase"}},
	}
	var tn *turn
	t.Run("5 a turn with tools of OpenClaw, a plugin, MCP and the client", func(t *testing.T) {
		r := c.post(t, "/v1/turns", body).is(http.StatusOK).has("codeMode", `true`).has("warnings", `[]`).
			has("catalog.sources", `{"openclaw":4,"mcp":1,"client":1}`)
		tn = &turn{client: c, id: r.str("turnId"), reply: r}
	})
	t.Run("6 the model sees exec and wait alone", func(t *testing.T) { tn.names(t, "exec", "wait") })
	t.Run("7 ALL_TOOLS has the enabled tools", func(t *testing.T) {
		tn.exec(t, `return ALL_TOOLS.map(e => e.id)`).
			completed(`["openclaw:core:read_file","openclaw:core:exec","openclaw:browser:browser_request","openclaw:lab:slow","client:app:select_file"]`)
	})
	t.Run("8 search, describe and call, of tools of OpenClaw, the plugin and the client", func(t *testing.T) {
		r := tn.exec(t, `const called = [];
			for (const [query, input] of [["read file from disk", {text: "a"}], ["open page in browser", {text: "b"}], ["select file", {title: "c"}]]) {
				const [found] = await tools.search(query), card = await tools.describe(found.id);
				called.push([card.source, typeof card.parameters, (await tools.call(card.id, input)).result.details]);
			}
			return called`).waiting("pending_tools").has("pendingToolCalls.0.toolId", `"client:app:select_file"`).has("pendingToolCalls.0.input", `{"title":"c"}`)
		require.JSONEq(t, `{"text":"a"}`, d.files.request().body.Get("input").Raw)
		require.Equal(t, "e2e", d.files.request().body.Get("context.sessionId").Str)
		tn.wait(t, r.runID(), ok(r.pending(0), object{"details": "c.txt"})).
			completed(`[["openclaw","object",{"by":"files","input":{"text":"a"}}],["openclaw","object",{"by":"browser","input":{"text":"b"}}],["client","object","c.txt"]]`)
	})
	t.Run("9 the declarations describe the MCP tools that are visible", func(t *testing.T) {
		tn.exec(t, `const {files} = await API.list("mcp"), {content} = await API.read("mcp/wiki.d.ts");
			return [files.map(f => f.path).sort(), content.includes("function lookUp("), content.includes("@param page Its title"), content.includes("erase")]`).
			completed(`[["mcp/index.d.ts","mcp/wiki.d.ts"],true,true,false]`)
	})
	t.Run("10 an MCP tool is called through MCP, and is nowhere else", func(t *testing.T) {
		tn.exec(t, `const r = await MCP.wiki.lookUp({page: "Go"});
			return [r.structuredContent, ALL_TOOLS.filter(e => e.source === "mcp"), Object.keys(tools).filter(k => k.startsWith("look"))]`).
			completed(`[{"page":"Go","lang":"en"},[],[]]`)
	})
	t.Run("11 a denied tool is not there, and not called by a guessed id", func(t *testing.T) {
		tn.exec(t, `return [typeof tools.secret, typeof MCP.wiki.erase, ...await Promise.all(["openclaw:lab:secret", "secret", "mcp:wiki:erase"].map(id => tools.call(id, {}).catch(e => e.code)))]`).
			completed(`["undefined","undefined","unknown_tool","unknown_tool","unknown_tool"]`)
		denied.called(t, 0)
	})
	var waiting reply
	impatient := object{"drainMs": 50}
	if c.target.Restores {
		impatient["snapshot"] = object{"resume": "restore"}
	}
	brief := c.post(t, "/v1/turns", with(body, object{"config": impatient})).is(http.StatusOK).str("turnId")
	resumed := &turn{client: c, id: brief}
	t.Run("12 a nested call that is settled after exec has answered waiting", func(t *testing.T) {
		waiting = resumed.exec(t, `const state = {before: [1, 2]}; text("before"); const {took} = await tools.slow({}); text("after " + took); return [state, took]`).
			waiting("pending_tools").has("pendingToolCalls.#.toolId", `["openclaw:lab:slow"]`).has("output.#.text", `["before"]`)
	})
	t.Run("13 wait gives the restored guest its result", func(t *testing.T) {
		for waiting.str("status") == "waiting" {
			waiting = resumed.wait(t, waiting.runID())
		}
		waiting.completed(`[{"before":[1,2]},"a while"]`)
		slow.called(t, 1)
	})
	t.Run("14 the final answer has what was put out after the restore", func(t *testing.T) { waiting.has("output.#.text", `["after a while"]`) })
	t.Run("16 the exported trajectory has the nested calls under their exec", func(t *testing.T) {
		tr := tn.trajectory(t, "jsonl")
		under := map[string][]string{}
		exec := ""
		for _, line := range tr.lines {
			switch line.Get("type").Str {
			case "exec":
				exec = line.Get("callId").Str
			case "call":
				require.Equal(t, exec, line.Get("parentCallId").Str, tr.story())
				under[line.Get("outcome").Str] = append(under[line.Get("outcome").Str], line.Get("name").Str)
			}
		}
		require.Equal(t, map[string][]string{
			"completed": {"read_file", "browser_request", "select_file", "look-up"}, "refused": {"openclaw:lab:secret", "secret", "mcp:wiki:erase"},
		}, under, tr.story())
		tn.trajectory(t, "transcript").replays()
		resumed.trajectory(t, "transcript").replays().all("content.0.name", "exec", "", "slow", "", "wait", "").line(3, "content.0.text", `"{\"content\":[],\"details\":{\"took\":\"a while\"}}"`)
	})
	t.Run("15 a timeout, an abort and an expiry leave nothing behind", func(t *testing.T) { leavesNothing(t, c, body) })
}

// leavesNothing ends runs in each way, with calls under way, and counts what the service and the tools hold.
func leavesNothing(t *testing.T, c *client, body object) {
	stuck := newToolServer(t, stall)
	short := with(body, object{"tools": []object{remote("stuck", stuck.URL)}, "config": object{"timeoutMs": 300, "drainMs": 50, "snapshotTtlSeconds": 1}})
	c.eventually(t, "suspended", 0)
	before := c.get(t, "/readyz").body
	tn := &turn{client: c, id: c.post(t, "/v1/turns", short).is(http.StatusOK).str("turnId")}
	tn.exec(t, `tools.stuck({}); await null; for(;;);`).failed("timeout", "code mode timeout exceeded")
	aborted := tn.exec(t, `await tools.stuck({})`).waiting("pending_tools")
	stuck.holds(t, 1)
	c.drop(t, "/v1/runs/"+aborted.runID()).is(http.StatusNoContent)
	stuck.cancelled(t, 1)
	c.eventually(t, "suspended", 0)
	tn.wait(t, aborted.runID()).refused(textUnavailable)
	expired := tn.exec(t, `await tools.stuck({})`).waiting("pending_tools")
	stuck.cancelled(t, 2)
	c.eventually(t, "suspended", 0)
	tn.wait(t, expired.runID()).refused(textUnavailable)
	c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
	require.True(t, before.Get("heldBytes").Exists(), before.Raw)
	for _, count := range []string{"turns", "parked", "snapshots", "snapshotBytes", "heldBytes"} {
		c.eventually(t, count, before.Get(count).Int())
	}
	c.eventually(t, "running", 0)
}
