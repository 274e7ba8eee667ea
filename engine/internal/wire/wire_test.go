package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReader(t *testing.T) {
	b := append(Text(U64(U32([]byte{7}, 1<<31), 1<<63), "text"), 1, 2)
	t.Run("values come as they were appended", func(t *testing.T) {
		r := Read(b)
		require.Equal(t, byte(7), r.U8())
		require.Equal(t, uint32(1<<31), r.U32())
		require.Equal(t, uint64(1<<63), r.U64())
		require.Equal(t, "text", string(r.Text()))
		require.Equal(t, 2, r.Left())
		require.False(t, r.Done())
		require.Equal(t, []byte{1, 2}, r.Rest())
		require.True(t, r.Done())
	})
	t.Run("what is missing makes it bad, for good", func(t *testing.T) {
		r := Read([]byte{1, 2, 3})
		require.Zero(t, r.U32())
		require.True(t, r.Bad())
		require.Zero(t, r.U8(), "though there is one")
		require.False(t, r.Done())
	})
	t.Run("H2 a length beyond the end is missing", func(t *testing.T) {
		r := Read(U32(nil, 1<<31))
		require.Nil(t, r.Text())
		require.True(t, r.Bad())
	})
	t.Run("H2 a count beyond the end is wrong", func(t *testing.T) {
		r := Read(append(U32(nil, 3), make([]byte, 23)...))
		require.Zero(t, r.Count(8))
		require.True(t, r.Bad())
		r = Read(append(U32(nil, 3), make([]byte, 24)...))
		require.Equal(t, 3, r.Count(8))
	})
	t.Run("what is returned can't be appended over what follows", func(t *testing.T) {
		r := Read([]byte{1, 2})
		_ = append(r.Bytes(1), 9)
		require.Equal(t, byte(2), r.U8())
	})
}
