// Package mcpserver makes the service an MCP server (contract E5): any MCP client gets the tools exec and wait, behind which
// are the tools of the configured MCP servers.
//
// It owns the protocol's side: which turn a request belongs to, and how results look. Cells, limits and tenants are the
// bridge's. Over HTTP nothing is kept between two requests but one prepared turn for each tenant: a run that waits is found
// by its runId, whichever request asks for it.
package mcpserver
