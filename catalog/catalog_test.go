package catalog

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewOrder(t *testing.T) {
	bundled := tool("bundled", "b", "")
	bundled.Bundled = true
	c := mustNew(t,
		clientTool("app", "delta", ""), mcpToolOf("srv", "m", ""), tool("plug", "gamma", ""),
		tool("core", "alpha", ""), bundled, tool("core", "beta", ""), tool("other", "c", ""),
	)
	t.Run("A1 core, bundled plugin, external plugin, MCP, client; the turn's order within", func(t *testing.T) {
		require.Equal(t, []string{
			"openclaw:core:alpha", "openclaw:core:beta", "openclaw:bundled:b", "openclaw:plug:gamma",
			"openclaw:other:c", "mcp:srv:m", "client:app:delta",
		}, ids(c.Entries()))
	})
	t.Run("G6 sources count MCP too", func(t *testing.T) {
		require.Equal(t, Sources{OpenClaw: 5, MCP: 1, Client: 1}, c.Sources())
		require.Equal(t, 7, c.Len())
	})
	t.Run("A1 ByID reaches MCP entries", func(t *testing.T) {
		require.Equal(t, "m", c.ByID("mcp:srv:m").Name())
		require.Nil(t, c.ByID("mcp:srv:n"))
		require.Nil(t, c.ByID("m"))
	})
}

func TestNewDefaults(t *testing.T) {
	c := mustNew(t,
		Tool{Source: SourceOpenClaw, Name: "a"},
		Tool{Source: SourceClient, Name: "b"},
		Tool{Source: SourceMCP, Name: "c", MCP: &MCPTool{ServerName: "srv"}},
		Tool{Source: SourceMCP, Owner: "own", Name: "d"},
	)
	require.Equal(t, []string{"openclaw:core:a", "mcp:srv:c", "mcp:own:d", "client:client:b"}, ids(c.Entries()))
	require.Equal(t, &MCPTool{ServerName: "own", ToolName: "d"}, c.ByID("mcp:own:d").Tool().MCP)
	require.Nil(t, c.ByID("openclaw:core:a").Tool().Parameters)
}

func TestNewCopiesTools(t *testing.T) {
	tools := []Tool{{Source: SourceMCP, Name: "c", MCP: &MCPTool{ServerName: "srv"}}}
	c := mustNew(t, tools...)
	require.Empty(t, tools[0].Owner)
	require.Empty(t, tools[0].MCP.ToolName)
	tools[0].Name = "changed"
	require.Equal(t, "c", c.Entries()[0].Name())
}

func TestNewControlsAndDuplicates(t *testing.T) {
	t.Run("A3 Tool Search controls are left out, exec and wait are tools", func(t *testing.T) {
		c := mustNew(t, searchTools()...)
		require.Equal(t, 25, c.Len())
		require.Equal(t, Sources{OpenClaw: 21, MCP: 2, Client: 2}, c.Sources())
		for _, name := range []string{"tool_search_code", "tool_search", "tool_describe", "tool_call"} {
			require.Nil(t, c.ByID("openclaw:core:"+name))
		}
	})
	t.Run("G8 a shell tool named exec is reachable by id and by name", func(t *testing.T) {
		c := mustNew(t, searchTools()...)
		for _, want := range []string{"openclaw:core:exec", "exec"} {
			e, err := c.Lookup(want)
			require.NoError(t, err)
			require.Equal(t, "openclaw:core:exec", e.ID())
		}
	})
	t.Run("A1 of two tools with one id the last counts, with a warning", func(t *testing.T) {
		c := mustNew(t, tool("p", "x", "old"), tool("p", "y", ""), tool("p", "x", "new"))
		require.Equal(t, []string{"openclaw:p:x", "openclaw:p:y"}, ids(c.Entries()))
		require.Equal(t, "new", c.ByID("openclaw:p:x").Tool().Description)
		require.Equal(t, []string{"tool id openclaw:p:x was sent more than once; the last one counts"}, c.Warnings())
		e, err := c.Lookup("x")
		require.NoError(t, err)
		require.Equal(t, "new", e.Tool().Description)
	})
}

