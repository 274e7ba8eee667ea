package hook

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/outbound"
)

func client(t *testing.T, hosts ...string) *outbound.Client {
	t.Helper()
	c, err := outbound.New(outbound.Options{Hosts: hosts})
	require.NoError(t, err)
	t.Cleanup(c.CloseIdle)
	return c
}

// serving is a webhook with a server behind it.
func serving(t *testing.T, handle http.HandlerFunc) *Webhook {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return &Webhook{
		URL: server.URL + "/hook?x=1", Headers: map[string]string{"X-Team": "a"}, Client: client(t, outbound.Loopback),
		Keys: executor.SigningKeys{Master: []byte("signing key")},
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func aCall() Call {
	return Call{
		ID: "cm_1.1", ParentID: "parent", RunID: "cm_1", TurnID: "turn", Tenant: "acme", ToolID: "openclaw:core:read", Name: "read",
		Input: json.RawMessage(`{"path":"<a>"}`), Context: executor.Context{AgentID: "agent", Sandboxed: true},
	}
}

func TestWebhook(t *testing.T) {
	const told = `"callId":"cm_1.1","parentCallId":"parent","runId":"cm_1","turnId":"turn","toolId":"openclaw:core:read","name":"read","input":{"path":"<a>"},"context":{"agentId":"agent","sandboxed":true}`
	t.Run("G1 it is told everything, signed", func(t *testing.T) {
		var body []byte
		var header http.Header
		var url string
		w := serving(t, func(_ http.ResponseWriter, r *http.Request) {
			header, url = r.Header, "http://"+r.Host+r.URL.String()
			body, _ = io.ReadAll(r.Body)
		})
		_, err := w.BeforeToolCall(t.Context(), aCall())
		require.NoError(t, err)
		require.JSONEq(t, `{"event":"before_tool_call",`+told+`}`, string(body))
		require.Equal(t, []string{"a", "application/json", "acme"}, []string{header.Get("X-Team"), header.Get("Content-Type"), header.Get("X-Codecell-Tenant")})
		signature := executor.Signature(w.Keys.Of("acme"), header.Get("X-Codecell-Timestamp"), http.MethodPost, url, "acme", body)
		require.Equal(t, "v2="+signature, header.Get("X-Codecell-Signature"))
	})
	t.Run("G1 and afterwards what came of it", func(t *testing.T) {
		var bodies []string
		w := serving(t, func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(body))
		})
		for _, o := range []Outcome{{Result: json.RawMessage(`{"content":[]}`), Took: 1500 * time.Microsecond}, {Error: "it broke", Code: "tool_error"}} {
			_, err := w.AfterToolCall(t.Context(), aCall(), o)
			require.NoError(t, err)
		}
		require.JSONEq(t, `{"event":"after_tool_call",`+told+`,"result":{"content":[]},"tookMs":1.5}`, bodies[0])
		require.JSONEq(t, `{"event":"after_tool_call",`+told+`,"error":"it broke","code":"tool_error"}`, bodies[1])
	})
	for _, tc := range []struct {
		name   string
		status int
		body   string
		want   Verdict
		fails  string
	}{
		{"nothing", 204, "", Verdict{}, ""},
		{"an empty object", 200, " {} ", Verdict{}, ""},
		{"a block", 200, `{"block":true,"reason":"no"}`, Verdict{Block: true, Reason: "no"}, ""},
		{"a block in OpenClaw's words", 200, `{"block":true,"blockReason":"no"}`, Verdict{Block: true, Reason: "no"}, ""},
		{"an input", 200, `{"input":{"a":1}}`, Verdict{Input: json.RawMessage(`{"a":1}`)}, ""},
		{"an input in OpenClaw's words", 200, `{"params":[1],"reason":null}`, Verdict{Input: json.RawMessage(`[1]`)}, ""},
		{"nulls", 200, `{"block":null,"input":null}`, Verdict{}, ""},
		{"two names", 200, `{"params":[1],"input":[1]}`, Verdict{}, "both input and params"},
		{"a misspelt key", 200, `{"blok":true}`, Verdict{}, `unknown key "blok"; did it mean "block"?`},
		{"an unknown key", 200, `{"` + strings.Repeat("x", 1000) + `":1}`, Verdict{}, `unknown key "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`},
		{"a key of another event", 200, `{"result":1}`, Verdict{}, "unknown key"},
		{"a wrong type", 200, `{"block":"yes"}`, Verdict{}, "a block of the wrong type"},
		{"garbage", 200, "<html>", Verdict{}, "did not answer with JSON"},
		{"half an answer", 200, `{"block":true`, Verdict{}, "did not answer with JSON"},
		{"an array", 200, `[]`, Verdict{}, "a JSON object"},
		{"null", 200, `null`, Verdict{}, "a JSON object"},
		{"too deep", 200, `{"input":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + `}`, Verdict{}, "did not answer with JSON"},
		{"an error", 500, `{"block":false}`, Verdict{}, "answered HTTP 500"},
		{"a redirect", 302, `{}`, Verdict{}, "answered HTTP 302"},
		{"10 MB", 200, `{"reason":"` + strings.Repeat("x", 10<<20) + `"}`, Verdict{}, "more than 4194304 bytes"},
	} {
		t.Run("G1 an answer: "+tc.name, func(t *testing.T) {
			v, err := serving(t, answering(tc.status, tc.body)).BeforeToolCall(t.Context(), aCall())
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				require.Less(t, len(err.Error()), 200)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, v)
		})
	}
	for body, want := range map[string]Revision{
		`{"result":{"content":[]},"reason":"r"}`: {Result: json.RawMessage(`{"content":[]}`), Reason: "r"},
		`{"error":"e"}`:                          {Error: "e"},
		``:                                       {},
	} {
		t.Run("G1 an answer afterwards: "+body, func(t *testing.T) {
			r, err := serving(t, answering(200, body)).AfterToolCall(t.Context(), aCall(), Outcome{})
			require.NoError(t, err)
			require.Equal(t, want, r)
		})
	}
	t.Run("G1 a server that is gone", func(t *testing.T) {
		gone := httptest.NewServer(nil)
		gone.Close()
		w := &Webhook{URL: gone.URL, Client: client(t, outbound.Loopback)}
		_, err := w.BeforeToolCall(t.Context(), aCall())
		require.EqualError(t, err, "it can't be reached")
	})
	t.Run("G3 a host that may not be called", func(t *testing.T) {
		w := serving(t, answering(200, ""))
		w.Client = client(t, outbound.Public)
		_, err := w.BeforeToolCall(t.Context(), aCall())
		require.ErrorContains(t, err, "it can't be asked: this service calls no")
		require.ErrorContains(t, w.Check("acme"), ".url: this service calls no")
	})
	t.Run("G1 a server that does not answer is left in time", func(t *testing.T) {
		arrived, left := make(chan struct{}, 100), make(chan struct{}, 100)
		w := serving(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			arrived <- struct{}{}
			<-r.Context().Done()
			left <- struct{}{}
		})
		for timeout := time.Millisecond; ; timeout *= 2 { // on a busy machine a request may be given up before it arrives
			_, err := only(t, Hook{Before: w, Timeout: timeout}).AskBefore(t.Context(), aCall())
			require.ErrorContains(t, err, "did not answer within "+timeout.String())
			if len(arrived) > 0 {
				break
			}
		}
		<-left
	})
	for says, w := range map[string]Webhook{
		`.url must be an http or https URL, got "ftp://x"`: {URL: "ftp://x"},
		`.url must be an http or https URL, got ""`:        {},
		`.headers: "a b" is no HTTP header`:                {URL: "https://example.com", Headers: map[string]string{"a b": "c"}},
		`.headers: "A" is no HTTP header`:                  {URL: "https://example.com", Headers: map[string]string{"A": "b\nc"}},
	} {
		t.Run("G1 "+says, func(t *testing.T) {
			w.Client = client(t, outbound.Public)
			require.EqualError(t, w.Check(""), says)
		})
	}
}
