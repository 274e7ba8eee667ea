package catalog

import (
	"encoding/json"
	"slices"
)

// ModelTool is one tool as a model sees it.
type ModelTool struct {
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema, an object

	// direct is the gateway's own tool behind it, nil for exec and wait.
	direct *Tool
}

// Budget is what exec's description says a cell may spend (contract A4).
type Budget struct {
	TimeoutMs           int      // time of a cell
	MaxOutputBytes      int      // UTF-8 bytes of the value, and of the output
	MaxPendingToolCalls int      // nested calls at once
	Languages           []string // the enabled ones of javascript and typescript; none means both
	Store               bool     // whether cells have a store
}

// NamespaceHint is a visible namespace as exec's description presents it (contract F3).
type NamespaceHint struct {
	GlobalName  string
	Description string // one line, may be ""
	Prompt      string // text for the model, may be ""
}

// Surface is the model's whole tool list in code mode: exec and wait, in this order (contract A1, A4). Namespaces
// appear in the order given.
func (c *Catalog) Surface(b Budget, namespaces []NamespaceHint) []ModelTool {
	return []ModelTool{
		{Name: "exec", Label: "exec", Description: c.execText(b, namespaces), Parameters: execParameters(b)},
		{Name: "wait", Label: "wait", Description: waitText, Parameters: json.RawMessage(waitParameters)},
	}
}

// DirectTools are the turn's tools after policy and otherwise unchanged, in the turn's order: what the model gets when
// code mode is off (contract A1).
func (c *Catalog) DirectTools() []ModelTool {
	out := make([]ModelTool, 0, len(c.direct))
	for _, t := range c.direct {
		m := ModelTool{
			Name: t.Name, Label: t.Label, Description: t.Description,
			Parameters: t.Parameters, direct: t,
		}
		if m.Parameters == nil {
			m.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, m)
	}
	return out
}

const waitText = "Resumes a code mode run that `exec` or `wait` left `waiting`, and returns the same kind of result. " +
	"It waits for pending tool calls first; if the result is `waiting` again, call `wait` again with the same `runId`."

const waitParameters = `{"type":"object","properties":{"runId":{"type":"string",` +
	`"description":"The runId of the waiting result."}},"required":["runId"]}`

// execParameters is the flat schema of contract A4: no oneOf, nothing required, because code and command are aliases.
func execParameters(b Budget) json.RawMessage {
	langs := languages(b)
	accepted := "Must be "
	for i, l := range langs {
		if i > 0 {
			accepted += " or "
		}
		accepted += quote(l)
	}
	dst := []byte(`{"type":"object","properties":{"code":{"type":"string","description":`)
	dst = appendQuoted(dst, "The source to run: the body of an async function. The `tools` object, `ALL_TOOLS`, `API` "+
		"and namespace globals are in scope; Node built-in modules are not.")
	dst = append(dst, `},"command":{"type":"string","description":`...)
	dst = appendQuoted(dst, "Another name of code. Give one of the two.")
	dst = append(dst, `},"language":{"type":"string","enum":[`...)
	for i, l := range langs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, l)
	}
	dst = append(dst, `],"description":`...)
	dst = appendQuoted(dst, accepted+"; the default is \"javascript\". Not a shell.")
	return append(dst, `}}}`...)
}

// languages are the enabled ones in a fixed order.
func languages(b Budget) []string {
	both := []string{"javascript", "typescript"}
	on := slices.DeleteFunc(slices.Clone(both), func(l string) bool { return !slices.Contains(b.Languages, l) })
	if len(on) == 0 {
		return both
	}
	return on
}
