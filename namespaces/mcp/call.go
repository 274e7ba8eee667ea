package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/tracecontext"
)

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
	result, err := perform(ctx, session, &spec, call, token)
	if err != nil {
		return nil, one.failed(ctx, session, err)
	}
	return result, nil
}

// perform makes the request of a call. The result is as the server wrote it.
func perform(ctx context.Context, session *mcp.ClientSession, spec *Spec, call executor.Call, token string) (json.RawMessage, error) {
	ctx, capture := withCapture(ctx, false, call.Hold)
	defer capture.end()
	err := send(ctx, session, spec, call.Input, token)
	if refused := capture.refusal(); refused != nil {
		return nil, &jsonrpc.Error{Message: "its answer is too long: " + refused.Error()}
	}
	if err != nil {
		return nil, err
	}
	result := capture.result.Load()
	if result == nil || !gjson.ParseBytes(*result).IsObject() {
		return nil, &jsonrpc.Error{Message: "its result is no object"}
	}
	if gjson.GetBytes(*result, "resultType").Str == "input_required" || gjson.GetBytes(*result, "inputRequests").Exists() {
		return nil, &jsonrpc.Error{Message: "the tool asks for input from a person or a model (elicitation, sampling or roots), which is not offered here"}
	}
	if !spec.isTool() || gjson.GetBytes(*result, "content").Exists() {
		return *result, nil
	}
	return withContent(*result), nil
}

func (s *Spec) isTool() bool { return s.Operation == "" }

// withContent adds the list that each tool result has, to an object that lacks it.
func withContent(object json.RawMessage) json.RawMessage {
	rest := bytes.TrimSpace(bytes.TrimSpace(object)[1:])
	if rest[0] == '}' {
		return json.RawMessage(`{"content":[]}`)
	}
	return append([]byte(`{"content":[],`), rest...)
}

func send(ctx context.Context, session *mcp.ClientSession, spec *Spec, input json.RawMessage, token string) error {
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
	putTrace(ctx, p.Meta)
	_, err := session.CallTool(ctx, &p)
	return err
}

// putTrace adds the trace that a call is part of to what is said beside it: a server over stdio gets no headers.
func putTrace(ctx context.Context, meta mcp.Meta) {
	trace, ok := tracecontext.Of(ctx)
	if !ok {
		return
	}
	meta["traceparent"] = trace.Parent()
	if trace.State() != "" {
		meta["tracestate"] = trace.State()
	}
}

func with(input json.RawMessage, params any, send func() (any, error)) error {
	if err := json.Unmarshal(input, params); err != nil {
		return &jsonrpc.Error{Message: "the input does not fit: " + err.Error()}
	}
	_, err := send()
	return err
}

// notTaken is what the SDK says of a request over HTTP for which there is no answer, or one with status 429 or 5xx: the session
// goes on.
var notTaken = jsonrpc.Error{Code: -32005, Message: "rejected by transport"}

// failed says what a cell may know of a call that brought no result, and looks after the connection.
func (s *server) failed(ctx context.Context, session *mcp.ClientSession, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var answer *jsonrpc.Error
	switch {
	case errors.As(err, &answer) && answer.Code == notTaken.Code && answer.Message == notTaken.Message:
		s.log.Warn("a call of an MCP server did not reach it, or it was overloaded", "error", err)
		return &executor.TransientError{Err: fmt.Errorf("MCP server %q did not take the call: it can't be reached, or is overloaded. Try again", s.name)}
	case answer != nil:
		return fmt.Errorf("MCP server %q: %s", s.name, answer.Message)
	}
	s.lost(session, err)
	s.log.Warn("a call of an MCP server failed", "error", err)
	return &executor.TransientError{Err: fmt.Errorf("MCP server %q did not answer: the connection was lost, and is being made anew. Try again", s.name)}
}
