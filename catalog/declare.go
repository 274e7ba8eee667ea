package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// file is one virtual file of the API (contract E3).
type file struct{ path, description, content string }

// declare renders all declaration files: MCP first, then a file for each owner of other tools. They compile together
// and each on its own under tsc --strict, which is why shared types stand inside the namespaces and `tools` is an
// interface that every file adds to.
func (c *Catalog) declare() []file {
	var files []file
	if servers := c.servers(); len(servers) > 0 {
		files = append(files, file{
			"mcp/index.d.ts", "Root MCP namespace declaration and server list.", mcpIndex(servers),
		})
		for _, s := range servers {
			files = append(files, file{
				"mcp/" + s.id + ".d.ts",
				"MCP server declaration for " + s.name + ".",
				s.declaration(s.tools),
			})
		}
	}
	return append(files, c.toolFiles()...)
}

// filesJSON is Guest.Files. It sizes the buffer first: a large turn has some hundred kilobytes of declarations.
func filesJSON(files []file) []byte {
	if len(files) == 0 {
		return nil
	}
	size := 2
	for _, f := range files {
		size += 80 + len(f.path) + len(f.description) + len(f.content)*9/8
	}
	dst := append(make([]byte, 0, size), '[')
	for i, f := range files {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"path":`...)
		dst = appendQuoted(dst, f.path)
		dst = append(dst, `,"description":`...)
		dst = appendQuoted(dst, f.description)
		dst = append(dst, `,"bytes":`...)
		dst = strconv.AppendInt(dst, int64(len(f.content)), 10)
		dst = append(dst, `,"content":`...)
		dst = appendQuoted(dst, f.content)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// maxDocLines bounds the comment of one tool.
const maxDocLines = 12

// docLines are the non-blank lines of a description, each safe in a comment.
func docLines(s string) []string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = oneLine(line); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == maxDocLines {
			break
		}
	}
	return lines
}

// writeDoc writes the comment above a tool: its description, then a @param for each input that has one. Nothing is
// written if there is nothing to say.
func writeDoc(b *strings.Builder, indent, description string, v *schemaView) {
	lines := docLines(description)
	var params []string
	for _, p := range v.properties {
		docs := oneLine(p.view.docs)
		if docs == "" || len(p.name) > maxNameBytes {
			continue
		}
		name := oneLine(p.name)
		if !p.required {
			name += "?"
		}
		params = append(params, "@param "+name+" "+docs)
	}
	if len(lines) > 0 && len(params) > 0 {
		lines = append(lines, "")
	}
	lines = slices.Concat(lines, params)
	if len(lines) == 0 {
		return
	}
	b.WriteString(indent + "/**\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	b.WriteString(indent + " */\n")
}
