package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codecell/codecell/bridge/executor"
)

// maxResult bounds what a call may give, in bytes of JSON.
const maxResult = 16 << 20

// Check implements executor.Checker.
func (s *Servers) Check(raw json.RawMessage) error {
	spec, err := parseSpec(raw)
	if err != nil {
		return err
	}
	if s.byName[spec.Server] == nil {
		return fmt.Errorf("there is no MCP server %q in this service's config", clip(spec.Server))
	}
	return nil
}

func parseSpec(raw json.RawMessage) (Spec, error) {
	var spec Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return spec, err
	}
	if spec.Server == "" || spec.Tool == "" {
		return spec, errors.New(`an mcp executor names a server and a tool: {"type": "mcp", "server": …, "tool": …}`)
	}
	switch spec.Operation {
	case "", resourcesList, resourcesRead, promptsList, promptsGet:
		return spec, nil
	}
	return spec, fmt.Errorf("operation must be %s, %s, %s or %s", resourcesList, resourcesRead, promptsList, promptsGet)
}

// Execute implements executor.Executor: the result is the server's own (contract E1). What the operator's filters leave out,
// or another tenant may use, can't be called whatever the turn says.
func (s *Servers) Execute(ctx context.Context, call executor.Call) (json.RawMessage, error) {
	spec, err := parseSpec(call.Spec)
	if err != nil {
		return nil, err
	}
	one := s.byName[spec.Server]
	if one == nil || !one.config.allows(call.Tenant) || !one.config.offers(spec.Tool) {
		return nil, fmt.Errorf("MCP server %q does not offer %q here", clip(spec.Server), clip(spec.Tool))
	}
	session, err := one.session(ctx)
	if err != nil {
		return nil, err
	}
	token := one.watch(call)
	defer one.unwatch(token)
	result, err := perform(ctx, session, &spec, call.Input, token)
	if err != nil {
		return nil, one.failed(ctx, session, err)
	}
	raw, err := json.Marshal(result)
	switch {
	case err != nil:
		return nil, fmt.Errorf("MCP server %q gave a result that is not JSON", spec.Server)
	case len(raw) > maxResult:
		return nil, fmt.Errorf("MCP server %q gave a result of more than %d bytes", spec.Server, maxResult)
	}
	return raw, nil
}

func perform(ctx context.Context, session *mcp.ClientSession, spec *Spec, input json.RawMessage, token string) (any, error) {
	switch spec.Operation {
	case resourcesList:
		var p mcp.ListResourcesParams
		return with(input, &p, func() (any, error) { return session.ListResources(ctx, &p) })
	case resourcesRead:
		var p mcp.ReadResourceParams
		return with(input, &p, func() (any, error) { return session.ReadResource(ctx, &p) })
	case promptsList:
		var p mcp.ListPromptsParams
		return with(input, &p, func() (any, error) { return session.ListPrompts(ctx, &p) })
	case promptsGet:
		var p mcp.GetPromptParams
		return with(input, &p, func() (any, error) { return session.GetPrompt(ctx, &p) })
	}
	p := mcp.CallToolParams{Name: spec.Tool, Arguments: input}
	p.SetProgressToken(token)
	return session.CallTool(ctx, &p)
}

func with(input json.RawMessage, params any, send func() (any, error)) (any, error) {
	if err := json.Unmarshal(input, params); err != nil {
		return nil, fmt.Errorf("the input does not fit: %w", err)
	}
	return send()
}

// failed says what a cell may know of a call that brought no result, and looks after the connection.
func (s *server) failed(ctx context.Context, session *mcp.ClientSession, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var answer *jsonrpc.Error
	if errors.As(err, &answer) {
		return fmt.Errorf("MCP server %q: %s", s.name, answer.Message)
	}
	s.lost(session, err)
	s.log.Warn("a call of an MCP server failed", "error", err)
	return fmt.Errorf("MCP server %q did not answer: the connection was lost, and is being made anew. Try again", s.name)
}
