package contracttest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// Partners are the real servers that a service under test is connected to: an MCP server, and a webhook that is asked before
// and after the calls of one tenant. They are started before the service, which is told of their URLs.
type Partners struct {
	// WikiURL is where the MCP server is, which the service must call "wiki".
	WikiURL string
	// GuardURL is where the webhook is, which the service must ask before and after the calls of the tenant whose key is
	// Target.GuardedKey, and before its cells, and of no other's.
	GuardURL string

	guard guard
}

// NewPartners starts them. They end with the test.
func NewPartners(t *testing.T) *Partners {
	p := &Partners{}
	server := sdk.NewServer(&sdk.Implementation{Name: "wiki", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{
		Name: "look-up", Description: "Looks a page up.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"page":{"type":"string","description":"Its title"},"lang":{"type":"string","default":"en"}},"required":["page"]}`),
	}, lookUpPage)
	server.AddTool(&sdk.Tool{Name: "erase", Description: "Erases a page.", InputSchema: json.RawMessage(`{"type":"object"}`)}, lookUpPage)
	wiki := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	guarding := httptest.NewServer(&p.guard)
	t.Cleanup(func() {
		for session := range server.Sessions() {
			_ = session.Close()
		}
		wiki.Close()
	})
	t.Cleanup(guarding.Close)
	p.WikiURL, p.GuardURL = wiki.URL, guarding.URL
	return p
}

// lookUpPage answers with what it was asked, as a server of its own would: text beside structured content.
func lookUpPage(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{
		StructuredContent: r.Params.Arguments, Content: []sdk.Content{&sdk.TextContent{Text: r.Params.Name + ": " + string(r.Params.Arguments)}},
	}, nil
}

// guard is the webhook (contract G1, G2). It blocks what says "forbidden", rewrites "draft" to "final", and replaces results
// that tell a "password".
type guard struct {
	mu    sync.Mutex
	asked []gjson.Result
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	q := gjson.ParseBytes(raw)
	g.mu.Lock()
	g.asked = append(g.asked, q)
	g.mu.Unlock()
	input, result := q.Get("input").Raw, q.Get("result").Raw
	switch before := q.Get("event").Str == "before_tool_call"; {
	case before && strings.Contains(input, "forbidden"):
		respond(w, http.StatusOK, `{"block":true,"reason":"the guard forbids it"}`)
	case before && strings.Contains(input, "draft"):
		respond(w, http.StatusOK, `{"input":`+strings.ReplaceAll(input, "draft", "final")+`}`)
	case !before && strings.Contains(result, "password"):
		respond(w, http.StatusOK, `{"result":{"content":[],"details":"withheld"}}`)
	default:
		respond(w, http.StatusOK, `{}`)
	}
}

// about returns what the guard was asked of a tool's calls, by the tool's name.
func (g *guard) about(name string) []gjson.Result {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []gjson.Result
	for _, q := range g.asked {
		if q.Get("name").Str == name {
			found = append(found, q)
		}
	}
	return found
}
