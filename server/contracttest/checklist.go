package contracttest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// desks are real tools of each kind, behind HTTP servers of their own, as a gateway has them: core and a plugin's, an MCP
// server's by name, and the caller's. The shell tool is one of them.
type desks struct {
	files, browser, shell *toolServer
}

func newDesks(t *testing.T) *desks {
	by := func(name string) *toolServer {
		return newToolServer(t, func(s *toolServer, w http.ResponseWriter, _ *http.Request) {
			respond(w, http.StatusOK, `{"content":[{"type":"text","text":"`+name+`"}],"details":{"by":"`+name+`","input":`+s.request().body.Get("input").Raw+`}}`)
		})
	}
	return &desks{by("files"), by("browser"), by("shell")}
}

func (d *desks) tools() []object {
	http := func(owner, name, description string, s *toolServer) object {
		return object{
			"source": "openclaw", "owner": owner, "name": name, "description": description, "executor": object{"type": "http", "url": s.URL},
			"parameters": object{"type": "object", "properties": object{"text": object{"type": "string"}}},
		}
	}
	return []object{
		http("core", "read_file", "Read a file from disk.", d.files), http("core", "exec", "Run a shell command.", d.shell),
		http("browser", "browser_request", "Open a page in the browser.", d.browser), asking("select_file"),
	}
}

// prepareWith is prepare with further members of the request.
func (c *client) prepareWith(t *testing.T, s spec, extra object) *turn {
	t.Helper()
	body := s.body()
	for name, value := range extra {
		body[name] = value
	}
	r := c.post(t, "/v1/turns", body).is(http.StatusOK)
	t.Cleanup(func() {
		req, _ := http.NewRequest(http.MethodDelete, c.target.Base+"/v1/turns/"+r.str("turnId"), nil)
		req.Header.Set("Authorization", "Bearer "+c.key)
		if resp, err := c.target.Client.Do(req); err == nil {
			resp.Body.Close()
		}
	})
	return &turn{client: c, id: r.str("turnId"), reply: r}
}

// names wants the model to see exactly these tools, in this order.
func (tn *turn) names(t *testing.T, want ...string) {
	t.Helper()
	raw, err := json.Marshal(want)
	require.NoError(t, err)
	tn.reply.has("tools.#.name", string(raw))
}

var onWiki = object{"mcpServers": []string{"wiki"}}

