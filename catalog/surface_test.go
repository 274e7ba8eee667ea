package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

var budgets = Budget{TimeoutMs: 10_000, MaxOutputBytes: 65_536, MaxPendingToolCalls: 16}

func TestSurface(t *testing.T) {
	surface := mustNew(t, tool("core", "exec", "Run a shell command"), tool("core", "read", "")).Surface(budgets, nil)
	t.Run("A1 exactly exec and wait", func(t *testing.T) {
		require.Len(t, surface, 2)
		require.Equal(t, "exec", surface[0].Name)
		require.Equal(t, "wait", surface[1].Name)
	})
	t.Run("A4 exec's schema is flat and requires nothing", func(t *testing.T) {
		p := gjson.ParseBytes(surface[0].Parameters)
		require.True(t, json.Valid(surface[0].Parameters))
		require.Equal(t, "object", p.Get("type").String())
		require.Equal(t, "string", p.Get("properties.code.type").String())
		require.Equal(t, "string", p.Get("properties.command.type").String())
		require.JSONEq(t, `["javascript","typescript"]`, p.Get("properties.language.enum").Raw)
		for _, absent := range []string{"oneOf", "anyOf", "allOf", "required", "additionalProperties"} {
			require.NotContains(t, string(surface[0].Parameters), `"`+absent+`"`)
		}
	})
	t.Run("A4 wait requires runId", func(t *testing.T) {
		p := gjson.ParseBytes(surface[1].Parameters)
		require.JSONEq(t, `["runId"]`, p.Get("required").Raw)
		require.Equal(t, "string", p.Get("properties.runId.type").String())
	})
	t.Run("A4 what the descriptions must teach", func(t *testing.T) {
		for _, part := range []string{
			"Use `return` to pass the final value back", "`null`", "Node.js modules", "`require`/`import` are NOT available",
			"`tools.search(query)`", "enabled catalog tools allowed by policy", "`tools.describe(entry.id)`",
			"`tools.call(entry.id, args)`", `"javascript" or "typescript"`, "`API.list(prefix?)`", "`API.read(path)`",
			"await tools.list_tickets({", "Promise.all(", "(await tools.describe(hit.id))", "await yield_control()", "text(", ".catch(",
			"`await` each", "without a wrapper", "`fetch`", "`wait`", "runId", "10000 ms", "65536 bytes", "16 tool calls at once", "tools.callValue",
		} {
			require.Contains(t, surface[0].Description, part)
		}
		p := gjson.ParseBytes(surface[0].Parameters)
		for _, part := range []string{"`tools` object", "`ALL_TOOLS`", "Node built-in modules are not"} {
			require.Contains(t, p.Get("properties.code.description").String(), part)
		}
		require.Contains(t, p.Get("properties.language.description").String(), `Must be "javascript" or "typescript"`)
		require.Contains(t, p.Get("properties.language.description").String(), `default is "javascript"`)
	})
	t.Run("A4 no MCP and no namespaces, no word of them", func(t *testing.T) {
		for _, absent := range []string{"MCP", "visible servers", "namespace globals are available"} {
			require.NotContains(t, surface[0].Description, absent)
		}
	})
	t.Run("A4 limits that are not set are not named", func(t *testing.T) {
		require.NotContains(t, mustNew(t).Surface(Budget{}, nil)[0].Description, "Limits")
	})
}

func TestSurfaceLanguages(t *testing.T) {
	cases := []struct {
		languages []string
		enum      string
	}{
		{nil, `["javascript","typescript"]`},
		{[]string{"typescript", "javascript"}, `["javascript","typescript"]`},
		{[]string{"typescript"}, `["typescript"]`},
		{[]string{"python"}, `["javascript","typescript"]`},
	}
	for _, tc := range cases {
		exec := mustNew(t).Surface(Budget{Languages: tc.languages}, nil)[0]
		require.Equal(t, strings.Contains(tc.enum, "javascript"), strings.HasPrefix(exec.Description, "Runs JavaScript"), "A4 %v", tc.languages)
		require.JSONEq(t, tc.enum, gjson.GetBytes(exec.Parameters, "properties.language.enum").Raw, "A4 %v", tc.languages)
	}
}

