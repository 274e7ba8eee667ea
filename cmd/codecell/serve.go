package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/server"
)

// serveCommand is codecell serve.
type serveCommand struct {
	configFlags
	Grace *time.Duration `help:"How long running cells may take to finish at the end. Default 30s." env:"CODECELL_GRACE"`
}

// Run serves until a signal comes (contract I1).
func (s *serveCommand) Run(t *terminal) error {
	c, err := s.config()
	if err != nil {
		return usageError{err}
	}
	at, err := c.level()
	if err != nil {
		return usageError{err}
	}
	level := &slog.LevelVar{}
	level.Set(at)
	logger := slog.New(slog.NewJSONHandler(t.err, &slog.HandlerOptions{Level: level}))
	backend, err := newApp(c, "", logger)
	if err != nil {
		return err
	}
	backend.selfTest(t.ctx)
	codeMode, err := c.codeMode()
	if err != nil {
		return errors.Join(err, backend.Close(t.now))
	}
	certificate, err := c.HTTP.certificate(logger)
	if err != nil {
		return errors.Join(usageError{err}, backend.Close(t.now))
	}
	logRequests := &atomic.Uint64{}
	logRequests.Store(math.Float64bits(c.LogRequests))
	srv, err := server.New(server.Options{
		Backend: backend, Keys: backend.keys, Rate: backend.tenants.rate, MaxSourceBytes: codeMode.MaxSourceBytes,
		MaxBodyBytes: c.HTTP.MaxBodyBytes, MaxTenantBodyBytes: c.HTTP.MaxTenantBodyBytes,
		MaxStreams: c.HTTP.MaxStreams, MaxTenantStreams: c.HTTP.MaxTenantStreams,
		MaxConnections: c.HTTP.MaxConnections, Certificate: certificate, H2C: c.HTTP.H2C, LogRequests: func() float64 { return math.Float64frombits(logRequests.Load()) }, Answers: c.Idempotency.bounds(), MCP: backend.endpoint(), Logger: logger,
		Answered: backend.tells.metrics.Answered, Tracer: backend.tells.tracer, Payload: backend.tells.payload(),
	})
	if err != nil {
		return errors.Join(usageError{err}, backend.Close(t.now))
	}
	l, err := srv.Listen(c.Listen)
	if err != nil {
		return errors.Join(err, backend.Close(t.now))
	}
	endAdmin, err := backend.serveAdmin(c.Admin, srv, level)
	if err != nil {
		return errors.Join(err, l.Close(), backend.Close(t.now))
	}
	// Not before: whoever reads this line may connect at once.
	scheme := "http"
	if certificate != nil {
		scheme = "https"
	}
	fmt.Fprintf(t.out, "codecell listens on %s://%s\n", scheme, l.Addr())
	grace := c.grace()
	if s.Grace != nil {
		grace = *s.Grace
	}
	go backend.keys.Watch(t.ctx, keysWatch, func(err error) { backend.keysChanged(err) })
	go (&reloader{flags: &s.configFlags, now: c, app: backend, level: level, logRequests: logRequests}).run(t.ctx, t.hangup)
	gc := idleGC{running: func() int { return backend.Health().Running }, level: heapObjects()}
	go gc.run(t.ctx)
	return errors.Join(srv.Serve(t.ctx, t.now, l, grace), endAdmin())
}