// checklist is the page's verification checklist, item by item, in its order.
func checklist(t *testing.T, c *client) {
	d := newDesks(t)
	tools := d.tools()
	direct := []string{"read_file", "exec", "browser_request", "select_file"}
	on := c.prepareWith(t, spec{tools: tools}, onWiki)

	t.Run("a disabled config leaves the tools unchanged", func(t *testing.T) {
		for _, config := range []object{{"enabled": false}, {"enabled": false, "timeoutMs": 500}} {
			tn := c.prepare(t, spec{config: config, tools: tools})
			tn.reply.has("codeMode", `false`)
			tn.names(t, direct...)
			tn.reply.has("tools.0.description", `"Read a file from disk."`).has("tools.0.parameters", `{"type":"object","properties":{"text":{"type":"string"}}}`)
		}
	})
	t.Run("an object without enabled: true leaves code mode off", func(t *testing.T) {
		for _, config := range []object{{}, {"timeoutMs": 500}, {"enabled": "true"}, {"enabled": 1}, {"enabled": nil}} {
			tn := c.prepare(t, spec{config: with(object{"enabled": false}, config), tools: tools})
			tn.reply.has("codeMode", `false`)
			tn.names(t, direct...)
		}
		for _, config := range []any{false, nil, object{"maxOutputBytes": 2048}} {
			r := c.post(t, "/v1/turns", object{"config": config, "tools": tools}).is(http.StatusOK).has("codeMode", `false`)
			c.drop(t, "/v1/turns/"+r.str("turnId"))
		}
	})
	t.Run("an enabled config shows exec and wait alone where tools are active", func(t *testing.T) {
		on.reply.has("codeMode", `true`)
		on.names(t, "exec", "wait")
		for _, format := range []string{"openai", "openai-responses", "anthropic", "gemini", "mcp"} {
			r := c.post(t, "/v1/turns?format="+format, with(spec{tools: tools}.body(), onWiki)).is(http.StatusOK)
			c.post(t, "/v1/payload/check", `{"tools":`+r.body.Get("tools").Raw+`}`).is(http.StatusOK).has("ok", `true`)
			c.drop(t, "/v1/turns/"+r.str("turnId"))
		}
		c.post(t, "/v1/payload/check", object{"tools": []object{{"name": "exec"}, {"name": "wait"}, {"name": "read_file"}}}).is(http.StatusConflict)
	})
	t.Run("raw runs without tools, disableTools and an empty allow list force no payload", func(t *testing.T) {
		for _, extra := range []object{{"raw": true}, {"disableTools": true}, {"policy": object{"allow": []string{}}}} {
			tn := c.prepareWith(t, spec{tools: tools}, extra)
			tn.reply.has("codeMode", `false`)
			tn.exec(t, `return 1`).refused("code mode is disabled.")
		}
	})
	t.Run("every enabled tool that is not of MCP is in ALL_TOOLS", func(t *testing.T) {
		on.exec(t, `return ALL_TOOLS.map(e => e.id)`).
			completed(`["openclaw:core:read_file","openclaw:core:exec","openclaw:browser:browser_request","client:app:select_file"]`)
	})
	t.Run("a denied tool is not in ALL_TOOLS", func(t *testing.T) {
		tn := c.prepareWith(t, spec{tools: tools, policy: object{"deny": []string{"browser_request", "openclaw:core:exec", "mcp:wiki:erase"}}}, onWiki)
		tn.exec(t, `return [ALL_TOOLS.map(e => e.name), typeof MCP.wiki.erase, typeof MCP.wiki.lookUp, typeof tools.browser_request]`).
			completed(`[["read_file","select_file"],"undefined","function","undefined"]`)
		before := d.browser.calls.Load() + d.shell.calls.Load()
		tn.exec(t, `return await Promise.all(["openclaw:browser:browser_request", "browser_request", "openclaw:core:exec", "mcp:wiki:erase"].map(
			id => tools.call(id, {}).then(() => "ran", e => e.code)))`).completed(`["unknown_tool","unknown_tool","unknown_tool","unknown_tool"]`)
		require.Equal(t, before, d.browser.calls.Load()+d.shell.calls.Load())
		tn.reply.conceals("browser_request", "erase")
	})
	t.Run("tools.search, tools.describe and tools.call work for the gateway's tools", func(t *testing.T) {
		on.exec(t, `const [found] = await tools.search("read file"), card = await tools.describe(found.id);
			const {tool, result} = await tools.call(card.id, {text: "a"});
			return [found.id, card.parameters.properties.text.type, tool.id, result.details, await tools.browser_request({text: "b"})]`).
			completed(`["openclaw:core:read_file","string","openclaw:core:read_file",{"by":"files","input":{"text":"a"}},{"by":"browser","input":{"text":"b"}}]`)
	})
	t.Run("API.list and API.read give MCP declarations without a bridge or tool call", func(t *testing.T) {
		fresh := c.prepareWith(t, spec{tools: tools}, onWiki)
		fresh.exec(t, `const {files} = await API.list("mcp"), {content} = await API.read("mcp/wiki.d.ts");
			return [files.map(f => f.path).sort(), content.includes("declare namespace MCP.wiki"), /function lookUp\(/.test(content), content.includes("page: string"), content.includes("lang?: string")]`).
			completed(`[["mcp/index.d.ts","mcp/wiki.d.ts"],true,true,true,true]`).
			has("telemetry.callCount", `0`).has("telemetry.searchCount", `0`).has("telemetry.describeCount", `0`).has("telemetry.runtime.steps", `1`)
	})
	t.Run("$api of the MCP namespace is there for schemas", func(t *testing.T) {
		on.exec(t, `const a = await MCP.wiki.$api("lookUp", {schema: true}); return [a.server.serverName, a.tools[0].mcpTool, a.schemas.lookUp.required]`).
			completed(`["wiki","look-up",["page"]]`)
	})
	t.Run("an MCP call takes one object, and no MCP entry is in tools", func(t *testing.T) {
		on.exec(t, `const r = await MCP.wiki.lookUp({page: "Go"}); return [r.content[0].text, r.structuredContent]`).
			completed(`["look-up: {\"page\":\"Go\",\"lang\":\"en\"}",{"lang":"en","page":"Go"}]`)
		on.exec(t, `return [await MCP.wiki.lookUp("Go").catch(e => e.message), Object.keys(tools).filter(k => /look|erase/.test(k)),
			await tools.call("mcp:wiki:look-up", {page: "Go"}).catch(e => e.code), await tools.describe("mcp:wiki:look-up").catch(e => e.code), (await tools.search("looks a page up")).some(e => e.source === "mcp"), ALL_TOOLS.some(e => e.source === "mcp")]`).
			completed(`["MCP namespace tools accept one object argument.",[],"unknown_tool","unknown_tool",false,false]`)
	})
	t.Run("the controls of Tool Search are on no surface and in no catalog", func(t *testing.T) {
		controls := []string{"tool_search_code", "tool_search", "tool_describe", "tool_call"}
		all := append([]object{}, tools...)
		for _, name := range controls {
			all = append(all, with(echo(name), object{"owner": "core"}))
		}
		tn := c.prepare(t, spec{tools: all})
		tn.names(t, "exec", "wait")
		tn.reply.conceals(controls...)
		tn.exec(t, `return [ALL_TOOLS.filter(e => e.name.startsWith("tool_")), Object.keys(tools).filter(k => k.startsWith("tool_")),
			await tools.call("openclaw:core:tool_call", {}).catch(e => e.code)]`).completed(`[[],[],"unknown_tool"]`)
	})
	t.Run("nested calls keep approvals and what hooks do", func(t *testing.T) {
		approvalsHold(t, c, d)
		hooksHold(t, c, d)
	})
	t.Run("a shell tool named exec is hidden from the model, and called by its id where it is allowed", func(t *testing.T) {
		on.exec(t, `return [(await tools.call("openclaw:core:exec", {text: "ls"})).result.details, typeof tools.exec]`).
			completed(`[{"by":"shell","input":{"text":"ls"}},"function"]`)
		denied := c.prepare(t, spec{tools: tools, policy: object{"deny": []string{"openclaw:core:exec"}}})
		denied.exec(t, `return [await tools.call("openclaw:core:exec", {}).catch(e => e.code), typeof tools.exec]`).completed(`["unknown_tool","undefined"]`)
	})
	t.Run("code mode's own exec and wait can't be called by a cell", func(t *testing.T) {
		plain := c.prepare(t, spec{tools: []object{tools[0]}})
		plain.exec(t, `return [typeof exec, typeof wait, typeof tools.exec, typeof tools.wait, await Promise.all(
			["exec", "wait", "openclaw:core:exec", "openclaw:core:wait", "openclaw:codecell:exec", "client:app:exec"].map(id => tools.call(id, {code: "return 1"}).catch(e => e.code)))]`).
			completed(`["undefined","undefined","undefined","undefined",["unknown_tool","unknown_tool","unknown_tool","unknown_tool","unknown_tool","unknown_tool"]]`)
	})
	t.Run("TypeScript is transformed and run, and nothing of it where it is off or the cell is JavaScript", func(t *testing.T) {
		const cell = `enum Color { Red = 3 } interface P { n: number } const f = <T,>(x: T): T => x; const p = { n: Color.Red } as P; return f<number>(p.n)`
		on.execInput(t, object{"code": cell, "language": "typescript"}).completed(`3`)
		on.execInput(t, object{"code": "const n: number = ;", "language": "typescript"}).refused("typescript transform failed:")
		on.execInput(t, object{"code": cell, "language": "javascript"}).failed("internal_error", "SyntaxError")
		js := c.prepare(t, spec{config: object{"languages": []string{"javascript"}}, tools: tools})
		js.execInput(t, object{"code": "const n: number = ;", "language": "typescript"}).refused("code mode typescript input is disabled.")
		off := c.prepare(t, spec{config: object{"enabled": false}, tools: tools})
		off.execInput(t, object{"code": "const n: number = ;", "language": "typescript"}).refused("code mode is disabled.")
	})
	t.Run("import, require, files, network and environment fail", func(t *testing.T) {
		for _, code := range []string{`import fs from "fs"`, `return await import("fs")`, `return require("fs")`, `return import.meta.url`} {
			on.exec(t, code).refused(textModules)
		}
		on.exec(t, `const gone = {}; for (const name of ["process", "fetch", "XMLHttpRequest", "WebSocket", "Deno", "Bun", "std", "os", "module", "Buffer", "Worker", "scriptArgs"]) gone[name] = typeof globalThis[name];
			return [[...new Set(Object.values(gone))], await (async () => eval('imp' + 'ort("fs")'))().then(() => "loaded", e => e instanceof Error)]`).completed(`[["undefined"],true]`)
	})
	t.Run("an endless loop times out and can't block the service", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"timeoutMs": 300}, tools: tools})
		for _, code := range []string{`for(;;);`, `for (;;) await null`, `[].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`} {
			open := inBackground(func() reply { return tn.exec(t, code) })
			on.exec(t, `return (await tools.read_file({text: "meanwhile"})).input.text`).completed(`"meanwhile"`)
			(<-open).failed("timeout", "code mode timeout exceeded")
		}
	})
	t.Run("a cell over its memory limit is ended with its guest", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"memoryLimitBytes": 8 << 20, "timeoutMs": 30000}, tools: tools})
		tn.exec(t, `const all = []; for (;;) { try { all.push(new Array(1000).fill(all.length)) } catch {} }`).failed("memory_limit_exceeded", "")
		strict := c.prepare(t, spec{config: object{"memoryLimitBytes": 8 << 20, "timeoutMs": 30000, "errorCodes": "strict"}, tools: tools})
		strict.exec(t, `return "x".repeat(100 << 20).length`).result("failed")
		tn.exec(t, `return 1`).completed(`1`)
	})
	t.Run("caps on output and snapshots hold for cells that complete and that suspend", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"maxOutputBytes": 1024, "maxSnapshotBytes": 1 << 20}, tools: tools})
		tn.exec(t, `text("x".repeat(2000)); return 1`).failed("output_limit_exceeded", "")
		tn.exec(t, `return "x".repeat(2000)`).failed("output_limit_exceeded", "")
		tn.exec(t, `text("x".repeat(2000)); await yield_control(); return 1`).failed("output_limit_exceeded", "").lacks("runId")
		r := tn.exec(t, `text("x".repeat(500)); await yield_control(); text("y".repeat(600)); return 1`).waiting("yield")
		tn.wait(t, r.runID()).failed("output_limit_exceeded", "")
		tn.exec(t, `const big = new Uint8Array(4 << 20).fill(7); await yield_control(); return big.length`).failed("snapshot_limit_exceeded", "")
		r = tn.exec(t, `let big; await yield_control(); big = new Uint8Array(4 << 20).fill(7); await yield_control(); return big.length`).waiting("yield")
		tn.wait(t, r.runID()).failed("snapshot_limit_exceeded", "")
	})
	t.Run("wait resumes a suspended snapshot and gives the final value", func(t *testing.T) {
		r := on.exec(t, `const seen = new Map([["at", [1]]]); text("before"); const file = await tools.select_file({title: "pick"}); seen.get("at").push(file.name); text("after"); return [...seen]`).
			waiting("pending_tools").has("pendingToolCalls.#.toolId", `["client:app:select_file"]`).has("output.#.text", `["before"]`)
		on.wait(t, r.runID(), ok(r.pending(0), object{"details": object{"name": "a.txt"}})).completed(`[["at",[1,"a.txt"]]]`).has("output.#.text", `["after"]`)
	})
	t.Run("an expired, aborted, unknown or foreign run fails", func(t *testing.T) { foreignRuns(t, c, tools) })
	t.Run("a replayed and kept transcript has the control calls of code mode", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: tools})
		r := tn.execInput(t, object{"toolCallId": "control-1", "code": "return await tools.select_file({title: 'pick'})"}).waiting("pending_tools")
		tn.post(t, "/v1/wait", object{"turnId": tn.id, "toolCallId": "control-2", "runId": r.runID(), "results": []object{ok(r.pending(0), object{"details": "a.txt"})}}).completed(`"a.txt"`)
		tn.execInput(t, object{"toolCallId": "control-3", "code": "import 'fs'"}).refused(textModules)
		tn.trajectory(t, "transcript").replays().
			all("content.0.name", "exec", "", "select_file", "", "wait", "", "exec", "").
			all("content.0.id", "control-1", "", r.pending(0), "", "control-2", "", "control-3", "").
			all("isError", "", "false", "", "false", "", "false", "", "true").
			line(0, "content.0.arguments.code", `"return await tools.select_file({title: 'pick'})"`).line(4, "content.0.arguments.runId", `"`+r.runID()+`"`)
	})
	t.Run("transcripts and telemetry show nested calls", func(t *testing.T) {
		tn := c.prepareWith(t, spec{tools: tools}, onWiki)
		tn.exec(t, `await tools.search("file"); await tools.describe("read_file"); await tools.read_file({}); await MCP.wiki.lookUp({page: "Go"}); throw new Error("late")`).
			failed("internal_error", "Error: late").
			has("telemetry.catalogSize", `6`).has("telemetry.sources", `{"openclaw":3,"mcp":2,"client":1}`).has("telemetry.visibleTools", `["exec","wait"]`).
			has("telemetry.searchCount", `1`).has("telemetry.describeCount", `1`).has("telemetry.callCount", `2`).
			has("sideEffects.#.toolId", `["openclaw:core:read_file","mcp:wiki:look-up"]`).has("sideEffects.#.state", `["completed","completed"]`)
		tn.trajectory(t, "transcript").replays().
			all("toolName", "", "exec", "", "read_file", "", "look-up").
			all("toolId", "", "", "openclaw:core:read_file", "openclaw:core:read_file", "mcp:wiki:look-up", "mcp:wiki:look-up").
			all("parentToolCallId", "", "", "call-1", "call-1", "call-1", "call-1").
			line(4, "content.0.arguments.page", `"Go"`).line(5, "isError", `false`)
	})
}