func TestNewRefuses(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 300) + "{}" + strings.Repeat("}", 300)
	cases := []struct {
		name  string
		tool  Tool
		field string
		says  string
	}{
		{"no source", Tool{Name: "a"}, "source", "openclaw, mcp or client"},
		{"another source", Tool{Source: "plugin", Name: "a"}, "source", `got "plugin"`},
		{"no name", Tool{Source: SourceClient}, "name", "non-empty"},
		{"blank name", tool("core", "  ", ""), "name", "white space"},
		{"padded name", tool("core", "a ", ""), "name", "white space"},
		{"line break in name", tool("core", "a\nb", ""), "name", "control"},
		{"tab in name", tool("core", "a\tb", ""), "name", "control"},
		{"line separator in name", tool("core", "a\u2028b", ""), "name", "control"},
		{"long name", tool("core", strings.Repeat("a", 257), ""), "name", "256"},
		{"invalid UTF-8", tool("core", "a\xff", ""), "name", "UTF-8"},
		{"colon in owner", tool("a:b", "c", ""), "owner", "colon"},
		{"no MCP server", Tool{Source: SourceMCP, Name: "a"}, "owner", "non-empty"},
		{"unknown operation", Tool{Source: SourceMCP, Owner: "s", Name: "a", MCP: &MCPTool{Operation: "x"}}, "mcp.operation", "resources_list"},
		{"odd server name", Tool{Source: SourceMCP, Owner: "s", Name: "a", MCP: &MCPTool{ServerName: "a\x00"}}, "mcp.serverName", "control"},
		{"schema is a list", tool("core", "a", "").with(`[1]`), "parameters", "JSON object"},
		{"schema is true", tool("core", "a", "").with(`true`), "parameters", "JSON object"},
		{"schema is no JSON", tool("core", "a", "").with(`{"a":`), "parameters", "not valid JSON"},
		{"schema too deep", tool("core", "a", "").with(deep), "parameters", "200 levels"},
	}
	for _, tc := range cases {
		t.Run("A1 "+tc.name, func(t *testing.T) {
			_, err := New([]Tool{tool("core", "fine", ""), tc.tool}, Policy{})
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, 1, bad.Tool)
			require.Equal(t, tc.field, bad.Field)
			require.Contains(t, bad.Error(), "tools[1]")
			require.Contains(t, bad.Error(), tc.says)
		})
	}
	t.Run("A1 output schemas are checked too", func(t *testing.T) {
		bad := tool("core", "a", "")
		bad.OutputSchema = json.RawMessage(`7`)
		_, err := New([]Tool{bad}, Policy{})
		require.ErrorContains(t, err, `tools[0] "a": outputSchema: must be a JSON object`)
	})
	t.Run("A1 a null schema is none", func(t *testing.T) {
		require.Nil(t, mustNew(t, tool("core", "a", "").with("null")).Entries()[0].Tool().Parameters)
	})
}

func TestNames(t *testing.T) {
	c := mustNew(t, searchTools()...)
	has := map[string]string{}
	for _, line := range strings.Split(strings.Trim(string(c.Guest().Names), "\n"), "\n") {
		name, id, ok := strings.Cut(line, "\t")
		require.True(t, ok)
		require.NotContains(t, has, name)
		has[name] = id
	}
	require.Equal(t, map[string]string{
		"exec": "openclaw:core:exec", "message": "openclaw:core:message", "wait": "openclaw:core:wait",
		"write": "openclaw:core:write", "web_search": "openclaw:brave:web_search",
		"browser_request": "openclaw:browser:browser_request", "$dollar": "openclaw:p1:$dollar",
		"class": "openclaw:p1:class", "constructor": "openclaw:p1:constructor", "toString": "openclaw:p1:toString",
		"createIssue": "openclaw:tracker:createIssue", "select_file": "client:app:select_file",
	}, has, "D2 shared, odd and reserved names have no function")

	cases := map[string]bool{
		"__proto__": true, "then": false, "call": false, "callValue": false, "search": false, "describe": false,
		"a.b": false, "a-b": false, "日本": false, "é": false, "_": true, "$": true, "a1": true, "1a": false,
	}
	for name, want := range cases {
		t.Run("D2 "+name, func(t *testing.T) {
			e := mustNew(t, tool("core", name, "")).Entries()[0]
			require.Equal(t, want, e.Function() != "")
		})
	}
	t.Run("D2 an MCP tool takes no name away", func(t *testing.T) {
		c := mustNew(t, tool("core", "list", ""), mcpToolOf("s", "list", ""))
		require.Equal(t, "\nlist\topenclaw:core:list\n", string(c.Guest().Names))
	})
	t.Run("D2 no names at all", func(t *testing.T) {
		require.Equal(t, "\n", string(mustNew(t).Guest().Names))
	})
}

