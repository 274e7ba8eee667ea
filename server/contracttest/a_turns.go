package contracttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mixed is a catalog with a tool of every origin, in no order at all.
var mixed = []object{
	asking("pick"),
	mcp("wiki", "find_page", object{"q": object{"type": "string"}}),
	with(echo("chart"), object{"owner": "plots"}),
	with(echo("browse"), object{"owner": "browser", "bundled": true}),
	with(echo("read"), object{"owner": "core"}),
	with(echo("exec"), object{"owner": "core"}),
}

func names(r reply, path string) string {
	var out []string
	for _, v := range r.body.Get(path).Array() {
		out = append(out, v.String())
	}
	return strings.Join(out, " ")
}

func activation(t *testing.T, c *client) {
	t.Run("A1 the model's list becomes exec and wait, in this order", func(t *testing.T) {
		r := c.prepare(t, spec{tools: mixed}).reply.has("codeMode", `true`)
		require.Equal(t, "exec wait", names(r, "tools.#.name"), r.story())
		r.has("catalog", `{"size":6,"sources":{"openclaw":4,"mcp":1,"client":1}}`)
	})
	t.Run("A1 catalog order is core, bundled, external, client", func(t *testing.T) {
		c.prepare(t, spec{tools: mixed}).exec(t, `return ALL_TOOLS.map(e => e.id)`).completed(
			`["openclaw:core:read","openclaw:core:exec","openclaw:browser:browse","openclaw:plots:chart","client:app:pick"]`)
	})
	for rule, config := range map[string]any{
		"A1 off by default":               nil,
		"A2 enabled as a string is off":   object{"enabled": "true"},
		"A2 enabled as a number is off":   object{"enabled": 1},
		"A2 other fields do not enable":   object{"timeoutMs": 5000},
		"A2 false is off":                 false,
		"A2 enabled false is off":         object{"enabled": false},
		"A2 enabled as an object is off":  object{"enabled": object{}},
		"A2 enabled as an array is off":   object{"enabled": []any{true}},
		"A2 enabled as null is off":       object{"enabled": nil},
		"A2 enabled in upper case is off": object{"enabled": "TRUE"},
	} {
		t.Run(rule, func(t *testing.T) {
			body := object{"tools": mixed}
			if config != nil {
				body["config"] = config
			}
			off(t, c, body)
		})
	}
	t.Run("A2 the short form true is on", func(t *testing.T) {
		c.post(t, "/v1/turns", object{"config": true, "tools": mixed}).is(http.StatusOK).has("codeMode", `true`)
	})
	for rule, extra := range map[string]object{
		"A3 raw":                   {"raw": true},
		"A3 disableTools":          {"disableTools": true},
		"A3 an empty tools.allow":  {"policy": object{"allow": []string{}}},
		"A3 raw and disable":       {"raw": true, "disableTools": true},
		"A3 empty allow with deny": {"policy": object{"allow": []string{}, "deny": []string{"*"}}},
	} {
		t.Run(rule+" keeps the surface off", func(t *testing.T) {
			r := c.post(t, "/v1/turns", with(spec{tools: mixed}.body(), extra)).is(http.StatusOK).has("codeMode", `false`)
			require.NotContains(t, " "+names(r, "tools.#.name")+" ", " wait ", r.story())
			tn := &turn{client: c, id: r.str("turnId")}
			tn.exec(t, `return 1`).refused("code mode is disabled.")
		})
	}
	t.Run("A3 Tool Search never appears", func(t *testing.T) {
		tools := []object{echo("kept")}
		for _, name := range []string{"tool_search_code", "tool_search", "tool_describe", "tool_call"} {
			tools = append(tools, with(echo(name), object{"owner": "core"}))
		}
		tn := c.prepare(t, spec{tools: tools})
		tn.reply.has("catalog.size", `1`)
		tn.exec(t, `return [ALL_TOOLS.map(e => e.name), Object.keys(tools).filter(k => k.startsWith("tool_"))]`).
			completed(`[["kept"],[]]`)
		tn.exec(t, `try { await tools.call("openclaw:core:tool_call", {}) } catch (e) { return e.message.split(":")[0] }`).
			completed(`"Unknown tool id"`)
	})
}

// off wants a turn whose tools are what they were, as they were.
func off(t *testing.T, c *client, body object) {
	t.Helper()
	r := c.post(t, "/v1/turns", body).is(http.StatusOK).has("codeMode", `false`)
	require.Equal(t, "pick find_page chart browse read exec", names(r, "tools.#.name"), r.story())
	tn := &turn{client: c, id: r.str("turnId")}
	tn.exec(t, `return 1`).refused("code mode is disabled.")
}

