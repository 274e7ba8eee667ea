package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/codecell/codecell/server"
)

// serveCommand is codecell serve.
type serveCommand struct {
	Listen        string         `help:"Address to serve on; anything but loopback needs API keys. Default 127.0.0.1:8080." env:"CODECELL_LISTEN" placeholder:"HOST:PORT"`
	Config        string         `help:"Config file, JSON5." env:"CODECELL_CONFIG" type:"path" placeholder:"FILE"`
	TestExecutors *bool          `help:"Enable the echo executor, which lets a turn invent its tools' answers. For tests only." env:"CODECELL_TEST_EXECUTORS"`
	AdminListen   string         `help:"Address of the admin listener; anything but loopback needs a key with the role admin. Default: none." env:"CODECELL_ADMIN_LISTEN" placeholder:"HOST:PORT"`
	LogLevel      string         `help:"debug, info, warn or error. Default info." env:"CODECELL_LOG_LEVEL" placeholder:"LEVEL"`
	Grace         *time.Duration `help:"How long running cells may take to finish at the end. Default 30s." env:"CODECELL_GRACE"`
	SigningKey    string         `help:"Signs the requests of http executors." env:"CODECELL_SIGNING_KEY" placeholder:"KEY"`
}

// config lays the flags over the config file.
func (s *serveCommand) config() (Config, error) {
	c, err := loadConfig(s.Config)
	if err != nil {
		return c, err
	}
	if s.Listen != "" {
		c.Listen = s.Listen
	}
	if s.AdminListen != "" {
		c.Admin.Listen = s.AdminListen
	}
	if s.LogLevel != "" {
		c.LogLevel = s.LogLevel
	}
	if s.SigningKey != "" {
		c.Executors.SigningKey = s.SigningKey
	}
	if s.TestExecutors != nil {
		c.TestExecutors = *s.TestExecutors
	}
	c = c.WithDefaults()
	return c, c.validate()
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
	srv, err := server.New(server.Options{
		Backend: backend, Keys: backend.keys, Rate: backend.tenants.rate, MaxSourceBytes: codeMode.MaxSourceBytes,
		MaxBodyBytes: c.HTTP.MaxBodyBytes, MaxTenantBodyBytes: c.HTTP.MaxTenantBodyBytes,
		MaxStreams: c.HTTP.MaxStreams, MaxTenantStreams: c.HTTP.MaxTenantStreams,
		MaxConnections: c.HTTP.MaxConnections, Answers: c.Idempotency.bounds(), MCP: backend.endpoint(), Logger: logger,
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
	fmt.Fprintf(t.out, "codecell listens on http://%s\n", l.Addr())
	grace := c.grace()
	if s.Grace != nil {
		grace = *s.Grace
	}
	go backend.keys.Watch(t.ctx, keysWatch, func(err error) { backend.keysChanged(err) })
	gc := idleGC{running: func() int { return backend.Health().Running }, level: heapObjects()}
	go gc.run(t.ctx)
	return errors.Join(srv.Serve(t.ctx, t.now, l, grace), endAdmin())
}
