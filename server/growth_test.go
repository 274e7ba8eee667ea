package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bench/growth"
	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/server/mcpserver"
)

// growths are what a client can make larger in each kind of request. Each body has about n bytes.
var growths = []struct {
	name, path string
	body       func(n int) string
}{
	{"exec: the cell", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"` + strings.Repeat("x", n) + `"}` }},
	{"exec: escapes", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"` + strings.Repeat(`\u0000`, n/6) + `"}` }},
	{"exec: unknown keys", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"1"` + many(n, `,"k%d":1`) + `}` }},
	{"exec: keys of one name", "/v1/exec", func(n int) string { return `{"turnId":"turn-1"` + many(n, `,"x":[%d]`) + `}` }},
	{"exec: a long key", "/v1/exec", func(n int) string {
		return `{"turnId":"turn-1","code":"1","` + strings.Repeat("k", n) + `":1}`
	}},
	{"exec: a turn of its own", "/v1/exec", func(n int) string {
		return `{"code":"1","turn":{"context":{},"tools":[` + listed(n, `{"name":"t%d","parameters":{"type":"object"}}`) + `]}}`
	}},
	{"exec: blanks", "/v1/exec", func(n int) string { return strings.Repeat(" ", n) + `{"turnId":"turn-1","code":"1"}` }},
	{"exec: malformed at the end", "/v1/exec", func(n int) string { return `{"a":[` + listed(n, `{"k%d":"\""}`) + `]` }},
	{"exec: invalid UTF-8 at the end", "/v1/exec", func(n int) string { return `{"a":"` + strings.Repeat("é", n/2) + "\xff\"}" }},
	{"exec: nested too deep at the end", "/v1/exec", func(n int) string {
		return `{"a":"` + strings.Repeat("x", n) + `","b":` + strings.Repeat("[", maxDepth+1)
	}},
	{"exec: many deep values", "/v1/exec", func(n int) string {
		deep := strings.Repeat("[", maxDepth-3) + strings.Repeat("]", maxDepth-3)
		return `{"turnId":"turn-1","code":"1","x":[` + strings.Repeat(deep+",", n/len(deep)) + `0]}`
	}},
	{"turns: tools", "/v1/turns", func(n int) string {
		return `{"tools":[` + listed(n, `{"name":"t%d","description":"what it does"}`) + `]}`
	}},
	{"turns: a tool's schema", "/v1/turns", func(n int) string {
		return `{"tools":[{"name":"t","parameters":{"type":"object","properties":{` + listed(n, `"p%d":{"type":"string"}`) + `}}}]}`
	}},
	{"turns: the context", "/v1/turns", func(n int) string { return `{"context":{"agentId":"` + strings.Repeat("a", n) + `"}}` }},
	{"turns: unknown keys of the context", "/v1/turns", func(n int) string { return `{"context":{` + listed(n, `"k%d":1`) + `}}` }},
	{"turns: policy", "/v1/turns", func(n int) string { return `{"policy":{"allow":[` + listed(n, `"t%d"`) + `]}}` }},
	{"turns: a number", "/v1/turns", func(n int) string { return `{"config":{"x":` + strings.Repeat("9", n) + `}}` }},
	{"wait: results", "/v1/wait", func(n int) string {
		return `{"turnId":"turn-1","runId":"r","results":[` + listed(n, `{"id":"c%d","ok":true,"value":1}`) + `]}`
	}},
	{"wait: a result's value", "/v1/wait", func(n int) string {
		return `{"turnId":"turn-1","runId":"r","results":[{"id":"c","ok":true,"value":[` + listed(n, `%d`) + `]}]}`
	}},
	{"results: many", "/v1/runs/r/results", func(n int) string {
		return `{"turnId":"turn-1","results":[` + listed(n, `{"id":"c%d","ok":false,"error":"e"}`) + `]}`
	}},
	{"results: wrong at the end", "/v1/runs/r/results", func(n int) string {
		return `{"turnId":"turn-1","results":[` + listed(n, `{"id":"c%d","ok":true}`) + `,{}]}`
	}},
	{"payload: tools", "/v1/payload/check", func(n int) string {
		return `{"tools":[` + listed(n, `{"type":"function","function":{"name":"t%d"}}`) + `]}`
	}},
	{"payload: a filter", "/v1/payload/check?filter=1", func(n int) string {
		return `{"tools":[` + listed(n, `{"type":"function","name":"t%d"}`) + `]}`
	}},
	{"payload: declarations", "/v1/payload/check", func(n int) string {
		return `{"tools":[{"functionDeclarations":[` + listed(n, `{"name":"t%d"}`) + `]}]}`
	}},
	{"approvals: an edited input", "/v1/approvals/ap_2", func(n int) string { return `{"decision":"approve","input":[` + listed(n, `%d`) + `]}` }},
	{"approvals: a reason", "/v1/approvals/ap_2", func(n int) string {
		return `{"decision":"deny","reason":"` + strings.Repeat("r", n) + `"}`
	}},
	{"approvals: unknown keys", "/v1/approvals/ap_2", func(n int) string { return `{"decision":"deny"` + many(n, `,"k%d":1`) + `}` }},
	{"export: unknown keys", "/v1/runs/r/export", func(n int) string { return `{"turnId":"turn-1"` + many(n, `,"k%d":1`) + `}` }},
	{"import: the snapshot", "/v1/runs/r/import", func(n int) string {
		return `{"turnId":"turn-1","snapshot":"` + base64.StdEncoding.EncodeToString(make([]byte, n*3/4)) + `"}`
	}},
	{"namespace: the description", "/v1/namespaces/n", func(n int) string {
		return `{"pluginId":"p","globalName":"G","description":"` + strings.Repeat("x", n) + `"}`
	}},
	{"namespace: escapes in the prompt", "/v1/namespaces/n", func(n int) string {
		return `{"pluginId":"p","prompt":"` + strings.Repeat(`\u0000`, n/6) + `"}`
	}},
	{"namespace: tools", "/v1/namespaces/n", func(n int) string { return `{"requiredToolNames":[` + listed(n, `"t%d"`) + `]}` }},
	{"namespace: the scope", "/v1/namespaces/n", func(n int) string {
		return `{"pluginId":"p","scope":{` + listed(n, `"m%d":{"$tool":"t"}`) + `}}`
	}},
	{"namespace: keys of one name", "/v1/namespaces/n", func(n int) string { return `{"pluginId":"p"` + many(n, `,"scope":[%d]`) + `}` }},
	{"MCP: the cell", "/mcp", func(n int) string { return toolCall(`"code":"` + strings.Repeat("x", n) + `"`) }},
	{"MCP: unknown keys of the arguments", "/mcp", func(n int) string { return toolCall(`"code":"1"` + many(n, `,"k%d":1`)) }},
	{"MCP: the parameters", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exec","_meta":{` + listed(n, `"k%d":1`) + `},"arguments":{"code":"1"}}}`
	}},
	{"MCP: keys of one name", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list"` + many(n, `,"params":{"a":%d}`) + `}`
	}},
	{"MCP: the name of a tool", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", n) + `"}}`
	}},
	{"MCP: the id", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", n) + `","method":"tools/list","params":{}}`
	}},
	{"MCP: many messages", "/mcp", func(n int) string {
		return `[` + listed(n, `{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{}}`) + `]`
	}},
	{"MCP: what is cancelled", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"` + strings.Repeat("r", n) + `"}}`
	}},
	{"MCP: who the client is", "/mcp", func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"experimental":{` +
			listed(n, `"c%d":{}`) + `}},"clientInfo":{"name":"n","version":"1"}}}`
	}},
	{"import: not base64 at the end", "/v1/runs/r/import", func(n int) string {
		return `{"turnId":"turn-1","snapshot":"` + strings.Repeat("AAAA", n/4) + `!"}`
	}},
}

