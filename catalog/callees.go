package catalog

import "strings"

// Callees returns how to write what a cell may have meant by a name that is not there, at most three expressions, the
// likeliest first. path is what was written, in its own spelling: ["tools", "createTicket"], ["MCP", "github",
// "create_issue"], ["mcp__github__create_issue"], or one text with all of that in it. Tools of the same name come first,
// whatever its case and separators are and wherever they are; then near ones, of the owner that was named if there is
// one. Of MCP servers that have no such tool, it returns the servers. The cost is proportional to the number of tools.
func (c *Catalog) Callees(path []string) []string {
	asked := clip(strings.Join(path, "."), maxNameBytes)
	if first, rest, _ := strings.Cut(asked, "."); first == "tools" || first == "MCP" {
		asked = rest
	}
	if asked == "" {
		return nil
	}
	if len(path) > 0 && path[0] == "MCP" {
		if found, ok := c.ofServers(asked, len(path) > 2); ok {
			return found
		}
	}
	var all []string
	for _, e := range c.suggest(asked) {
		all = append(all, e.called())
	}
	return all
}

// Same returns how to call the tools that have exactly the written name, whatever its case and separators are, at most
// three. It is for names that may just as well have nothing to do with a tool.
func (c *Catalog) Same(name string) []string {
	c.servers()
	w := writtenName(clip(name, maxNameBytes))
	var all []string
	for _, e := range c.suggestions().named(w) {
		all = append(all, e.called())
	}
	return all
}

// ofServers returns the servers that a path behind MCP may have meant, if it is about a server and not about a tool: a
// server alone, or a tool that nothing here is like.
func (c *Catalog) ofServers(asked string, tool bool) ([]string, bool) {
	servers := c.servers() // names the callees
	s, w := c.suggestions(), writtenName(asked)
	if tool && (len(s.named(w)) > 0 || s.owner(w) != "") {
		return nil, false
	}
	if !tool && len(s.named(w)) > 0 && s.owners[squeeze(asked)] == "" {
		return nil, false // MCP.createIssue, without its server
	}
	var same, all []string
	for _, server := range servers {
		expression := "MCP." + server.id
		if squeeze(server.name) == squeeze(asked) || squeeze(server.id) == squeeze(asked) {
			same = append(same, expression)
		}
		if len(all) < maxSuggestions {
			all = append(all, expression)
		}
	}
	if len(same) > 0 {
		return same[:min(len(same), maxSuggestions)], true
	}
	return all, len(all) > 0
}

// called is the expression that is the tool's function, or its call if it has none.
func (e *Entry) called() string {
	switch name := e.Function(); {
	case e.IsMCP():
		return e.callee
	case name != "":
		return "tools." + name
	}
	return "tools.callValue(" + quote(e.shown()) + ", input)"
}
