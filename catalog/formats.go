package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// format is how a provider's API writes a list of tools. Render writes and CheckPayload reads by the same row, so a row
// is all that a new provider needs.
type format struct {
	name   string
	kind   string   // the "type" of a tool, "" for none
	kinds  []string // further values of "type" of tools that the caller runs
	nest   string   // the key of a tool under which its name and the rest stand, "" if they stand in the tool itself
	groups []string // keys under which an item of the list holds its tools, the one to write first; none if the items are the tools
	label  string   // the key of the label, "" if it is left out
	schema string   // the key of the input's JSON Schema
	more   string   // further members of a tool, as JSON text
	direct bool     // tools of the gateway are given back as it sent them
}

// formats are the provider formats of contract A5 and A6. The nameless one is Codecell's own.
var formats = []format{
	{label: "label", schema: "parameters", direct: true},
	{name: "openai", kind: "function", kinds: []string{"custom"}, nest: "function", schema: "parameters"},
	// Strict mode is that API's default and refuses schemas with optional keys, such as exec's.
	{name: "openai-responses", kind: "function", kinds: []string{"custom"}, schema: "parameters", more: `"strict":false`},
	{name: "anthropic", kinds: []string{"custom"}, schema: "input_schema"},
	{name: "gemini", groups: []string{"functionDeclarations", "function_declarations"}, schema: "parameters"},
	{name: "mcp", label: "title", schema: "inputSchema"},
}

// formatOf is the format of a name.
func formatOf(name string) (*format, error) {
	var known []string
	for i := range formats {
		f := &formats[i]
		if f.name == name {
			return f, nil
		}
		if f.name != "" {
			known = append(known, f.name)
		}
	}
	return nil, fmt.Errorf("unknown format %q; known formats: %s, or none for Codecell's own", clip(name, 40), strings.Join(known, ", "))
}

// Render writes a tool list in a provider's format (contract A5): openai, openai-responses, anthropic, gemini or mcp.
// The empty format is Codecell's own: {name, label, description, parameters}; direct tools appear in it just as the
// gateway sent them, with executor and annotations.
func Render(name string, tools []ModelTool) (json.RawMessage, error) {
	f, err := formatOf(name)
	if err != nil {
		return nil, err
	}
	dst := []byte{'['}
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f.appendTool(dst, t); err != nil {
			return nil, fmt.Errorf("render tool %s: %w", quote(clip(t.Name, 80)), err)
		}
	}
	dst = append(dst, ']')
	if len(f.groups) > 0 && len(tools) > 0 {
		// One group with all tools; an empty group is refused by the provider.
		dst = append(append([]byte(`[{"`+f.groups[0]+`":`), dst...), `}]`...)
	}
	return dst, nil
}

// appendTool writes one tool, without its group.
func (f *format) appendTool(dst []byte, t ModelTool) ([]byte, error) {
	if f.direct && t.direct != nil {
		return appendValue(dst, t.direct)
	}
	dst = append(dst, '{')
	if f.kind != "" {
		dst = append(dst, `"type":"`+f.kind+`",`...)
	}
	if f.nest != "" {
		dst = append(dst, `"`+f.nest+`":{`...)
	}
	dst = appendQuoted(append(dst, `"name":`...), t.Name)
	if f.label != "" && t.Label != "" {
		dst = appendQuoted(append(dst, `,"`+f.label+`":`...), t.Label)
	}
	dst = appendQuoted(append(dst, `,"description":`...), t.Description)
	dst = appendSchema(append(dst, `,"`+f.schema+`":`...), t.Parameters)
	if f.more != "" {
		dst = append(append(dst, ','), f.more...)
	}
	if f.nest != "" {
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}

// appendValue writes any value as JSON, with <, > and & as they are.
func appendValue(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
