package catalog

import "strings"

// toolFiles renders tools/<owner>.d.ts for the tools outside MCP, an owner's tools together whatever their source,
// owners in catalog order.
func (c *Catalog) toolFiles() []file {
	byOwner := map[string][]*Entry{}
	var owners []string
	for _, e := range c.visible {
		owner := e.tool.Owner
		if byOwner[owner] == nil {
			owners = append(owners, owner)
		}
		byOwner[owner] = append(byOwner[owner], e)
	}
	paths := map[string]bool{}
	odd := newNames()
	var files []file
	for _, owner := range owners {
		name := owner
		if !plainSegment(owner) {
			name = toIdentifier(owner, "owner")
		}
		// Two owners may come out alike; the later one gets a number.
		if paths[name] {
			name = odd.unique(name + "_")
		}
		paths[name] = true
		files = append(files, file{
			"tools/" + name + ".d.ts", "Tools of " + owner + ".", declareTools(byOwner[owner]),
		})
	}
	return files
}

// plainSegment holds for names that can stand in a path as they are.
func plainSegment(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !asciiAlnum(rune(c)) && c != '_' && c != '-' && (c != '.' || i == 0) {
			return false
		}
	}
	return s != ""
}

// declareTools renders one owner's tools. A tool without a convenience function of its own is an overload of callValue,
// by its id.
func declareTools(entries []*Entry) string {
	var b strings.Builder
	b.WriteString("interface CodeModeTools {\n")
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeDoc(&b, "  ", e.tool.Description, e.schema())
		result := "): Promise<" + typeOf(e.tool.OutputSchema) + ">;\n"
		switch name := e.Function(); name {
		case "":
			b.WriteString("  callValue(id: " + literal(e.id) + ", " + e.inputParameter() + result)
		case "new":
			// Unquoted, it would declare a constructor.
			b.WriteString("  \"new\"(" + e.inputParameter() + result)
		default:
			b.WriteString("  " + name + "(" + e.inputParameter() + result)
		}
	}
	b.WriteString("}\n\ndeclare var tools: CodeModeTools;\n")
	return b.String()
}