func TestGuestEntries(t *testing.T) {
	t.Run("D1 MCP is filtered out, keys in order", func(t *testing.T) {
		odd := tool("core", "b", "line\nbreak \"q\" <b> \u2028")
		odd.Label = "L"
		c := mustNew(t, tool("core", "a", ""), odd, mcpToolOf("s", "m", "x"))
		want := `[{"id":"openclaw:core:a","source":"openclaw","sourceName":"core","name":"a","description":""},` +
			`{"id":"openclaw:core:b","source":"openclaw","sourceName":"core","name":"b","label":"L",` +
			`"description":"line\nbreak \"q\" <b> \u2028"}]`
		require.Equal(t, want, string(c.Guest().Entries))
		require.JSONEq(t, `{"id":"mcp:s:m","source":"mcp","sourceName":"s","name":"m","description":"x"}`,
			string(c.ByID("mcp:s:m").JSON()))
		require.Nil(t, c.GuestWithoutFiles().Files)
		require.Equal(t, c.Guest().Entries, c.GuestWithoutFiles().Entries)
	})
	t.Run("D1 no tools", func(t *testing.T) {
		g := mustNew(t).Guest()
		require.Equal(t, "[]", string(g.Entries))
		require.Nil(t, g.MCP)
		require.Nil(t, g.Files)
	})
	t.Run("D1 invalid UTF-8 in texts is replaced", func(t *testing.T) {
		c := mustNew(t, tool("core", "a", "x\xff"))
		require.True(t, json.Valid(c.Guest().Entries))
		require.Contains(t, string(c.Guest().Entries), `\ufffd`)
	})
}

func TestDescribe(t *testing.T) {
	out := tool("core", "weather", "Now").with(`{"type":"object","properties":{ "city": {"type":"string"} },"required":["city"]}`)
	out.OutputSchema = json.RawMessage(`{"type":"object","properties":{"celsius":{"type":"number"}}}`)
	c := mustNew(t, out, Tool{Source: SourceOpenClaw, Owner: "p", Name: "odd-name"})
	t.Run("D4 parameters, signature, output", func(t *testing.T) {
		require.Equal(t, `{"id":"openclaw:core:weather","source":"openclaw","sourceName":"core","name":"weather","description":"Now",`+
			`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},`+
			`"signature":"tools.weather(input: { city: string }): Promise<{ celsius?: number }>",`+
			`"output":{"type":"object","properties":{"celsius":{"type":"number"}}}}`,
			string(c.ByID("openclaw:core:weather").DescribeJSON()))
	})
	t.Run("D4 no schema is {}", func(t *testing.T) {
		require.JSONEq(t, `{"id":"openclaw:p:odd-name","source":"openclaw","sourceName":"p","name":"odd-name","description":"",
			"parameters":{},"signature":"tools.callValue(\"openclaw:p:odd-name\", input?: Record<string, unknown>): Promise<unknown>"}`,
			string(c.ByID("openclaw:p:odd-name").DescribeJSON()))
	})
}

// TestShared lets many runs use one catalog from the start; the race detector judges.
func TestShared(t *testing.T) {
	c := mustNew(t, append(append(searchTools(), manyTools(30)...),
		tool("core", "broken", "").with(`{"type":"banana"}`),
		tool("core", "lengths", "").with(`{"properties":{"id":{"minLength":5,"maxLength":0}}}`))...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c.Search("create issue", 8)
			c.Guest()
			c.Surface(Budget{}, nil)
			c.Warnings()
			_, _ = c.Lookup("reed")
			_, _ = c.MCPAPI("", "", false)
			for _, e := range c.Entries() {
				e.DescribeJSON()
				_ = e.Validate([]byte(`{"id":"x"}`))
				_, _ = e.FillMCP(nil)
			}
		})
	}
	wg.Wait()
}
