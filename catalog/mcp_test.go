package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func mcpOperation(server, op, parameters string) Tool {
	t := mcpToolOf(server, op, "").with(parameters)
	t.MCP.Operation = op
	return t
}

const createIssueSchema = `{"type":"object","properties":{
	"owner":{"type":"string","description":"Repository owner"},
	"repo":{"type":"string","description":"Repository name"},
	"title":{"type":"string","description":"Issue title\nShown in tracker"},
	"body":{"type":"string","default":""},
	"count":{"type":"integer","default":3},
	"labels":{"type":"array","items":{"type":"string"}},
	"state":{"type":"string","enum":["open","closed"]},
	"dash-key":{"type":"string"}},"required":["owner","repo","title"]}`

// mcpTools is a turn with three servers, one with resources and prompts.
func mcpTools() []Tool {
	return []Tool{
		tool("lab", "note", "Keep a note"),
		mcpToolOf("chrome-devtools", "take_snapshot", "Take a page snapshot").
			with(`{"type":"object","properties":{"output":{"type":"string","enum":["markdown","text"]}}}`),
		mcpOperation("docs", "prompts_get", `{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"]}`),
		mcpOperation("docs", "prompts_list", `{"type":"object","properties":{}}`),
		mcpOperation("docs", "resources_list", `{"type":"object","properties":{}}`),
		mcpOperation("docs", "resources_read", `{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"]}`),
		mcpToolOf("github", "create_issue", "Create a GitHub issue.\n\nSecond line.").with(createIssueSchema),
		mcpToolOf("github", "list", "List issues").with(`{"type":"object","properties":{"i":{"type":"integer"}}}`),
	}
}

// oddTools are names that can't be used as they are.
func oddTools() []Tool {
	return []Tool{
		mcpToolOf("UPPER", "DoThing", ""), mcpToolOf("constructor", "prototype", ""),
		mcpToolOf("gh", "$api", ""), mcpToolOf("gh", "123start", ""), mcpToolOf("gh", "create-issue", ""),
		mcpToolOf("gh", "createIssue", ""), mcpToolOf("gh", "create_issue", ""), mcpToolOf("gh", "delete", "Remove it"),
		mcpToolOf("gh", "prompts", ""), mcpToolOf("gh", "resources", ""), mcpToolOf("gh", "then", ""),
		mcpToolOf("gh", "日本", ""), mcpToolOf("gh", "class", "").with(createIssueSchema),
		mcpToolOf("my.server", "a.b.c", ""), mcpToolOf("tools", "tools", ""), mcpToolOf("日本", "x", ""),
	}
}

func TestToIdentifier(t *testing.T) {
	cases := map[string]string{
		"chrome-devtools": "chromeDevtools", "take_snapshot": "takeSnapshot", "my.server": "myServer",
		"a.b.c": "aBC", "UPPER": "uPPER", "DoThing": "doThing", "123start": "start", "日本": "tool", "$api": "api",
		"": "tool", "---": "tool", "42": "tool", " x  y ": "xY", "a日b": "aB", "12 ab": "Ab",
	}
	for name, want := range cases {
		require.Equal(t, want, toIdentifier(name, "tool"), "E2 %q", name)
	}
}

func TestServers(t *testing.T) {
	got := map[string][]string{}
	for _, s := range gjson.ParseBytes(mustNew(t, oddTools()...).Guest().MCP).Array() {
		var tools []string
		for _, tool := range s.Get("tools").Array() {
			tools = append(tools, tool.Get("id").String()+"="+tool.Get("tool").String())
		}
		got[s.Get("id").String()+"="+s.Get("serverName").String()] = tools
	}
	require.Equal(t, map[string][]string{
		"uPPER=UPPER":              {"doThing=mcp:UPPER:DoThing"},
		"constructor2=constructor": {"prototype2=mcp:constructor:prototype"},
		"gh=gh": {
			"api=mcp:gh:$api", "start=mcp:gh:123start", "createIssue=mcp:gh:create-issue",
			"createIssue2=mcp:gh:createIssue", "createIssue3=mcp:gh:create_issue", "delete=mcp:gh:delete",
			"prompts2=mcp:gh:prompts", "resources2=mcp:gh:resources", "then2=mcp:gh:then", "tool=mcp:gh:日本", "class=mcp:gh:class",
		},
		"myServer=my.server": {"aBC=mcp:my.server:a.b.c"},
		"tools2=tools":       {"tools2=mcp:tools:tools"},
		"server=日本":          {"x=mcp:日本:x"},
	}, got, "E2 collisions and reserved words get numbers in catalog order")
}