func TestSurfaceGlobals(t *testing.T) {
	t.Run("A4 visible servers, sorted", func(t *testing.T) {
		text := mustNew(t, mcpTools()...).Surface(budgets, nil)[0].Description
		require.Contains(t, text, "visible servers: chromeDevtools, docs, github.")
		require.Contains(t, text, "Call MCP tools as MCP.<server>.<tool>({ ...input }) with one object argument matching the header.")
		require.NotContains(t, text, "mcp:github:create_issue", "MCP tools can't be called by id")
		require.Contains(t, text, "const r = await MCP.chromeDevtools.takeSnapshot({ ...input }); // input: { output?: \"markdown\" | \"text\" }")
		require.Contains(t, text, `API.read("mcp/chromeDevtools.d.ts")`)
	})
	t.Run("F3 namespaces and their prompts", func(t *testing.T) {
		text := mustNew(t).Surface(budgets, []NamespaceHint{
			{GlobalName: "Tickets", Description: "Ticket helpers.", Prompt: "  Tickets.open(n) opens one.\n"},
			{GlobalName: "Plain"},
		})[0].Description
		require.Contains(t, text, "Registered namespace globals are available in code mode:\n- Tickets: Ticket helpers.\nTickets.open(n) opens one.\n- Plain")
		require.NotContains(t, text, "MCP")
	})
}

func TestToolIndex(t *testing.T) {
	out := tool("desk", "close_ticket", "").with(`{"properties":{"number":{"type":"integer"}},"required":["number"]}`)
	out.OutputSchema = json.RawMessage(`{"properties":{"closed":{"type":"boolean"}}}`)
	wide := `{"properties":{`
	for i := range 60 {
		wide += fmt.Sprintf(`"key_number_%d":{"type":"string"},`, i)
	}
	c := mustNew(t, out, tool("desk", "none", ""), tool("desk", "free", "").with("{}"), tool("desk", "wide", "").with(strings.TrimSuffix(wide, ",")+"}}"))
	index := c.toolIndex()
	t.Run("A4 id, input, output", func(t *testing.T) {
		require.Contains(t, index, "openclaw:desk:close_ticket { number: number } => { closed?: boolean }\n")
		require.Contains(t, index, "openclaw:desk:none {}\n")
		require.Contains(t, index, "openclaw:desk:free Record<string, unknown>\n")
	})
	t.Run("A4 a wide input is cut to its keys", func(t *testing.T) {
		require.Contains(t, index, "openclaw:desk:wide { key_number_0?, key_number_1?, ")
		for line := range strings.Lines(index) {
			require.Less(t, len(line), 400)
		}
	})
	t.Run("A4 at most 8,000 characters, and a count of the rest", func(t *testing.T) {
		big := mustNew(t, manyTools(1000)...)
		text := big.toolIndex()
		require.LessOrEqual(t, len([]rune(text)), 8000)
		require.Greater(t, len([]rune(text)), 7000)
		listed := strings.Count(text, "openclaw:")
		require.Contains(t, text, fmt.Sprintf("(%d more of %d tools not listed: use tools.search.)", 900-listed, 900))
		require.Equal(t, text, mustNew(t, manyTools(1000)...).toolIndex(), "deterministic")
		require.Contains(t, big.Surface(budgets, nil)[0].Description, text)
	})
	t.Run("A4 characters are counted, not bytes", func(t *testing.T) {
		var tools []Tool
		for i := range 100 {
			tools = append(tools, tool("p", fmt.Sprintf("%s%d", strings.Repeat("日", 50), i), ""))
		}
		text := mustNew(t, tools...).toolIndex()
		require.LessOrEqual(t, len([]rune(text)), 8000)
		require.Equal(t, 100, strings.Count(text, "openclaw:p:"))
	})
}

