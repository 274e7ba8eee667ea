package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codecell/codecell/bridge"
)

// turns are the prepared turns, one for each tenant. The zero value is empty.
type turns struct {
	mu       sync.Mutex
	byTenant map[string]*prepared
}

// prepared is a tenant's turn, and of which generation of the servers' tools it was made.
type prepared struct {
	mu         sync.Mutex // held while the turn is being prepared, so that it is prepared once
	turn       *bridge.Turn
	generation int64
}

func (t *turns) of(tenant string) *prepared {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byTenant[tenant]
	if p == nil {
		p = &prepared{}
		if t.byTenant == nil {
			t.byTenant = map[string]*prepared{}
		}
		t.byTenant[tenant] = p
	}
	return p
}

// forget has the next request prepare a turn anew.
func (t *turns) forget(tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byTenant, tenant)
}

// caller is who all runs of a tenant's MCP clients belong to (contract C5): each turn of the tenant may resume them, whatever
// connection asks.
var caller = bridge.Context{AgentID: "mcp", SessionID: "mcp", SessionKey: "mcp", RunID: "mcp"}

// turn returns the tenant's turn over all servers that it may use; a new one if their tools have changed.
func (e *Endpoint) turn(ctx context.Context, tenant string) (*bridge.Turn, error) {
	p := e.turns.of(tenant)
	p.mu.Lock()
	defer p.mu.Unlock()
	generation := e.options.Generation()
	if p.turn != nil && p.generation == generation {
		return p.turn, nil
	}
	turn, err := e.options.Service.Prepare(ctx, tenant, &bridge.TurnRequest{
		Context: caller, Config: json.RawMessage(`{"enabled":true}`), MCPServers: []string{"*"},
	})
	if err != nil {
		return nil, err
	}
	if !turn.CodeMode() {
		return nil, &bridge.Error{Kind: bridge.KindUnavailable, Msg: "code mode is switched off in the service's config"}
	}
	// Servers that have been connected to meanwhile are a later generation, which the next request sees.
	p.turn, p.generation = turn, generation
	return turn, nil
}

// follow tells a client that stays connected when the tools behind exec have changed.
func (e *Endpoint) follow(ctx context.Context, s *mcp.Server) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for seen := e.options.Generation(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			now := e.options.Generation()
			if now == seen {
				continue
			}
			if err := e.offer(ctx, s, "", ctx); err != nil {
				e.options.Logger.Warn("the tools behind exec have changed, and can't be offered", "error", err)
				continue
			}
			seen = now
		}
	}
}
