package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// A frame is u32 length, u8 kind, and length bytes. The reader allocates little more than what has arrived, so that a
// forged length costs no memory.

const (
	frameHead = 5
	// The least that a buffer is allocated with; most frames fit.
	minBuffer = 4 << 10
	// Larger buffers are not kept for the next frame.
	maxKeptBuffer = 1 << 20
)

// errFrame means that the other side does not keep to the protocol.
var errFrame = errors.New("not a frame of the worker protocol")

// stream is one connection. One goroutine at a time may read, and one write.
type stream struct {
	socket interface {
		io.ReadWriteCloser
		SetDeadline(time.Time) error
		SetReadDeadline(time.Time) error
		SetWriteDeadline(time.Time) error
	}
	in     []byte // read and not used yet
	buffer []byte // that in lies in
	out    []byte // the frame being written
}

// read returns the next frame. body is valid until the next read. One of more than max bytes is errFrame.
func (s *stream) read(max int) (kind byte, body []byte, err error) {
	if err := s.fill(frameHead); err != nil {
		return 0, nil, err
	}
	length, kind := binary.LittleEndian.Uint32(s.in), s.in[4]
	if int64(length) > int64(max) {
		return 0, nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", errFrame, length, max)
	}
	if err := s.fill(frameHead + int(length)); err != nil {
		return 0, nil, err
	}
	body = s.in[frameHead : frameHead+int(length) : frameHead+int(length)]
	s.in = s.in[frameHead+int(length):]
	return kind, body, nil
}

// fill reads until there are n bytes. The end of the stream inside of a frame is io.ErrUnexpectedEOF.
func (s *stream) fill(n int) error {
	if len(s.in) == 0 {
		if len(s.buffer) > maxKeptBuffer {
			s.buffer = nil
		}
		s.in = s.buffer[:0]
	}
	for len(s.in) < n {
		if cap(s.in) < n && (len(s.in) == cap(s.in) || cap(s.in) < minBuffer) {
			s.grow(max(minBuffer, min(n, 2*len(s.in))))
		}
		got, err := s.socket.Read(s.in[len(s.in):cap(s.in)])
		s.in = s.in[:len(s.in)+got]
		switch {
		case got > 0:
		case err == io.EOF && len(s.in) > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}

// grow moves what was read to the front of a buffer for n bytes, or more.
func (s *stream) grow(n int) {
	if len(s.buffer) < n {
		s.buffer = make([]byte, n)
	}
	s.in = s.buffer[:copy(s.buffer, s.in)]
}

// idle says that nothing was read beyond the last frame.
func (s *stream) idle() bool { return len(s.in) == 0 }

// frame begins a frame; what is appended to it goes to send.
func (s *stream) frame(kind byte) []byte {
	if cap(s.out) > maxKeptBuffer {
		s.out = nil
	}
	return append(s.out[:0], 0, 0, 0, 0, kind)
}

// send writes a frame that frame began.
func (s *stream) send(b []byte) error {
	s.out = b
	if int64(len(b)-frameHead) > maxFrame {
		return fmt.Errorf("%w: %d bytes are too many for one", errFrame, len(b))
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-frameHead))
	_, err := s.socket.Write(b)
	return err
}

// maxFrame is the largest length that fits.
const maxFrame = 1<<32 - 1
