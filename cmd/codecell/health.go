package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// healthCommand is codecell health: what a container's health check runs, where there is no other program to ask with.
type healthCommand struct {
	Server string `help:"URL of the service. Default: the address that codecell serve listens on with the same environment." env:"CODECELL_SERVER" placeholder:"URL"`
	Listen string `hidden:"" env:"CODECELL_LISTEN" default:"127.0.0.1:8080"`
}

// healthPatience is how long the service may take to answer.
const healthPatience = 4 * time.Second

// Run fails unless the service says that it is ready.
func (h *healthCommand) Run(t *terminal) error {
	base := h.Server
	if base == "" {
		base = localURL(h.Listen)
	}
	ready, err := url.JoinPath(base, "readyz")
	if err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(t.ctx, healthPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ready, nil)
	if err != nil {
		return usageError{err}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(t.out, io.LimitReader(answer.Body, 64<<10))
	fmt.Fprintln(t.out)
	if err == nil && answer.StatusCode != http.StatusOK {
		fmt.Fprintf(t.err, "%s answered %s\n", ready, answer.Status)
		return errFailed
	}
	return err
}

// localURL is where to reach what listens on that address, from the same machine.
func localURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return "http://" + net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + listen
}
