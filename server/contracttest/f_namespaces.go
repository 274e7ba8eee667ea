package contracttest

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// desk is a tool of the plugin behind the namespaces here.
func desk(tool object) object { return with(tool, object{"owner": "desk"}) }

// tickets is a namespace with a member of each kind.
func tickets(extra object) object {
	body := object{
		"pluginId": "desk", "globalName": "Tickets", "requiredToolNames": []string{"list", "update", "sad"},
		"description": "Ticket helpers.", "prompt": "Use Tickets.list(filter) and Tickets.update(number, patch).",
		"scope": object{
			"team": "support", "limits": object{"max": 5, "open": nil},
			"list":   object{"$tool": "list"},
			"update": object{"$tool": "update", "args": []string{"number", "patch"}},
			"nested": object{"deep": []any{1, object{"list": object{"$tool": "list"}}}, "sad": object{"$tool": "sad"}},
		},
	}
	maps.Copy(body, extra)
	return body
}

// declare puts a namespace that ends with the test.
func (c *client) declare(t *testing.T, id string, body object) {
	t.Helper()
	c.send(t, http.MethodPut, "/v1/namespaces/"+id, body).is(http.StatusOK)
	t.Cleanup(func() {
		req, _ := http.NewRequest(http.MethodDelete, c.target.Base+"/v1/plugins/"+body["pluginId"].(string)+"/namespaces", nil)
		req.Header.Set("Authorization", "Bearer "+c.key)
		if resp, err := c.target.Client.Do(req); err == nil {
			resp.Body.Close()
		}
	})
}

