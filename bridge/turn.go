package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/bridge/store"
	"github.com/codecell/codecell/bridge/trajectory"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

// Context says on whose behalf a turn runs.
type Context = executor.Context

// TurnRequest is the body of POST /v1/turns (contract J).
type TurnRequest struct {
	Context      Context
	Config       json.RawMessage
	Policy       catalog.Policy
	Tools        []catalog.Tool
	MCPServers   []string
	Raw          bool
	DisableTools bool
}

// Turn is one prepared agent turn: context, effective tools, limits. It is safe for concurrent use.
type Turn struct {
	service     *Service
	account     *account.Account // the tenant's
	of          *tenancy         // the tenant's
	share       *engine.Share    // of the machine, a part of the tenant's
	stores      *store.Tenant    // the tenant's
	usual       usual            // about what an invocation uses
	held        int              // bytes of the turn itself, in it; under mu, once it is known
	built       [builtParts]atomic.Bool
	checked     sync.Map // tools whose schemas are compiled, by *catalog.Entry; nothing is stored with them
	id          string
	tenant      string
	context     Context
	config      config.Config
	codeMode    bool
	catalog     *catalog.Catalog
	executors   map[string]executor.Binding // by tool id
	hooksBefore hook.List                   // that concern the tenant
	hooksAfter  hook.List
	approvals   *approval.Tenant // the tenant's
	life        context.Context  // ends when the turn is dropped
	endLife     context.CancelFunc
	shellTool   string
	warnings    []string // about the servers that the turn named
	counts      counters
	observer    Observer     // nil for none
	tracer      trace.Tracer // the same
	usedAt      atomic.Int64 // Unix nanoseconds

	guest      func() []byte // the catalog as a guest gets it
	guestBrief func() []byte // the same without declaration files, which are costly to render

	fingerprint func() string // see newFingerprint; costly

	trajectory *trajectory.Log
	ofService  bool                       // its own, and not audited
	redactor   func() *redact.Redactor    // see newRedactor
	log        atomic.Pointer[events.Log] // of what happens to its runs, while somebody listens

	approvalLayers []approval.Rules // of the turn's config
	approvalModes  sync.Map         // by entry, of those that were called, if there are any rules

	mu      sync.Mutex
	runs    map[*run]struct{} // all that are alive
	dropped bool
}

// counters are the turn's part of telemetry (contract G6): cumulative over its runs.
type counters struct{ search, describe, call atomic.Int64 }

// Prepare makes a turn in the order of contract A1: tools, policy, then code mode or the tools as they are.
func (s *Service) Prepare(ctx context.Context, tenant string, req *TurnRequest) (*Turn, error) {
	ceiling, err := s.ceiling(tenant, req.Context.AgentID)
	if err != nil {
		return nil, err // the operator's mistake, of which a client learns nothing
	}
	limits, err := ceiling.Narrow(req.Config)
	if err != nil {
		return nil, refuseConfig(err)
	}
	warnings := s.addServerTools(ctx, tenant, req)
	t, err := s.prepare(tenant, limits, req)
	if err != nil {
		return nil, err
	}
	t.warnings = warnings
	return t, nil
}

// ToolServers has tools of servers that the service itself is connected to.
type ToolServers interface {
	// Tools returns those of the servers that are named, and warnings for the turn's owner. It returns soon after ctx ends.
	Tools(ctx context.Context, tenant string, servers []string) (tools []catalog.Tool, warnings []string)
}

// serverPatience is how long a turn waits for servers that have not been connected to since the service started.
const serverPatience = 10 * time.Second

// addServerTools adds the tools of the servers that a turn names. It returns what the turn's owner should know.
func (s *Service) addServerTools(ctx context.Context, tenant string, req *TurnRequest) (warnings []string) {
	if len(req.MCPServers) == 0 {
		return nil
	}
	if s.options.ToolServers == nil {
		for _, server := range req.MCPServers {
			warnings = append(warnings, fmt.Sprintf("MCP server %q is not known to this service; bring its tools with the turn", server))
		}
		return warnings
	}
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	tools, warnings := s.options.ToolServers.Tools(ctx, tenant, req.MCPServers)
	req.Tools = append(slices.Clip(req.Tools), tools...)
	return warnings
}

