package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCommand is codecell mcp: an MCP client's child process (contract E5, I1).
type mcpCommand struct {
	Config   string `help:"Config file of codecell serve, JSON5; its mcpServers are the tools." env:"CODECELL_CONFIG" type:"path" placeholder:"FILE"`
	LogLevel string `help:"debug, info, warn or error; the log goes to stderr. Default warn." env:"CODECELL_LOG_LEVEL" placeholder:"LEVEL"`
}

// Run serves the client on stdin and stdout until it closes stdin, or a signal comes.
func (m *mcpCommand) Run(t *terminal) error {
	c, err := loadConfig(m.Config)
	if err != nil {
		return usageError{err}
	}
	if c.LogLevel == "" {
		c.LogLevel = "warn"
	}
	if m.LogLevel != "" {
		c.LogLevel = m.LogLevel
	}
	c = c.WithDefaults()
	if err := c.validate(); err != nil {
		return usageError{err}
	}
	level, err := c.level()
	if err != nil {
		return usageError{err}
	}
	const nobody = "nobody can approve calls over stdio; codecell serve offers the same tools at /mcp, and takes decisions at /v1/approvals"
	backend, err := newApp(c, nobody, slog.New(slog.NewJSONHandler(t.err, &slog.HandlerOptions{Level: level})))
	if err != nil {
		return err
	}
	backend.selfTest(t.ctx)
	err = backend.endpoint().Run(t.ctx, &mcp.IOTransport{Reader: io.NopCloser(t.in), Writer: writeCloser{t.out}})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		err = nil // the client has left, or the signal came
	}
	return errors.Join(err, backend.Close(t.now))
}

// writeCloser is a stream that belongs to somebody else, and is not closed.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }
