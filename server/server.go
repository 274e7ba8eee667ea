package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/server/keyring"
)

// Options configure a Server. Only Backend is required.
type Options struct {
	Backend Backend
	// Keys are the API keys; without any the service keeps to loopback (contract I2).
	Keys *keyring.Ring
	// Rate bounds how often a tenant may send requests; it is asked for each. Nil bounds nobody.
	Rate func(tenant string) Rate
	// MaxSourceBytes is the operator's bound on a cell's source; it sets what an exec may weigh. Zero means the default
	// of contract A2.
	MaxSourceBytes int
	// MaxBodyBytes bounds the request bodies in memory at once; zero means 128 MiB.
	MaxBodyBytes int64
	// MaxTenantBodyBytes bounds those of one tenant; zero means half of MaxBodyBytes, or all of it when there is only
	// one tenant.
	MaxTenantBodyBytes int64
	// Answers bound what is remembered for the Idempotency-Key.
	Answers AnswerBounds
	// BodyTimeout is how long a body may take to arrive; zero means a minute.
	BodyTimeout time.Duration
	// MaxConnections bounds open connections; zero means 4096. More wait unaccepted.
	MaxConnections int
	// MaxStreams bounds the streams of events that are open at once, GET requests that each take a connection for as long as
	// the client likes; zero means a quarter of MaxConnections. MaxTenantStreams bounds those of one tenant; zero means half
	// of MaxStreams, or all of it when there is only one tenant.
	MaxStreams       int
	MaxTenantStreams int
	// Certificate has the service speak TLS, with HTTP/2. Nil leaves that to somebody in front of it.
	Certificate *Certificate
	// H2C takes HTTP/2 without TLS as well, from clients that begin with it.
	H2C bool
	// LogRequests is which share of requests has a line in the log, from 0 to 1; it is asked for each. Above 0 those that the
	// service failed have one in any case. At debug level all have. Nil is 0.
	LogRequests func() float64
	// MCP answers MCP clients at /mcp (contract E5); nil leaves that out.
	MCP MCP
	// Payload is shown what the model is shown: the tools of turns, and payloads that are checked. where says which of the two.
	// Nil for nobody. It must not keep the payload.
	Payload func(tenant, where string, payload []byte)
	// Tracer records a span for each request. Nil for none.
	Tracer trace.Tracer
	// Answered is told of each answer. Nil for nobody.
	Answered Answered
	// Logger takes what the operator should see; nil discards it.
	Logger *slog.Logger
}

// MCP answers a request of streamable HTTP, whose body has been read, on a tenant's behalf. An error comes without an answer.
type MCP interface {
	ServeTenant(w http.ResponseWriter, r *http.Request, tenant string, body []byte) error
}

