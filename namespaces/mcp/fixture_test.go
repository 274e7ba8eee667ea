package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// asServer is the argument that makes the test's binary an MCP server over stdio.
const asServer = "mcp-server"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asServer {
		fmt.Fprintln(os.Stderr, "ready")
		switch kind := os.Getenv("FIXTURE"); {
		case kind == "silent":
			time.Sleep(time.Minute)
		case kind == "dead":
			os.Exit(1)
		case kind != "":
			rogue(kind).overStdio()
			return
		}
		if err := fixture().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// stdio is the config of the fixture as a child process.
func stdio(t *testing.T, env map[string]string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Command: self, Args: []string{asServer}, Env: env, TimeoutMs: 20_000}
}

// overHTTP serves the fixture. guard may answer a request in its stead.
func overHTTP(t *testing.T, guard func(http.ResponseWriter, *http.Request) bool) *httptest.Server {
	t.Helper()
	server := fixture()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if guard == nil || !guard(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// fixture is a server whose tools do what servers in the wild do.
func fixture() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "fixture", Version: "1"}, &mcp.ServerOptions{PageSize: 3})
	object := json.RawMessage(`{"type":"object","properties":{"ms":{"type":"integer"},"text":{"type":"string","default":"none"}}}`)
	add := func(name string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: object}, h)
	}
	text := func(t string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t}}}
	}
	s.AddTool(&mcp.Tool{
		Name: "echo", Title: "Echo", Description: "Gives back what it gets.", InputSchema: object,
		OutputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := text(string(r.Params.Arguments))
		result.StructuredContent, result.Meta = r.Params.Arguments, mcp.Meta{"from": "fixture"}
		return result, nil
	})
	add("sad", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := text("it is sad")
		result.IsError = true
		return result, nil
	})
	add("broken", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("it is broken")
	})
	add("blocks", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "memo://1", Text: "memo"}},
			&mcp.ResourceLink{URI: "memo://2", Name: "two"},
		}}, nil
	})
	add("stall", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		<-ctx.Done()
		stalled.Add(-1)
		return nil, ctx.Err()
	})
	add("die", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	add("environment", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(os.Environ())), nil
	})
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, elicited := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
		//lint:ignore SA1019 servers in the wild still do
		_, sampled := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1})
		return text(fmt.Sprint(elicited != nil, sampled != nil)), nil
	})
	add("grow", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		add("grown", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
	s.AddResource(&mcp.Resource{URI: "memo://one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "memo://one", Text: "first memo"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello " + r.Params.Arguments["who"]}}}}, nil
	})
	return s
}
