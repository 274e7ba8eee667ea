//go:build cgo

package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/native"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lab is a fake of the configured servers: tools that may be others at any time.
type lab struct {
	mu         sync.Mutex
	tools      []string
	generation atomic.Int64
	entered    chan struct{} // a call of stall has begun
	left       chan struct{} // and was given up
}

func (l *lab) Tools(_ context.Context, tenant string, servers []string) ([]catalog.Tool, []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var tools []catalog.Tool
	for _, name := range append(slices.Clone(l.tools), "of_"+tenant) {
		tools = append(tools, catalog.Tool{Source: catalog.SourceMCP, Owner: "lab", Name: name, Executor: json.RawMessage(`{"type":"lab"}`)})
	}
	return tools, nil
}

func (l *lab) Execute(ctx context.Context, c executor.Call) (json.RawMessage, error) {
	if c.Tool.Name() == "stall" {
		l.entered <- struct{}{}
		<-ctx.Done()
		l.left <- struct{}{}
		return nil, ctx.Err()
	}
	c.Progress(1, 4, "")
	c.Progress(3, 4, "nearly there")
	return json.RawMessage(`{"content":[{"type":"text","text":"hello"}]}`), nil
}

func (l *lab) set(tools ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools = tools
	l.generation.Add(1)
}

// world is a service with an endpoint in front.
type world struct {
	*lab
	service  *bridge.Service
	endpoint *Endpoint
}

func newWorld(t *testing.T) *world {
	t.Helper()
	e, err := native.New(native.Options{})
	require.NoError(t, err)
	l := &lab{tools: []string{"greet", "stall"}, entered: make(chan struct{}, 1), left: make(chan struct{}, 1)}
	service, err := bridge.New(bridge.Options{Engine: e, ToolServers: l, Executors: map[string]executor.Executor{"lab": l}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, service.Close(context.Background()))
		require.NoError(t, e.Close())
	})
	return &world{l, service, New(Options{Service: service, Generation: l.generation.Load})}
}

