package frame

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/internal/frame/frametest"
)

func reading(b []byte) *Conn { return &Conn{Socket: frametest.Reading(b)} }

// written is a frame as it goes over the wire.
func written(t testing.TB, kind byte, body []byte) []byte {
	p := &frametest.Pipe{}
	s := Conn{Socket: p}
	require.NoError(t, s.WriteFrame(append(s.NewFrame(kind), body...)))
	return p.Bytes()
}

func TestFrames(t *testing.T) {
	sizes := []int{0, 1, 100, minBuffer - HeadBytes, minBuffer, 3 * minBuffer, maxKeptBuffer + 1}
	t.Run("H1 frames of all sizes come as they were sent, however they are cut", func(t *testing.T) {
		var wire []byte
		for n, size := range sizes {
			wire = append(wire, written(t, byte(n), bytes.Repeat([]byte{byte(n)}, size))...)
		}
		for name, r := range map[string]io.Reader{
			"whole":                    bytes.NewReader(wire),
			"in halves":                iotest.HalfReader(bytes.NewReader(wire)),
			"byte by byte":             iotest.OneByteReader(bytes.NewReader(wire)),
			"with an error at the end": iotest.DataErrReader(bytes.NewReader(wire)),
		} {
			t.Run(name, func(t *testing.T) {
				s := Conn{Socket: &frametest.Pipe{Reader: r}}
				for n, size := range sizes {
					kind, body, err := s.ReadFrame(1 << 30)
					require.NoError(t, err)
					require.Equal(t, byte(n), kind)
					require.True(t, bytes.Equal(bytes.Repeat([]byte{byte(n)}, size), body))
				}
				require.True(t, s.Idle())
				_, _, err := s.ReadFrame(1)
				require.ErrorIs(t, err, io.EOF)
			})
		}
	})
	t.Run("H1 a stream that ends inside a frame is cut short", func(t *testing.T) {
		whole := written(t, 'x', []byte("body"))
		for n := 1; n < len(whole); n++ {
			_, _, err := reading(whole[:n]).ReadFrame(100)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
		}
	})
	t.Run("H1 a length beyond what is allowed is refused before any of it is read", func(t *testing.T) {
		_, _, err := reading(written(t, 'x', make([]byte, 101))).ReadFrame(100)
		require.ErrorIs(t, err, ErrProtocol)
	})
	t.Run("H2 a length that is a forge costs no memory", func(t *testing.T) {
		head := binary.LittleEndian.AppendUint32(nil, 1<<30)
		s := reading(append(head, 'x', 1, 2, 3))
		_, _, err := s.ReadFrame(1 << 31)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.LessOrEqual(t, len(s.buffer), 2*minBuffer)
	})
	t.Run("H2 room for a large frame is not kept", func(t *testing.T) {
		s := reading(append(written(t, 'x', make([]byte, 2*maxKeptBuffer)), written(t, 'y', nil)...))
		for range 2 {
			_, _, err := s.ReadFrame(1 << 30)
			require.NoError(t, err)
		}
		require.LessOrEqual(t, len(s.buffer), maxKeptBuffer)
	})
}

func FuzzFrames(f *testing.F) {
	f.Add(written(f, 's', []byte("body")), 3)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 's', 1}, 1)
	f.Add(append(written(f, 'a', nil), written(f, 'b', make([]byte, minBuffer))...), 7)
	f.Fuzz(func(t *testing.T, wire []byte, chunk int) {
		const limit = 64 << 10
		s := Conn{Socket: &frametest.Pipe{Reader: &chunks{wire, max(1, chunk%64)}}}
		rest := wire
		for {
			kind, body, err := s.ReadFrame(limit)
			if err != nil {
				return
			}
			require.Equal(t, rest[4], kind)
			require.True(t, bytes.Equal(rest[HeadBytes:HeadBytes+len(body)], body))
			rest = rest[HeadBytes+len(body):]
			require.LessOrEqual(t, len(s.buffer), 2*(limit+HeadBytes))
		}
	})
}

// chunks reads so many bytes at a time.
type chunks struct {
	left []byte
	size int
}

func (c *chunks) Read(b []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), c.size)], c.left)
	c.left = c.left[n:]
	return n, nil
}

func TestLargeFrames(t *testing.T) {
	large := written(t, 'x', make([]byte, maxKeptBuffer+1))
	t.Run("H6 a large frame is announced before it is read, an ordinary one is not", func(t *testing.T) {
		c := reading(append(written(t, 'a', make([]byte, maxKeptBuffer)), large...))
		var told []int
		c.Large = func(n int) { told = append(told, n) }
		for range 2 {
			_, _, err := c.ReadFrame(1 << 30)
			require.NoError(t, err)
		}
		require.Equal(t, []int{maxKeptBuffer + 1}, told)
	})
	t.Run("H6 it is announced once, whatever interrupts its reading", func(t *testing.T) {
		c := &Conn{Socket: &frametest.Pipe{Reader: iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(large[:40])))}}
		told := 0
		c.Large = func(int) { told++ }
		for range 3 {
			_, _, err := c.ReadFrame(1 << 30)
			require.Error(t, err)
		}
		require.Equal(t, 1, told)
	})
	t.Run("H6 large buffers are freed", func(t *testing.T) {
		c := reading(large)
		_, _, err := c.ReadFrame(1 << 30)
		require.NoError(t, err)
		require.NoError(t, c.WriteFrame(append(c.NewFrame('y'), make([]byte, 2*maxKeptBuffer)...)))
		c.Trim()
		require.Empty(t, c.buffer)
		require.Zero(t, cap(c.out))
	})
}