// callOf is a request of a route, as its clients send it.
func callOf(path, body string) call {
	c := post(path, body)
	if strings.HasPrefix(path, "/v1/namespaces/") {
		c.method = http.MethodPut
	}
	return c.with("Content-Type", "application/json").with("Accept", "application/json, text/event-stream")
}

// toolCall is a message of MCP that calls exec.
func toolCall(arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exec","arguments":{` + arguments + `}}}`
}

// many repeats a text, with numbers, to about n bytes.
func many(n int, format string) string {
	var out strings.Builder
	for i := 0; out.Len() < n; i++ {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// listed is many with commas between.
func listed(n int, format string) string { return strings.TrimPrefix(many(n, ","+format), ",") }

func TestGrowth(t *testing.T) {
	const size = 120 << 10
	s := newTestServer(t, Options{Backend: costless(), MaxSourceBytes: maxBody, MCP: emptyEndpoint(t)})
	for _, g := range growths {
		t.Run("H6 linear in what a client sizes: "+g.name, func(t *testing.T) {
			growth.Linear(t, size, func(n int) func() {
				c := callOf(g.path, g.body(n))
				require.InDelta(t, 1, float64(len(c.body))/float64(n), 0.2)
				r, rec := c.request(), httptest.NewRecorder()
				return func() { s.Handler().ServeHTTP(rec, r) }
			})
		})
	}
	t.Run("H6 linear in what a client sizes: exec, with an idempotency key", func(t *testing.T) {
		growth.Linear(t, size, func(n int) func() {
			c := post("/v1/exec", `{"turnId":"turn-1","code":"`+strings.Repeat("x", n)+`"}`).with(headerIdempotency, strconv.Itoa(n))
			r, rec := c.request(), httptest.NewRecorder()
			return func() { s.Handler().ServeHTTP(rec, r) }
		})
	})
	t.Run("H6 idempotency keys cost the same however many are remembered", func(t *testing.T) {
		growth.Linear(t, 2000, func(n int) func() {
			a := newAnswers(AnswerBounds{Entries: n, TenantEntries: n, Bytes: 64 << 10, TenantBytes: 64 << 10})
			return func() {
				for i := range 2 * n {
					at := slot{"tenant", "exec", "turn", strconv.Itoa(i)}
					if _, mine, err := a.claim(at, [sha256.Size]byte{}); mine && err == nil {
						a.finish(at, make([]byte, 100), nil)
					}
				}
			}
		})
	})
}

// emptyEndpoint serves MCP clients, for whom there are no tools.
func emptyEndpoint(t *testing.T) *mcpserver.Endpoint {
	t.Helper()
	engine := enginetest.Always(func(_ *enginetest.Input, out *enginetest.Records) error {
		out.Fulfil("1", 0)
		return nil
	})
	operator, err := config.Default().Merge([]byte(`{"enabled":true}`))
	require.NoError(t, err)
	service, err := bridge.New(bridge.Options{Engine: engine, Config: operator})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, service.Close(context.Background())) })
	return mcpserver.New(mcpserver.Options{Service: service, MaxBodyBytes: maxBody})
}

