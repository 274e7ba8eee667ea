package catalog

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MCPAPI is the answer of `MCP.$api()` (server "") and of `MCP.<server>.$api(selector, {schema})` (contract E3). server
// is the identifier in the namespace; selector "" means all of the server's tools, else it is a method, a dotted path
// or the server's own tool name. A selector that selects nothing is no error: the answer then has no tools.
func (c *Catalog) MCPAPI(server, selector string, schema bool) (json.RawMessage, error) {
	servers := c.servers()
	if server == "" {
		return rootAPI(servers), nil
	}
	for _, s := range servers {
		if s.id == server {
			return s.api(strings.TrimSpace(selector), schema), nil
		}
	}
	return nil, fmt.Errorf("unknown MCP server: %s; MCP.$api() lists the servers", clip(server, maxNameBytes))
}

// rootAPI lists the servers and shows mcp/index.d.ts as the header.
func rootAPI(servers []*server) json.RawMessage {
	dst := []byte(`{"kind":"mcp_api","scope":"root","header":`)
	dst = appendQuoted(dst, mcpIndex(servers))
	dst = append(dst, `,"servers":[`...)
	for i, s := range servers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.appendIdentity(dst)
		dst = append(dst, `,"toolCount":`...)
		dst = strconv.AppendInt(dst, int64(len(s.tools)), 10)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"note":`...)
	dst = appendQuoted(dst, "Call MCP.<server>.$api() for one server's functions, or read mcp/<server>.d.ts with API.read.")
	return append(dst, '}')
}

// appendIdentity opens an object with the server's two names.
func (s *server) appendIdentity(dst []byte) []byte {
	dst = append(dst, `{"identifier":`...)
	dst = appendQuoted(dst, s.id)
	dst = append(dst, `,"serverName":`...)
	return appendQuoted(dst, s.name)
}

// api describes the selected tools; its header is the server's declaration cut down to them, so that asking for one
// tool stays cheap to read.
func (s *server) api(selector string, schema bool) json.RawMessage {
	selected := s.selectTools(selector)
	scope, declared := "server", selected
	note := "Call a function as MCP." + s.id + ".<function>({ ...input }) with one object argument."
	switch {
	case len(selected) == 1 && selector != "":
		scope = "tool"
	case len(selected) == 0:
		// The whole header shows what could have been meant.
		declared = s.tools
		note = "No function matches " + quote(clip(selector, maxNameBytes)) + "; the header lists all of them."
	}
	dst := append([]byte(`{"kind":"mcp_api","scope":"`), scope...)
	dst = append(dst, `","server":`...)
	dst = append(s.appendIdentity(dst), '}')
	dst = append(dst, `,"header":`...)
	dst = appendQuoted(dst, s.declaration(declared))
	dst = append(dst, `,"tools":[`...)
	for i, t := range selected {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendAPI(dst)
	}
	dst = append(dst, ']')
	if schema {
		dst = appendSchemas(dst, selected)
	}
	dst = append(dst, `,"note":`...)
	return append(appendQuoted(dst, note), '}')
}

// selectTools prefers the identifiers a cell can call over original names, so that a tool named like another one's
// identifier can't stand in for it.
func (s *server) selectTools(selector string) []*mcpTool {
	if selector == "" {
		return s.tools
	}
	for _, t := range s.tools {
		if t.method() == selector {
			return []*mcpTool{t}
		}
	}
	var found []*mcpTool
	for _, t := range s.tools {
		if t.entry.tool.MCP.ToolName == selector {
			found = append(found, t)
		}
	}
	return found
}

// appendAPI writes one tool with every name it goes by: method and path for the cell, mcpTool for whoever knows the
// server.
func (t *mcpTool) appendAPI(dst []byte) []byte {
	dst = append(dst, `{"method":`...)
	dst = appendQuoted(dst, t.method())
	dst = append(dst, `,"path":["`...)
	dst = append(dst, strings.Join(t.path, `","`)...)
	dst = append(dst, `"],"mcpTool":`...)
	dst = appendQuoted(dst, t.entry.tool.MCP.ToolName)
	dst = append(dst, `,"operation":`...)
	dst = appendQuoted(dst, t.operation())
	dst = append(dst, `,"description":`...)
	dst = appendQuoted(dst, t.entry.tool.Description)
	return append(dst, '}')
}

// appendSchemas adds the parameters as the server sent them, by method.
func appendSchemas(dst []byte, tools []*mcpTool) []byte {
	dst = append(dst, `,"schemas":{`...)
	for i, t := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, t.method())
		dst = append(dst, ':')
		dst = appendSchema(dst, t.entry.tool.Parameters)
	}
	return append(dst, '}')
}
