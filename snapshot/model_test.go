package snapshot

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	modelBytes     = 100
	modelSnapshots = 3
)

// model is a store beside a map that must agree with it.
type model struct {
	store   *Memory
	entries map[string]modelEntry
	expired int64
}

type modelEntry struct {
	bytes   int
	expires time.Time
}

// live drops what has expired from the map and returns the bytes of the rest.
func (m *model) live() (sum int) {
	for id, e := range m.entries {
		if time.Now().After(e.expires) {
			delete(m.entries, id)
			m.expired++
			continue
		}
		sum += e.bytes
	}
	return sum
}

func (m *model) put(t *rapid.T, id string, n int, ttl time.Duration) {
	bytes := m.live() - m.entries[id].bytes + n
	count := len(m.entries)
	if _, ok := m.entries[id]; !ok {
		count++
	}
	err := m.store.Put(context.Background(), id, make([]byte, n), ttl)
	if bytes > modelBytes || count > modelSnapshots {
		require.ErrorIs(t, err, ErrFull)
		return
	}
	require.NoError(t, err)
	m.entries[id] = modelEntry{n, time.Now().Add(ttl)}
}

func (m *model) take(t *rapid.T, id string) {
	m.live()
	want, ok := m.entries[id]
	got, err := m.store.Take(context.Background(), id)
	if !ok {
		require.ErrorIs(t, err, ErrNone)
		return
	}
	require.NoError(t, err)
	require.Len(t, got, want.bytes)
	delete(m.entries, id)
}

func (m *model) remove(t *rapid.T, id string) {
	m.live()
	require.NoError(t, m.store.Delete(context.Background(), id))
	delete(m.entries, id)
}

// agree sees that the store counts what lives, and beside it only what has expired and was not swept yet.
func (m *model) agree(t *rapid.T) {
	live, s := int64(m.live()), m.store.Stats()
	late := m.expired - s.Expired
	require.EqualValues(t, len(m.entries), int64(s.Snapshots)-late)
	require.GreaterOrEqual(t, late, int64(0))
	require.LessOrEqual(t, s.Bytes, int64(modelBytes))
	if late == 0 {
		require.Equal(t, live, s.Bytes)
	}
}

// TestMemoryModel puts, takes, deletes and waits at random. All is done at whole seconds and expires between them, so that
// the pause between sweeps never keeps the store behind the map.
func TestMemoryModel(t *testing.T) {
	// In one bubble, where waiting costs nothing. A bubble's T knows no deadline, which rapid asks a *testing.T for.
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) {
			m := &model{
				store:   NewMemory(MemoryOptions{MaxBytes: modelBytes, MaxSnapshots: modelSnapshots, Sweep: 7 * time.Second}),
				entries: map[string]modelEntry{},
			}
			defer m.store.Close()
			id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
			seconds := rapid.IntRange(1, 9)
			second := func(t *rapid.T) time.Duration { return time.Duration(seconds.Draw(t, "seconds")) * time.Second }
			t.Repeat(map[string]func(*rapid.T){
				"put": func(t *rapid.T) {
					m.put(t, id.Draw(t, "id"), rapid.IntRange(0, 60).Draw(t, "bytes"), second(t)+time.Second/2)
				},
				"take":   func(t *rapid.T) { m.take(t, id.Draw(t, "id")) },
				"delete": func(t *rapid.T) { m.remove(t, id.Draw(t, "id")) },
				"wait":   func(t *rapid.T) { time.Sleep(second(t)); synctest.Wait() },
				"":       m.agree,
			})
			require.NoError(t, m.store.Close())
			require.Equal(t, int64(0), m.store.Stats().Bytes)
		})
	})
}
