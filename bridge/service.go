package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
	"github.com/codecell/codecell/namespaces"
	"github.com/codecell/codecell/snapshot"
)

// Options configure a Service. Engine is required, or the reason why there is none.
type Options struct {
	// Engine runs cells. If it is engine.Portable, guests that wait for long are moved into snapshots, and all that are
	// suspended where the config says snapshot.resume: "restore"; if not, suspended runs stay in their heaps, and turns that
	// ask for more are refused.
	Engine engine.Engine
	// Preparer parses cells under limits (contract H6); the caller closes it after the service. Nil parses in this process
	// and without limits, which is for cells that are trusted.
	Preparer script.Preparer
	// EngineError is why the engine could not be loaded. The service then answers all that needs no engine and refuses
	// turns with code mode on: it never hands back their tools instead (contract A8).
	EngineError error
	// Config is the operator's tools.codeMode: defaults and ceilings of every turn. The zero value means DefaultConfig.
	Config config.Config
	// Agents are the configs of agents that have one of their own, by agent id: each the result of merging it over
	// Config (contract A2).
	Agents map[string]config.Config
	// ParkedHeaps is how many suspended runs may keep their heaps when the engine is engine.Portable. Default
	// DefaultParkedHeaps.
	ParkedHeaps int
	// MaxSuspendedRuns bounds the suspended runs of all tenants; Config.MaxSuspendedRuns those of each. Default 16 times
	// that.
	MaxSuspendedRuns int
	// MemoryBytes bounds what the service holds for all tenants: turns, and the inputs, answers and output of runs (contract
	// H6). Trajectories may have an eighth of that besides. Heaps and snapshots have bounds of their own. Default DefaultMemoryBytes.
	MemoryBytes int64
	// TenantBytes bounds the same for each tenant. Default half of MemoryBytes.
	TenantBytes int64
	// Tenants bounds single tenants (contract I2). It is asked for each turn and each exec and wait, so it may answer
	// differently after a while, and must be quick. Nil bounds them by the rest of Options alone.
	Tenants func(tenant string) TenantLimits
	// Observer is told what happens to runs. Nil for none.
	Observer Observer
	// Tracer records spans of execs and waits, steps and nested calls, and what calls are sent on is part of them. Nil for
	// none, which costs nothing.
	Tracer trace.Tracer
	// Snapshots keeps guests that were copied out; the service closes it. Default: this process's memory, at most
	// SnapshotBytes.
	Snapshots snapshot.Store
	// SnapshotBytes bounds the default store. Default 1 GiB.
	SnapshotBytes int64
	// SnapshotTenantBytes is as much for one tenant. Default half of SnapshotBytes.
	SnapshotTenantBytes int64
	// SnapshotKey seals snapshots. Processes that are to take over each other's runs have the same one; by default
	// there is a key that no other process has (contract H4).
	SnapshotKey []byte
	// TestExecutors enables the echo executor, which answers without any tool behind it.
	TestExecutors bool
	// ToolServers has tools that turns name by their servers (contract E4). Nil for none.
	ToolServers ToolServers
	// Namespaces has what plugins register (contract F1). By default a registry that only tenants add to, with
	// DeclareNamespace.
	Namespaces *namespaces.Registry
	// Executors adds executors by the type that a tool names them with. The built-in types can't be replaced.
	Executors map[string]executor.Executor
	// SigningKeys sign what the http executor sends; without any it is sent unsigned.
	SigningKeys executor.SigningKeys
	// Outbound sends the http executor's requests; the caller closes its idle connections after the service. Nil for one that
	// calls the public internet only.
	Outbound *outbound.Client
	// BreakerFailures is after how many failures in a row the http executor leaves a host alone, BreakerPause for how long at
	// first. Zero means 5 failures and 2 seconds.
	BreakerFailures int
	BreakerPause    time.Duration
	// Hooks are asked before and after calls, in this order (contract G1, G2).
	Hooks []hook.Hook
	// Redactor takes secrets out of trajectories and of what is audited; the service hides the headers of a turn's own tools
	// besides (contract G5). Nil for one that knows secrets by their places only.
	Redactor *redact.Redactor
	// Audit keeps what cells did, for good; the caller closes it after the service. While it can't, no tool is called (contract
	// G5). Nil for none.
	Audit Auditor
	// Approvals say which calls people are asked about, and bound what is asked and kept (contract G4). By default they are asked
	// about destructive tools.
	Approvals approval.Options
	// NoApprovers is why nobody can decide, where that is so: what needs an approval is denied at once, with this reason.
	NoApprovers string
	// TurnTTL is how long a turn that nobody uses is kept. Default one hour.
	TurnTTL time.Duration
	// MaxTurns bounds the turns that are kept. Default 10,000.
	MaxTurns int
	Logger   *slog.Logger
}

