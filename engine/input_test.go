package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBegin(t *testing.T) {
	b := Begin{
		Source: "return 'é'", TypeScript: true, Truncate: true, MemoryLimit: 1, MaxOutput: 2, MaxValue: 3, MaxRequests: 4,
		MaxTimers: 5, Seed: [32]byte{9, 31: 8}, Namespaces: []byte("[]"),
	}
	in := b.Append([]byte("before"))
	require.True(t, bytes.HasPrefix(in, []byte("before")))
	in = in[len("before"):]
	require.Equal(t, []byte{1, 3}, in[:2])
	for i := range 5 {
		require.Equal(t, uint32(i+1), binary.LittleEndian.Uint32(in[2+4*i:]))
	}
	require.Equal(t, b.Seed[:], in[22:54])
	size := int(binary.LittleEndian.Uint32(in[54:]))
	source, namespaces := in[58:58+size+1], in[58+size+1:]
	require.Equal(t, "\x02\x00\x00\x00[]\x00", string(namespaces))
	t.Run("B2 the cell is the body of an async function, two lines down", func(t *testing.T) {
		require.Equal(t, "async () => {\n\nreturn 'é'\n}\x00", string(source))
	})
	t.Run("B5 flags", func(t *testing.T) {
		require.Equal(t, byte(0), (&Begin{}).Append(nil)[1])
		require.Equal(t, byte(1), (&Begin{TypeScript: true}).Append(nil)[1])
		require.Equal(t, byte(2), (&Begin{Truncate: true}).Append(nil)[1])
	})
}

func TestAppendResume(t *testing.T) {
	in := AppendResume(nil, []Answer{
		{ID: 7, Payload: []byte("1")}, {ID: 1 << 31, Kind: AnswerError, Payload: []byte("{}")}, {ID: 3, Kind: AnswerFired},
	})
	require.Equal(t, []byte("\x02\x03\x00\x00\x00"+
		"\x07\x00\x00\x00\x00\x01\x00\x00\x001\x00"+
		"\x00\x00\x00\x80\x01\x02\x00\x00\x00{}\x00"+
		"\x03\x00\x00\x00\x02\x00\x00\x00\x00\x00"), in)
	require.Equal(t, []byte{2, 0, 0, 0, 0}, AppendResume(nil, nil))
}

func TestAppendCatalog(t *testing.T) {
	require.Equal(t, []byte("\x02\x00\x00\x00[]\x00\x01\x00\x00\x00\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		AppendCatalog(nil, []byte("[]"), []byte("\n"), nil, nil))
}

func TestErrors(t *testing.T) {
	require.ErrorIs(t, ErrTimeout, context.DeadlineExceeded)
	require.ErrorIs(t, ErrStopped, context.Canceled)
	require.NotErrorIs(t, ErrMemory, context.Canceled)
	for _, err := range []error{ErrTimeout, ErrStopped, ErrMemory, ErrOutput, ErrOverloaded, ErrClosed, ErrBroken, ErrProtocol} {
		require.NotEmpty(t, err.Error())
	}
}