// approvalsHold has a person asked about nested calls of each source.
func approvalsHold(t *testing.T, c *client, d *desks) {
	who := object{"agentId": "a", "sessionId": "approvals", "sessionKey": "k", "sender": "s"}
	tn := c.prepareWith(t, spec{context: who, config: approving("always", "*"), tools: d.tools()}, onWiki)
	const cell = `const all = await Promise.all([tools.read_file({text: "a"}), tools.call("openclaw:browser:browser_request", {text: "b"}), MCP.wiki.lookUp({page: "Go"}), tools.select_file({title: "c"})]
		.map(p => p.catch(e => e.code))); return all.map(r => r.by ?? r.result?.details.by ?? r.structuredContent?.page ?? r)`
	begin := func(t *testing.T) reply {
		t.Helper()
		before := d.files.calls.Load() + d.browser.calls.Load()
		r := tn.exec(t, cell).waiting("pending_tools").has("pendingToolCalls.#.method", `["approval","approval","approval","approval"]`).
			has("pendingToolCalls.#.toolId", `["openclaw:core:read_file","openclaw:browser:browser_request","mcp:wiki:look-up","client:app:select_file"]`)
		require.Equal(t, before, d.files.calls.Load()+d.browser.calls.Load(), "no tool was called")
		return r
	}
	t.Run("a call that nobody has approved reaches no tool, whatever its source", func(t *testing.T) {
		r := begin(t)
		before := d.files.calls.Load() + d.browser.calls.Load()
		for n := range 4 {
			tn.decide(t, r.approvalID(n), no).is(http.StatusOK)
		}
		tn.wait(t, r.runID()).completed(`["approval_denied","approval_denied","approval_denied","approval_denied"]`)
		require.Equal(t, before, d.files.calls.Load()+d.browser.calls.Load())
	})
	t.Run("an approved call reaches its tool once, also after the run was suspended", func(t *testing.T) {
		r := begin(t)
		before := d.files.calls.Load() + d.browser.calls.Load()
		for n := range 4 {
			tn.decide(t, r.approvalID(n), yes).is(http.StatusOK)
		}
		r = tn.wait(t, r.runID()).waiting("pending_tools").has("pendingToolCalls.#.toolId", `["client:app:select_file"]`)
		tn.wait(t, r.runID(), ok(r.pending(0), object{"details": "c.txt"})).completed(`["files","browser","Go","c.txt"]`)
		require.Equal(t, before+2, d.files.calls.Load()+d.browser.calls.Load())
	})
	t.Run("the person is told of whom and what", func(t *testing.T) {
		r := begin(t)
		tn.approval(t, r.approvalID(2)).has("toolId", `"mcp:wiki:look-up"`).has("input", `{"page":"Go","lang":"en"}`).has("context", mustJSON(who)).has("runId", mustJSON(r.runID()))
		c.drop(t, "/v1/runs/"+r.runID()).is(http.StatusNoContent)
	})
}

