package main

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/admin"
)

// serveAdmin starts the admin listener, if there is to be one. It is up until end is called, so that a service that stops can
// be watched to its end.
func (a *app) serveAdmin(c AdminConfig, srv *server.Server, level *slog.LevelVar) (end func() error, err error) {
	if c.Listen == "" {
		return func() error { return nil }, nil
	}
	adm := admin.New(admin.Options{
		Keys: a.keys, Handlers: map[string]http.Handler{"GET /metrics": a.tells.metrics.Handler()}, Service: srv, Level: level, Logger: a.logger,
	})
	l, err := adm.Listen(c.Listen)
	if err != nil {
		return nil, err
	}
	a.logger.Info("the admin listener is up", "address", l.Addr().String())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- adm.Serve(ctx, l) }()
	return func() error {
		stop()
		return <-done
	}, nil
}
