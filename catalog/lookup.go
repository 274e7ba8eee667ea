package catalog

import "strings"

// Lookup finds the tool that a cell means: exact id first, else the only non-MCP tool of that name; white space around
// it does not count (contract D4). MCP, denied and foreign tools are unknown to it. The error is a *LookupError.
func (c *Catalog) Lookup(idOrName string) (*Entry, error) {
	want := strings.TrimSpace(idOrName)
	if len(want) > maxIDBytes {
		return nil, c.unknown(want)
	}
	if e := c.byID[want]; e != nil && !e.IsMCP() {
		return e, nil
	}
	e := c.byName[want]
	switch {
	case e == nil:
		return nil, c.unknown(want)
	case e.ambiguous:
		return nil, &LookupError{
			ID: want, Ambiguous: true,
			text: "Ambiguous tool name: " + want + "; use an exact tool id.",
		}
	}
	return e, nil
}

// unknown is the error for an id that is not there. An id is echoed clipped, so that a guest can't grow an error
// without limit. MCP tools are not to be had here (contract E1), but the error says where they are.
func (c *Catalog) unknown(want string) *LookupError {
	shown := clip(want, maxNameBytes)
	text := "Unknown tool id: " + shown + ". "
	var names []string
	mcp := false
	for _, e := range c.suggest(shown) {
		names = append(names, e.shown())
		mcp = mcp || e.IsMCP()
	}
	if len(names) > 0 {
		text += "Did you mean: " + strings.Join(names, ", ") + "? "
	}
	text += "Use tools.search to find a tool, tools.describe to inspect it, " +
		"then tools.call with the exact id or name."
	if mcp {
		text += " MCP tools are called as MCP.server.tool(input)."
	}
	return &LookupError{ID: shown, text: text}
}
