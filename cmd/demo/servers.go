package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one of an MCP server.
type tool struct {
	name, description, schema string
	answer                    func(in row) any
}

func newServer(name string, tools []tool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	for _, t := range tools {
		s.AddTool(&mcp.Tool{Name: t.name, Description: t.description, InputSchema: json.RawMessage(t.schema)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var in row
				if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
					return nil, err
				}
				out, err := json.Marshal(t.answer(in))
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{StructuredContent: json.RawMessage(out), Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}}, nil
			})
	}
	return s
}

// serveShop is the MCP server shop, on stdin and stdout.
func serveShop(ctx context.Context) error {
	return newServer("shop", shopTools).Run(ctx, &mcp.StdioTransport{})
}

// crmHandler is the MCP server crm, over HTTP.
func crmHandler() http.Handler {
	s := newServer("crm", crmTools)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// deskHandler carries out the tools of the plugin desk, as an executor of type http asks for it.
func deskHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Name  string `json:"name"`
			Input row    `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, t := range desk {
			if t.name == call.Name {
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(map[string]any{"details": t.answer(call.Input)}) // a service that is gone needs none
				return
			}
		}
		http.NotFound(w, r)
	})
}

// deskTools are the plugin's tools as a gateway brings them into a turn.
func deskTools(url string) []any {
	tools := make([]any, len(desk))
	for i, t := range desk {
		tools[i] = map[string]any{
			"source": "openclaw", "owner": "desk", "name": t.name, "description": t.description,
			"parameters": json.RawMessage(t.schema), "executor": map[string]any{"type": "http", "url": url},
		}
	}
	return tools
}

// ticketsNamespace puts the plugin's tools behind a global of cells.
var ticketsNamespace = map[string]any{
	"pluginId": "desk", "globalName": "Tickets", "description": "Tickets of the help desk.",
	"prompt":            "Tickets.list(customer) and Tickets.open(order, title).",
	"requiredToolNames": []string{"list_tickets", "open_ticket"},
	"scope": map[string]any{
		"list": map[string]any{"$tool": "list_tickets", "args": []string{"customer"}},
		"open": map[string]any{"$tool": "open_ticket", "args": []string{"order", "title"}},
	},
}

// serveHTTP serves on a free port of this machine.
func serveHTTP(h http.Handler) (*http.Server, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }() // ends with Close
	return s, fmt.Sprintf("http://%s/", l.Addr()), nil
}
