package contracttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func surface(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: mixed, config: object{"timeoutMs": 7000, "maxOutputBytes": 4321, "maxPendingToolCalls": 9}})
	exec, wait := tn.reply.body.Get("tools.0"), tn.reply.body.Get("tools.1")
	t.Run("A4 exec takes a flat object", func(t *testing.T) {
		schema := exec.Get("parameters")
		require.Equal(t, "object", schema.Get("type").Str, schema.Raw)
		for _, property := range []string{"code", "command", "language"} {
			require.Equal(t, "string", schema.Get("properties."+property+".type").Str, schema.Raw)
		}
		require.JSONEq(t, `["javascript","typescript"]`, schema.Get("properties.language.enum").Raw)
		require.NotContains(t, schema.Raw, "oneOf")
		require.NotContains(t, schema.Raw, "anyOf")
	})
	t.Run("A4 wait needs runId", func(t *testing.T) {
		require.JSONEq(t, `["runId"]`, wait.Get("parameters.required").Raw)
		require.Equal(t, "string", wait.Get("parameters.properties.runId.type").Str)
	})
	t.Run("A4 the description teaches what a model needs", func(t *testing.T) {
		text := exec.Get("description").Str
		for _, part := range []string{"`return`", "require", "import", "tools.search(query)", "tools.describe(", "tools.call(", "API.list", "API.read", "MCP", "wiki"} {
			require.Contains(t, text, part)
		}
	})
	t.Run("A4 the description names the budgets and the tools", func(t *testing.T) {
		text := exec.Get("description").Str
		require.Regexp(t, `7[.,]?0*\s?(s|ms)|7,?000`, text)
		require.Regexp(t, `4,?321`, text)
		require.Regexp(t, `\b9\b`, text)
		for _, id := range []string{"openclaw:core:read", "openclaw:plots:chart", "client:app:pick"} {
			require.Contains(t, text, id)
		}
	})
	t.Run("A4 the examples run as they are", func(t *testing.T) {
		shop := c.prepare(t, spec{tools: []object{
			giving("list_tickets", object{"details": []object{{"title": "Broken lamp"}}}), giving("get_ticket", object{"details": "one"}),
			with(giving("post", object{"details": "sent"}), object{"owner": "chat", "description": "Send a chat message."}),
			mcp("wiki", "look", object{"page": object{"type": "string"}}),
		}})
		blocks := strings.Split(shop.reply.str("tools.0.description"), "```")
		require.Len(t, blocks, 5, "one of cells, one of MCP")
		var got []string
		for cell := range strings.SplitSeq(strings.TrimPrefix(blocks[1], "js\n//"), "\n//") {
			r := shop.exec(t, "//"+cell)
			got = append(got, r.str("status")+" "+r.str("value"))
		}
		require.Equal(t, []string{
			`completed ["Broken lamp"]`, `completed ["one","one"]`, `completed ` + shop.exec(t, `return (await tools.describe("post")).signature`).str("value"),
			`completed sent`, `waiting `,
		}, got)
		shop.exec(t, strings.Replace(strings.TrimPrefix(blocks[3], "js\n"), "...input", "", 1)).result("completed").mentions("value", "look")
	})
	t.Run("A4 MCP is spoken of only where it is visible", func(t *testing.T) {
		plain := c.prepare(t, spec{tools: []object{echo("noop")}}).reply
		require.NotContains(t, plain.str("tools.0.description"), "mcp/index.d.ts")
	})
	t.Run("A4 the index is deterministic, bounded, and counts what it leaves out", func(t *testing.T) {
		var many []object
		for i := range 600 {
			many = append(many, echo(fmt.Sprintf("tool_with_a_long_name_number_%03d", i)))
		}
		one := c.prepare(t, spec{tools: many}).reply.str("tools.0.description")
		two := c.prepare(t, spec{tools: many}).reply.str("tools.0.description")
		require.Equal(t, one, two)
		listed := strings.Count(one, "tool_with_a_long_name_number_")
		require.Positive(t, listed)
		require.Less(t, len(one), 12000, "8,000 for the index, the rest for the lesson")
		require.Contains(t, one, fmt.Sprint(600-listed), "how many were left out")
	})
	t.Run("A4 only the enabled languages are offered", func(t *testing.T) {
		r := c.prepare(t, spec{config: object{"languages": []string{"typescript"}}}).reply
		require.Contains(t, r.str("tools.0.parameters.properties.language.enum"), "typescript", r.story())
	})
	for format, shape := range map[string]struct{ name, schema string }{
		"openai":           {"tools.#.function.name", "tools.0.function.parameters.properties.code.type"},
		"openai-responses": {"tools.#.name", "tools.0.parameters.properties.code.type"},
		"anthropic":        {"tools.#.name", "tools.0.input_schema.properties.code.type"},
		"gemini":           {"tools.0.functionDeclarations.#.name", ""},
		"mcp":              {"tools.#.name", "tools.0.inputSchema.properties.code.type"},
	} {
		t.Run("A5 "+format, func(t *testing.T) {
			r := c.post(t, "/v1/turns?format="+format, spec{tools: mixed}.body()).is(http.StatusOK)
			require.Equal(t, "exec wait", names(r, shape.name), r.story())
			if shape.schema != "" {
				require.Equal(t, "string", r.str(shape.schema), r.story())
			}
			c.post(t, "/v1/payload/check", `{"tools":`+r.body.Get("tools").Raw+`}`).is(http.StatusOK).has("ok", `true`)
		})
	}
	t.Run("A5 an unknown format is refused", func(t *testing.T) {
		c.post(t, "/v1/turns?format=cobol", spec{}.body()).problem(http.StatusBadRequest, "openai", "gemini")
	})
}