// Defaults of Options.
const (
	DefaultParkedHeaps = 256
	DefaultMemoryBytes = 512 << 20
)

func (o Options) withDefaults() Options {
	if o.Config.Languages == nil {
		o.Config = config.Default()
	}
	if o.Preparer == nil {
		o.Preparer = script.InProcess{}
	}
	if o.TurnTTL <= 0 {
		o.TurnTTL = time.Hour
	}
	if o.MaxTurns <= 0 {
		o.MaxTurns = 10_000
	}
	if o.ParkedHeaps <= 0 {
		o.ParkedHeaps = DefaultParkedHeaps
	}
	if o.MaxSuspendedRuns <= 0 {
		o.MaxSuspendedRuns = 16 * o.Config.MaxSuspendedRuns
	}
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = DefaultMemoryBytes
	}
	if o.TenantBytes <= 0 {
		o.TenantBytes = o.MemoryBytes / 2
	}
	if o.Tenants == nil {
		o.Tenants = func(string) TenantLimits { return TenantLimits{} }
	}
	if o.Namespaces == nil {
		o.Namespaces = &namespaces.Registry{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Service is the whole of the bridge. It is safe for concurrent use.
//
// No two of its locks, of those of turns, and of those of runs are ever held together, and none while a step is executed, a
// tool called, or anything looked up, validated or encoded.
type Service struct {
	options   Options
	executors *executor.Registry
	hooks     *hook.Set
	approvals *approval.Registry
	offloader *offloader // nil without a portable engine
	account   *account.Account
	pace      pace
	logs      *events.Hub

	trajectories *account.Account

	mu        sync.Mutex
	turns     map[string]*Turn
	runs      map[string]*run // suspended, or being resumed
	suspended map[string]int  // of them, by tenant
	tenants   map[string]*tenancy
	closed    bool

	invocations sync.WaitGroup // execs and waits under way
	live        atomic.Int64   // the same, as a number
	stop        chan struct{}

	hookWarnedAt atomic.Int64 // Unix seconds of the last warning of a hook that failed

	closing atomic.Bool // what runs in the background is ended once

	unfit atomic.Pointer[Error] // why no cell may run, though there is an engine
}

// New starts a service. Close it when done; the engine stays the caller's.
func New(o Options) (*Service, error) {
	o = o.withDefaults()
	if o.Engine == nil && o.EngineError == nil {
		return nil, errors.New("bridge: Options need an Engine, or an EngineError that says why there is none")
	}
	hooks, err := hook.NewSet(o.Hooks)
	if err != nil {
		return nil, fmt.Errorf("bridge: Options.Hooks%w", err)
	}
	s := &Service{
		options: o, hooks: hooks, approvals: approval.NewRegistry(o.Approvals),
		turns: map[string]*Turn{},
		runs:  map[string]*run{}, suspended: map[string]int{}, tenants: map[string]*tenancy{},
		account:      account.New("service", o.MemoryBytes),
		trajectories: account.New("service", o.MemoryBytes/trajectoryShare),
		pace:         newPace(),
		logs:         events.NewHub(),
		stop:         make(chan struct{}),
		executors: executor.NewRegistry(executor.Options{
			Custom: o.Executors, Echo: o.TestExecutors, Outbound: o.Outbound, Keys: o.SigningKeys, Logger: o.Logger,
			BreakerFailures: o.BreakerFailures, BreakerPause: o.BreakerPause,
		}),
	}
	if portable, ok := o.Engine.(engine.Portable); ok {
		if s.offloader, err = newOffloader(s, portable); err != nil {
			return nil, err
		}
	}
	go s.sweepTurns()
	return s, nil
}

// Stats is a moment's count of what the service holds.
type Stats struct {
	Turns     int          `json:"turns"`
	Suspended int          `json:"suspended"` // runs that wait, or are being resumed
	Running   int          `json:"running"`   // execs and waits under way
	Approvals int          `json:"approvals"` // that wait for a person
	Engine    engine.Stats `json:"engine"`

	Parked    int            `json:"parked"`    // heaps of suspended runs
	Snapshots snapshot.Stats `json:"snapshots"` // of the other suspended runs
	Offloads  OffloadStats   `json:"offloads"`

	HeldBytes   int64 `json:"heldBytes"`   // by turns and runs of all tenants (contract H6)
	MemoryBytes int64 `json:"memoryBytes"` // as much as they may hold

	TrajectoryBytes int64 `json:"trajectoryBytes"` // beside that, of what execs did
}

// Stats counts.
func (s *Service) Stats() Stats {
	stats := Stats{Running: int(s.live.Load()), Approvals: s.approvals.Pending(), HeldBytes: s.account.Held(), MemoryBytes: s.account.Limit(), TrajectoryBytes: s.trajectories.Held()}
	s.mu.Lock()
	stats.Turns, stats.Suspended = len(s.turns), len(s.runs)
	s.mu.Unlock() // engine and store may take their time
	if s.options.Engine != nil {
		stats.Engine = s.options.Engine.Stats()
	}
	if o := s.offloader; o != nil {
		stats.Parked, stats.Snapshots, stats.Offloads = o.parkedHeaps(), o.store.Stats(), o.stats()
	} else {
		stats.Parked = stats.Suspended
	}
	return stats
}

// EngineName returns the name of the engine in use, "none" if it could not be loaded.
func (s *Service) EngineName() string {
	if s.options.Engine == nil {
		return "none"
	}
	return s.options.Engine.Name()
}

// Ready returns nil while the service can take work, else why it can't.
func (s *Service) Ready() error {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return errShuttingDown
	}
	if a := s.options.Audit; a != nil && a.Ready() != nil {
		return &Error{Kind: KindUnavailable, Msg: a.Ready().Error() + ", so no tool is called"}
	}
	return s.engineError() // which may wait until the engine is loaded
}

// engineError returns nil if there is an engine, it can be loaded, and its limits hold as far as is known.
func (s *Service) engineError() error {
	if e := s.unfit.Load(); e != nil {
		return e
	}
	err := s.options.EngineError
	if e, ok := s.options.Engine.(engine.Readier); ok {
		err = e.Ready()
	}
	return noEngine(err)
}

// canRun says whether turns with that config can be served. What the config asks for is never replaced by something
// weaker (contract A8).
func (s *Service) canRun(c *config.Config) error {
	if err := s.engineError(); err != nil || c.SnapshotResume != config.ResumeRestore {
		return err
	}
	if s.offloader == nil {
		return noEngine(errors.New(`snapshot.resume is "restore", and this service has no engine that restores snapshots`))
	}
	_, err := s.offloader.engine.Build()
	return noEngine(err)
}

func noEngine(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: KindUnavailable, Msg: "runtime_unavailable: the code mode engine could not be loaded: " + err.Error()}
}

