package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/codecell/codecell/catalog"
)

// Servers are the configured servers. They implement executor.Executor for tools whose executor has the type ExecutorType.
type Servers struct {
	byName map[string]*server
	cancel context.CancelFunc
	listed atomic.Int64
}

// Generation counts how often a server has listed its tools: as long as it is the same, so are they.
func (s *Servers) Generation() int64 { return s.listed.Load() }

// Open starts to connect to servers, which Check has accepted, and does not wait for them.
func Open(servers map[string]Config, log *slog.Logger) *Servers {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Servers{byName: map[string]*server{}, cancel: cancel}
	for name, config := range servers {
		s.byName[name] = newServer(name, &config, log, func() { s.listed.Add(1) })
		go s.byName[name].run(ctx)
	}
	return s
}

// Close implements executor.Closer: it ends the connections, and the processes behind them.
func (s *Servers) Close() {
	s.cancel()
	for _, one := range s.byName {
		<-one.ended
	}
}

// All stands for every server that a tenant may use.
const All = "*"

// Tools returns the tools of the servers that a turn names, in that order, and what the turn's owner should know: servers that
// are unknown, or whose tools are not to be had now. It waits for servers that have not been tried yet until ctx ends.
func (s *Servers) Tools(ctx context.Context, tenant string, names []string) (tools []catalog.Tool, warnings []string) {
	if at := slices.Index(names, All); at >= 0 {
		names = slices.Replace(slices.Clone(names), at, at+1, s.allowed(tenant)...)
	}
	seen := map[string]bool{All: true}
	for _, name := range names {
		one := s.byName[name]
		if seen[name] {
			continue
		}
		seen[name] = true
		if one == nil || !one.config.allows(tenant) {
			warnings = append(warnings, fmt.Sprintf("MCP server %q is not known to this service; bring its tools with the turn", clip(name)))
			continue
		}
		listed, err := one.listed(ctx)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("MCP server %q: its tools may be missing or fail, since %v", name, err))
		}
		tools = append(tools, listed...)
	}
	return tools, warnings
}

// allowed are the names of the servers that a tenant may use, in order.
func (s *Servers) allowed(tenant string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		if s.byName[name].config.allows(tenant) {
			names = append(names, name)
		}
	}
	return names
}