func policies(t *testing.T, c *client) {
	for _, p := range []struct {
		rule   string
		policy object
		left   string
	}{
		{"A1 no policy is everything", nil, "read exec browse chart pick find_page"},
		{"A1 allow by name", object{"allow": []string{"read"}}, "read"},
		{"A1 allow by id", object{"allow": []string{"client:app:pick"}}, "pick"},
		{"A1 allow by a glob over ids", object{"allow": []string{"openclaw:core:*"}}, "read exec"},
		{"A1 allow by a glob over names", object{"allow": []string{"ch*", "?ick"}}, "chart pick"},
		{"A1 deny by id", object{"deny": []string{"openclaw:core:exec"}}, "read browse chart pick find_page"},
		{"A1 deny beats allow", object{"allow": []string{"*"}, "deny": []string{"r?ad", "mcp:*"}}, "exec browse chart pick"},
		{"A1 a glob is no substring", object{"allow": []string{"rea"}}, ""},
		{"A1 a dot is a dot", object{"allow": []string{"r.ad"}}, ""},
		{"A1 sandbox keeps MCP out", object{"sandbox": object{}}, "read exec browse chart pick"},
		{"A1 sandbox allow * keeps MCP out", object{"sandbox": object{"allow": []string{"*"}}}, "read exec browse chart pick"},
		{"A1 sandbox lets bundle-mcp in", object{"sandbox": object{"alsoAllow": []string{"bundle-mcp"}}}, "read exec browse chart pick find_page"},
		{"A1 sandbox lets a named MCP tool in", object{"sandbox": object{"allow": []string{"read"}, "alsoAllow": []string{"mcp:wiki:find_page"}}}, "read find_page"},
		{"A1 sandbox deny", object{"sandbox": object{"deny": []string{"exec"}}}, "read browse chart pick"},
		{"A1 sandbox deny beats alsoAllow", object{"sandbox": object{"alsoAllow": []string{"bundle-mcp"}, "deny": []string{"bundle-mcp"}}}, "read exec browse chart pick"},
		{"A1 both layers must agree", object{"deny": []string{"read"}, "sandbox": object{"allow": []string{"read", "exec"}}}, "exec"},
	} {
		t.Run(p.rule, func(t *testing.T) {
			tn := c.prepare(t, spec{tools: mixed, policy: p.policy})
			r := tn.exec(t, `return [...ALL_TOOLS.map(e => e.name), ...(typeof MCP === "undefined" ? [] : ["find_page"])].join(" ")`)
			r.completed(fmt.Sprintf("%q", p.left))
			tn.reply.has("catalog.size", fmt.Sprint(len(strings.Fields(p.left))))
		})
	}
	t.Run("G1 a denied tool can't be called by its id", func(t *testing.T) {
		tool := newToolServer(t, nil)
		tn := c.prepare(t, spec{tools: []object{remote("secret", tool.URL), echo("other")}, policy: object{"deny": []string{"secret"}}})
		tn.exec(t, `const said = [];
for (const f of [() => tools.call("openclaw:lab:secret", {}), () => tools.callValue("secret", {}), () => tools.describe("openclaw:lab:secret"), () => tools.secret({})]) {
  try { await f(); said.push("ran") } catch (e) { said.push(e.message.includes("not a function") ? "not a function" : e.message.split(":")[0]) }
}
return said`).completed(`["Unknown tool id","Unknown tool id","Unknown tool id","not a function"]`)
		tn.exec(t, `return (await tools.search("secret")).length`).completed(`0`)
		tool.called(t, 0)
	})
}

