//go:build clients

package codecell_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// modelCell is what the scripted model writes: it needs the client twice.
const modelCell = `const [lamp, desk] = await Promise.all(["lamp", "desk"].map((sku) => tools.stock({ sku })));
return lamp.pieces + desk.pieces`

// said is what the model makes of the cell's value.
func said(result gjson.Result) string {
	return fmt.Sprintf("There are %d, says the cell that %s.", result.Get("value").Int(), result.Get("status").Str)
}

// model is a scripted model behind both wire formats: it calls exec, and answers with what came of it.
func model(t *testing.T) *httptest.Server {
	arguments, _ := json.Marshal(map[string]string{"code": modelCell})
	mux := http.NewServeMux()
	body := func(r *http.Request) gjson.Result {
		var raw json.RawMessage
		require.NoError(t, json.NewDecoder(r.Body).Decode(&raw))
		return gjson.ParseBytes(raw)
	}
	answer := func(w http.ResponseWriter, v any) { require.NoError(t, json.NewEncoder(w).Encode(v)) }
	type object = map[string]any
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		asked := body(r)
		require.Equal(t, `["exec","wait"]`, asked.Get("tools.#.function.name").Raw)
		require.Equal(t, `["function","function"]`, asked.Get("tools.#.type").Raw)
		message := object{"role": "assistant", "content": nil, "tool_calls": []object{{
			"id": "call_1", "type": "function", "function": object{"name": "exec", "arguments": string(arguments)},
		}}}
		if result := asked.Get(`messages.#(role=="tool")`); result.Exists() {
			require.Equal(t, "call_1", result.Get("tool_call_id").Str)
			require.Equal(t, "call_1", asked.Get("messages.1.tool_calls.0.id").Str)
			message = object{"role": "assistant", "content": said(gjson.Parse(result.Get("content").Str))}
		}
		answer(w, object{"choices": []object{{"index": 0, "message": message}}})
	})
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		asked := body(r)
		require.Equal(t, "2023-06-01", r.Header.Get("anthropic-version"))
		require.Equal(t, `["exec","wait"]`, asked.Get("tools.#.name").Raw)
		require.True(t, asked.Get("tools.0.input_schema").IsObject())
		content, reason := object{"type": "tool_use", "id": "toolu_1", "name": "exec", "input": json.RawMessage(arguments)}, "tool_use"
		if result := asked.Get(`messages.2.content.0`); result.Exists() {
			require.Equal(t, "toolu_1", result.Get("tool_use_id").Str)
			require.False(t, result.Get("is_error").Bool())
			content, reason = object{"type": "text", "text": said(gjson.Parse(result.Get("content").Str))}, "end_turn"
		}
		answer(w, object{"type": "message", "role": "assistant", "content": []object{content}, "stop_reason": reason})
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

// TestClients runs each program of docs/clients.md as it is.
func TestClients(t *testing.T) {
	text, err := os.ReadFile("docs/clients.md")
	require.NoError(t, err)
	base, models := serve(t), model(t)
	const together = "There are 14, says the cell that completed."
	for _, language := range []struct {
		name, file string
		command    []string
		want       []string // of each program
	}{
		{"sh", "client.sh", []string{"sh"}, []string{`"value":"/NOTES.TXT"`}},
		{"python", "client.py", []string{"python3"}, []string{together, together}},
		{"go", "main.go", []string{"go", "run"}, []string{together}},
	} {
		programs := blocks(string(text), language.name)
		require.Len(t, programs, len(language.want), language.name)
		for n, program := range programs {
			t.Run(fmt.Sprintf("J %s %d", language.name, n+1), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), language.file)
				require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
				command := exec.CommandContext(t.Context(), language.command[0], append(language.command[1:], file)...)
				command.Env = append(os.Environ(), "CODECELL_URL="+base, "OPENAI_BASE_URL="+models.URL+"/v1", "OPENAI_API_KEY=k",
					"ANTHROPIC_BASE_URL="+models.URL, "ANTHROPIC_API_KEY=k", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
				out, err := command.CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Contains(t, string(out), language.want[n])
			})
		}
	}
}