// namespaceChecklist is the page's list of what a namespace must keep, item by item, and what stands beside it.
func namespaceChecklist(t *testing.T, c *client) {
	tools := []object{desk(echo("list")), desk(echo("update")), desk(broken("sad", "namespace exploded")), desk(echo("secret"))}
	c.declare(t, "tickets", tickets(nil))
	tn := c.prepare(t, spec{tools: tools})
	others := c.prepare(t, spec{tools: []object{echo("list"), echo("update"), broken("sad", "x")}})

	t.Run("F3 the prompt is shown where the tools are visible, and nowhere else", func(t *testing.T) {
		tn.reply.mentions("tools.0.description", "- Tickets: Ticket helpers.", "Use Tickets.list(filter)")
		others.reply.conceals("Ticket")
	})
	t.Run("F1 tools of that name of another owner do not show it", func(t *testing.T) {
		others.exec(t, `return [typeof Tickets, "Tickets" in namespaces, Object.isFrozen(namespaces)]`).completed(`["undefined",false,true]`)
	})
	t.Run("F1 nor those of an MCP server that is called like the plugin", func(t *testing.T) {
		forged := c.prepare(t, spec{tools: []object{mcp("desk", "list", object{}), mcp("desk", "update", object{}), mcp("desk", "sad", object{})}})
		forged.exec(t, `return typeof Tickets`).completed(`"undefined"`)
	})
	t.Run("F1 nor a catalog that lacks one of them", func(t *testing.T) {
		c.prepare(t, spec{tools: tools[:2]}).exec(t, `return typeof Tickets`).completed(`"undefined"`)
	})
	t.Run("A7 nor another tenant's turn", func(t *testing.T) {
		c.other().prepare(t, spec{tools: tools}).exec(t, `return typeof Tickets`).completed(`"undefined"`)
	})
	tn.completeAll(t, []cell{
		{"F1 values and nested objects are there, frozen and without a prototype", `return [Tickets.team, Tickets.limits, Tickets.nested.deep[0], Object.getPrototypeOf(Tickets), Object.getPrototypeOf(Tickets.nested), Object.isFrozen(Tickets), Object.isFrozen(Tickets.nested.deep), Object.keys(Tickets).sort()]`, `["support",{"max":5,"open":null},1,null,null,true,true,["limits","list","nested","team","update"]]`},
		{"F1 both ways to it", `return [Tickets === namespaces.Tickets, Object.keys(namespaces)]`, `[true,["Tickets"]]`},
		{"F1 a cell may shadow it, and can't write it", `globalThis.Tickets = 1; const kept = typeof Tickets; { const Tickets = 2; return [kept, Tickets] }`, `["object",2]`},
		{"F2 a call gives the tool's details", `return await Tickets.list({state: "open"})`, `{"name":"list","input":{"state":"open"}}`},
		{"F2 without an argument the input is {}", `return (await Tickets.list()).input`, `{}`},
		{"F2 arguments become keys", `return [(await Tickets.update(7, {state: "closed"})).input, (await Tickets.update(7)).input]`, `[{"number":7,"patch":{"state":"closed"}},{"number":7}]`},
		{"F2 an argument too many is told, not dropped", `return await Tickets.update(1, 2, 3).catch(e => e.message)`, `"Tickets.update: it takes 2 arguments (number, patch), and was called with 3"`},
		{"F2 a function inside an array", `return (await Tickets.nested.deep[1].list({limit: 1})).input`, `{"limit":1}`},
		{"F2 a failure can be caught", `return await Tickets.nested.sad().catch(e => [e instanceof Error, e.message, e.code, e.toolId])`, `[true,"namespace exploded","tool_error","openclaw:desk:sad"]`},
		{"F2 many at once", `return (await Promise.all([1, 2, 3].map(n => Tickets.update(n, {})))).map(r => r.input.number)`, `[1,2,3]`},
		{"A3 serialising a namespace calls nothing", `return [JSON.stringify(Tickets.nested.deep), String(Object.keys(namespaces))]`, `["[1,{}]","Tickets"]`},
	})
	t.Run("F2 it is a call like any other in telemetry", func(t *testing.T) {
		c.prepare(t, spec{tools: tools}).exec(t, `await Tickets.list(); return 1`).completed(`1`).has("telemetry.callCount", `1`)
	})
	t.Run("F2 C9 a call that takes long suspends the run, which goes on", func(t *testing.T) {
		tools := []object{desk(slow("list", 400)), desk(echo("update")), desk(echo("sad"))}
		long := c.prepare(t, spec{config: object{"timeoutMs": 100}, tools: tools})
		r := long.exec(t, `const before = Tickets; const r = await Tickets.list({n: 1}); return [r.input, before === Tickets, (await Tickets.update(1)).input]`)
		r.waiting("pending_tools").has("pendingToolCalls.#.method", `["namespace"]`)
		for range 50 {
			if r = long.wait(t, r.runID()); r.str("status") != "waiting" {
				break
			}
		}
		r.completed(`[{"n":1},true,{"number":1}]`)
	})
	t.Run("F2 a run that has begun keeps its namespaces", func(t *testing.T) {
		c.declare(t, "brief", object{"pluginId": "short", "globalName": "Brief", "requiredToolNames": []string{"say"}, "scope": object{"say": object{"$tool": "say"}}})
		brief := c.prepare(t, spec{tools: []object{with(echo("say"), object{"owner": "short"})}})
		r := brief.exec(t, `await yield_control(); return (await Brief.say({a: 1})).input`).waiting("yield")
		c.drop(t, "/v1/plugins/short/namespaces").is(http.StatusOK).has("cleared", `1`)
		brief.wait(t, r.str("runId")).completed(`{"a":1}`)
		brief.exec(t, `return typeof Brief`).completed(`"undefined"`)
	})
	t.Run("F2 the tool's schema holds for its calls", func(t *testing.T) {
		strict := c.prepare(t, spec{tools: []object{desk(takes(echo("list"), "state", "string")), desk(echo("update")), desk(echo("sad"))}})
		strict.exec(t, `return await Tickets.list({state: 5}).catch(e => e.message.includes("state"))`).completed(`true`)
	})
}

