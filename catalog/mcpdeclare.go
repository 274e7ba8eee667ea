package catalog

import (
	"slices"
	"strings"
)

// mcpTypes are declared inside each namespace so that files which are compiled together don't declare them twice.
const mcpTypes = `  type McpToolResult = {
    content?: unknown[];
    structuredContent?: unknown;
    isError?: boolean;
    [key: string]: unknown;
  };
  type McpApiHeader = { header: string; [key: string]: unknown };

  /** The server's own name. */
  const $serverName: string;

  /** Return this TypeScript-style API header. */
  function $api(toolName?: string, options?: { schema?: boolean }): Promise<McpApiHeader>;
`

// mcpIndex is mcp/index.d.ts: which servers there are and where to read on.
func mcpIndex(servers []*server) string {
	var b strings.Builder
	for _, s := range servers {
		b.WriteString("/// <reference path=\"./" + s.id + ".d.ts\" />\n")
	}
	b.WriteString("\ntype McpApiHeader = { header: string; servers?: unknown[] };\n\n")
	b.WriteString("declare namespace MCP {\n  function $api(): Promise<McpApiHeader>;\n}\n\n")
	b.WriteString("/** The shape of the global MCP. */\ninterface McpServers {\n")
	b.WriteString("  $api(): Promise<McpApiHeader>;\n")
	for _, s := range servers {
		b.WriteString("  readonly " + s.id + ": typeof MCP." + s.id + ";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// declaration is mcp/<server>.d.ts for the given tools of the server: its own functions by name, then the groups.
func (s *server) declaration(tools []*mcpTool) string {
	sorted := slices.Clone(tools)
	slices.SortFunc(sorted, func(a, b *mcpTool) int {
		if d := len(a.path) - len(b.path); d != 0 {
			return d
		}
		return slices.Compare(a.path, b.path)
	})
	var b, words strings.Builder
	b.WriteString("declare namespace MCP." + s.id + " {\n" + mcpTypes)
	group := ""
	for _, t := range sorted {
		if len(t.path) > 1 && t.path[0] != group {
			if group != "" {
				b.WriteString("  }\n")
			}
			group = t.path[0]
			b.WriteString("\n  namespace " + group + " {")
		}
		if reservedWord(t.path[0]) {
			t.declareWord(&words)
			continue
		}
		b.WriteByte('\n')
		t.declare(&b)
	}
	if group != "" {
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	if words.Len() > 0 {
		// A block with an export list exports nothing else, so it has to stand apart from the ordinary functions.
		b.WriteString("\ndeclare namespace MCP." + s.id + " {\n" + strings.TrimPrefix(words.String(), "\n") + "}\n")
	}
	return b.String()
}

// declare writes one function with its comment.
func (t *mcpTool) declare(b *strings.Builder) {
	indent := strings.Repeat("  ", len(t.path))
	v := t.entry.schema()
	writeDoc(b, indent, t.entry.tool.Description, v)
	b.WriteString(indent + "function " + t.path[len(t.path)-1] + "(\n")
	t.writeInput(b, indent+"  ", v)
	b.WriteString(indent + "): Promise<McpToolResult>;\n")
}

// declareWord writes a function whose name is a reserved word: TypeScript takes it only as an alias in an export list.
func (t *mcpTool) declareWord(b *strings.Builder) {
	name := t.path[0]
	v := t.entry.schema()
	b.WriteByte('\n')
	writeDoc(b, "  ", t.entry.tool.Description, v)
	b.WriteString("  const " + name + "_: (\n")
	t.writeInput(b, "    ", v)
	b.WriteString("  ) => Promise<McpToolResult>;\n  export { " + name + "_ as " + name + " };\n")
}

// writeInput writes the function's one parameter, a line for each key.
func (t *mcpTool) writeInput(b *strings.Builder, indent string, v *schemaView) {
	if len(v.properties) == 0 || tooLong(v) {
		b.WriteString(indent + t.entry.inputParameter() + "\n")
		return
	}
	optional := "?"
	if v.needsInput() {
		optional = ""
	}
	b.WriteString(indent + "input" + optional + ": {\n")
	types := newTyper(t.entry.tool.Parameters)
	for _, p := range v.properties {
		if note := propertyNote(p); note != "" {
			b.WriteString(indent + "  /** " + note + " */\n")
		}
		b.WriteString(indent + "  " + key(p) + ": " + types.of(p.view, 1) + ";\n")
	}
	b.WriteString(indent + "}\n")
}

// tooLong holds for schemas with keys that no one would print.
func tooLong(v *schemaView) bool {
	return slices.ContainsFunc(v.properties, func(p property) bool { return len(p.name) > maxNameBytes })
}

// propertyNote is the comment above a key: its description and its default.
func propertyNote(p property) string {
	v := p.view
	note := oneLine(v.docs)
	if v.fallback != "" && len(v.fallback) <= maxLiteralBytes {
		if note != "" {
			note += " "
		}
		note += "Default: " + oneLine(v.fallback) + "."
	}
	return note
}
