package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestCreateTurn(t *testing.T) {
	t.Run("J the answer", func(t *testing.T) {
		f := newFake()
		rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/turns", `{
			"context":{"agentId":"a","sessionId":"s1","sessionKey":"k","runId":"r1","sender":"u","channel":"c"},
			"config":{"enabled":true,"timeoutMs":10000},
			"policy":{"allow":["*"],"deny":["openclaw:core:exec"]},
			"tools":[{"source":"openclaw","owner":"core","name":"read","parameters":{"type":"object"}}],
			"mcpServers":["everything"],"raw":false,"disableTools":true}`))
		require.Equal(t, http.StatusOK, rec.Code)
		require.JSONEq(t, `{"turnId":"turn-new","codeMode":true,"tools":[{"name":"exec"},{"name":"wait"}],
			"catalog":{"size":1,"sources":{"openclaw":1,"mcp":0,"client":0}},"warnings":["from the backend"]}`, rec.Body.String())
		req := f.prepared[0]
		require.Equal(t, bridge.Context{AgentID: "a", SessionID: "s1", SessionKey: "k", RunID: "r1", Sender: "u", Channel: "c"}, req.Context)
		require.JSONEq(t, `{"enabled":true,"timeoutMs":10000}`, string(req.Config))
		require.Equal(t, []string{"openclaw:core:exec"}, req.Policy.Deny)
		require.Equal(t, "read", req.Tools[0].Name)
		require.JSONEq(t, `{"type":"object"}`, string(req.Tools[0].Parameters))
		require.Equal(t, []string{"everything"}, req.MCPServers)
		require.False(t, req.Raw)
		require.True(t, req.DisableTools)
	})
	t.Run("A3 an empty allow differs from none", func(t *testing.T) {
		f := newFake()
		s := newTestServer(t, Options{Backend: f})
		do(t, s, post("/v1/turns", `{"policy":{"allow":[]}}`))
		do(t, s, post("/v1/turns", `{"policy":{}}`))
		require.NotNil(t, f.prepared[0].Policy.Allow)
		require.Nil(t, f.prepared[1].Policy.Allow)
	})
	t.Run("J unknown keys are ignored and reported", func(t *testing.T) {
		rec := do(t, newTestServer(t, Options{Backend: newFake()}), post("/v1/turns", `{"tool":[],"__proto__":{}}`))
		require.Contains(t, rec.Body.String(), `"warnings":["from the backend","unknown key \"tool\" was ignored; did you mean \"tools\"?","unknown key \"__proto__\" was ignored"]`)
	})
	t.Run("J many unknown keys make few warnings", func(t *testing.T) {
		body := "{" + strings.Repeat(`"k`+strings.Repeat("x", 500)+`":1,`, 500) + `"raw":false}`
		require.Less(t, do(t, newTestServer(t, Options{Backend: newFake()}), post("/v1/turns", body)).Body.Len(), 2000)
	})
	t.Run("J nulls count as absent", func(t *testing.T) {
		rec := do(t, newTestServer(t, Options{Backend: newFake()}),
			post("/v1/turns", `{"config":null,"policy":{"allow":null}}`))
		require.Equal(t, http.StatusOK, rec.Code)
	})
	t.Run("A5 an unknown format leaves no turn behind", func(t *testing.T) {
		f := newFake()
		rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/turns?format=yaml", `{}`))
		require.Equal(t, http.StatusBadRequest, rec.Code)
		require.Contains(t, problemOf(t, rec).Detail, "known formats")
		require.Equal(t, []string{"turn-new"}, f.dropped)
	})
}

func TestCreateTurnTypes(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for _, tc := range []struct{ body, key, says string }{
		{`{"context":[]}`, "context", "must be an object, not a JSON array"},
		{`{"context":{"agentId":5}}`, "context.agentId", "must be a string, not a JSON number"},
		{`{"policy":{"allow":"*"}}`, "policy.allow", "must be an array, not a JSON string"},
		{`{"policy":true}`, "policy", "must be an object, not a JSON bool"},
		{`{"tools":{}}`, "tools", "must be an array, not an object"},
		{`{"tools":[{"name":"a"},7]}`, "tools[1]", "must be an object, not a JSON number"},
		{`{"tools":[{"name":"a"},{"name":{}}]}`, "tools[1].name", "must be a string, not a JSON object"},
		{`{"tools":[{"mcp":"github"}]}`, "tools[0].mcp", "must be an object, not a JSON string"},
		{`{"mcpServers":[1]}`, "mcpServers", "must be a string, not a JSON number"},
		{`{"raw":"true"}`, "raw", "must be true or false, not a string"},
		{`{"disableTools":1}`, "disableTools", "must be true or false, not a number"},
		{`{"raw":true,"raw":false}`, "raw", "given twice"},
	} {
		t.Run("I3 "+tc.body, func(t *testing.T) {
			rec := do(t, s, post("/v1/turns", tc.body))
			require.Equal(t, http.StatusBadRequest, rec.Code)
			doc := problemOf(t, rec)
			require.Equal(t, tc.key, doc.Key)
			require.Contains(t, doc.Detail, tc.says)
		})
	}
}

func TestDrop(t *testing.T) {
	f := newFake()
	s := newTestServer(t, Options{Backend: f})
	drop := func(path string) int { return do(t, s, call{method: http.MethodDelete, path: path}).Code }
	t.Run("G7 a turn", func(t *testing.T) {
		require.Equal(t, http.StatusNoContent, drop("/v1/turns/turn-1"))
		require.Equal(t, http.StatusNotFound, drop("/v1/turns/turn-1"))
	})
	t.Run("G7 a run", func(t *testing.T) {
		require.Equal(t, http.StatusNoContent, drop("/v1/runs/run-1"))
		require.Equal(t, http.StatusNotFound, drop("/v1/runs/gone"))
		require.Equal(t, []string{"run-1"}, f.aborted)
	})
	t.Run("G7 a session, whatever its name", func(t *testing.T) {
		f.dropped = nil
		for path, id := range map[string]string{"s1": "s1", "a%2Fb": "a/b", "a%20b": "a b", "%E6%97%A5": "日", "50%25": "50%", "a%2F%E6%97%A5": "a/日"} {
			rec := do(t, s, call{method: http.MethodDelete, path: "/v1/sessions/" + path})
			require.Equal(t, http.StatusOK, rec.Code)
			require.JSONEq(t, `{"turnsDropped":3}`, rec.Body.String())
			require.Equal(t, id, f.dropped[len(f.dropped)-1])
		}
	})
}