// hooksHold goes through what the guard does to nested calls of each source, and to cells.
func hooksHold(t *testing.T, c *client, d *desks) {
	guarded := &client{target: c.target, key: c.target.GuardedKey}
	asked := func(name string) []string {
		var events []string
		for _, q := range c.target.Partners.guard.about(name) {
			events = append(events, q.Get("event").Str)
		}
		return events
	}
	tn := guarded.prepareWith(t, spec{context: object{"agentId": "a", "sessionId": "hooks", "sessionKey": "k", "sender": "s"}, tools: d.tools()}, onWiki)
	t.Run("a blocked call rejects with the reason and reaches no tool, whatever its source", func(t *testing.T) {
		before := d.files.calls.Load()
		tn.exec(t, `const word = ["for", "bidden"].join(""); const said = [];
			for (const f of [() => tools.read_file({text: word}), () => tools.call("openclaw:core:read_file", {text: word}), () => MCP.wiki.lookUp({page: word}), () => tools.select_file({text: word})])
				await f().catch(e => said.push([e.code, e.message.includes("the guard forbids it")]));
			return said`).completed(`[["hook_blocked",true],["hook_blocked",true],["hook_blocked",true],["hook_blocked",true]]`)
		require.Equal(t, before, d.files.calls.Load())
	})
	t.Run("a rewritten input is what the tool gets, and it is validated", func(t *testing.T) {
		tn.exec(t, `const word = ["dra", "ft"].join(""); return [(await tools.read_file({text: word})).input.text, (await MCP.wiki.lookUp({page: word})).structuredContent.page]`).
			completed(`["final","final"]`)
	})
	t.Run("a result that is replaced is what the cell gets", func(t *testing.T) {
		tn.exec(t, `const word = ["pass", "word"].join(""); return await tools.read_file({text: word})`).completed(`"withheld"`)
	})
	t.Run("the hook is told of whom and what", func(t *testing.T) {
		tn.execInput(t, object{"code": `return (await tools.browser_request({text: "page"})).by`, "toolCallId": "parent-7"}).completed(`"browser"`)
		require.Equal(t, []string{"before_tool_call", "after_tool_call"}, asked("browser_request"))
		q := c.target.Partners.guard.about("browser_request")[0]
		require.Equal(t, []string{"openclaw:browser:browser_request", "parent-7", "a", "hooks", "k", "s"}, []string{
			q.Get("toolId").Str, q.Get("parentCallId").Str, q.Get("context.agentId").Str, q.Get("context.sessionId").Str, q.Get("context.sessionKey").Str, q.Get("context.sender").Str,
		}, q.Raw)
	})
	t.Run("also after the run was suspended", func(t *testing.T) {
		r := tn.exec(t, `await yield_control(); const word = ["for", "bidden"].join(""); return await tools.read_file({text: word}).catch(e => e.code)`).waiting("yield")
		tn.wait(t, r.runID()).completed(`"hook_blocked"`)
	})
	t.Run("the cell itself is announced, with both aliases", func(t *testing.T) {
		tn.execInput(t, object{"command": `const announced: number = 1; return announced`, "language": "typescript"}).completed(`1`)
		var seen bool
		for _, one := range c.target.Partners.guard.about("exec") {
			if code := one.Get("input.code").Str; strings.Contains(code, "announced") {
				seen = true
				require.Equal(t, []string{"code_mode_exec", "typescript", code}, []string{one.Get("toolKind").Str, one.Get("toolInputKind").Str, one.Get("input.command").Str}, one.Raw)
			}
		}
		require.True(t, seen)
		tn.exec(t, `return "draft"`).completed(`"final"`)
		tn.exec(t, `return "forbidden"`).result("failed").mentions("error", "the guard forbids it")
	})
}

