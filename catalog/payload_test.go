package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckPayload(t *testing.T) {
	good := []string{
		`[{"name":"exec"},{"name":"wait"}]`,
		`[{"name":"wait"},{"name":"exec"}]`,
		`[{"type":"function","function":{"name":"exec"}},{"type":"function","function":{"name":"wait"}}]`,
		`[{"type":"function","name":"exec","strict":false},{"type":"custom","name":"wait"}]`,
		`[{"functionDeclarations":[{"name":"exec"},{"name":"wait"}]}]`,
		`[{"function_declarations":[{"name":"exec"}]},{"function_declarations":[{"name":"wait"}]}]`,
		`[{"name":"\u0065xec"},{"name":"wait","cache_control":{"type":"ephemeral"}}]`,
		` [ {"name":"exec"} , {"functionDeclarations":[{"name":"wait"}]} ] `,
	}
	for _, tools := range good {
		t.Run("A6 "+tools, func(t *testing.T) {
			found, err := CheckPayload(json.RawMessage(tools))
			require.NoError(t, err)
			require.True(t, found.OK, found.Problem)
			require.Empty(t, found.Problem)
			require.ElementsMatch(t, []string{"exec", "wait"}, found.Names)
		})
	}
	bad := []struct{ tools, says string }{
		{`[]`, "got nothing"},
		{`null`, "must be an array"},
		{`{"tools":[]}`, "must be an array"},
		{`[{"name":"exec"}]`, "got exec"},
		{`[{"name":"exec"},{"name":"exec"}]`, "got exec, exec"},
		{`[{"name":"exec"},{"name":"wait"},{"name":"wait"}]`, "got exec, wait, wait"},
		{`[{"name":"exec"},{"name":"wait"},{"name":"web_search"}]`, "web_search"},
		{`[{"name":"exec"},{"name":"wait"},{"type":"web_search"}]`, "<type web_search>"},
		{`[{"name":"exec"},{"name":"wait"},{"googleSearch":{}}]`, "<unnamed>"},
		{`[{"name":"exec"},{"name":"wait"},{}]`, "<unnamed>"},
		{`[{"name":"exec"},{"name":"wait"},null]`, "<null>"},
		{`[{"name":"exec"},{"name":"wait"},"read"]`, "<string>"},
		{`[{"name":"exec"},{"name":"wait"},[{"name":"read"}]]`, "exec, wait"},
		{`[{"name":"Exec"},{"name":"wait"}]`, "Exec"},
		{`[{"name":"exec "},{"name":"wait"}]`, "exec , wait"},
		{`[{"name":7},{"name":"wait"}]`, "<unnamed>"},
		{`[{"type":"bash_20250124","name":"exec"},{"name":"wait"}]`, "exec, wait"},
		{`[{"type":7,"name":"exec"},{"name":"wait"}]`, "exec, wait"},
		{`[{"name":"exec","name":"read"},{"name":"wait"}]`, "expected exec, wait"},
		{`[{"name":"exec","function":{"name":"read"}},{"name":"wait"}]`, "read"},
		{`[{"function":{"name":"read","name":"exec"}},{"name":"wait"}]`, "exec, wait"},
		{`[{"function":"exec"},{"name":"wait"}]`, "<unnamed>"},
		{`[{"functionDeclarations":[{"name":"exec"},{"name":"read"},{"name":"wait"}]}]`, "exec, read, wait"},
		{`[{"functionDeclarations":[{"name":"exec"},{"name":"wait"}],"googleSearch":{}}]`, "<googleSearch>"},
		{`[{"functionDeclarations":[{"name":"exec"}],"function_declarations":[{"name":"wait"}]}]`, "<function_declarations>"},
		{`[{"functionDeclarations":{"name":"exec"}},{"name":"wait"}]`, "<functionDeclarations>"},
		{`[{"functionDeclarations":[{"name":"exec"},"wait"]}]`, "<not an object>"},
		{`[{"functionDeclarations":[{"name":"exec"},{"name":"wait"}]},{"codeExecution":{}}]`, "<unnamed>"},
	}
	for _, tc := range bad {
		t.Run("A6 "+tc.tools, func(t *testing.T) {
			found, err := CheckPayload(json.RawMessage(tc.tools))
			require.NoError(t, err)
			require.False(t, found.OK)
			require.Contains(t, found.Problem, "Code mode payload tool surface violation: ")
			require.Contains(t, found.Problem, tc.says)
			require.NotNil(t, found.Names)
		})
	}
	for _, tools := range []string{``, `[`, `[{"name":"exec"},]`, `[{"name":"exec"}] x`, strings.Repeat("[", 1_000_000)} {
		_, err := CheckPayload(json.RawMessage(tools))
		require.Error(t, err, "A6 %.20s", tools)
		_, err = FilterPayload(json.RawMessage(tools))
		require.Error(t, err)
	}
	t.Run("A6 a flood of names is clipped", func(t *testing.T) {
		found, err := CheckPayload(json.RawMessage(`[{"name":"` + strings.Repeat("x", 100_000) + `"}` + strings.Repeat(`,{"name":"y"}`, 10_000) + `]`))
		require.NoError(t, err)
		require.Less(t, len(found.Problem), 2000)
	})
}

func TestFilterPayload(t *testing.T) {
	cases := []struct{ tools, want string }{
		{`[{"name":"exec"},{"name":"wait"},{"name":"web_search"},{"type":"web_search"}]`, `[{"name":"exec"},{"name":"wait"}]`},
		{`[{"name":"read"},{"name":"wait","x":1},{"name":"exec"}]`, `[{"name":"wait","x":1},{"name":"exec"}]`},
		{`[{"name":"exec","a":1},{"name":"exec","b":2},{"name":"wait"}]`, `[{"name":"exec","a":1},{"name":"wait"}]`},
		{`[{"type":"function","function":{"name":"exec"}},{"type":"function","function":{"name":"read"}}]`, `[{"type":"function","function":{"name":"exec"}}]`},
		{`[{"functionDeclarations":[{"name":"exec"},{"name":"read"},{"name":"wait"}],"googleSearch":{}}]`, `[{"functionDeclarations":[{"name":"exec"},{"name":"wait"}]}]`},
		{`[{"function_declarations":[{"name":"read"}]},{"googleSearch":{}}]`, `[]`},
		{`[{"type":"bash","name":"exec"},{"name":"exec"},null,"wait",{"name":"wait","name":"wait"}]`, `[{"name":"exec"}]`},
		{`{"name":"exec"}`, `[]`},
		{`null`, `[]`},
	}
	for _, tc := range cases {
		t.Run("A6 "+tc.tools, func(t *testing.T) {
			got, err := FilterPayload(json.RawMessage(tc.tools))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(got))
		})
	}
}
