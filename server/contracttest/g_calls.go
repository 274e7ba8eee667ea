package contracttest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func callPath(t *testing.T, c *client) {
	tool := newToolServer(t, nil)
	who := object{"agentId": "a1", "sessionId": "s1", "sessionKey": "k1", "runId": "r1", "sender": "u1", "channel": "c1"}
	tn := c.prepare(t, spec{context: who, tools: []object{remote("tell", tool.URL), with(mcp("wiki", "look", object{}), object{"executor": object{"type": "http", "url": tool.URL}})}})
	told := func(t *testing.T) gjson.Result {
		t.Helper()
		return tool.request().body
	}
	t.Run("G1 the context goes along", func(t *testing.T) {
		tn.execInput(t, object{"code": `await tools.tell({a: 1})`, "toolCallId": "outer-7"}).result("completed")
		body, want := told(t), mustJSON(who)
		require.JSONEq(t, want, body.Get("context").Raw, body.Raw)
		require.Equal(t, "outer-7", body.Get("parentCallId").Str, body.Raw)
		require.Equal(t, tn.id, body.Get("turnId").Str, body.Raw)
		require.NotEmpty(t, body.Get("runId").Str, body.Raw)
	})
	t.Run("G3 what a tool is sent", func(t *testing.T) {
		tn.exec(t, `await tools.tell({text: "é\u2028<&>", n: 1.5, list: [null]})`).result("completed")
		body := told(t)
		require.Equal(t, "openclaw:lab:tell", body.Get("toolId").Str, body.Raw)
		require.Equal(t, "tell", body.Get("name").Str, body.Raw)
		require.JSONEq(t, `{"text":"é\u2028<&>","n":1.5,"list":[null]}`, body.Get("input").Raw, body.Raw)
		require.Equal(t, "application/json", tool.request().header.Get("Content-Type"))
	})
	t.Run("G3 each call has an id of its own, and the same run", func(t *testing.T) {
		tn.exec(t, `await tools.tell({})`).result("completed")
		first := told(t)
		tn.exec(t, `await tools.tell({}); await tools.tell({})`).result("completed")
		second := told(t)
		require.NotEqual(t, first.Get("callId").Str, second.Get("callId").Str)
		require.NotEqual(t, first.Get("runId").Str, second.Get("runId").Str)
	})
	t.Run("F2 an MCP call takes the same path", func(t *testing.T) {
		tn.exec(t, `await MCP.wiki.look({q: 1})`).result("completed")
		require.Equal(t, "mcp:wiki:look", told(t).Get("toolId").Str)
		require.JSONEq(t, mustJSON(who), told(t).Get("context").Raw)
	})
	t.Run("G3 the signature is the tenant's key over time, method, URL, tenant and body", func(t *testing.T) {
		tn.exec(t, `await tools.tell({signed: true})`).result("completed")
		r := tool.request()
		stamp := r.header.Get("X-Codecell-Timestamp")
		require.Equal(t, c.target.Tenant, r.header.Get("X-Codecell-Tenant"))
		mac := hmac.New(sha256.New, c.target.SigningKey)
		_, _ = fmt.Fprintf(mac, "%s\nPOST\n%s\n%s\n%s", stamp, tool.URL, c.target.Tenant, r.raw)
		require.Equal(t, "v2="+hex.EncodeToString(mac.Sum(nil)), r.header.Get("X-Codecell-Signature"))
		require.Regexp(t, `^\d{10}$`, stamp)
	})
	t.Run("G3 an executor's mistake shows when the turn is made", func(t *testing.T) {
		for _, bad := range []object{{"type": "teleport"}, {"type": "http"}, {"type": "http", "url": "file:///etc/passwd"}, {"type": "http", "url": "not a url"}, {}} {
			c.post(t, "/v1/turns", spec{tools: []object{lab("tell", bad)}}.body()).problem(http.StatusBadRequest, "openclaw:lab:tell")
		}
	})
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func httpTools(t *testing.T, c *client) {
	for _, h := range []struct {
		rule   string
		answer func(*toolServer, http.ResponseWriter, *http.Request)
		value  string
		says   []string
	}{
		{rule: "content, details, isError", answer: giveBody(200, `{"content":[],"details":{"a":1},"isError":false}`), value: `{"a":1}`},
		{rule: "another 2xx", answer: giveBody(201, `{"details":2}`), value: `2`},
		{rule: "bare JSON", answer: giveBody(200, `[1,"é"]`), value: `[1,"é"]`},
		{rule: "__proto__ in the answer", answer: giveBody(200, `{"details":{"__proto__":{"x":1}}}`), value: `{"__proto__":{"x":1}}`},
		{rule: "isError", answer: giveBody(200, `{"isError":true,"content":[{"type":"text","text":"quota"}]}`), says: []string{"quota"}},
		{rule: "a 500", answer: giveBody(500, `{"error":"db down"}`), says: []string{"openclaw:lab:tell", "500", "db down"}},
		{rule: "a 404", answer: giveBody(404, `gone`), says: []string{"404"}},
		{rule: "HTML", answer: giveBody(200, `<html>sorry</html>`), says: []string{"openclaw:lab:tell", "JSON"}},
		{rule: "two documents", answer: giveBody(200, `{} {}`), says: []string{"JSON"}},
		{rule: "nothing", answer: giveBody(200, ``), says: []string{"JSON"}},
		{rule: "brackets without end", answer: giveBody(200, strings.Repeat("[", 1<<20)), says: []string{"openclaw:lab:tell"}},
		{rule: "a deep document", answer: giveBody(200, strings.Repeat("[", 1<<19)+strings.Repeat("]", 1<<19)), says: []string{"openclaw:lab:tell"}},
		{rule: "a huge answer", answer: giveBody(200, `"`+strings.Repeat("x", 17<<20)+`"`), says: []string{"openclaw:lab:tell"}},
		{rule: "a connection that breaks", answer: func(_ *toolServer, w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, says: []string{"openclaw:lab:tell"}},
	} {
		t.Run("G3 "+h.rule, func(t *testing.T) {
			tool := newToolServer(t, h.answer)
			tn := c.prepare(t, spec{tools: []object{remote("tell", tool.URL)}})
			if h.says == nil {
				tn.exec(t, `return await tools.tell({})`).completed(h.value)
				return
			}
			r := tn.exec(t, `return await tools.tell({}).then(() => "no error", e => e.toolId + " " + e.message)`).result("completed")
			r.mentions("value", h.says...).conceals(strings.TrimPrefix(tool.URL, "http://"))
			require.Less(t, len(r.raw), 8192, "an error must stay readable")
		})
	}
	t.Run("G3 a redirect is not followed", func(t *testing.T) {
		elsewhere := newToolServer(t, nil)
		tool := newToolServer(t, func(_ *toolServer, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		})
		tn := c.prepare(t, spec{tools: []object{remote("tell", tool.URL)}})
		tn.exec(t, `return await tools.tell({}).then(() => "followed", () => "refused")`).completed(`"refused"`)
		elsewhere.called(t, 0)
	})
	t.Run("G3 nobody listens", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{remote("tell", "http://127.0.0.1:1/tool")}})
		tn.exec(t, `return await tools.tell({}).catch(e => e.message)`).result("completed").mentions("value", "openclaw:lab:tell").conceals("127.0.0.1")
	})
	t.Run("G3 a timeout of its own", func(t *testing.T) {
		tool := newToolServer(t, stall)
		tn := c.prepare(t, spec{tools: []object{lab("tell", object{"type": "http", "url": tool.URL, "timeoutMs": 100})}})
		tn.exec(t, `return await tools.tell({}).catch(e => e.code + ": " + e.message)`).result("completed").
			mentions("value", "timeout", "openclaw:lab:tell").within(8 * time.Second)
		tool.cancelled(t, 1)
	})
	t.Run("G3 time in a tool is no time of the guest", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"timeoutMs": 200}, tools: []object{slow("slow", 150)}})
		r := tn.exec(t, `for (let i = 0; i < 4; i++) await tools.slow({}); return "done"`)
		for r.str("status") == "waiting" {
			r = tn.wait(t, r.runID())
		}
		r.completed(`"done"`)
	})
}

