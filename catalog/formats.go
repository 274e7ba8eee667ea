package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// formats are the provider shapes of contract A5 by name.
var formats = map[string]func(ModelTool) any{
	"":                 plainShape,
	"openai":           openAIShape,
	"openai-responses": responsesShape,
	"anthropic":        anthropicShape,
	"gemini":           geminiShape,
	"mcp":              mcpShape,
}

// formatNames is the list an unknown format is answered with.
const formatNames = "openai, openai-responses, anthropic, gemini, mcp"

// Render writes a tool list in a provider's shape (contract A5). The empty
// format is Codecell's own: {name, label, description, parameters}; direct
// tools appear in it just as the gateway sent them.
func Render(format string, tools []ModelTool) (json.RawMessage, error) {
	shape := formats[format]
	if shape == nil {
		return nil, fmt.Errorf("unknown format %q; known formats: %s, or none for Codecell's own",
			clip(format, 40), formatNames)
	}
	list := make([]any, len(tools))
	for i, t := range tools {
		list[i] = shape(t)
	}
	var out any = list
	if format == "gemini" {
		// Gemini takes one group of functions, and no empty one.
		out = []any{}
		if len(list) > 0 {
			out = []any{map[string]any{"functionDeclarations": list}}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("render tools as %s: %w", strings.TrimSpace(format+" list"), err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// plainShape gives direct tools back whole, with executor and annotations, for
// the gateway that sent them is the one that reads them.
func plainShape(t ModelTool) any {
	if t.direct != nil {
		return t.direct
	}
	return t
}

// function is the part that the OpenAI and Gemini shapes share.
type function struct {
	Type        string          `json:"type,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict,omitempty"`
}

// openAIShape is the tool of Chat Completions.
func openAIShape(t ModelTool) any {
	return map[string]any{
		"type":     "function",
		"function": function{Name: t.Name, Description: t.Description, Parameters: t.Parameters},
	}
}

// responsesShape turns strict mode off: it is that API's default and refuses
// schemas with optional keys, such as exec's.
func responsesShape(t ModelTool) any {
	strict := false
	return function{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters, Strict: &strict}
}

// anthropicShape is the tool of the Messages API.
func anthropicShape(t ModelTool) any {
	return struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	}{t.Name, t.Description, t.Parameters}
}

// geminiShape is one declaration; Render puts them into their group.
func geminiShape(t ModelTool) any {
	return function{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
}

// mcpShape is the tool of tools/list, where a label is called title.
func mcpShape(t ModelTool) any {
	return struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{t.Name, t.Label, t.Description, t.Parameters}
}
