package catalog

import (
	"fmt"
	"strings"
)

// Bounds of the index that the model reads in exec's description, in characters (contract A4).
const (
	maxIndex     = 8000
	maxHint      = 160
	maxExample   = 80
	indexReserve = 120 // for the line that counts what was left out
)

// makeToolIndex lists the non-MCP tools in catalog order, a line each, as far as the space goes: id, input, and output
// where the tool declares one.
//
//	openclaw:desk:close_ticket { number: number } => { closed?: boolean }
func (c *Catalog) makeToolIndex() string {
	var b strings.Builder
	size := 0
	for i, e := range c.visible {
		line := e.indexLine()
		// Characters, not bytes: ids and keys may be in any script.
		if size += len([]rune(line)); size > maxIndex-indexReserve {
			fmt.Fprintf(&b, "(%d more of %d tools not listed: use tools.search.)\n", len(c.visible)-i, len(c.visible))
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

func (e *Entry) indexLine() string {
	line := e.id + " " + e.inputHint(maxHint)
	if e.tool.OutputSchema != nil {
		line += " => " + clip(typeOf(e.tool.OutputSchema), maxHint)
	}
	return line + "\n"
}

// inputHint is the input as a type if that is short, else the names of the keys, as many as fit in n bytes.
func (e *Entry) inputHint(n int) string {
	v := e.schema()
	if len(v.properties) == 0 {
		if t := openInput(v); t == anyObject {
			return t
		}
		return "{}"
	}
	if full := newTyper(e.tool.Parameters).of(v, 0); len(full) <= n {
		return full
	}
	var keys []string
	size := 0
	for _, p := range v.properties {
		k := key(p)
		if size += len(k) + 2; size > n-len("{ , … }") {
			keys = append(keys, "…")
			break
		}
		keys = append(keys, k)
	}
	return "{ " + strings.Join(keys, ", ") + " }"
}
