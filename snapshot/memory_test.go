package snapshot

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	ctx := context.Background()
	newMemory := func(t *testing.T, o MemoryOptions) *Memory {
		m := NewMemory(o)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		return m
	}
	t.Run("C6 what was put is taken, under its id only", func(t *testing.T) {
		m := newMemory(t, MemoryOptions{})
		require.NoError(t, m.Put(ctx, "a", []byte("12"), time.Minute))
		_, err := m.Take(ctx, "A")
		require.ErrorIs(t, err, ErrNone)
		got, err := m.Take(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, []byte("12"), got)
	})
	t.Run("C5 of many takers one gets it", func(t *testing.T) {
		m := newMemory(t, MemoryOptions{})
		require.NoError(t, m.Put(ctx, "a", []byte("12"), time.Minute))
		var taken, refused atomic.Int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if _, err := m.Take(ctx, "a"); err == nil {
					taken.Add(1)
				} else if err == ErrNone {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, taken.Load())
		require.EqualValues(t, 15, refused.Load())
		require.Equal(t, Stats{}, m.Stats())
	})
	t.Run("C6 what is put in place of another is counted once", func(t *testing.T) {
		m := newMemory(t, MemoryOptions{})
		require.NoError(t, m.Put(ctx, "a", make([]byte, 6), time.Minute))
		require.NoError(t, m.Put(ctx, "a", make([]byte, 4), time.Minute))
		require.Equal(t, Stats{Snapshots: 1, Bytes: 4}, m.Stats())
	})
	t.Run("C6 what ended is freed at once", func(t *testing.T) {
		m := newMemory(t, MemoryOptions{})
		require.NoError(t, m.Put(ctx, "a", make([]byte, 6), time.Minute))
		require.NoError(t, m.Delete(ctx, "a"))
		require.NoError(t, m.Delete(ctx, "a"))
		require.Equal(t, Stats{}, m.Stats())
	})
	t.Run("C6 no time to live is no snapshot", func(t *testing.T) {
		m := newMemory(t, MemoryOptions{})
		for _, ttl := range []time.Duration{0, -1, -time.Hour} { // go-cache would keep it for ever
			require.ErrorContains(t, m.Put(ctx, "a", []byte("12"), ttl), "can't be kept for")
		}
		require.Equal(t, Stats{}, m.Stats())
	})
}

func TestMemoryBounds(t *testing.T) {
	ctx := context.Background()
	t.Run("C6 bytes: what is refused changes nothing", func(t *testing.T) {
		m := NewMemory(MemoryOptions{MaxBytes: 10})
		defer m.Close()
		require.NoError(t, m.Put(ctx, "a", []byte("123456"), time.Hour))
		require.ErrorIs(t, m.Put(ctx, "b", make([]byte, 5), time.Hour), ErrFull)
		require.ErrorIs(t, m.Put(ctx, "a", make([]byte, 11), time.Hour), ErrFull, "nor is what it would replace lost")
		require.Equal(t, Stats{Snapshots: 1, Bytes: 6}, m.Stats())
		require.NoError(t, m.Put(ctx, "b", make([]byte, 4), time.Hour), "to the last byte")
		got, err := m.Take(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, []byte("123456"), got)
	})
	t.Run("C6 snapshots", func(t *testing.T) {
		m := NewMemory(MemoryOptions{MaxSnapshots: 2})
		defer m.Close()
		for _, id := range []string{"a", "b", "a"} {
			require.NoError(t, m.Put(ctx, id, nil, time.Hour))
		}
		require.ErrorIs(t, m.Put(ctx, "c", nil, time.Hour), ErrFull)
		require.NoError(t, m.Delete(ctx, "b"))
		require.NoError(t, m.Put(ctx, "c", nil, time.Hour))
	})
	t.Run("C6 what has expired makes room, before it is swept", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory(MemoryOptions{MaxBytes: 10, Sweep: time.Hour})
			defer m.Close()
			require.NoError(t, m.Put(ctx, "a", make([]byte, 10), time.Minute))
			require.ErrorIs(t, m.Put(ctx, "b", make([]byte, 10), time.Minute), ErrFull)
			time.Sleep(time.Minute + 1)
			require.NoError(t, m.Put(ctx, "b", make([]byte, 10), time.Minute))
			require.Equal(t, Stats{Snapshots: 1, Bytes: 10, Expired: 1}, m.Stats())
		})
	})
	t.Run("H5 a full store looks for room once a second at most", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory(MemoryOptions{MaxSnapshots: 1, Sweep: time.Hour})
			defer m.Close()
			require.NoError(t, m.Put(ctx, "a", nil, sweepPause/2))
			require.ErrorIs(t, m.Put(ctx, "b", nil, time.Minute), ErrFull)
			time.Sleep(sweepPause/2 + 1)
			require.ErrorIs(t, m.Put(ctx, "b", nil, time.Minute), ErrFull, "it has just looked")
			time.Sleep(sweepPause / 2)
			require.NoError(t, m.Put(ctx, "b", nil, time.Minute))
		})
	})
}