func TestRender(t *testing.T) {
	tools := mustNew(t).Surface(budgets, nil)
	cases := []struct{ format, list, name, schema string }{
		{"", "@this", "name", "parameters"},
		{"openai", "@this", "function.name", "function.parameters"},
		{"openai-responses", "@this", "name", "parameters"},
		{"anthropic", "@this", "name", "input_schema"},
		{"gemini", "0.functionDeclarations", "name", "parameters"},
		{"mcp", "@this", "name", "inputSchema"},
	}
	for _, tc := range cases {
		t.Run("A5 "+tc.format, func(t *testing.T) {
			raw, err := Render(tc.format, tools)
			require.NoError(t, err)
			list := gjson.GetBytes(raw, tc.list).Array()
			require.Len(t, list, 2)
			require.Equal(t, "exec", list[0].Get(tc.name).String())
			require.Equal(t, "wait", list[1].Get(tc.name).String())
			require.JSONEq(t, string(tools[0].Parameters), list[0].Get(tc.schema).Raw)
			require.NotContains(t, string(raw), `\u003c`, "models read the text as it is")
			found, err := CheckPayload(raw)
			require.NoError(t, err)
			require.True(t, found.OK, "A6 every shape passes its own check: %s", found.Problem)
		})
	}
	t.Run("A5 types of the OpenAI shapes", func(t *testing.T) {
		chat, _ := Render("openai", tools)
		require.Equal(t, "function", gjson.GetBytes(chat, "0.type").String())
		responses, _ := Render("openai-responses", tools)
		require.Equal(t, "function", gjson.GetBytes(responses, "0.type").String())
		require.Equal(t, "false", gjson.GetBytes(responses, "0.strict").Raw)
	})
	t.Run("A5 an unknown format names the known ones", func(t *testing.T) {
		_, err := Render("cohere", tools)
		require.EqualError(t, err, `unknown format "cohere"; known formats: openai, openai-responses, anthropic, gemini, mcp, or none for Codecell's own`)
	})
}

func TestDirectTools(t *testing.T) {
	sent := `{"source":"openclaw","owner":"core","name":"exec","label":"Shell","description":"Run <a> shell command",` +
		`"parameters":{"type":"object","properties":{"command":{"type":"string"}}},"executor":{"type":"echo"},"annotations":{"readOnly":true}}`
	var first Tool
	require.NoError(t, json.Unmarshal([]byte(sent), &first))
	c, err := New([]Tool{first, tool("core", "tool_search", ""), {Source: SourceClient, Owner: "app", Name: "pick"}},
		Policy{Deny: []string{"nothing"}})
	require.NoError(t, err)
	direct := c.DirectTools()
	t.Run("A1 unchanged, in the turn's order, Tool Search included", func(t *testing.T) {
		raw, err := Render("", direct)
		require.NoError(t, err)
		require.Equal(t, sent, gjson.GetBytes(raw, "0").Raw)
		require.Equal(t, `["exec","tool_search","pick"]`, gjson.GetBytes(raw, "#.name").Raw)
	})
	t.Run("A5 in a provider's shape without what is not the model's", func(t *testing.T) {
		raw, err := Render("anthropic", direct)
		require.NoError(t, err)
		require.JSONEq(t, `{"name":"pick","description":"","input_schema":{"type":"object","properties":{}}}`, gjson.GetBytes(raw, "2").Raw)
		require.NotContains(t, string(raw), "echo")
	})
	t.Run("A5 no tools", func(t *testing.T) {
		for _, format := range []string{"", "gemini", "mcp"} {
			raw, err := Render(format, nil)
			require.NoError(t, err)
			require.Equal(t, "[]", string(raw))
		}
	})
}
