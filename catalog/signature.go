package catalog

// Signature is the tool's call as one line of TypeScript (contract D4), in the form that resolves to the useful value
// (contract D5):
//
//	tools.close_ticket(input: { number: number }): Promise<unknown>
//	tools.callValue("openclaw:web:web-search", input?: {…}): Promise<unknown>
//
// For an MCP tool it is the call in the MCP namespace.
func (e *Entry) Signature() string {
	input := e.inputParameter()
	output := "Promise<" + typeOf(e.tool.OutputSchema) + ">"
	switch {
	case e.IsMCP():
		return e.catalog.mcpCallee(e) + "(" + input + "): Promise<McpToolResult>"
	case e.Function() != "":
		return "tools." + e.Function() + "(" + input + "): " + output
	}
	return "tools.callValue(" + literal(e.id) + ", " + input + "): " + output
}

// inputParameter is "input: T", with a question mark if a call may do without.
func (e *Entry) inputParameter() string {
	v := e.schema()
	switch {
	case len(v.properties) > 0 && !v.needsInput():
		return "input?: " + newTyper(e.tool.Parameters).of(v, 0)
	case len(v.properties) > 0, v.ref != "", v.union != "":
		return "input: " + newTyper(e.tool.Parameters).of(v, 0)
	}
	return "input?: " + openInput(v)
}

// openInput is the input type of a schema that names no key: none at all if it says it is an object, else whatever the
// caller likes.
func openInput(v *schemaView) string {
	if v.kind == `"object"` && !isObject(v.rest) && v.rest != "true" {
		return "Record<string, never>"
	}
	return anyObject
}

// mcpCallee is the function behind an MCP entry, such as MCP.github.createIssue.
func (c *Catalog) mcpCallee(e *Entry) string {
	c.servers()
	return e.callee
}
