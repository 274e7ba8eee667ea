package frametest

import (
	"bytes"
	"io"
	"time"
)

// Pipe is a socket from which its Reader is read, and which keeps what is written to it in its Buffer. It has no deadlines.
type Pipe struct {
	io.Reader
	bytes.Buffer
}

// Reading returns a Pipe from which b is read, and then the end.
func Reading(b []byte) *Pipe { return &Pipe{Reader: bytes.NewReader(b)} }

// Read implements io.Reader.
func (p *Pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }

// Close implements io.Closer and does nothing.
func (*Pipe) Close() error { return nil }

// SetDeadline does nothing.
func (*Pipe) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (*Pipe) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (*Pipe) SetWriteDeadline(time.Time) error { return nil }