func (s *Service) prepare(tenant string, limits config.Config, req *TurnRequest) (*Turn, error) {
	entries, err := catalog.New(req.Tools, req.Policy)
	if err != nil {
		return nil, refuseTool(err)
	}
	of := s.tenant(tenant)
	t := &Turn{
		service: s, account: of.account, of: of, share: of.share.Sub(), stores: of.stores, approvals: of.approvals, id: rand.Text(), tenant: tenant, context: req.Context, config: limits, catalog: entries,
		codeMode: limits.Enabled && !req.Raw && !req.DisableTools && !req.Policy.NoTools(),
		runs:     map[*run]struct{}{}, trajectory: trajectory.New(of.trajectories),
		observer: s.options.Observer, tracer: s.options.Tracer,
	}
	t.life, t.endLife = context.WithCancel(context.Background())
	t.context.Sandboxed = t.context.Sandboxed || req.Policy.Sandbox != nil
	if t.codeMode {
		if err := s.canRun(&limits); err != nil {
			return nil, err
		}
	}
	if t.executors, err = s.bindTools(tenant, entries); err != nil {
		return nil, err
	}
	t.hooksBefore, t.hooksAfter = s.hooks.Of(tenant)
	t.shellTool = shellTool(entries)
	t.guest = sync.OnceValue(func() []byte {
		g := entries.Guest()
		if g.Files == nil {
			g.Files = []byte("[]") // there are none, which is not the same as: they were left out
		}
		return guestCatalog(g)
	})
	t.guestBrief = sync.OnceValue(func() []byte { return guestCatalog(entries.GuestWithoutFiles()) })
	t.fingerprint = sync.OnceValue(t.newFingerprint)
	t.redactor = sync.OnceValue(t.newRedactor)
	t.touch()
	t.held = turnOverhead + catalogBytes(req.Tools) + len(owner(req.Context))
	rules, err := t.approvalRules()
	if err != nil {
		return nil, err
	}
	t.held += rules
	for _, server := range req.MCPServers {
		t.held += len(server) + 16
	}
	if err := t.account.Hold(t.held); err != nil {
		return nil, noRoom(err)
	}
	if err := s.addTurn(t); err != nil {
		t.account.Release(t.held)
		return nil, err
	}
	return t, nil
}

// turnOverhead is what a turn costs beside its catalog, in bytes.
const turnOverhead = 4 << 10

// configOf returns the operator's config for an agent (contract A2).
func (s *Service) configOf(agentID string) config.Config {
	if c, ok := s.options.Agents[agentID]; ok {
		return c
	}
	return s.options.Config
}

func guestCatalog(g catalog.Guest) []byte {
	return engine.AppendCatalog(nil, g.Entries, g.Names, g.MCP, g.Files)
}

func refuseConfig(err error) error {
	var mistake *config.Error
	if errors.As(err, &mistake) {
		return &Error{Kind: KindInvalid, Key: mistake.Key, Msg: mistake.Msg}
	}
	return err
}

func refuseTool(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Kind: KindInvalid, Key: "tools", Msg: err.Error()}
}

func (s *Service) addTurn(t *Turn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errShuttingDown
	}
	if len(s.turns) >= s.options.MaxTurns {
		return &Error{Kind: KindOverloaded, Msg: "too many turns are open; delete those that are over with DELETE /v1/turns/{id}", RetryAfter: time.Second}
	}
	s.turns[t.id] = t
	return nil
}

// shellTool returns the id of the tool that a model meant when it sent a shell command, or "".
func shellTool(entries *catalog.Catalog) string {
	for _, e := range entries.Entries() {
		switch strings.ToLower(e.Name()) {
		case "exec", "bash", "shell", "sh", "run_command", "execute_command", "terminal":
			if !e.IsMCP() {
				return e.ID()
			}
		}
	}
	return ""
}

// ID returns the turn's id, which is a capability: 128 random bits.
func (t *Turn) ID() string { return t.id }

// CodeMode says whether the model gets exec and wait in place of the tools.
func (t *Turn) CodeMode() bool { return t.codeMode }

// Catalog returns the tools after policy.
func (t *Turn) Catalog() *catalog.Catalog { return t.catalog }

// Warnings returns what is odd about the turn but no error.
func (t *Turn) Warnings() []string {
	return append(slices.Clip(t.catalog.Warnings()), t.warnings...)
}

