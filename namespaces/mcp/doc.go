// Package mcp connects the service to MCP servers: child processes that speak over stdio, and remote ones over streamable
// HTTP (contract E4).
//
// It owns the connections, keeps each server's list of tools, and carries out their calls. It knows nothing of cells and
// turns: what it offers are a catalog's tools and the executor behind them. A server that is dead or slow is a matter of its
// own calls; nobody else waits for it.
package mcp
