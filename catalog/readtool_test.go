package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadTool(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}}}`
	for _, tc := range []struct{ name, raw, parameters, remark string }{
		{"its own name", `{"name":"t","parameters":` + schema + `}`, schema, ""},
		{"in another case", `{"name":"t","Parameters":` + schema + `}`, schema, ""},
		{"MCP's name", `{"name":"t","inputSchema":` + schema + `}`, schema, `key "inputSchema" was read as "parameters"`},
		{"Anthropic's name", `{"name":"t","input_schema":` + schema + `,"type":"custom"}`, schema, `key "input_schema" was read as "parameters"`},
		{"Gemini's name", `{"name":"t","parametersJsonSchema":` + schema + `}`, schema, `key "parametersJsonSchema" was read as "parameters"`},
		{"both, alike", `{"name":"t","parameters":` + schema + `,"inputSchema":{"properties":{"n":{"type":"integer"}},"type":"object"}}`, schema, ""},
		{"both, one of them null", `{"name":"t","parameters":null,"inputSchema":` + schema + `}`, schema, `key "inputSchema" was read as "parameters"`},
		{"OpenAI's form", `{"type":"function","function":{"name":"t","parameters":` + schema + `}}`, schema, ""},
		{"OpenAI's flat form", `{"type":"function","name":"t","parameters":` + schema + `}`, schema, ""},
		{"a key like no other", `{"name":"t","x-vendor":1}`, "", `unknown key "x-vendor" was ignored`},
		{"a key that means one that is not there", `{"name":"t","schema":{}}`, "", `unknown key "schema" was ignored; did you mean "parameters"?`},
		{"a key like one that is there", `{"name":"t","names":["u"]}`, "", `unknown key "names" was ignored`},
		{"annotations are free", `{"name":"t","annotations":{"readOnlyHint":true}}`, "", ""},
		{"a type that is another thing", `{"name":"t","type":"retriever"}`, "", `unknown key "type" was ignored`},
	} {
		t.Run("D5a "+tc.name, func(t *testing.T) {
			got, err := ReadTool([]byte(tc.raw))
			require.NoError(t, err)
			require.Equal(t, "t", got.Name)
			require.Equal(t, tc.parameters, string(got.Parameters))
			require.Equal(t, tc.remark, strings.Join(got.remarks, "; "))
		})
	}
	for _, tc := range []struct{ name, raw, key, says string }{
		{"a slip", `{"name":"t","descripton":"x"}`, "descripton", `unknown key "descripton"; did you mean "description"?`},
		{"a slip within OpenAI's form", `{"function":{"name":"t","paramters":{}}}`, "paramters", `did you mean "parameters"?`},
		{"a word cut short", `{"name":"t","desc":"x"}`, "desc", `did you mean "description"?`},
		{"names that differ", `{"name":"t","parameters":{},"inputSchema":{"a":1}}`, "inputSchema", "the two differ"},
		{"other names that differ", `{"name":"t","input_schema":{},"inputSchema":{"a":1}}`, "inputSchema", "the two differ"},
		{"names that differ between the forms", `{"name":"t","function":{"name":"u"}}`, "function.name", "the two differ"},
		{"the same key twice", `{"name":"t","NAME":"u"}`, "name", "given twice"},
		{"a slip below mcp", `{"name":"t","mcp":{"tool_name":"x"}}`, "mcp.tool_name", `unknown key "tool_name" in mcp; did you mean "toolName"?`},
	} {
		t.Run("D5a refused: "+tc.name, func(t *testing.T) {
			_, err := ReadTool([]byte(tc.raw))
			var key *KeyError
			require.ErrorAs(t, err, &key)
			require.Equal(t, tc.key, key.Key)
			require.Contains(t, key.Reason, tc.says)
		})
	}
	t.Run("D5a what every tool has is said once", func(t *testing.T) {
		var tools []Tool
		for _, name := range []string{"a", "b", "c"} {
			tool, err := ReadTool([]byte(`{"source":"openclaw","name":"` + name + `","_meta":{},"mcp":{"zone":1}}`))
			require.NoError(t, err)
			tools = append(tools, tool)
		}
		require.Equal(t, []string{
			`tools[0] and 2 more: unknown key "_meta" was ignored`, `tools[0] and 2 more: unknown key "mcp.zone" was ignored`,
		}, mustNew(t, tools...).Remarks())
	})
	t.Run("D5a many unknown keys make few remarks", func(t *testing.T) {
		tool, err := ReadTool([]byte(`{"name":"t"` + strings.Repeat(`,"k`+strings.Repeat("x", 500)+`":1`, 5000) + `}`))
		require.NoError(t, err)
		require.Len(t, tool.remarks, maxToolRemarks)
		require.Less(t, len(strings.Join(tool.remarks, "")), 2000)
	})
}
