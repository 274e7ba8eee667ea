package catalog

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Where a tool comes from. There is no source of its own for plugins: they are openclaw tools whose owner is the
// plugin's id.
const (
	SourceOpenClaw = "openclaw"
	SourceMCP      = "mcp"
	SourceClient   = "client"
)

// Bounds on what a turn may bring. They are far above what any provider accepts and exist so that one tool can't make
// the others' work unbounded.
const (
	maxNameBytes   = 256
	maxIDBytes     = len("openclaw::") + 2*maxNameBytes
	maxSchemaDepth = 200
)

// Tool is one tool of a turn as the gateway sends it (contract J). The byte slices are shared with the caller and must
// not change afterwards.
type Tool struct {
	Source       string          `json:"source"`                // openclaw, mcp or client
	Owner        string          `json:"owner,omitempty"`       // core, a plugin id, an MCP server, an app
	Name         string          `json:"name"`                  // as the model would call it
	Label        string          `json:"label,omitempty"`       // for people
	Description  string          `json:"description,omitempty"` // for models
	Parameters   json.RawMessage `json:"parameters,omitempty"`  // JSON Schema of the input, an object
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Executor     json.RawMessage `json:"executor,omitempty"` // opaque here; absent means the caller runs it
	MCP          *MCPTool        `json:"mcp,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
	Bundled      bool            `json:"bundled,omitempty"` // a plugin that ships with the gateway (contract A1)

	remarks []string // of ReadTool
}

// MCPTool says which tool of which server stands behind an MCP entry. Both names are the server's own spelling; they
// default to the tool's owner and name.
type MCPTool struct {
	ServerName string `json:"serverName,omitempty"`
	ToolName   string `json:"toolName,omitempty"`
	// Operation is "" or "tool" for an ordinary tool, else one of resources_list, resources_read, prompts_list,
	// prompts_get.
	Operation string `json:"operation,omitempty"`
}

// Annotations tell what may be retried (contract G3), and what a person is asked for unless a rule says otherwise (contract
// G4). Absent means no.
type Annotations struct {
	ReadOnly    bool `json:"readOnly,omitempty"`
	Idempotent  bool `json:"idempotent,omitempty"`
	Destructive bool `json:"destructive,omitempty"` // may destroy what can't be had back
}

// control names the tools of OpenClaw's Tool Search, which excludes code mode (contract A3).
func control(name string) bool {
	switch name {
	case "tool_search_code", "tool_search", "tool_describe", "tool_call":
		return true
	}
	return false
}

// normalize fills the defaults of a tool and says what is wrong with it, as field and reason; both empty if nothing is.
func (t *Tool) normalize() (field, reason string) {
	if t.Owner == "" {
		t.Owner = t.defaultOwner()
	}
	switch t.Source {
	case SourceOpenClaw, SourceMCP, SourceClient:
	default:
		return "source", "must be openclaw, mcp or client, got " + quote(clip(t.Source, 40))
	}
	if reason := badName(t.Name); reason != "" {
		return "name", reason
	}
	if reason := badName(t.Owner); reason != "" {
		return "owner", reason
	}
	// A colon would let owner "a:b" + tool "c" pass for owner "a" + tool "b:c".
	if strings.Contains(t.Owner, ":") {
		return "owner", "must not contain a colon, it separates the parts of a tool id"
	}
	if field, reason := t.normalizeMCP(); field != "" {
		return field, reason
	}
	if reason := badSchema(&t.Parameters); reason != "" {
		return "parameters", reason
	}
	return "outputSchema", badSchema(&t.OutputSchema)
}

func (t *Tool) defaultOwner() string {
	switch {
	case t.Source == SourceOpenClaw:
		return "core"
	case t.Source == SourceMCP && t.MCP != nil:
		return t.MCP.ServerName
	case t.Source == SourceClient:
		return "client"
	}
	return ""
}

// normalizeMCP completes the names that stand behind an MCP entry in a copy, so that the caller's struct stays as it
// was.
func (t *Tool) normalizeMCP() (field, reason string) {
	if t.Source != SourceMCP {
		return "", ""
	}
	m := MCPTool{}
	if t.MCP != nil {
		m = *t.MCP
	}
	if m.ServerName == "" {
		m.ServerName = t.Owner
	}
	if m.ToolName == "" {
		m.ToolName = t.Name
	}
	if reason := badName(m.ServerName); reason != "" {
		return "mcp.serverName", reason
	}
	if _, _, ok := operationPath(m.Operation); !ok && m.Operation != "" && m.Operation != "tool" {
		return "mcp.operation", "must be tool, resources_list, resources_read, prompts_list or prompts_get"
	}
	t.MCP = &m
	return "", ""
}

// badName says why s can't be a part of a tool id, or "". Control characters are out because ids travel in line-based
// lists and in comments.
func badName(s string) string {
	switch {
	case s == "":
		return "must be a non-empty string"
	case len(s) > maxNameBytes:
		return "must be at most 256 bytes"
	case !utf8.ValidString(s):
		return "must be valid UTF-8"
	case strings.TrimSpace(s) != s:
		return "must not begin or end with white space"
	}
	if plain(s) {
		return ""
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return "must not contain control characters"
		}
	}
	return ""
}

// badSchema says why raw can't be a tool's schema, or "". An absent schema and null become nil. Whether the schema
// means anything is judged later, when it is compiled.
func badSchema(raw *json.RawMessage) string {
	if len(*raw) == 0 || string(*raw) == "null" {
		*raw = nil
		return ""
	}
	if depth(*raw) > maxSchemaDepth {
		return "is nested deeper than 200 levels"
	}
	if !gjson.ValidBytes(*raw) {
		return "is not valid JSON"
	}
	if !gjson.ParseBytes(*raw).IsObject() {
		return `must be a JSON object (a JSON Schema such as {"type":"object","properties":{}})`
	}
	return ""
}

// depth is the deepest nesting of brackets outside strings, or more than that. It exists because recursive parsers must
// not be handed text whose depth is unknown. Text with few brackets is not looked at closely: their number is answer
// enough.
func depth(raw []byte) int {
	if n := bytes.Count(raw, []byte{'{'}) + bytes.Count(raw, []byte{'['}); n < 50 {
		return n
	}
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