func giveBody(status int, body string) func(*toolServer, http.ResponseWriter, *http.Request) {
	return func(_ *toolServer, w http.ResponseWriter, _ *http.Request) { respond(w, status, body) }
}

func telemetries(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: mixed})
	counts := func(t *testing.T, code, want string) {
		t.Helper()
		r := tn.exec(t, code)
		r.has("telemetry.catalogSize", `6`).has("telemetry.sources", `{"openclaw":4,"mcp":1,"client":1}`).has("telemetry.visibleTools", `["exec","wait"]`)
		require.Equal(t, want, fmt.Sprint(r.str("telemetry.searchCount"), " ", r.str("telemetry.describeCount"), " ", r.str("telemetry.callCount")), r.story())
	}
	// One after the other: the counts are the turn's.
	for _, step := range []struct{ rule, code, counts string }{
		{"nothing yet", `return 1`, "0 0 0"},
		{"a search", `await tools.search("x")`, "1 0 0"},
		{"a describe", `await tools.describe("read")`, "1 1 0"},
		{"a call is no describe", `await tools.call("read", {})`, "1 1 1"},
		{"nor is an MCP call", `await MCP.wiki.findPage({})`, "1 1 2"},
		{"one of an unknown tool is neither", `await tools.call("nowhere", {}).catch(() => 0)`, "1 1 2"},
		{"an unknown id is looked up", `await tools.describe("nowhere").catch(() => 0)`, "1 2 2"},
		{"files count nothing", `await API.list(); await MCP.$api()`, "1 2 2"},
		{"refused input counts nothing", ` `, "1 2 2"},
		{"a failed cell counts", `await tools.search("x"); throw 1`, "2 2 2"},
	} {
		t.Run("G6 "+step.rule, func(t *testing.T) { counts(t, step.code, step.counts) })
	}
	t.Run("G6 another turn counts for itself", func(t *testing.T) {
		c.prepare(t, spec{tools: mixed}).exec(t, `await tools.search("x")`).has("telemetry.searchCount", `1`)
	})
	t.Run("G6 the runtime's part", func(t *testing.T) {
		r := tn.exec(t, `await tools.call("read", {}); await tools.call("read", {}); return 1`).has("telemetry.runtime.steps", `3`)
		require.NotEmpty(t, r.str("telemetry.runtime.engine"), r.story())
		require.Positive(t, r.body.Get("telemetry.runtime.heapBytes").Int(), r.story())
		require.Positive(t, r.body.Get("telemetry.runtime.guestMs").Float(), r.story())
		require.Equal(t, gjson.Number, r.body.Get("telemetry.runtime.waitMs").Type, r.story())
	})
	t.Run("G6 a waiting result has it too", func(t *testing.T) {
		tn.exec(t, `await yield_control()`).waiting("yield").has("telemetry.catalogSize", `6`)
	})
}