func TestServersShape(t *testing.T) {
	c := mustNew(t, mcpTools()...)
	require.JSONEq(t, `[
		{"id":"chromeDevtools","serverName":"chrome-devtools","tools":[{"id":"takeSnapshot","tool":"mcp:chrome-devtools:take_snapshot","path":["takeSnapshot"]}]},
		{"id":"docs","serverName":"docs","tools":[
			{"id":"prompts.get","tool":"mcp:docs:prompts_get","path":["prompts","get"]},
			{"id":"prompts.list","tool":"mcp:docs:prompts_list","path":["prompts","list"]},
			{"id":"resources.list","tool":"mcp:docs:resources_list","path":["resources","list"]},
			{"id":"resources.read","tool":"mcp:docs:resources_read","path":["resources","read"]}]},
		{"id":"github","serverName":"github","tools":[
			{"id":"createIssue","tool":"mcp:github:create_issue","path":["createIssue"]},
			{"id":"list","tool":"mcp:github:list","path":["list"]}]}]`, string(c.Guest().MCP))
	t.Run("E2 a server is its own name, whoever owns its tools", func(t *testing.T) {
		a, b := mcpToolOf("github", "a", ""), mcpToolOf("github", "b", "")
		a.Owner = "bundle-mcp"
		require.Len(t, gjson.ParseBytes(mustNew(t, a, b).Guest().MCP).Array(), 1)
	})
	t.Run("E2 many alike are numbered in linear time", func(t *testing.T) {
		var tools []Tool
		for i := range 3000 {
			tools = append(tools, mcpToolOf("s", strings.Repeat("-", i%200)+"x"+strings.Repeat("_", i/200), ""))
		}
		require.Len(t, gjson.GetBytes(mustNew(t, tools...).Guest().MCP, "0.tools").Array(), 3000)
	})
	t.Run("E1 an MCP signature names the namespace", func(t *testing.T) {
		require.Equal(t, "MCP.docs.resources.read(input: { uri: string }): Promise<McpToolResult>",
			c.ByID("mcp:docs:resources_read").Signature())
	})
}

