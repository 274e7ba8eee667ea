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
	maxCursor    = 4 << 10 // bytes
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
	found := listed{server: s, names: map[string]bool{}}
	has := map[string]bool{
		resourcesList: capabilities.Resources != nil, resourcesRead: capabilities.Resources != nil,
		promptsList: capabilities.Prompts != nil, promptsGet: capabilities.Prompts != nil,
	}
	var own []catalog.Tool
	for _, o := range operations {
		if has[o.name] && s.config.offers(o.name) {
			own = append(own, s.operation(o.name, o.parameters, o.description))
			found.names[o.name] = true // a tool of that name would take its id
		}
	}
	if capabilities.Tools != nil {
		if err := found.pages(ctx, session); err != nil {
			return nil, nil, fmt.Errorf("its tools can't be listed: %w", err)
		}
	}
	return append(found.tools, own...), found.notes, nil
}

// listed is what has come of a list so far.
type listed struct {
	server *server
	tools  []catalog.Tool
	names  map[string]bool
	bytes  int
	notes  []string
}

// pages reads a list to its end, or to where it gets nowhere.
func (l *listed) pages(ctx context.Context, session *mcp.ClientSession) error {
	ctx, capture := withCapture(ctx, true, nil)
	defer capture.end()
	cursors := map[string]bool{}
	for params := (mcp.ListToolsParams{}); ; {
		page, err := session.ListTools(ctx, &params)
		if err != nil {
			return err
		}
		for _, tool := range page.Tools {
			if !l.add(tool) {
				return nil
			}
		}
		next := page.NextCursor
		switch {
		case next == "":
			return nil
		case cursors[next] || len(cursors) == maxTools || len(next) > maxCursor:
			l.note("its list of tools has no end; the first %d tools are used", len(l.tools))
			return nil
		}
		cursors[next] = true
		params = mcp.ListToolsParams{Cursor: next}
	}
}

// add takes a tool into the list, and says whether there is room for more.
func (l *listed) add(tool *mcp.Tool) bool {
	if tool == nil || !l.server.config.offers(tool.Name) {
		return true
	}
	if l.names[tool.Name] {
		l.note("tool %q is left out: there is one of that name already", clip(tool.Name))
		return true
	}
	t, err := l.server.tool(tool)
	if err != nil {
		l.note("tool %q is left out: %v", clip(tool.Name), err)
		return true
	}
	l.bytes += len(t.Name) + len(t.Description) + len(t.Parameters) + len(t.OutputSchema)
	if len(l.tools) == maxTools || l.bytes > maxListBytes {
		l.note("only the first %d tools are used", len(l.tools))
		return false
	}
	l.names[tool.Name] = true
	l.tools = append(l.tools, t)
	return true
}

// note tells the operator something of the list; not all that a long list may give rise to.
func (l *listed) note(format string, args ...any) {
	const most = 20
	if len(l.notes) < most {
		l.notes = append(l.notes, fmt.Sprintf(format, args...))
	}
}

// tool makes a tool of the catalog. Names are checked there as well; here so that one bad one leaves the others.
func (s *server) tool(t *mcp.Tool) (catalog.Tool, error) {
	made := catalog.Tool{
		Source: catalog.SourceMCP, Owner: s.name, Name: t.Name, Label: t.Title, Description: t.Description,
		Executor: s.spec(t.Name, ""), MCP: &catalog.MCPTool{ServerName: s.name, ToolName: t.Name},
	}
	if a := t.Annotations; a != nil {
		made.Annotations = catalog.Annotations{ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint || a.ReadOnlyHint}
		// Only what a server says itself: the protocol's default would be that every tool is.
		made.Annotations.Destructive = a.DestructiveHint != nil && *a.DestructiveHint && !a.ReadOnlyHint
		if made.Label == "" {
			made.Label = a.Title
		}
	}
	var err error
	if made.Parameters, err = schemaOf(t, inputText, t.InputSchema); err != nil {
		return made, err
	}
	if made.OutputSchema, err = schemaOf(t, outputText, t.OutputSchema); err != nil {
		return made, err
	}
	_, err = catalog.New([]catalog.Tool{made}, catalog.Policy{})
	return made, err
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