func TestMemoryExpiry(t *testing.T) {
	ctx := context.Background()
	synctested := func(name string, f func(t *testing.T, m *Memory)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := NewMemory(MemoryOptions{Sweep: time.Minute})
				defer m.Close()
				f(t, m)
			})
		})
	}
	synctested("C6 it is there until the last moment", func(t *testing.T, m *Memory) {
		require.NoError(t, m.Put(ctx, "a", nil, 10*time.Second))
		time.Sleep(10 * time.Second)
		_, err := m.Take(ctx, "a")
		require.NoError(t, err)
	})
	synctested("C6 expired, it is not handed out though not swept yet", func(t *testing.T, m *Memory) {
		require.NoError(t, m.Put(ctx, "a", []byte("12"), 10*time.Second))
		time.Sleep(10*time.Second + 1)
		_, err := m.Take(ctx, "a")
		require.ErrorIs(t, err, ErrNone)
		require.Equal(t, Stats{Expired: 1}, m.Stats())
	})
	synctested("C6 expired, it is swept though nobody asks", func(t *testing.T, m *Memory) {
		require.NoError(t, m.Put(ctx, "a", []byte("12"), 10*time.Second))
		require.NoError(t, m.Put(ctx, "b", []byte("3"), 2*time.Minute))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, Stats{Snapshots: 1, Bytes: 1, Expired: 1}, m.Stats())
	})
	synctested("C6 expired, another takes its place", func(t *testing.T, m *Memory) {
		require.NoError(t, m.Put(ctx, "a", []byte("12"), time.Second))
		time.Sleep(2 * time.Second)
		require.NoError(t, m.Put(ctx, "a", []byte("345"), time.Minute))
		require.Equal(t, Stats{Snapshots: 1, Bytes: 3, Expired: 1}, m.Stats())
	})
	synctested("C6 put again, it lives anew", func(t *testing.T, m *Memory) {
		require.NoError(t, m.Put(ctx, "a", nil, 10*time.Second))
		time.Sleep(9 * time.Second)
		require.NoError(t, m.Put(ctx, "a", nil, 10*time.Second))
		time.Sleep(9 * time.Second)
		_, err := m.Take(ctx, "a")
		require.NoError(t, err)
	})
}

func TestMemoryClose(t *testing.T) {
	ctx := context.Background()
	m := NewMemory(MemoryOptions{})
	require.NoError(t, m.Put(ctx, "a", []byte("12"), time.Minute))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { require.NoError(t, m.Close()) })
	}
	all.Wait()
	t.Run("I1 closed, it holds nothing and keeps nothing", func(t *testing.T) {
		require.Equal(t, Stats{}, m.Stats())
		require.ErrorIs(t, m.Put(ctx, "a", []byte("12"), time.Minute), ErrClosed)
		_, err := m.Take(ctx, "a")
		require.ErrorIs(t, err, ErrNone)
		require.NoError(t, m.Delete(ctx, "a"))
		require.Equal(t, Stats{}, m.Stats())
	})
}

// TestMemoryHammer has many put, take and delete what the others do, each snapshot with a number of its own.
func TestMemoryHammer(t *testing.T) {
	const workers, rounds, limit = 8, 2000, 200
	ctx := context.Background()
	m := NewMemory(MemoryOptions{MaxBytes: limit, Sweep: time.Millisecond})
	defer m.Close()
	ids := []string{"a", "b", "c", "d"}
	var takes [workers * rounds]atomic.Int32
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 0))
			for n := range rounds {
				id := ids[r.IntN(len(ids))]
				switch r.IntN(5) {
				case 0, 1:
					sealed := binary.LittleEndian.AppendUint64(make([]byte, 0, 80), uint64(w*rounds+n))
					_ = m.Put(ctx, id, sealed[:8+r.IntN(72)], time.Duration(1+r.IntN(1000))*time.Microsecond)
				case 2, 3:
					if sealed, err := m.Take(ctx, id); err == nil {
						takes[binary.LittleEndian.Uint64(sealed)].Add(1)
					}
				default:
					_ = m.Delete(ctx, id)
				}
				if s := m.Stats(); s.Bytes < 0 || s.Bytes > limit || s.Snapshots > len(ids) {
					t.Errorf("it counts %+v", s)
				}
			}
		})
	}
	all.Wait()
	for n := range takes {
		require.LessOrEqual(t, takes[n].Load(), int32(1), "C5 snapshot %d was handed out twice", n)
	}
	for _, id := range ids {
		require.NoError(t, m.Delete(ctx, id))
	}
	s := m.Stats()
	require.Zero(t, s.Bytes)
	require.Zero(t, s.Snapshots)
}