func (o Options) withDefaults() Options {
	if o.MaxSourceBytes == 0 {
		o.MaxSourceBytes = config.Default().MaxSourceBytes
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = 128 << 20
	}
	if o.MaxTenantBodyBytes == 0 {
		o.MaxTenantBodyBytes = tenantShare(o.MaxBodyBytes, o.Keys.Several())
	}
	o.Answers = o.Answers.withDefaults(o.Keys.Several())
	if o.BodyTimeout == 0 {
		o.BodyTimeout = time.Minute
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 4096
	}
	if o.MaxStreams == 0 {
		o.MaxStreams = max(o.MaxConnections/4, 1)
	}
	if o.MaxTenantStreams == 0 {
		o.MaxTenantStreams = int(tenantShare(int64(o.MaxStreams), o.Keys.Several()))
	}
	if o.LogRequests == nil {
		o.LogRequests = func() float64 { return 0 }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server answers HTTP. Make one with New; it may be used from any goroutine.
type Server struct {
	backend        Backend
	echo           *echo.Echo
	authenticator  *authenticator
	rates          *rates
	answers        *answers
	bodies         *bodyBudgets
	streams        *streamPlaces
	bodyTimeout    time.Duration
	maxExec        int
	maxConnections int
	certificate    *Certificate
	h2c            bool
	logRequests    func() float64
	openAPI        []byte
	stopping       atomic.Bool // it is about to end
	draining       atomic.Bool // it takes no new work until told otherwise
	mcp            MCP
	answered       Answered
	tracer         trace.Tracer
	payload        func(tenant, where string, payload []byte)
	patterns       map[string]bool // of the routes
	log            *slog.Logger
}

// New makes a Server that does not listen yet.
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	description, err := compactOpenAPI()
	if err != nil {
		return nil, fmt.Errorf("openapi.json: %w", err)
	}
	s := &Server{
		backend: o.Backend, authenticator: &authenticator{o.Keys}, rates: &rates{of: o.Rate}, answers: newAnswers(o.Answers), bodyTimeout: o.BodyTimeout,
		maxExec:        min(maxBody, execEnvelope+escapeFactor*o.MaxSourceBytes),
		maxConnections: o.MaxConnections, certificate: o.Certificate, h2c: o.H2C, logRequests: o.LogRequests, mcp: o.MCP, answered: o.Answered, tracer: o.Tracer, payload: o.Payload, log: o.Logger, openAPI: description,
	}
	s.bodies = newBodyBudgets(o.MaxBodyBytes, o.MaxTenantBodyBytes)
	s.streams = newStreamPlaces(o.MaxStreams, o.MaxTenantStreams)
	s.echo = s.routes()
	s.patterns = map[string]bool{}
	for _, r := range s.echo.Routes() {
		s.patterns[r.Path] = true
	}
	return s, nil
}

// Handler returns the routes, for a listener of the caller's own. It does not check where that listens; Serve does.
func (s *Server) Handler() http.Handler { return s.echo }

func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	// echo would believe X-Forwarded-For from anybody.
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = s.fail
	if s.answered != nil {
		e.Use(s.count(s.answered))
	}
	// The stacks of all goroutines would stop the world for each panic.
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true, LogErrorFunc: s.recovered}))
	e.Use(nameRequest, s.logRequest)

	// Whatever can be read takes HEAD too (RFC 9110, section 9.1).
	read := []string{http.MethodGet, http.MethodHead}
	e.Match(read, "/healthz", s.healthz)
	e.Match(read, "/readyz", s.readyz)
	e.Match(read, "/openapi.json", s.openapi)

	// The guard is on each route and not on a group: a group would also answer for the routes that don't exist.
	guard := []echo.MiddlewareFunc{s.authenticator.middleware, s.rates.middleware, s.refuseWhenStopping, s.passTrace}
	e.POST("/v1/turns", s.createTurn, guard...)
	e.DELETE("/v1/turns/:id", s.dropTurn, guard...)
	e.Match(read, "/v1/turns/:id/trajectory", s.trajectory, guard...)
	e.Match(read, "/v1/turns/:id/events", s.turnEvents, guard...)
	e.POST("/v1/exec", s.exec, guard...)
	e.POST("/v1/wait", s.wait, guard...)
	e.POST("/v1/runs/:runId/results", s.deliver, guard...)
	e.POST("/v1/runs/:runId/export", s.exportRun, guard...)
	e.POST("/v1/runs/:runId/import", s.importRun, guard...)
	e.Match(read, "/v1/runs/:runId/events", s.runEvents, guard...)
	e.DELETE("/v1/runs/:runId", s.abortRun, guard...)
	e.DELETE("/v1/sessions/:id", s.dropSession, guard...)
	e.Match(read, "/v1/approvals", s.listApprovals, guard...)
	e.Match(read, "/v1/approvals/:id", s.showApproval, guard...)
	e.POST("/v1/approvals/:id", s.decide, guard...)
	e.Match(read, "/v1/namespaces", s.listNamespaces, guard...)
	e.PUT("/v1/namespaces/:id", s.declareNamespace, guard...)
	e.DELETE("/v1/plugins/:pluginId/namespaces", s.clearNamespaces, guard...)
	e.POST("/v1/payload/check", s.checkPayload, guard...)
	e.POST("/mcp", s.serveMCP, guard...)
	return e
}

// recovered logs a panic with its stack; the client learns only that there was one.
func (s *Server) recovered(c echo.Context, err error, stack []byte) error {
	s.log.Error("panic in a handler", "route", c.Path(), "error", err, "stack", string(stack))
	return fmt.Errorf("panic: %w", err)
}

// Drain has the service refuse new work, or take it again: what runs goes on, suspended runs can be finished, and /readyz says so.
func (s *Server) Drain(on bool) { s.draining.Store(on) }

// Draining says whether the service was told to refuse new work, and how many execs and waits are under way.
func (s *Server) Draining() (on bool, running int) {
	return s.draining.Load(), s.backend.Health().Running
}

// refusesWork returns why the service takes no new work, nil if it does.
func (s *Server) refusesWork() error {
	switch {
	case s.stopping.Load():
		return errStopping
	case s.draining.Load():
		return errDraining
	}
	return nil
}

var errDraining = errors.New("the service is being drained")

var errStopping = errors.New("the service is shutting down")

// refuseWhenStopping turns new work away while running cells finish (contract I1). Results are still taken: a cell may
// be waiting for them.
func (s *Server) refuseWhenStopping(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		why := s.refusesWork()
		if why == nil {
			return next(c)
		}
		switch c.Path() {
		case "/v1/wait":
			if !s.stopping.Load() {
				return next(c) // what was begun may be finished
			}
			fallthrough
		case "/v1/turns", "/v1/exec", "/mcp", "/v1/runs/:runId/import":
			return &problem{
				kind: kindUnavailable, retryAfter: time.Second,
				detail: fmt.Sprintf("Not now: %v. Send the request to another replica, or again later.", why),
			}
		}
		return next(c)
	}
}
