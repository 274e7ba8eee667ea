package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codecell/codecell/catalog"
)

// Bounds on what one server may list. What is beyond them is left out, and the operator is told.
const (
	maxTools     = 2000
	maxListBytes = 16 << 20
)

// The operations that a server with resources or prompts has beside its tools (contract E1).
const (
	resourcesList = "resources_list"
	resourcesRead = "resources_read"
	promptsList   = "prompts_list"
	promptsGet    = "prompts_get"
)

// operations are the tools that stand for them: what they take and what they are for.
var operations = []struct{ name, parameters, description string }{
	{resourcesList, `{"type":"object","properties":{"cursor":{"type":"string","description":"nextCursor of the page before."}}}`, "List the server's resources."},
	{resourcesRead, `{"type":"object","properties":{"uri":{"type":"string","description":"uri of the resource."}},"required":["uri"]}`, "Read a resource."},
	{promptsList, `{"type":"object","properties":{"cursor":{"type":"string","description":"nextCursor of the page before."}}}`, "List the server's prompts."},
	{promptsGet, `{"type":"object","properties":{"name":{"type":"string","description":"name of the prompt."},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]}`, "Get a prompt with its arguments filled in."},
}

// list asks a server for all that it offers, and returns it as tools of a catalog. notes are for the operator.
func (s *server) list(ctx context.Context, session *mcp.ClientSession) (tools []catalog.Tool, notes []string, err error) {
	capabilities := session.InitializeResult().Capabilities
	if capabilities == nil {
		return nil, nil, errors.New("it has no capabilities")
	}
	bytes := 0
	if capabilities.Tools != nil {
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return nil, nil, fmt.Errorf("its tools can't be listed: %w", err)
			}
			if !s.config.offers(tool.Name) {
				continue
			}
			t, err := s.tool(tool)
			if err != nil {
				notes = append(notes, fmt.Sprintf("tool %q is left out: %v", clip(tool.Name), err))
				continue
			}
			bytes += len(t.Name) + len(t.Description) + len(t.Parameters) + len(t.OutputSchema)
			if len(tools) == maxTools || bytes > maxListBytes {
				notes = append(notes, fmt.Sprintf("only the first %d tools are used", len(tools)))
				break
			}
			tools = append(tools, t)
		}
	}
	has := map[string]bool{
		resourcesList: capabilities.Resources != nil, resourcesRead: capabilities.Resources != nil,
		promptsList: capabilities.Prompts != nil, promptsGet: capabilities.Prompts != nil,
	}
	for _, o := range operations {
		if has[o.name] && s.config.offers(o.name) {
			tools = append(tools, s.operation(o.name, o.parameters, o.description))
		}
	}
	return tools, notes, nil
}

// tool makes a tool of the catalog. Names are checked there as well; here so that one bad one leaves the others.
func (s *server) tool(t *mcp.Tool) (catalog.Tool, error) {
	made := catalog.Tool{
		Source: catalog.SourceMCP, Owner: s.name, Name: t.Name, Label: t.Title, Description: t.Description,
		Executor: s.spec(t.Name, ""), MCP: &catalog.MCPTool{ServerName: s.name, ToolName: t.Name},
	}
	if a := t.Annotations; a != nil {
		made.Annotations = catalog.Annotations{ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint || a.ReadOnlyHint}
		if made.Label == "" {
			made.Label = a.Title
		}
	}
	var err error
	if made.Parameters, err = schema(t.InputSchema); err != nil {
		return made, err
	}
	if made.OutputSchema, err = schema(t.OutputSchema); err != nil {
		return made, err
	}
	_, err = catalog.New([]catalog.Tool{made}, catalog.Policy{})
	return made, err
}

func schema(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	return json.Marshal(v)
}

func (s *server) operation(op, parameters, description string) catalog.Tool {
	return catalog.Tool{
		Source: catalog.SourceMCP, Owner: s.name, Name: op, Description: description, Parameters: json.RawMessage(parameters),
		Executor: s.spec(op, op), MCP: &catalog.MCPTool{ServerName: s.name, ToolName: op, Operation: op},
		Annotations: catalog.Annotations{ReadOnly: true, Idempotent: true},
	}
}

// Spec is the "executor" object of a server's tool (contract G3).
type Spec struct {
	Type      string `json:"type"` // mcp
	Server    string `json:"server"`
	Tool      string `json:"tool"`
	Operation string `json:"operation,omitempty"`
	TimeoutMs int    `json:"timeoutMs,omitempty"`
}

// ExecutorType is the type of executor objects that name a server's tool.
const ExecutorType = "mcp"

func (s *server) spec(tool, operation string) json.RawMessage {
	// Strings and a number always encode.
	raw, _ := json.Marshal(Spec{ExecutorType, s.name, tool, operation, int(s.config.timeout().Milliseconds())})
	return raw
}

func clip(text string) string {
	const most = 100
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
