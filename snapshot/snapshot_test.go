package snapshot

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	someone = Binding{Tenant: "t", Session: "s", Turn: "u", Build: "b", Run: "r"}
	small   = &Snapshot{Host: []byte(`{"host":1}`), Image: []byte("image")}
)

func newSealer(t testing.TB, secret string) *Sealer {
	t.Helper()
	s, err := NewSealer([]byte(secret))
	require.NoError(t, err)
	return s
}

func TestSealer(t *testing.T) {
	s := newSealer(t, "a secret of the operator")
	sealed := s.Seal(small, someone)
	t.Run("H4 what was sealed opens, in another process with the key too", func(t *testing.T) {
		for _, opener := range []*Sealer{s, newSealer(t, "a secret of the operator")} {
			snap, err := opener.Open(sealed, someone, 1<<20)
			require.NoError(t, err)
			require.Equal(t, small, snap)
		}
	})
	t.Run("H4 empty parts", func(t *testing.T) {
		snap, err := s.Open(s.Seal(&Snapshot{}, someone), someone, 1<<20)
		require.NoError(t, err)
		require.Empty(t, snap.Host)
		require.Empty(t, snap.Image)
	})
	t.Run("H4 it opens for nobody else", func(t *testing.T) {
		for name, change := range map[string]func(b *Binding){
			"tenant": func(b *Binding) { b.Tenant = "x" }, "session": func(b *Binding) { b.Session = "" },
			"turn": func(b *Binding) { b.Turn = "x" }, "build": func(b *Binding) { b.Build = "x" },
			"run":   func(b *Binding) { b.Run = "x" },
			"moved": func(b *Binding) { b.Tenant, b.Session = "ts", "" },
		} {
			b := someone
			change(&b)
			_, err := s.Open(sealed, b, 1<<20)
			require.ErrorIs(t, err, ErrSealed, name)
		}
		_, err := newSealer(t, "another secret").Open(sealed, someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
		_, err = newSealer(t, "").Open(newSealer(t, "").Seal(small, someone), someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed, "without a secret each sealer has a key of its own")
	})
	t.Run("H4 changed in any byte, or cut anywhere, it does not open", func(t *testing.T) {
		for n := range sealed {
			bad := slices.Clone(sealed)
			bad[n] ^= 1
			_, err := s.Open(bad, someone, 1<<20)
			require.Error(t, err, "byte %d", n)
			_, err = s.Open(sealed[:n], someone, 1<<20)
			require.Error(t, err, "%d bytes", n)
		}
		_, err := s.Open(append(slices.Clone(sealed), 0), someone, 1<<20)
		require.ErrorIs(t, err, ErrSealed)
	})
	t.Run("H4 another format says so", func(t *testing.T) {
		bad := slices.Clone(sealed)
		bad[len(magic)] = 9
		_, err := s.Open(bad, someone, 1<<20)
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, "version 9")
	})
	t.Run("H5 what unpacks to more than allowed is refused unseen", func(t *testing.T) {
		bomb := s.Seal(&Snapshot{Image: make([]byte, 1<<20)}, someone)
		require.Less(t, len(bomb), 1000)
		_, err := s.Open(bomb, someone, 1<<20)
		require.ErrorIs(t, err, ErrTooLarge)
		_, err = s.Open(bomb, someone, 1<<20+4)
		require.NoError(t, err)
	})
}

func FuzzOpen(f *testing.F) {
	s := newSealer(f, "a secret of the operator")
	f.Add(s.Seal(small, someone))
	f.Add([]byte(magic + "\x01"))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if _, err := s.Open(sealed, Binding{Tenant: "another"}, 1<<20); err == nil {
			t.Fatal("opened")
		}
	})
}