// foreignRuns are the runs that wait can't resume.
func foreignRuns(t *testing.T, c *client, tools []object) {
	owner := object{"agentId": "a", "sessionId": "checklist", "sessionKey": "k", "runId": "r"}
	short := c.prepare(t, spec{config: object{"snapshotTtlSeconds": 1}, tools: tools})
	expired := short.exec(t, `await yield_control()`).waiting("yield")
	tn := c.prepare(t, spec{context: owner, tools: tools})
	aborted := tn.exec(t, `await yield_control()`).waiting("yield")
	c.drop(t, "/v1/runs/"+aborted.runID()).is(http.StatusNoContent)
	tn.wait(t, aborted.runID()).refused(textUnavailable)
	tn.wait(t, "never-was").refused(textUnavailable)
	mine := tn.exec(t, `await yield_control(); return "mine"`).waiting("yield")
	for _, member := range []string{"sessionId", "sessionKey"} {
		other := c.prepare(t, spec{context: with(owner, object{member: "another"}), tools: tools})
		other.wait(t, mine.runID()).refused("code mode run belongs to a different session.")
	}
	c.prepare(t, spec{context: with(owner, object{"runId": "another"}), tools: tools}).wait(t, mine.runID()).refused("code mode run belongs to a different agent run.")
	c.other().prepare(t, spec{context: owner, tools: tools}).wait(t, mine.runID()).result("failed")
	tn.wait(t, mine.runID()).completed(`"mine"`)
	tn.wait(t, mine.runID()).refused(textUnavailable)
	time.Sleep(1100 * time.Millisecond)
	short.wait(t, expired.runID()).refused(textUnavailable)
}
