package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/tracecontext"
	"github.com/codecell/codecell/engine/native"
)

// traced is a lab that tells of the trace of each call.
type traced struct {
	*lab
	seen chan string
}

func (l traced) Execute(ctx context.Context, c executor.Call) (json.RawMessage, error) {
	trace, _ := tracecontext.Of(ctx)
	l.seen <- trace.Parent()
	return l.lab.Execute(ctx, c)
}

func TestTrace(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	e, err := native.New(native.Options{})
	require.NoError(t, err)
	l := traced{&lab{tools: []string{"greet"}}, make(chan string, 1)}
	service, err := bridge.New(bridge.Options{Engine: e, ToolServers: l, Executors: map[string]executor.Executor{"lab": l}})
	require.NoError(t, err)
	defer func() {
		require.NoError(t, service.Close(context.Background()))
		require.NoError(t, e.Close())
	}()
	endpoint := New(Options{Service: service, Generation: l.generation.Load})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		trace, _ := tracecontext.FromHeader(http.Header{tracecontext.ParentHeader: {parent}})
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = endpoint.ServeTenant(w, r.WithContext(tracecontext.With(r.Context(), trace)), "", body)
		}
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	session := client(t, &mcp.StreamableClientTransport{Endpoint: s.URL}, nil)
	t.Run("I4 the trace of an MCP client's request goes on to the tools", func(t *testing.T) {
		_, isError := result(t, session, "exec", object{"code": "return await MCP.lab.greet({})"})
		require.False(t, isError)
		require.Equal(t, parent, <-l.seen)
	})
}