func TestMemory(t *testing.T) {
	ctx := context.Background()
	t.Run("C6 a snapshot is handed out once", func(t *testing.T) {
		m := NewMemory(MemoryOptions{})
		defer func() { require.NoError(t, m.Close()) }()
		require.NoError(t, m.Put(ctx, "a", []byte("12"), time.Minute))
		require.Equal(t, Stats{Snapshots: 1, Bytes: 2}, m.Stats())
		var taken atomic.Int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if _, err := m.Take(ctx, "a"); err == nil {
					taken.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, taken.Load())
		_, err := m.Take(ctx, "a")
		require.ErrorIs(t, err, ErrNone)
		require.Equal(t, Stats{}, m.Stats())
	})
	t.Run("C6 it expires, swept or not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory(MemoryOptions{Sweep: time.Minute})
			require.NoError(t, m.Put(ctx, "a", []byte("12"), 10*time.Second))
			time.Sleep(11 * time.Second)
			_, err := m.Take(ctx, "a")
			require.ErrorIs(t, err, ErrNone)
			time.Sleep(time.Minute)
			require.Equal(t, Stats{Expired: 1}, m.Stats())
			require.NoError(t, m.Close())
		})
	})
	t.Run("C6 the store is bounded, and what it refuses changes nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory(MemoryOptions{MaxBytes: 10, Sweep: time.Hour})
			require.NoError(t, m.Put(ctx, "a", make([]byte, 6), time.Second))
			require.ErrorIs(t, m.Put(ctx, "b", make([]byte, 5), time.Minute), ErrFull)
			require.ErrorIs(t, m.Put(ctx, "a", make([]byte, 11), time.Minute), ErrFull)
			require.Equal(t, Stats{Snapshots: 1, Bytes: 6}, m.Stats())
			require.NoError(t, m.Put(ctx, "a", make([]byte, 10), time.Second), "it takes the place of its own")
			time.Sleep(2 * time.Second)
			require.NoError(t, m.Put(ctx, "b", make([]byte, 10), time.Second), "what has expired makes room")
			require.EqualValues(t, 10, m.Stats().Bytes)
			require.Error(t, m.Put(ctx, "c", nil, 0))
			require.NoError(t, m.Close())
			require.Zero(t, m.Stats().Bytes)
		})
	})
}

// TestMemoryModel puts, takes and deletes at random, and compares with a map.
func TestMemoryModel(t *testing.T) {
	rapid.Check(t, func(check *rapid.T) {
		// In a bubble of its own, where waiting costs nothing.
		synctest.Test(t, func(*testing.T) {
			t := check
			const limit = 100
			ctx := context.Background()
			m := NewMemory(MemoryOptions{MaxBytes: limit, Sweep: 7 * time.Second})
			defer m.Close()
			type entry struct {
				bytes   int
				expires time.Time
			}
			model := map[string]entry{}
			sum := func(now time.Time) (n int) {
				for id, e := range model {
					if !now.Before(e.expires) {
						delete(model, id)
					}
				}
				for _, e := range model {
					n += e.bytes
				}
				return n
			}
			id := rapid.SampledFrom([]string{"a", "b", "c", "d"})
			t.Repeat(map[string]func(*rapid.T){
				"put": func(t *rapid.T) {
					id, n := id.Draw(t, "id"), rapid.IntRange(0, 60).Draw(t, "bytes")
					held := sum(time.Now()) - model[id].bytes
					err := m.Put(ctx, id, make([]byte, n), 5*time.Second)
					if held+n > limit {
						require.ErrorIs(t, err, ErrFull)
						return
					}
					require.NoError(t, err)
					model[id] = entry{n, time.Now().Add(5 * time.Second)}
				},
				"take": func(t *rapid.T) {
					id := id.Draw(t, "id")
					sum(time.Now())
					want, there := model[id]
					got, err := m.Take(ctx, id)
					require.Equal(t, there, err == nil)
					if there {
						require.Len(t, got, want.bytes)
					}
					delete(model, id)
				},
				"delete": func(t *rapid.T) {
					id := id.Draw(t, "id")
					require.NoError(t, m.Delete(ctx, id))
					delete(model, id)
				},
				"wait": func(t *rapid.T) {
					time.Sleep(time.Duration(rapid.IntRange(1, 4000).Draw(t, "ms"))*time.Millisecond + 1)
				},
				"": func(t *rapid.T) {
					require.GreaterOrEqual(t, m.Stats().Bytes, int64(sum(time.Now())))
					require.LessOrEqual(t, m.Stats().Bytes, int64(limit))
				},
			})
		})
	})
}

// image is like one of a guest: mostly zero, the rest of medium entropy.
func image() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 200<<10)
	for at := 0; at < len(b); at += 256 {
		if r.IntN(5) == 0 {
			copy(b[at:], fmt.Sprintf("%x some words %d", r.Uint64(), at))
		}
	}
	return bytes.Clone(b)
}

func BenchmarkSeal(b *testing.B) {
	s := newSealer(b, "")
	snap := &Snapshot{Image: image()}
	b.ReportAllocs()
	for b.Loop() {
		b.ReportMetric(float64(len(s.Seal(snap, someone))), "bytes")
	}
}

func BenchmarkOpen(b *testing.B) {
	s := newSealer(b, "")
	sealed := s.Seal(&Snapshot{Image: image()}, someone)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Open(sealed, someone, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