// serve answers a tenant over HTTP at the address that it returns.
func (w *world) serve(t *testing.T, tenant string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // as the routes of package server have it
			rw.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = w.endpoint.ServeTenant(rw, r, tenant, body)
		}
		if err != nil {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// connect makes a client of a tenant, over HTTP.
func (w *world) connect(t *testing.T, tenant string) *mcp.ClientSession {
	t.Helper()
	return client(t, &mcp.StreamableClientTransport{Endpoint: w.serve(t, tenant)}, nil)
}

func client(t *testing.T, transport mcp.Transport, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// result calls a tool and returns its result as JSON.
func result(t *testing.T, s *mcp.ClientSession, tool string, arguments any) (r gjson.Result, isError bool) {
	t.Helper()
	answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, answer.Content, 1)
	return gjson.Parse(answer.Content[0].(*mcp.TextContent).Text), answer.IsError
}

type object = map[string]any

func TestHTTP(t *testing.T) {
	w := newWorld(t)
	a, b := w.connect(t, "a"), w.connect(t, "b")
	t.Run("E5 exec and wait, and nothing else", func(t *testing.T) {
		tools, err := a.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, tools.Tools, 2)
		require.Equal(t, []string{"exec", "wait"}, []string{tools.Tools[0].Name, tools.Tools[1].Name})
		require.Contains(t, tools.Tools[0].Description, "visible servers: lab")
		require.Equal(t, "private", tools.CacheScope)
	})
	t.Run("E5 a cell over the servers' tools", func(t *testing.T) {
		r, isError := result(t, a, "exec", object{"code": `return (await MCP.lab.greet()).content[0].text`})
		require.False(t, isError)
		require.Equal(t, "hello", r.Get("value").Str)
	})
	t.Run("E5 TypeScript, and the alias", func(t *testing.T) {
		r, _ := result(t, a, "exec", object{"command": `const n: number = 1; return n`, "language": "typescript"})
		require.EqualValues(t, 1, r.Get("value").Int())
	})
	t.Run("E5 a failed cell is an error that the model can read", func(t *testing.T) {
		r, isError := result(t, a, "exec", object{"code": `throw new Error("no")`})
		require.True(t, isError)
		require.Contains(t, r.Get("error").Str, "Error: no")
		r, isError = result(t, a, "exec", object{})
		require.True(t, isError)
		require.Equal(t, "code or command must be a non-empty string.", r.Get("error").Str)
	})
	t.Run("E5 a run that waits goes on, whichever connection asks", func(t *testing.T) {
		r, _ := result(t, a, "exec", object{"code": `await yield_control(); return 2`})
		require.Equal(t, "waiting", r.Get("status").Str)
		r, _ = result(t, w.connect(t, "a"), "wait", object{"runId": r.Get("runId").Str})
		require.EqualValues(t, 2, r.Get("value").Int())
	})
	t.Run("C5 another tenant's run can't be resumed", func(t *testing.T) {
		r, _ := result(t, a, "exec", object{"code": `await yield_control(); return 2`})
		other, isError := result(t, b, "wait", object{"runId": r.Get("runId").Str})
		require.True(t, isError)
		require.Equal(t, "invalid_input", other.Get("code").Str)
		_, isError = result(t, a, "wait", object{"runId": r.Get("runId").Str})
		require.False(t, isError)
	})
	t.Run("A7 each tenant has its own tools", func(t *testing.T) {
		r, _ := result(t, b, "exec", object{"code": `return Object.keys(MCP.lab).includes("ofB")`})
		require.True(t, r.Get("value").Bool())
		r, _ = result(t, a, "exec", object{"code": `return Object.keys(MCP.lab).includes("ofB")`})
		require.False(t, r.Get("value").Bool())
	})
	t.Run("E4 changed tools count from the next request on", func(t *testing.T) {
		w.set("greet", "stall", "fresh")
		r, _ := result(t, a, "exec", object{"code": `return typeof MCP.lab.fresh`})
		require.Equal(t, "function", r.Get("value").Str)
	})
	t.Run("A7 a turn that was forgotten is prepared again", func(t *testing.T) {
		turn, err := w.endpoint.turn(t.Context(), "a")
		require.NoError(t, err)
		require.NoError(t, w.service.DropTurn("a", turn.ID()))
		r, _ := result(t, a, "exec", object{"code": `return 5`})
		require.EqualValues(t, 5, r.Get("value").Int())
	})
	t.Run("G7 a client that gives up ends its cell", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-w.entered
			cancel()
		}()
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "exec", Arguments: object{"code": `await MCP.lab.stall()`}})
		require.Error(t, err)
		<-w.left
	})
}

func TestStdio(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	here, there := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- w.endpoint.Run(ctx, there) }()
	changed := make(chan struct{}, 8)
	s := client(t, here, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	t.Run("E5 a cell", func(t *testing.T) {
		r, _ := result(t, s, "exec", object{"code": `return (await MCP.lab.greet()).content[0].text`})
		require.Equal(t, "hello", r.Get("value").Str)
	})
	t.Run("G7 a client that gives up ends its cell", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-w.entered
			cancel()
		}()
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "exec", Arguments: object{"code": `await MCP.lab.stall()`}})
		require.Error(t, err)
		<-w.left
	})
	t.Run("E5 the client hears that the tools have changed", func(t *testing.T) {
		w.set("greet", "later")
		<-changed
		r, _ := result(t, s, "exec", object{"code": `return typeof MCP.lab.later`})
		require.Equal(t, "function", r.Get("value").Str)
	})
	cancel()
	<-ended
}

func TestUnavailable(t *testing.T) {
	t.Run("A8 a service without an engine serves nothing in its place", func(t *testing.T) {
		service, err := bridge.New(bridge.Options{EngineError: http.ErrServerClosed})
		require.NoError(t, err)
		defer service.Close(context.Background())
		e := New(Options{Service: service})
		rec := httptest.NewRecorder()
		var refusal *bridge.Error
		require.ErrorAs(t, e.ServeTenant(rec, httptest.NewRequest(http.MethodPost, "/mcp", nil), "a", nil), &refusal)
		require.Equal(t, bridge.KindUnavailable, refusal.Kind)
		require.Error(t, e.Run(t.Context(), nil))
	})
}
