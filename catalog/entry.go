package catalog

import "sync"

// Entry is one tool of the catalog. It is read-only and safe for concurrent use; it lives as long as its Catalog.
type Entry struct {
	catalog *Catalog
	tool    *Tool
	id      string
	at      int32  // place among the visible ones
	json    []byte // set by Catalog.render
	// ambiguous: another non-MCP entry has the same name, so the name alone reaches neither (contract D4).
	ambiguous bool
	callee    string // of an MCP entry, set by Catalog.servers
	check     checker
	view      sync.Once
	input     *schemaView
}

// ID is `<source>:<owner>:<name>`, unique in the catalog.
func (e *Entry) ID() string { return e.id }

// Name is the tool's own name.
func (e *Entry) Name() string { return e.tool.Name }

// Source is openclaw, mcp or client.
func (e *Entry) Source() string { return e.tool.Source }

// SourceName is the tool's owner: core, a plugin id, an MCP server, an app.
func (e *Entry) SourceName() string { return e.tool.Owner }

// Tool is the tool as it was sent, with defaults filled in. It must not be changed.
func (e *Entry) Tool() *Tool { return e.tool }

// IsMCP tells whether the tool is reachable only through the MCP namespace (contract E1).
func (e *Entry) IsMCP() bool { return e.tool.Source == SourceMCP }

// Function is the name of the convenience function `tools.<name>`, or "" if the tool has none (contract D2).
func (e *Entry) Function() string {
	if e.ambiguous || e.IsMCP() || !isIdentifier(e.tool.Name) {
		return ""
	}
	switch e.tool.Name {
	case "search", "describe", "call", "callValue", "then":
		// The first four would hide the helpers; `then` would make every `await tools` hang.
		return ""
	}
	return e.tool.Name
}

// isIdentifier holds for the names that contract D2 admits: ASCII letters, digits, $ and _, not beginning with a digit.
// Words such as class or __proto__ are property names like any other and qualify.
func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