// namespaceRefusals are registrations that are refused (contract F1).
func namespaceRefusals(t *testing.T, c *client) {
	put := func(t *testing.T, id string, body object) reply {
		return c.send(t, http.MethodPut, "/v1/namespaces/"+id, body)
	}
	base := func(extra object) object {
		return with(object{"pluginId": "clerk", "globalName": "Clerk", "requiredToolNames": []string{"list"}, "scope": object{"list": object{"$tool": "list"}}}, extra)
	}
	c.declare(t, "clerk", base(nil))
	for name, tc := range map[string]struct {
		id   string
		body object
		text string
	}{
		"a tool that was not declared":     {"f1", base(object{"globalName": "F1", "scope": object{"x": object{"$tool": "secret"}}}), "undeclared tool"},
		"no tools":                         {"f2", base(object{"globalName": "F2", "requiredToolNames": []string{}}), "requiredToolNames must include at least one tool name."},
		"a tool without a name":            {"f2b", base(object{"globalName": "F2", "requiredToolNames": []string{" "}}), "requiredToolNames must be non-empty strings."},
		"no plugin":                        {"f3", base(object{"globalName": "F3", "pluginId": " "}), "pluginId must be non-empty."},
		"no identifier":                    {"f4", base(object{"globalName": "not-one"}), "globalName must be a JavaScript identifier."},
		"a word of the language":           {"f4b", base(object{"globalName": "class"}), "globalName must be a JavaScript identifier."},
		"a global of code mode":            {"f5", base(object{"globalName": "tools"}), `globalName "tools" is reserved.`},
		"an internal global":               {"f5b", base(object{"globalName": "__openclawX"}), "is reserved."},
		"a global of JavaScript":           {"f6", base(object{"globalName": "Intl"}), "collides with a global."},
		"an id that is taken":              {"clerk", base(object{"globalName": "F7"}), `id "clerk" is already registered.`},
		"a global that is taken":           {"f8", base(object{"pluginId": "two"}), `globalName "Clerk" is already registered by "clerk".`},
		"a scope that is no object":        {"f9", base(object{"globalName": "F9", "scope": []int{1}}), "scope must be a JSON object."},
		"a scope that is a function":       {"f10", base(object{"globalName": "F10", "scope": object{"$tool": "list"}}), "scope must be an object of members"},
		"a key that is unsafe":             {"f11", base(object{"globalName": "F11", "scope": object{"a": object{"constructor": 1}}}), "Invalid code mode namespace path segment: constructor"},
		"a key with the path's separator":  {"f12", base(object{"globalName": "F12", "scope": object{"a\x00b": 1}}), "Invalid code mode namespace path segment"},
		"an empty key":                     {"f13", base(object{"globalName": "F13", "scope": object{"": 1}}), "Invalid code mode namespace path segment: (empty)"},
		"a function with a key it has not": {"f14", base(object{"globalName": "F14", "scope": object{"x": object{"$tool": "list", "arg": []string{"a"}}}}), `unknown field "arg"`},
		"a key that is unknown":            {"f15", base(object{"globalName": "F15", "globalname": "x"}), "globalname is no key of a namespace"},
		"a scope that is too deep":         {"f16", base(object{"globalName": "F16", "scope": deep(40)}), "nested deeper than 32 levels"},
	} {
		t.Run("F1 refused: "+name, func(t *testing.T) {
			status := http.StatusBadRequest
			if strings.Contains(tc.text, "already registered") {
				status = http.StatusConflict
			}
			put(t, tc.id, tc.body).problem(status, tc.text)
		})
	}
	t.Run("F1 no global that a cell has can be taken", func(t *testing.T) {
		// What a turn without namespaces has is the engine's and ours.
		for _, name := range c.prepare(t, spec{}).exec(t, `return Object.getOwnPropertyNames(globalThis)`).result("completed").body.Get("value").Array() {
			put(t, "global", base(object{"globalName": name.Str})).problem(http.StatusBadRequest, "globalName")
		}
	})
	t.Run("F1 the same once more changes nothing", func(t *testing.T) {
		put(t, "clerk", base(nil)).is(http.StatusOK).has("globalName", `"Clerk"`)
		c.get(t, "/v1/namespaces").is(http.StatusOK).has(`namespaces.#(id=="clerk").globalName`, `"Clerk"`)
	})
	t.Run("A7 a tenant sees, clears and collides with its own alone", func(t *testing.T) {
		c.other().get(t, "/v1/namespaces").is(http.StatusOK).conceals("clerk")
		c.other().drop(t, "/v1/plugins/clerk/namespaces").is(http.StatusOK).has("cleared", `0`)
		c.other().declare(t, "clerk", base(nil))
		c.get(t, "/v1/namespaces").has(`namespaces.#(id=="clerk").pluginId`, `"clerk"`)
	})
	t.Run("H6 a tenant has room for 64", func(t *testing.T) {
		other := c.other()
		status := http.StatusOK
		for i := 0; i < 70 && status == http.StatusOK; i++ {
			id := fmt.Sprint("n", i)
			body := object{"pluginId": "many", "globalName": id, "requiredToolNames": []string{"list"}, "scope": object{}}
			status = other.send(t, http.MethodPut, "/v1/namespaces/"+id, body).status
		}
		require.Equal(t, http.StatusBadRequest, status)
		other.drop(t, "/v1/plugins/many/namespaces").is(http.StatusOK)
	})
}

// deep nests objects.
func deep(levels int) object {
	o := object{}
	for range levels {
		o = object{"a": o}
	}
	return o
}