func TestFillMCP(t *testing.T) {
	c := mustNew(t, append(mcpTools(),
		mcpToolOf("s", "only", "").with(`{"properties":{"a":{"default":1},"b":{"default":{"c":[]}}}}`),
		mcpToolOf("s", "proto", "").with(`{"type":"object","properties":{"__proto__":{"default":1}},"required":["__proto__","constructor"]}`))...)
	const notObject = "MCP namespace tools accept one object argument."
	cases := []struct{ name, id, input, want, err string }{
		{"nothing is {}", "github:list", ``, `{}`, ""},
		{"defaults fill absent keys", "github:create_issue", `{"owner":"o","repo":"r","title":"t"}`, `{"owner":"o","repo":"r","title":"t","body":"","count":3}`, ""},
		{"given keys stay, whatever their type", "github:create_issue", `{ "title":null,"owner":1,"repo":[],"count":"x","body":false,"more":{"a":1} }`, `{ "title":null,"owner":1,"repo":[],"count":"x","body":false,"more":{"a":1} }`, ""},
		{"defaults alone", "s:only", `{ }`, `{ "a":1,"b":{"c":[]}}`, ""},
		{"one missing", "docs:prompts_get", `{}`, "", "Missing required MCP namespace argument: name"},
		{"two missing", "github:create_issue", `{"owner":"o"}`, "", "Missing required MCP namespace arguments: repo, title"},
		{"string", "github:list", `"x"`, "", notObject},
		{"null", "github:list", `null`, "", notObject},
		{"array", "github:list", `[{}]`, "", notObject},
		{"broken", "github:list", `{"a":`, "", notObject},
		{"two values", "github:list", `{}{}`, "", notObject},
		{"too deep", "github:list", `{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "", notObject},
		{"keys with meaning elsewhere", "s:proto", `{"constructor":1}`, `{"constructor":1,"__proto__":1}`, ""},
		{"an inherited name is not given", "s:proto", `{}`, "", "Missing required MCP namespace argument: constructor"},
	}
	for _, tc := range cases {
		t.Run("E1 "+tc.name, func(t *testing.T) {
			got, err := c.ByID("mcp:" + tc.id).FillMCP(json.RawMessage(tc.input))
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, string(got))
		})
	}
	t.Run("E1 the given bytes are not changed", func(t *testing.T) {
		input := json.RawMessage(`{"owner":"o","repo":"r","title":"t"}  `)
		_, err := c.ByID("mcp:github:create_issue").FillMCP(input[:len(input)-2])
		require.NoError(t, err)
		require.Equal(t, `{"owner":"o","repo":"r","title":"t"}  `, string(input))
	})
}

func TestMCPAPI(t *testing.T) {
	c := mustNew(t, mcpTools()...)
	ask := func(server, selector string, schema bool) gjson.Result {
		raw, err := c.MCPAPI(server, selector, schema)
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
		return gjson.ParseBytes(raw)
	}
	t.Run("E3 root", func(t *testing.T) {
		a := ask("", "", false)
		require.Equal(t, "mcp_api", a.Get("kind").String())
		require.Equal(t, "root", a.Get("scope").String())
		require.Equal(t, `[{"identifier":"chromeDevtools","serverName":"chrome-devtools","toolCount":1},`+
			`{"identifier":"docs","serverName":"docs","toolCount":4},{"identifier":"github","serverName":"github","toolCount":2}]`, a.Get("servers").Raw)
		require.Contains(t, a.Get("header").String(), "readonly github")
		require.NotEmpty(t, a.Get("note").String())
	})
	t.Run("E3 server", func(t *testing.T) {
		a := ask("github", "", false)
		require.Equal(t, "server", a.Get("scope").String())
		require.Equal(t, `{"identifier":"github","serverName":"github"}`, a.Get("server").Raw)
		require.Len(t, a.Get("tools").Array(), 2)
		require.False(t, a.Get("schemas").Exists())
		require.Len(t, ask("github", "", true).Get("schemas").Map(), 2)
	})
	t.Run("E3 one tool by method, with schema", func(t *testing.T) {
		a := ask("github", "createIssue", true)
		require.Equal(t, "tool", a.Get("scope").String())
		require.JSONEq(t, `[{"method":"createIssue","path":["createIssue"],"mcpTool":"create_issue","operation":"tool",
			"description":"Create a GitHub issue.\n\nSecond line."}]`, a.Get("tools").Raw)
		require.JSONEq(t, createIssueSchema, a.Get("schemas.createIssue").Raw)
		require.Contains(t, a.Get("header").String(), "function createIssue(")
		require.NotContains(t, a.Get("header").String(), "function list(")
	})
	t.Run("E3 by the server's own name and by dotted path", func(t *testing.T) {
		require.Equal(t, "createIssue", ask("github", "create_issue", false).Get("tools.0.method").String())
		a := ask("docs", " resources.read ", false)
		require.Equal(t, "tool", a.Get("scope").String())
		require.Equal(t, `["resources","read"]`, a.Get("tools.0.path").Raw)
		require.Equal(t, "resources_read", a.Get("tools.0.operation").String())
	})
	t.Run("E3 an unknown selector selects nothing", func(t *testing.T) {
		a := ask("docs", "nope", true)
		require.Equal(t, "server", a.Get("scope").String())
		require.Equal(t, `[]`, a.Get("tools").Raw)
		require.Equal(t, `{}`, a.Get("schemas").Raw)
		require.Contains(t, a.Get("header").String(), "namespace resources")
		require.Contains(t, a.Get("note").String(), `"nope"`)
	})
	t.Run("E3 an unknown server is an error", func(t *testing.T) {
		_, err := c.MCPAPI("__proto__", "", false)
		require.ErrorContains(t, err, "unknown MCP server: __proto__")
	})
}