func payloads(t *testing.T, c *client) {
	openai := func(name string) string { return `{"type":"function","function":{"name":"` + name + `"}}` }
	plain := func(name string) string { return `{"name":"` + name + `","input_schema":{"type":"object"}}` }
	group := func(list ...string) string { return `{"functionDeclarations":[` + strings.Join(list, ",") + `]}` }
	for _, p := range []struct {
		rule  string
		tools []string
		ok    bool
		kept  int
	}{
		{"plain", []string{plain("exec"), plain("wait")}, true, 2},
		{"openai", []string{openai("exec"), openai("wait")}, true, 2},
		{"grouped", []string{group(plain("exec"), plain("wait"))}, true, 2},
		{"one more", []string{plain("exec"), plain("wait"), plain("read")}, false, 2},
		{"one more in a group", []string{group(plain("exec"), plain("wait"), plain("read"))}, false, 2},
		{"a second group", []string{group(plain("exec"), plain("wait")), group(plain("leak"))}, false, 2},
		{"a provider's own search", []string{plain("exec"), plain("wait"), `{"type":"web_search"}`}, false, 2},
		{"a provider's grounding", []string{group(plain("exec"), plain("wait")), `{"googleSearch":{}}`}, false, 2},
		{"grounding inside the group", []string{`{"functionDeclarations":[` + plain("exec") + `,` + plain("wait") + `],"codeExecution":{}}`}, false, 2},
		{"none", nil, false, 0},
		{"exec alone", []string{plain("exec")}, false, 1},
		{"exec twice", []string{plain("exec"), plain("exec"), plain("wait")}, false, 2},
		{"another case", []string{plain("Exec"), plain("wait")}, false, 1},
		{"a blank around", []string{plain("exec "), plain("wait")}, false, 1},
		{"no name", []string{plain("exec"), plain("wait"), `{}`}, false, 2},
		{"not an object", []string{plain("exec"), plain("wait"), `7`}, false, 2},
		{"a name that is no string", []string{plain("exec"), plain("wait"), `{"name":["exec"]}`}, false, 2},
	} {
		body := `{"tools":[` + strings.Join(p.tools, ",") + `]}`
		t.Run("A6 "+p.rule, func(t *testing.T) {
			r := c.post(t, "/v1/payload/check", body)
			if p.ok {
				r.is(http.StatusOK).has("ok", `true`)
			} else {
				r.is(http.StatusConflict).has("ok", `false`)
			}
		})
		t.Run("A6 filtered, "+p.rule, func(t *testing.T) {
			r := c.post(t, "/v1/payload/check?filter=1", body).is(http.StatusOK).conceals("read", "leak", "earch", "codeExecution")
			require.Equal(t, p.kept, countNames(r.body.Get("tools")), r.story())
		})
	}
	t.Run("A6 says what it found", func(t *testing.T) {
		c.post(t, "/v1/payload/check", `{"tools":[`+plain("exec")+`,`+plain("surprise")+`]}`).
			problem(http.StatusConflict, "surprise")
	})
	for rule, body := range map[string]string{"no list": `{}`, "not a list": `{"tools":"exec,wait"}`, "null": `{"tools":null}`} {
		t.Run("A6 fails closed: "+rule, func(t *testing.T) {
			r := c.post(t, "/v1/payload/check", body)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusConflict}, r.status, r.story())
		})
	}
}

// countNames counts the tools of a filtered list, whatever its shape.
func countNames(list gjson.Result) int {
	n := 0
	list.ForEach(func(_, item gjson.Result) bool {
		for _, key := range []string{"functionDeclarations", "function_declarations"} {
			n += int(item.Get(key + ".#").Int())
		}
		if item.Get("name").Exists() || item.Get("function.name").Exists() {
			n++
		}
		return true
	})
	return n
}
