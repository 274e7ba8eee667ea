package worker

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/internal/frame"
)

// pipe is a socket that reads what it was made with, and keeps what is written.
type pipe struct {
	io.Reader
	bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error)       { return p.Reader.Read(b) }
func (*pipe) Close() error                       { return nil }
func (*pipe) SetDeadline(time.Time) error        { return nil }
func (*pipe) SetReadDeadline(time.Time) error    { return nil }
func (*pipe) SetWriteDeadline(t time.Time) error { return nil }

// written is a frame as it goes over the wire.
func written(t testing.TB, kind byte, body []byte) []byte {
	p := &pipe{}
	c := frame.Conn{Socket: p}
	require.NoError(t, c.WriteFrame(append(c.NewFrame(kind), body...)))
	return p.Bytes()
}
