package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/audit"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/engine/preparer"
	"github.com/codecell/codecell/namespaces/mcp"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
	"github.com/codecell/codecell/server/mcpserver"
)

// app is the engines with the bridge on top.
type app struct {
	server.Backend
	engines engines
	parsers *preparer.Pool
	servers *mcp.Servers
	service *bridge.Service
	tells   *telemetry
	auditor *audit.Log // nil for none
	keys    *keyring.Ring
	tenants *tenants
	logger  *slog.Logger
}

// newApp starts what a config describes. An engine that can't be loaded is no error here: the service says so on
// /readyz and refuses code mode, rather than being gone (contract A8). noApprovers is why nobody can approve calls, for
// commands that serve no HTTP.
func newApp(c Config, noApprovers string, logger *slog.Logger) (*app, error) {
	codeMode, err := c.codeMode()
	if err != nil {
		return nil, err
	}
	agents, err := c.agents()
	if err != nil {
		return nil, err
	}
	client, err := c.Executors.outbound(logger)
	if err != nil {
		return nil, err
	}
	hooks, err := c.hooks(client)
	if err != nil {
		return nil, err
	}
	keys, err := c.ring()
	if err != nil {
		return nil, err
	}
	tenants := newTenants(c, codeMode)
	approvals, err := c.approvals()
	if err != nil {
		return nil, err
	}
	tells, err := openTelemetry(&c, keys, logger)
	if err != nil {
		return nil, err
	}
	e := newEngines(c, codeMode, agents, logger)
	if e.err != nil {
		logger.Error("the engine could not be loaded; code mode is refused", "error", e.err)
	}
	if e.missing != nil {
		logger.Warn("no WASI engine; suspended runs stay in their heaps", "error", e.missing)
	}
	auditor, err := c.Audit.open(logger)
	if err != nil {
		return nil, errors.Join(err, e.close(), tells.close())
	}
	parsers := preparer.New(preparer.Options{
		Command: []string{parserName}, RequireSandbox: c.Engine.Sandbox == sandboxRequire, Logger: logger,
	})
	servers := mcp.Open(c.MCPServers, logger)
	options := bridge.Options{
		ToolServers: servers, Executors: map[string]executor.Executor{mcp.ExecutorType: servers},
		Engine: e.whole, EngineError: e.err, Preparer: parsers,
		ParkedHeaps: c.parkedHeaps(codeMode), SnapshotKey: []byte(c.Snapshot.Key),
		SnapshotBytes: c.Snapshot.MaxBytes, SnapshotTenantBytes: c.Snapshot.MaxTenantBytes,
		MaxSuspendedRuns: c.suspendedRuns(codeMode), MemoryBytes: c.Memory.MaxBytes, TenantBytes: c.Memory.MaxTenantBytes,
		Tenants: tenants.limits,
		Config:  codeMode, Agents: agents, TestExecutors: c.TestExecutors, SigningKeys: c.Executors.signingKeys(), Outbound: client, Hooks: hooks,
		Approvals: approvals, NoApprovers: noApprovers,
		Observer: tells.observer(), Tracer: tells.tracer,
		TurnTTL: time.Duration(c.Turns.TTLSeconds) * time.Second, MaxTurns: c.Turns.Max, Logger: logger,
		BreakerFailures: c.Executors.BreakerFailures, BreakerPause: time.Duration(c.Executors.BreakerMs) * time.Millisecond,
		Redactor: c.redactor(keys),
	}
	if auditor != nil {
		options.Audit = auditor
	}
	service, err := bridge.New(options)
	if err != nil {
		parsers.Close()
		servers.Close()
		return nil, errors.Join(err, e.close(), closeAudit(auditor), tells.close())
	}
	notes := func() []string { return append(e.notes(), parsers.Report()...) }
	a := &app{
		Backend: server.FromBridge(service, notes), engines: e, parsers: parsers, servers: servers, service: service, tells: tells, auditor: auditor, keys: keys, tenants: tenants, logger: logger,
	}
	tells.watch(a)
	return a, nil
}

// selfTest runs a cell against each limit, at once or as soon as the engine is ready. A service whose limits do not hold
// refuses code mode, and says why on /readyz.
func (a *app) selfTest(ctx context.Context) {
	if a.service.Ready() == nil {
		a.testLimits(ctx)
		return
	}
	// Why it is not has been said already.
	go func() {
		tick := time.NewTicker(selfTestRetry)
		defer tick.Stop()
		for a.service.Ready() != nil {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		a.testLimits(ctx)
	}()
}

// selfTestRetry is how often an engine that was not ready at the start is asked again.
const selfTestRetry = 100 * time.Millisecond

func (a *app) testLimits(ctx context.Context) {
	start := time.Now()
	limits, err := a.service.SelfTest(ctx, a.engines.unenforcedLimits()...)
	if err != nil {
		a.logger.Error("a limit does not hold; code mode is refused", "error", err)
		return
	}
	a.logger.Info("the limits hold", "limits", limits, "took", time.Since(start).String())
}

// Close ends the cells, then the engines and parsers under them.
func (a *app) Close(ctx context.Context) error {
	err := errors.Join(a.Backend.Close(ctx), a.engines.close())
	a.parsers.Close()
	return errors.Join(err, closeAudit(a.auditor), a.tells.close())
}

// endpoint answers MCP clients (contract E5).
func (a *app) endpoint() *mcpserver.Endpoint {
	return mcpserver.New(mcpserver.Options{Service: a.service, Generation: a.servers.Generation, Logger: a.logger})
}
