package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10
	// writeTimeout ends a client that does not read its answer. It starts with the request, so it is longer than the
	// longest wait: a minute for pending work, a minute of guest time, and a minute of draining.
	writeTimeout = 5 * time.Minute
	// flushTimeout is for the last answers once all cells have ended or are aborted.
	flushTimeout = 2 * time.Second
)

// Listen opens the address to serve on, such as "127.0.0.1:8080". Without keys it opens loopback addresses only
// (contract I2).
func (s *Server) Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if err := s.authenticator.checkListen(l.Addr()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Serve answers on l until ctx ends, and then stops in order (contract I1): new work is refused, running cells finish
// or are aborted after grace, the last answers go out. When now ends, cells are aborted at once. Serve closes l and the
// backend and returns nil if it stopped because it was told to.
//
// A listener that did not come from Listen is held to the same rule.
func (s *Server) Serve(ctx, now context.Context, l net.Listener, grace time.Duration) error {
	if err := s.authenticator.checkListen(l.Addr()); err != nil {
		return errors.Join(err, l.Close(), s.backend.Close(now))
	}
	srv := &http.Server{
		Handler: s.echo, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog:  slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		Protocols: &http.Protocols{},
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	srv.Protocols.SetUnencryptedHTTP2(s.h2c)
	limited := netutil.LimitListener(l, s.maxConnections)
	failed := make(chan error, 1)
	if s.certificate != nil {
		srv.TLSConfig = &tls.Config{GetCertificate: s.certificate.get, MinVersion: tls.VersionTLS12}
		go func() { failed <- srv.ServeTLS(limited, "", "") }()
	} else {
		go func() { failed <- srv.Serve(limited) }()
	}
	select {
	case err := <-failed:
		return errors.Join(err, s.backend.Close(now))
	case <-ctx.Done():
	}
	err := s.stop(srv, now, grace)
	// Always http.ErrServerClosed by now, and awaited so that nothing is left running.
	<-failed
	return err
}

// stop keeps the listener open while cells finish: /readyz and refusals with Retry-After tell clients more than a
// refused connection does.
func (s *Server) stop(srv *http.Server, now context.Context, grace time.Duration) error {
	s.stopping.Store(true)
	s.log.Info("stopping", "grace", grace.String())
	closing, cancel := context.WithTimeout(now, grace)
	defer cancel()
	err := s.backend.Close(closing)
	// Also in a hurry: a cell that was aborted still has an answer, which says so.
	flush, cancelFlush := context.WithTimeout(context.WithoutCancel(now), flushTimeout)
	defer cancelFlush()
	if srv.Shutdown(flush) != nil {
		// Connections that did not end in time are not worth waiting for.
		return errors.Join(err, srv.Close())
	}
	return err
}
