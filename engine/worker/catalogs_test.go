package worker

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestCatalogs(t *testing.T) {
	t.Run("the same text has the same name, another one has not, though it reads the same", func(t *testing.T) {
		var c catalogs
		one, other := []byte("text"), []byte("text")
		require.Equal(t, c.of(one), c.of(one))
		require.NotEqual(t, c.of(one).id, c.of(other).id)
		require.NotEqual(t, c.of(one).id, c.of(one[:2]).id)
		require.Zero(t, c.of(nil).id)
	})
	t.Run("H5 names are forgotten, and none is used twice", func(t *testing.T) {
		var c catalogs
		seen := map[uint64]bool{}
		for range 40 {
			id := c.of(make([]byte, maxCatalogs/16)).id
			require.False(t, seen[id])
			seen[id] = true
		}
		require.LessOrEqual(t, c.bytes, maxCatalogs)
		require.LessOrEqual(t, len(c.known), 16)
	})
	t.Run("H5 a worker forgets as well, and is told again", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		var texts [][]byte
		for n := range 20 {
			texts = append(texts, bytes.Repeat([]byte{byte(n)}, maxCatalogs/10))
		}
		for range 2 {
			for _, text := range texts {
				value(t, <-stepAsync(t, guestOf(t, e, text), begin("a"), longEnough), "1")
			}
		}
		require.Zero(t, e.Workers().Lost)
	})
	t.Run("H5 one that is too large is refused", func(t *testing.T) {
		_, err := fakeWorkers(t, Options{}).NewVM(make([]byte, maxCatalog+1))
		require.ErrorIs(t, err, engine.ErrMemory)
	})
}
