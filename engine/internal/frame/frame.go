package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// HeadBytes is the size of a frame beside its body.
	HeadBytes = 5
	// The least that a buffer is allocated with; most frames fit.
	minBuffer = 4 << 10
	// Larger buffers are not kept for the next frame.
	maxKeptBuffer = 1 << 20
)

// ErrProtocol means that the other side does not keep to the protocol.
var ErrProtocol = errors.New("not a frame of the worker protocol")

// Socket is what a connection is made of: an *os.File, or a net.Conn.
type Socket interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Conn is one connection. One goroutine at a time may read, and one write.
type Conn struct {
	Socket
	// Large is called before a frame of more bytes than an ordinary buffer has is read, once, with its size. It may wait.
	// Nil for none.
	Large     func(bytes int)
	announced bool // the frame that is being read, also where a deadline came in between

	in     []byte // read and not used yet
	buffer []byte // that in lies in
	out    []byte // the frame being written
}

// ReadFrame returns the next frame. body is valid until the next one is read. One of more than limit bytes is ErrProtocol.
func (c *Conn) ReadFrame(limit int) (kind byte, body []byte, err error) {
	if err := c.fill(HeadBytes); err != nil {
		return 0, nil, err
	}
	length, kind := binary.LittleEndian.Uint32(c.in), c.in[4]
	if int64(length) > int64(limit) {
		return 0, nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrProtocol, length, limit)
	}
	if length > maxKeptBuffer && c.Large != nil && !c.announced {
		c.announced = true
		c.Large(int(length))
	}
	if err := c.fill(HeadBytes + int(length)); err != nil {
		return 0, nil, err
	}
	c.announced = false
	body = c.in[HeadBytes : HeadBytes+int(length) : HeadBytes+int(length)]
	c.in = c.in[HeadBytes+int(length):]
	return kind, body, nil
}

// fill reads until there are n bytes. The end of the stream inside of a frame is io.ErrUnexpectedEOF.
func (c *Conn) fill(n int) error {
	if len(c.in) == 0 {
		if len(c.buffer) > maxKeptBuffer {
			c.buffer = nil
		}
		c.in = c.buffer[:0]
	}
	for len(c.in) < n {
		if cap(c.in) < n && (len(c.in) == cap(c.in) || cap(c.in) < minBuffer) {
			c.grow(max(minBuffer, min(n, 2*len(c.in))))
		}
		got, err := c.Socket.Read(c.in[len(c.in):cap(c.in)])
		c.in = c.in[:len(c.in)+got]
		switch {
		case got > 0:
		case err == io.EOF && len(c.in) > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}

// grow moves what was read to the front of a buffer for n bytes, or more.
func (c *Conn) grow(n int) {
	if len(c.buffer) < n {
		c.buffer = make([]byte, n)
	}
	c.in = c.buffer[:copy(c.buffer, c.in)]
}

// Trim frees buffers that are larger than ordinary ones. Bodies that were returned are not valid any more.
func (c *Conn) Trim() {
	if len(c.buffer) > maxKeptBuffer && len(c.in) == 0 {
		c.buffer, c.in = nil, nil
	}
	if cap(c.out) > maxKeptBuffer {
		c.out = nil
	}
}

// Idle says that nothing was read beyond the last frame.
func (c *Conn) Idle() bool { return len(c.in) == 0 }

// NewFrame begins a frame; what is appended to it goes to WriteFrame.
func (c *Conn) NewFrame(kind byte) []byte {
	if cap(c.out) > maxKeptBuffer {
		c.out = nil
	}
	return append(c.out[:0], 0, 0, 0, 0, kind)
}

// WriteFrame writes a frame that NewFrame began.
func (c *Conn) WriteFrame(b []byte) error {
	c.out = b
	if int64(len(b)-HeadBytes) > maxFrame {
		return fmt.Errorf("%w: %d bytes are too many for one", ErrProtocol, len(b))
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-HeadBytes))
	_, err := c.Socket.Write(b)
	return err
}

// maxFrame is the largest length that fits.
const maxFrame = 1<<32 - 1
