package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
)

// server is one configured server: at most one connection at a time, made again whenever it is lost.
type server struct {
	name       string
	config     *Config
	log        *slog.Logger
	transport  *http.Transport
	listedAnew func()
	changed    chan struct{} // the server says that its tools are others now
	ended      chan struct{} // closed when run has returned
	tokens     atomic.Int64
	watched    sync.Map // progress token → executor.Call

	mu       sync.Mutex
	current  *mcp.ClientSession
	tools    []catalog.Tool // as listed last, also while there is no connection
	failure  error          // why there is no connection
	tried    chan struct{}  // closed when connecting has succeeded or failed once
	arrived  chan struct{}  // closed when there is a connection; made anew when it is lost
	breaking context.CancelFunc
}

func newServer(name string, config *Config, log *slog.Logger, listed func()) *server {
	return &server{
		name: name, config: config, listedAnew: listed, log: log.With("server", name), transport: newTransport(),
		changed: make(chan struct{}, 1), ended: make(chan struct{}), tried: make(chan struct{}), arrived: make(chan struct{}),
	}
}

// Waiting between two attempts to connect.
const (
	minBackoff = 250 * time.Millisecond
	maxBackoff = 30 * time.Second
)

// run keeps the server connected until ctx ends.
func (s *server) run(ctx context.Context) {
	defer close(s.ended)
	defer s.transport.CloseIdleConnections()
	backoff := minBackoff
	for ctx.Err() == nil {
		began := time.Now()
		err := s.serve(ctx)
		s.down(err)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > maxBackoff {
			backoff = minBackoff // it has served for a while
		}
		s.log.Warn("an MCP server is not connected", "error", err, "again in", backoff)
		select {
		case <-ctx.Done():
		case <-time.After(backoff/2 + rand.N(backoff)):
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

// serve connects, lists, and follows the server's changes until the connection ends. It returns why it did.
func (s *server) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	closed := make(chan error, 1)
	go func() { closed <- session.Wait() }()
	if err := s.refresh(ctx, session); err != nil {
		return err
	}
	s.up(session, cancel)
	// A server may say at any rate that its tools have changed: they are listed again once in a while.
	pause := time.NewTimer(minRefresh)
	defer pause.Stop()
	changed := false
	for paused := true; ; {
		if changed && !paused {
			changed, paused = false, true
			pause.Reset(minRefresh)
			if err := s.refresh(ctx, session); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return errors.New("the connection was given up")
		case err := <-closed:
			return fmt.Errorf("the server has ended the connection (%w)", errors.Join(err, errClosed))
		case <-s.changed:
			changed = true
		case <-pause.C:
			paused = false
		}
	}
}

var errClosed = errors.New("closed")

// minRefresh is the time between two listings of a server's tools.
const minRefresh = time.Second

// connect makes a connection. A server may ask its client for nothing: sampling, elicitation and roots are not offered, so
// that such a request is refused at once and not left hanging.
func (s *server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "codecell", Version: "1"}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { s.change() },
		ProgressNotificationHandler: s.progress,
		// A result that asks for input is refused in perform.
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	client.AddSendingMiddleware(forgetful)
	var transport mcp.Transport = &process{s.config, s.log}
	if s.config.URL != "" {
		transport = s.remote()
	}
	limited, cancel := context.WithTimeout(ctx, s.config.startup())
	defer cancel()
	session, err := client.Connect(limited, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("can't connect: %w", err)
	}
	return session, nil
}

// forgetful has the session remember one result of a kind at most. It would remember, for good, one for each cursor and URI
// that cells ask for.
func forgetful(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		switch p := req.GetParams().(type) {
		case *mcp.ListResourcesParams:
			p.Cursor = ""
		case *mcp.ListPromptsParams:
			p.Cursor = ""
		case *mcp.ReadResourceParams:
			p.URI = ""
		}
		return result, err
	}
}

// change notes that the tools are to be listed again. Many notes before that are one.
func (s *server) change() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *server) refresh(ctx context.Context, session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.startup())
	defer cancel()
	tools, notes, err := s.list(ctx, session)
	if err != nil {
		return err
	}
	for _, note := range notes {
		s.log.Warn("an MCP server's list", "note", note)
	}
	s.mu.Lock()
	same := reflect.DeepEqual(s.tools, tools)
	s.tools = tools
	s.mu.Unlock()
	if !same {
		s.listedAnew()
	}
	return nil
}

func (s *server) up(session *mcp.ClientSession, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.failure, s.breaking = session, nil, cancel
	close(s.arrived)
	s.try()
	s.log.Info("an MCP server is connected", "tools", len(s.tools))
}

func (s *server) down(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.arrived = make(chan struct{})
	}
	s.current, s.failure, s.breaking = nil, err, nil
	s.try()
}

func (s *server) try() {
	select {
	case <-s.tried:
	default:
		close(s.tried)
	}
}

// lost gives a connection up that a call has found to be broken.
func (s *server) lost(session *mcp.ClientSession, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == session && s.breaking != nil {
		s.breaking()
	}
}

// callPatience is how long a call waits for a server that is being connected to.
const callPatience = 5 * time.Second

// session returns the connection, or says why there is none.
func (s *server) session(ctx context.Context) (*mcp.ClientSession, error) {
	deadline := time.NewTimer(callPatience)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		session, failure, arrived := s.current, s.failure, s.arrived
		s.mu.Unlock()
		if session != nil {
			return session, nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-deadline.C:
			s.log.Warn("an MCP server was called while it is not connected", "error", failure)
			return nil, fmt.Errorf("MCP server %q is not connected; the service goes on trying. Use other tools meanwhile", s.name)
		}
	}
}

// listed waits until the server's tools are known or could not be had, and returns them. The error says why they may be
// incomplete.
func (s *server) listed(ctx context.Context) ([]catalog.Tool, error) {
	select {
	case <-s.tried:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failure != nil:
		// Where the server is and what it said is for the operator, who finds it in the log.
		return s.tools, errors.New("it is not connected")
	case s.current == nil:
		return s.tools, errors.New("it is still being connected to")
	}
	return s.tools, nil
}

// watch lets a call hear of its progress, under the token that it returns.
func (s *server) watch(call executor.Call) string {
	token := strconv.FormatInt(s.tokens.Add(1), 10)
	if call.Progress != nil {
		s.watched.Store(token, call)
	}
	return token
}

func (s *server) unwatch(token string) { s.watched.Delete(token) }

// progress passes on what a server says about a call. It may say anything at any time.
func (s *server) progress(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, _ := req.Params.ProgressToken.(string)
	if call, ok := s.watched.Load(token); ok {
		call.(executor.Call).Progress(req.Params.Progress, req.Params.Total, clip(req.Params.Message))
	}
}