func recursion(t *testing.T, c *client) {
	bare := c.prepare(t, spec{tools: []object{echo("plain")}})
	shelled := c.prepare(t, spec{tools: []object{with(echo("exec"), object{"owner": "core"}), with(echo("wait"), object{"owner": "core"}), echo("plain")}})
	bare.completeAll(t, []cell{
		{"G8 exec and wait are no tools", `return [typeof tools.exec, typeof tools.wait, typeof exec, typeof wait, ALL_TOOLS.length]`, `["undefined","undefined","undefined","undefined",1]`},
		{
			"G8 nor by any id", `return await Promise.all(["exec", "wait", "openclaw:core:exec", "openclaw:codecell:exec", "tool_search", "tool_call", "openclaw:core:tool_search_code"].map(id => tools.call(id, {code: "return 1"}).then(() => "ran", e => e.message.slice(0, 15))))`,
			`["Unknown tool id","Unknown tool id","Unknown tool id","Unknown tool id","Unknown tool id","Unknown tool id","Unknown tool id"]`,
		},
	})
	shelled.completeAll(t, []cell{
		{"G8 a shell tool named exec is, by id", `return (await tools.call("openclaw:core:exec", {command: "ls"})).result.details`, `{"name":"exec","input":{"command":"ls"}}`},
		{"G8 and by name, where that is unambiguous", `return [(await tools.exec({command: "ls"})).input, (await tools.wait({})).name]`, `[{"command":"ls"},"wait"]`},
	})
}
