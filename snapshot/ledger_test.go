package snapshot

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLedger(t *testing.T) {
	s := newSealer(t, secret)
	sealed := func() []byte { return s.Seal(small, someone) }
	soon := time.Now().Add(time.Hour)
	t.Run("H6 an exported snapshot is imported once", func(t *testing.T) {
		l := NewLedger(LedgerOptions{})
		one, two := sealed(), sealed()
		require.NoError(t, l.Use("t", one, soon))
		require.ErrorIs(t, l.Use("t", one, soon), ErrUsed)
		require.ErrorIs(t, l.Use("u", one, soon), ErrUsed)
		require.NoError(t, l.Use("t", two, soon), "another snapshot of the same run is another")
	})
	t.Run("H6 what was not imported after all may be", func(t *testing.T) {
		l := NewLedger(LedgerOptions{})
		one := sealed()
		l.Return(one) // nothing to take back
		require.NoError(t, l.Use("t", one, soon))
		l.Return(one)
		require.Zero(t, l.Len())
		require.NoError(t, l.Use("t", one, soon))
	})
	t.Run("H6 what identifies a snapshot can't be changed: every byte of it is authenticated", func(t *testing.T) {
		for n := range nonceSize {
			forged := sealed()
			forged[headerSize+n] ^= 1
			_, err := s.Open(forged, someone, 1<<20)
			require.ErrorIs(t, err, ErrSealed)
		}
		same := sealed()
		same = append(same[:len(same):len(same)], 0)
		_, err := s.Open(same, someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
	})
	t.Run("H6 of many that import it at once one does", func(t *testing.T) {
		l := NewLedger(LedgerOptions{})
		one := sealed()
		var all sync.WaitGroup
		var imported atomic.Int64
		for range 16 {
			all.Go(func() {
				if l.Use("t", one, soon) == nil {
					imported.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, imported.Load())
	})
}

func TestLedgerBounds(t *testing.T) {
	s := newSealer(t, secret)
	t.Run("H6 full, it refuses and forgets nothing, and no tenant fills it for others", func(t *testing.T) {
		l := NewLedger(LedgerOptions{Entries: 3, TenantEntries: 2})
		first := s.Seal(small, someone)
		soon := time.Now().Add(time.Hour)
		require.NoError(t, l.Use("t", first, soon))
		require.NoError(t, l.Use("t", s.Seal(small, someone), soon))
		require.ErrorIs(t, l.Use("t", s.Seal(small, someone), soon), ErrQuota)
		require.NoError(t, l.Use("u", s.Seal(small, someone), soon))
		err := l.Use("v", s.Seal(small, someone), soon)
		require.ErrorIs(t, err, ErrFull)
		require.NotErrorIs(t, err, ErrQuota)
		require.ErrorIs(t, l.Use("t", first, soon), ErrUsed)
		require.Equal(t, 3, l.Len())
	})
	t.Run("H6 it remembers until a snapshot has expired, and then makes room", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const many = 2*sweepBatch + 3
			l := NewLedger(LedgerOptions{Entries: many, TenantEntries: many})
			until := time.Now().Add(time.Hour)
			first := s.Seal(small, someone)
			require.NoError(t, l.Use("t", first, until))
			for n := range many - 1 {
				require.NoError(t, l.Use("t", fake(n), until))
			}
			time.Sleep(time.Hour + clockMargin)
			require.ErrorIs(t, l.Use("t", first, until), ErrUsed)
			require.ErrorIs(t, l.Use("t", fake(many), until), ErrFull)
			time.Sleep(time.Nanosecond)
			require.NoError(t, l.Use("t", fake(many), until.Add(2*time.Hour)))
			require.Equal(t, 1, l.Len())
			require.Equal(t, map[string]Usage{"t": {Snapshots: 1}}, l.tenants)
		})
	})
}

// fake is something with a serial of its own.
func fake(n int) []byte { return fmt.Appendf(make([]byte, headerSize), "%0*d", nonceSize, n) }
