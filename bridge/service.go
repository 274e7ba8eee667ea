package bridge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine"
)

// Options configure a Service. Engine is required, or the reason why there is none.
type Options struct {
	Engine engine.Engine
	// EngineError is why the engine could not be loaded. The service then answers all that needs no engine and
	// refuses turns with code mode on: it never hands back their tools instead (contract A8).
	EngineError error
	// Config is the operator's tools.codeMode: defaults and ceilings of every turn. The zero value means
	// DefaultConfig.
	Config Config
	// Agents are the configs of agents that have one of their own, by agent id: each the result of merging it over
	// Config (contract A2).
	Agents map[string]Config
	// TestExecutors enables the echo executor, which answers without any tool behind it.
	TestExecutors bool
	// Executors adds executors by the type that a tool names them with. The built-in types can't be replaced.
	Executors map[string]Executor
	// SigningKey signs what the http executor sends; nil sends it unsigned.
	SigningKey []byte
	// HTTPClient sends the http executor's requests. The default follows no redirects and uses no proxy.
	HTTPClient *http.Client
	// TurnTTL is how long a turn that nobody uses is kept. Default one hour.
	TurnTTL time.Duration
	// MaxTurns bounds the turns that are kept. Default 10,000.
	MaxTurns int
	Logger   *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Config.Languages == nil {
		o.Config = DefaultConfig()
	}
	if o.TurnTTL <= 0 {
		o.TurnTTL = time.Hour
	}
	if o.MaxTurns <= 0 {
		o.MaxTurns = 10_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Service is the whole of the bridge. It is safe for concurrent use.
//
// Lock order: Service.mu, then turn.mu, then run.mu. None is held while a step is taken or a tool is called.
type Service struct {
	options   Options
	executors map[string]Executor

	mu     sync.Mutex
	turns  map[string]*Turn
	runs   map[string]*run // suspended, or being resumed
	closed bool

	legs sync.WaitGroup // execs and waits under way
	live atomic.Int64   // the same, as a number
	stop chan struct{}
}

// New starts a service. Close it when done; the engine stays the caller's.
func New(o Options) (*Service, error) {
	o = o.withDefaults()
	if o.Engine == nil && o.EngineError == nil {
		return nil, errors.New("bridge: Options need an Engine, or an EngineError that says why there is none")
	}
	s := &Service{
		options: o,
		turns:   map[string]*Turn{},
		runs:    map[string]*run{},
		stop:    make(chan struct{}),
	}
	s.executors = s.builtinExecutors()
	for name, e := range o.Executors {
		if s.executors[name] == nil {
			s.executors[name] = e
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
	Engine    engine.Stats `json:"engine"`
}

// Stats counts.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := Stats{Turns: len(s.turns), Suspended: len(s.runs), Running: int(s.live.Load())}
	if s.options.Engine != nil {
		stats.Engine = s.options.Engine.Stats()
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
	defer s.mu.Unlock()
	if s.closed {
		return errShuttingDown
	}
	return s.engineError()
}

// engineError returns nil if there is an engine.
func (s *Service) engineError() error {
	if s.options.Engine != nil {
		return nil
	}
	return &Error{Kind: KindUnavailable, Msg: "runtime_unavailable: the code mode engine could not be loaded: " + s.options.EngineError.Error()}
}

var errShuttingDown = &Error{
	Kind: KindUnavailable, Msg: "the service is shutting down; send the request to another replica", RetryAfter: time.Second,
}

// Close refuses new work and lets what is running finish until ctx ends; then it is aborted (contract I1).
// Suspended runs are dropped. Close may be called more than once.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.legs.Wait()
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
	for _, e := range s.executors {
		if c, ok := e.(interface{ Close() }); ok {
			c.Close()
		}
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

// beginLeg admits an exec or a wait; the caller must call the returned function when it is over.
func (s *Service) beginLeg() (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errShuttingDown
	}
	s.legs.Add(1)
	s.live.Add(1)
	return func() {
		s.live.Add(-1)
		s.legs.Done()
	}, nil
}