// costless is a backend that does as little as it can, so that what is measured is the server.
func costless() *fakeBackend {
	f := newFake()
	f.prepare = func(req *bridge.TurnRequest) error {
		req.Tools = nil // building catalogs is not the server's
		return nil
	}
	return f
}

// TestGrowthOfApprovals lists and settles the approvals of a real service, of which n wait.
func TestGrowthOfApprovals(t *testing.T) {
	get := func(path string) call { return call{method: http.MethodGet, path: path} }
	for name, work := range map[string]func(a *asking){
		"all pages": func(a *asking) {
			for next := "0"; next != ""; {
				next = gjson.Get(a.serve(get("/v1/approvals?limit=200&after="+next)), "next").Str
			}
		},
		"a filter that nothing passes":   func(a *asking) { a.serve(get("/v1/approvals?runId=none")) },
		"a decision for all of its kind": func(a *asking) { a.serve(post("/v1/approvals/"+a.first, `{"decision":"deny","remember":"session"}`)) },
		"the end of their run":           func(a *asking) { a.serve(call{method: http.MethodDelete, path: "/v1/runs/" + a.run}) },
	} {
		t.Run("H6 linear in how many approvals wait: "+name, func(t *testing.T) {
			growth.Linear(t, 250, func(n int) func() {
				a := newAsking(t, n)
				return func() { work(a) }
			})
		})
	}
}

// asking is a service in which a run waits for approvals.
type asking struct {
	server     *Server
	run, first string // and its first approval
}

// serve answers a request that succeeds.
func (a *asking) serve(c call) string {
	rec := httptest.NewRecorder()
	a.server.Handler().ServeHTTP(rec, c.request())
	if rec.Code >= 300 {
		panic(rec.Body.String())
	}
	return rec.Body.String()
}

func newAsking(t *testing.T, n int) *asking {
	t.Helper()
	guest := enginetest.Always(func(_ *enginetest.Input, out *enginetest.Records) error {
		for id := range n {
			out.CallValue(uint32(id+1), "send", `{"to":"somebody"}`)
		}
		out.Pending()
		return nil
	}, func(_ *enginetest.Input, out *enginetest.Records) error {
		out.Fulfil("1", 0)
		return nil
	})
	service, err := bridge.New(bridge.Options{Engine: guest, Approvals: approval.Options{MaxTenantPending: n}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, service.Close(context.Background()))
		require.NoError(t, guest.Close())
	})
	a := &asking{server: newTestServer(t, Options{Backend: FromBridge(service, nil)})}
	rec := do(t, a.server, post("/v1/exec", `{"turn":{"config":{"enabled":true,"maxQueuedToolCalls":100000,"approvals":[{"tool":"send","approval":"always"}]},
		"context":{"agentId":"a","sessionId":"s","sessionKey":"k"},"tools":[{"source":"client","owner":"app","name":"send"}]},"code":"return 1"}`))
	waiting := gjson.Parse(rec.Body.String())
	require.EqualValues(t, n, waiting.Get("pendingToolCalls.#").Int(), rec.Body.String()[:min(rec.Body.Len(), 300)])
	a.run, a.first = waiting.Get("runId").Str, waiting.Get("pendingToolCalls.0.approvalId").Str
	return a
}