func configuration(t *testing.T, c *client) {
	turnWith := func(t *testing.T, config object, tools ...object) *turn {
		return c.prepare(t, spec{config: config, tools: tools})
	}
	for rule, config := range map[string]object{
		"an unknown key":      {"timeoutMS": 500},
		"another runtime":     {"runtime": "v8"},
		"another mode":        {"mode": "mixed"},
		"an unknown drain":    {"drain": "some"},
		"an unknown overflow": {"overflow": "drop"},
		"a prototype's name":  {"__proto__x": 1},
		"an unknown snapshot": {"snapshot": object{"resumes": "hot"}},
	} {
		t.Run("A2 "+rule+" is an error that names the key", func(t *testing.T) {
			key := ""
			for key = range config {
			}
			c.post(t, "/v1/turns", spec{config: config}.body()).problem(http.StatusBadRequest, key)
		})
	}
	for _, n := range []any{1.5, 0, -3, "200", nil, true, object{}, []int{1}} {
		t.Run(fmt.Sprintf("A2 a number that is %v takes the default", n), func(t *testing.T) {
			// Over the least bound of 1,024, under the default of 65,536.
			turnWith(t, object{"maxOutputBytes": n}).exec(t, `return "x".repeat(5000).length`).completed(`5000`)
			turnWith(t, object{"maxOutputBytes": n}).exec(t, `return "x".repeat(60000)`).result("completed")
			turnWith(t, object{"maxOutputBytes": n}).exec(t, `return "x".repeat(70000)`).failed("output_limit_exceeded", "")
		})
	}
	t.Run("A2 a number below the range is clamped", func(t *testing.T) {
		tn := turnWith(t, object{"maxOutputBytes": 10})
		tn.exec(t, `return "x".repeat(1000)`).result("completed")
		tn.exec(t, `return "x".repeat(1100)`).failed("output_limit_exceeded", "")
	})
	t.Run("A2 a turn can't widen the operator's limit", func(t *testing.T) {
		turnWith(t, object{"maxOutputBytes": 10 << 20}).exec(t, `return "x".repeat(70000)`).failed("output_limit_exceeded", "")
	})
	t.Run("A2 searchDefaultLimit is at most maxSearchLimit", func(t *testing.T) {
		var many []object
		for i := range 12 {
			many = append(many, echo(fmt.Sprintf("gauge_%d", i)))
		}
		count := `return [(await tools.search("gauge")).length, (await tools.search("gauge", {limit: 11})).length, (await tools.search("gauge", {limit: 1})).length]`
		turnWith(t, object{"searchDefaultLimit": 40, "maxSearchLimit": 3}, many...).exec(t, count).completed(`[3,3,1]`)
		turnWith(t, object{"searchDefaultLimit": 5}, many...).exec(t, count).completed(`[5,11,1]`)
		turnWith(t, nil, many...).exec(t, count).completed(`[8,11,1]`)
	})
	for _, languages := range []any{[]string{}, "javascript", []string{"python"}, 7, nil} {
		t.Run(fmt.Sprintf("A2 languages %v means both", languages), func(t *testing.T) {
			tn := turnWith(t, object{"languages": languages})
			tn.execInput(t, object{"code": "return 1", "language": "javascript"}).completed(`1`)
			tn.execInput(t, object{"code": "return 1 as number", "language": "typescript"}).completed(`1`)
		})
	}
}

func isolation(t *testing.T, c *client) {
	mine := c.prepare(t, spec{tools: []object{echo("vault_of_mine"), mcp("minemcp", "dig", object{})}})
	yours := c.prepare(t, spec{tools: []object{echo("plain")}})
	t.Run("A7 another turn's tools are not visible", func(t *testing.T) {
		yours.exec(t, `return [ALL_TOOLS.length, await tools.search("vault mine"), typeof MCP, (await API.list("mcp")).files.length]`).
			completed(`[1,[],"undefined",0]`)
	})
	t.Run("A7 nor callable, nor to be inferred from the error", func(t *testing.T) {
		there := yours.exec(t, `return await tools.call("openclaw:lab:vault_of_mine", {}).catch(e => e.message.replace("vault_of_mine", "X"))`)
		nowhere := yours.exec(t, `return await tools.call("openclaw:lab:never_was_here", {}).catch(e => e.message.replace("never_was_here", "X"))`)
		require.Equal(t, nowhere.str("value"), there.str("value"), there.story())
	})
	t.Run("A7 another tenant's turn looks like one that never was", func(t *testing.T) {
		stranger := &turn{client: c.other(), id: mine.id}
		nobody := &turn{client: c.other(), id: "NEVERWASTHISTURNIDATALL26"}
		a := stranger.exec(t, `return 1`).problem(http.StatusNotFound)
		b := nobody.exec(t, `return 1`).problem(http.StatusNotFound)
		require.Equal(t, b.str("detail"), a.str("detail"), a.story())
		a.conceals("vault_of_mine")
		c.other().drop(t, "/v1/turns/"+mine.id).problem(http.StatusNotFound)
		mine.exec(t, `return 1`).completed(`1`)
	})
	t.Run("A7 globals of one cell are not the next one's", func(t *testing.T) {
		mine.exec(t, `leak = 1; globalThis.other = 2; Object.prototype.dirty = 3; Array.prototype.map = null; return 1`).completed(`1`)
		mine.exec(t, `return [typeof leak, typeof other, typeof ({}).dirty, typeof [].map]`).
			completed(`["undefined","undefined","undefined","function"]`)
	})
}
