package catalog

import (
	"slices"
	"strings"
)

// server is one MCP server as the MCP namespace shows it.
type server struct {
	id    string // identifier in the namespace, unique
	name  string // the server's own name
	tools []*mcpTool
}

// mcpTool is one function of a server's scope.
type mcpTool struct {
	entry *Entry
	path  []string // below the server: ["createIssue"], ["resources", "read"]
}

// method is the function's dotted path below its server.
func (t *mcpTool) method() string { return strings.Join(t.path, ".") }

// operation is what kind of request the function makes of the server.
func (t *mcpTool) operation() string {
	if op := t.entry.tool.MCP.Operation; op != "" {
		return op
	}
	return "tool"
}

// operationPath splits a resource or prompt operation into the group and the function it appears as.
func operationPath(op string) (group, function string, ok bool) {
	switch op {
	case "resources_list", "resources_read", "prompts_list", "prompts_get":
		group, function, ok = strings.Cut(op, "_")
	}
	return group, function, ok
}

// groupServers assigns identifiers in catalog order (contract E2), then sorts the servers by identifier so that files
// and headers read the same however a gateway orders its tools.
func (c *Catalog) groupServers() []*server {
	type open struct {
		*server
		top    *names
		groups map[string]*names
	}
	byName := map[string]*open{}
	ids := newNames()
	var all []*server
	for _, e := range c.entries {
		if !e.IsMCP() {
			continue
		}
		name := e.tool.MCP.ServerName
		s := byName[name]
		if s == nil {
			s = &open{
				server: &server{id: ids.unique(toIdentifier(name, "server")), name: name},
				// A function named then would make `await MCP.<server>` hang.
				top:    newNames("$api", "resources", "prompts", "then"),
				groups: map[string]*names{"resources": newNames(), "prompts": newNames()},
			}
			byName[name] = s
			all = append(all, s.server)
		}
		t := &mcpTool{entry: e}
		if group, function, ok := operationPath(e.tool.MCP.Operation); ok {
			t.path = []string{group, s.groups[group].unique(function)}
		} else {
			t.path = []string{s.top.unique(toIdentifier(e.tool.MCP.ToolName, "tool"))}
		}
		e.callee = "MCP." + s.id + "." + t.method()
		s.tools = append(s.tools, t)
	}
	slices.SortFunc(all, func(a, b *server) int { return strings.Compare(a.id, b.id) })
	return all
}

// mcpJSON is Guest.MCP.
func (c *Catalog) mcpJSON() []byte {
	servers := c.servers()
	if len(servers) == 0 {
		return nil
	}
	dst := []byte{'['}
	for i, s := range servers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendJSON(dst)
	}
	return append(dst, ']')
}

func (s *server) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendQuoted(dst, s.id)
	dst = append(dst, `,"serverName":`...)
	dst = appendQuoted(dst, s.name)
	dst = append(dst, `,"tools":[`...)
	for i, t := range s.tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":`...)
		dst = appendQuoted(dst, t.method())
		dst = append(dst, `,"tool":`...)
		dst = appendQuoted(dst, t.entry.id)
		dst = append(dst, `,"path":["`...)
		// Path segments are identifiers and need no escapes.
		dst = append(dst, strings.Join(t.path, `","`)...)
		dst = append(dst, `"]}`...)
	}
	return append(dst, `]}`...)
}