// Tools renders what the model sees in a provider's shape (contract A5).
func (t *Turn) Tools(format string) (json.RawMessage, error) {
	if !t.codeMode {
		return catalog.Render(format, t.catalog.DirectTools())
	}
	budget := catalog.Budget{
		TimeoutMs: t.config.TimeoutMs, MaxOutputBytes: t.config.MaxOutputBytes,
		MaxPendingToolCalls: t.config.MaxPendingToolCalls, Languages: t.config.Languages,
		Store: t.config.StoreEnabled,
	}
	return catalog.Render(format, t.catalog.Surface(budget, t.namespaceHints()))
}

func (t *Turn) touch() { t.usedAt.Store(time.Now().UnixNano()) }

// Turn finds a tenant's turn. Another tenant's looks like none (contract A7).
func (s *Service) Turn(tenant, id string) (*Turn, error) {
	s.mu.Lock()
	t := s.turns[id]
	s.mu.Unlock()
	if t == nil || t.tenant != tenant {
		return nil, &Error{Kind: KindNotFound, Key: "turnId", Msg: "no such turn: it was never prepared, was deleted, or has expired; prepare it again with POST /v1/turns"}
	}
	t.touch()
	return t, nil
}

// DropTurn aborts a turn's runs and forgets it (contract G7).
func (s *Service) DropTurn(tenant, id string) error {
	t, err := s.Turn(tenant, id)
	if err != nil {
		return err
	}
	s.drop(t)
	return nil
}

// DropSession drops every turn of a session, what its store keeps, and the approvals that it remembers, and returns how many there were.
func (s *Service) DropSession(tenant, sessionID string) (int, error) {
	n := 0
	for _, t := range s.allTurns() {
		if t.tenant == tenant && sessionID != "" && t.context.SessionID == sessionID {
			s.drop(t)
			n++
		}
	}
	if sessionID != "" {
		of := s.tenant(tenant)
		of.stores.Forget(sessionID)
		of.approvals.ForgetSession(sessionID)
	}
	return n, nil
}

func (s *Service) drop(t *Turn) {
	s.mu.Lock()
	known := s.turns[t.id] == t
	delete(s.turns, t.id)
	s.mu.Unlock()
	t.abortRuns()
	t.stores.ForgetTurn(t.storeScope())
	t.trajectory.Close()
	t.approvals.ForgetTurn(t.id)
	if known {
		t.account.Release(t.weight())
	}
}

func (t *Turn) abortRuns() {
	t.mu.Lock()
	t.dropped = true
	runs := make([]*run, 0, len(t.runs))
	for r := range t.runs {
		runs = append(runs, r)
	}
	t.mu.Unlock()
	t.endLife()
	for _, r := range runs {
		r.abort()
	}
	t.endLogIfOver()
}

// addRun registers a run that is about to start; it fails when the turn has been dropped meanwhile.
func (t *Turn) addRun(r *run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dropped {
		t.runs[r] = struct{}{}
	}
	return !t.dropped
}

func (t *Turn) removeRun(r *run) {
	t.mu.Lock()
	delete(t.runs, r)
	t.mu.Unlock()
	t.endLogIfOver()
}

func (t *Turn) idleSince(limit int64) bool {
	if t.listened() {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.runs) == 0 && t.usedAt.Load() < limit
}

// sweepTurns forgets turns that nobody has used for the TTL and that have no run.
func (s *Service) sweepTurns() {
	tick := time.NewTicker(min(s.options.TurnTTL, time.Minute))
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-tick.C:
			limit := now.Add(-s.options.TurnTTL).UnixNano()
			for _, t := range s.allTurns() {
				if t.idleSince(limit) {
					s.drop(t)
				}
			}
		}
	}
}

// allowsLanguage says whether the turn's config enables a language.
func (t *Turn) allowsLanguage(language string) bool {
	return slices.Contains(t.config.Languages, language)
}

// bindTools binds the turn's tools to their executors. Those that the caller runs are left out.
func (s *Service) bindTools(tenant string, entries *catalog.Catalog) (map[string]executor.Binding, error) {
	bound := make(map[string]executor.Binding, entries.Len())
	for _, e := range entries.Entries() {
		b, err := s.executors.Bind(tenant, e.Tool().Executor, e.Tool().Annotations)
		if err != nil {
			return nil, &Error{Kind: KindInvalid, Key: "tools", Msg: fmt.Sprintf("executor of tool %s: %v", e.ID(), err)}
		}
		if !b.ByCaller() {
			bound[e.ID()] = b
		}
	}
	return bound, nil
}

// executor returns how the calls of a tool are carried out.
func (t *Turn) executor(e *catalog.Entry) executor.Binding { return t.executors[e.ID()] }