var errShuttingDown = &Error{
	Kind: KindUnavailable, Msg: "the service is shutting down; send the request to another replica", RetryAfter: time.Second,
}

// Close refuses new work and lets what is running finish until ctx ends; then it is aborted (contract I1). Suspended
// runs are dropped. Close may be called more than once.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.invocations.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	for _, t := range s.allTurns() {
		t.abortRuns()
	}
	<-done
	s.executors.Close()
	if s.offloader != nil && s.closing.CompareAndSwap(false, true) {
		return s.offloader.close()
	}
	return nil
}

func (s *Service) allTurns() []*Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Turn, 0, len(s.turns))
	for _, t := range s.turns {
		all = append(all, t)
	}
	return all
}

// beginInvocation admits an exec or a wait of a tenant; the caller must call the returned function when it is over.
func (s *Service) beginInvocation(of *tenancy) (func(), error) {
	limit := s.options.Tenants(of.name).Running
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errShuttingDown
	}
	if limit > 0 && of.running >= limit {
		return nil, &Error{
			Kind: KindQuota, RetryAfter: time.Second,
			Msg: fmt.Sprintf("%d execs and waits of your tenant are under way, which is as many as it may have at once; send the request again when one is over", limit),
		}
	}
	of.running++
	s.invocations.Add(1)
	s.live.Add(1)
	return func() {
		s.mu.Lock()
		of.running--
		s.mu.Unlock()
		s.live.Add(-1)
		s.invocations.Done()
	}, nil
}
