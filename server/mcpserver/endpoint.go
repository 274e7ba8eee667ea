package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
)

// Service is what runs cells; a bridge.Service is one. An error that is a *bridge.Error may be told to the client.
type Service interface {
	Prepare(ctx context.Context, tenant string, req *bridge.TurnRequest) (*bridge.Turn, error)
}

// Options configure an Endpoint. Only Service is required.
type Options struct {
	Service Service
	// Generation changes whenever the tools of the configured servers do. Nil if they never do.
	Generation func() int64
	// MaxBodyBytes bounds a request over HTTP. Zero leaves that to the protocol's library, 1 MiB or more.
	MaxBodyBytes int64
	// Logger takes what the operator should see; nil discards it.
	Logger *slog.Logger
}

// Endpoint answers MCP clients. It is safe for concurrent use.
type Endpoint struct {
	options  Options
	whole    *mcp.StreamableHTTPHandler // answers with one JSON text
	streamed *mcp.StreamableHTTPHandler // answers with a stream of events, of which the answer is the last
	turns    turns
	inFlight inFlight
}

// New returns an Endpoint.
func New(o Options) *Endpoint {
	if o.Generation == nil {
		o.Generation = func() int64 { return 0 }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Endpoint{options: o}
	handler := func(whole bool) *mcp.StreamableHTTPHandler {
		return mcp.NewStreamableHTTPHandler(e.serverFor, &mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: whole, MaxRequestBodyBytes: o.MaxBodyBytes, PropagateRequestCancellation: true,
		})
	}
	e.whole, e.streamed = handler(true), handler(false)
	return e
}

// tenantKey is under which a request's context has its tenant.
type tenantKey struct{}

// ServeTenant answers a request of streamable HTTP on a tenant's behalf. It fails, without an answer, where the service has
// no turn for it; such an error may be a *bridge.Error. body is the request's, which is not read any more.
func (e *Endpoint) ServeTenant(w http.ResponseWriter, r *http.Request, tenant string, body []byte) error {
	if _, err := e.turn(r.Context(), tenant); err != nil {
		return err
	}
	r, done := e.inFlight.track(w, r, tenant, body)
	defer done()
	r = r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	handler := e.whole
	if gjson.GetBytes(body, "params._meta.progressToken").Exists() {
		handler = e.streamed
	}
	handler.ServeHTTP(w, r)
	return nil
}

// serverFor makes the server that answers one request. Its cells end when the client hangs up.
func (e *Endpoint) serverFor(r *http.Request) *mcp.Server {
	tenant, _ := r.Context().Value(tenantKey{}).(string)
	s, err := e.server(r.Context(), tenant, r.Context(), false)
	if err != nil {
		e.options.Logger.Error("an MCP request can't be served", "error", err)
		return nil
	}
	return s
}

// Run answers one client over a transport, such as stdin and stdout, until it ends or ctx does. The client hears of changed
// tools.
func (e *Endpoint) Run(ctx context.Context, t mcp.Transport) error {
	s, err := e.server(ctx, "", ctx, true)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go e.follow(ctx, s)
	return s.Run(ctx, t)
}

// server makes a server that has the two tools of a tenant's turn. Calls end with alive, at the latest. Whether a client stays
// connected decides whether it can be told of changes.
func (e *Endpoint) server(ctx context.Context, tenant string, alive context.Context, connected bool) (*mcp.Server, error) {
	s := mcp.NewServer(&mcp.Implementation{Name: "codecell", Title: "Codecell", Version: "1"}, &mcp.ServerOptions{
		Instructions: "Write one JavaScript or TypeScript cell for exec instead of calling tools one by one. A result that is waiting goes on with wait.",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: connected}},
		// What a tenant's tools are is no other's to see.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	return s, e.offer(ctx, s, tenant, alive)
}

// offer puts the two tools into a server, or again, when what their descriptions say of the hidden tools is another.
func (e *Endpoint) offer(ctx context.Context, s *mcp.Server, tenant string, alive context.Context) error {
	turn, err := e.turn(ctx, tenant)
	if err != nil {
		return err
	}
	tools, err := turn.Tools("mcp")
	if err != nil {
		return err
	}
	for _, tool := range gjson.ParseBytes(tools).Array() {
		name := tool.Get("name").Str
		t := &mcp.Tool{Name: name, Description: tool.Get("description").Str, InputSchema: json.RawMessage(tool.Get("inputSchema").Raw)}
		s.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(alive, cancel)()
			ctx, told := report(ctx, r)
			defer told()
			return e.call(ctx, tenant, name, r.Params.Arguments)
		})
	}
	return nil
}

// call runs one of the two tools. Its result is a CodeModeResult as one text block; what the service refuses is an error
// result, which a model can read.
func (e *Endpoint) call(ctx context.Context, tenant, name string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	result, err := e.attempt(ctx, tenant, name, gjson.ParseBytes(arguments))
	var refusal *bridge.Error
	if errors.As(err, &refusal) && refusal.Kind == bridge.KindNotFound {
		// The turn was idle for so long that it was forgotten.
		e.turns.forget(tenant)
		result, err = e.attempt(ctx, tenant, name, gjson.ParseBytes(arguments))
	}
	switch {
	case errors.As(err, &refusal):
		return textResult(refusal.Msg, true), nil
	case err != nil:
		return nil, err
	}
	return textResult(string(result.AppendJSON(nil)), result.Status == bridge.Failed), nil
}

func (e *Endpoint) attempt(ctx context.Context, tenant, name string, arguments gjson.Result) (*bridge.Result, error) {
	turn, err := e.turn(ctx, tenant)
	if err != nil {
		return nil, err
	}
	member := func(key string) json.RawMessage {
		if v := arguments.Get(key); v.Exists() {
			return json.RawMessage(v.Raw)
		}
		return nil
	}
	switch name {
	case "exec":
		return turn.Exec(ctx, bridge.ExecInput{Code: member("code"), Command: member("command"), Language: member("language")})
	case "wait":
		return turn.Wait(ctx, bridge.WaitInput{RunID: member("runId")})
	}
	return nil, fmt.Errorf("there is no tool %q", name)
}

func textResult(text string, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: isError}
}
