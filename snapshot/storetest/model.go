package storetest

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/codecell/codecell/snapshot"
)

// models are the tests beside a model.
var models = []testCase{{name: "C6 whatever is done in whatever order, the store agrees with a model", test: func(w *world) {
	// A synctest bubble's T knows no deadline, which rapid asks a *testing.T for.
	rapid.Check(struct{ rapid.TB }{w.T}, func(t *rapid.T) {
		store := w.subject.Open(w.T, modelBounds)
		defer closeStore(w.T, store)
		m := &model{store: store, subject: w.subject, entries: map[string]*entry{}}
		m.run(t)
	})
}}}

var modelBounds = snapshot.Bounds{Bytes: 100, Snapshots: 4, TenantBytes: 70, TenantSnapshots: 3}

// model is a store beside a map that must agree with it. Its time is counted in ticks of its own, so that it does not
// hang on how fast the machine is.
type model struct {
	store   snapshot.Store
	subject *Subject
	now     time.Duration
	entries map[string]*entry
	claims  []claimed // all that were ever given
	last    map[string]snapshot.Fence
	expired int64
}

type entry struct {
	tenant  string
	bytes   int
	expires time.Duration
	fence   snapshot.Fence // zero when it is not claimed
	lease   time.Duration
}

type claimed struct {
	id    string
	fence snapshot.Fence
}

func (m *model) run(t *rapid.T) {
	m.last = map[string]snapshot.Fence{}
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
	bytes := rapid.IntRange(0, 60)
	some := rapid.IntRange(1, 9)
	span := func(t *rapid.T) time.Duration { return ticks(m.subject.Tick, some.Draw(t, "ticks")) }
	t.Repeat(map[string]func(*rapid.T){
		"put":     func(t *rapid.T) { m.put(t, id.Draw(t, "id"), bytes.Draw(t, "bytes"), span(t)) },
		"claim":   func(t *rapid.T) { m.claim(t, id.Draw(t, "id"), span(t)) },
		"renew":   func(t *rapid.T) { m.renew(t, m.some(t), span(t)) },
		"release": func(t *rapid.T) { m.release(t, m.some(t)) },
		"replace": func(t *rapid.T) { m.replace(t, m.some(t), bytes.Draw(t, "bytes"), span(t)) },
		"ack":     func(t *rapid.T) { m.ack(t, m.some(t)) },
		"delete": func(t *rapid.T) {
			forgotten := id.Draw(t, "id")
			require.NoError(t, m.store.Delete(ctx, forgotten))
			delete(m.entries, forgotten)
		},
		"wait": func(t *rapid.T) { m.wait(some.Draw(t, "ticks")) },
		"":     m.agree,
	})
}

// some returns a claim: mostly one that was given, perhaps long ago.
func (m *model) some(t *rapid.T) claimed {
	if len(m.claims) == 0 {
		return claimed{"a", 1}
	}
	recent := m.claims[max(0, len(m.claims)-8):]
	return rapid.SampledFrom(recent).Draw(t, "claim")
}

// wait lets time pass and drops what expires.
func (m *model) wait(n int) {
	span := time.Duration(n) * m.subject.Tick
	m.subject.Sleep(span)
	m.now += span
	for id, e := range m.entries {
		if m.now > e.expires {
			delete(m.entries, id)
			m.expired++
		}
		if m.now > e.lease {
			e.fence = 0
		}
	}
}

// usage counts the model's entries of a tenant, or of all.
func (m *model) usage(of string) (u snapshot.Usage) {
	for _, e := range m.entries {
		if of == "" || of == e.tenant {
			u.Snapshots++
			u.Bytes += int64(e.bytes)
		}
	}
	return u
}

// tenantOf gives each run its tenant.
func tenantOf(id string) string { return tenants[strings.Index("abcdef", id)%len(tenants)] }

// refuses says what a store must answer when a tenant would have so much more.
func (m *model) refuses(tenant string, snapshots, bytes int) error {
	own, all := m.usage(tenant), m.usage("")
	for _, u := range []*snapshot.Usage{&own, &all} {
		u.Snapshots += snapshots
		u.Bytes += int64(bytes)
	}
	switch {
	case own.Bytes > modelBounds.TenantBytes || own.Snapshots > modelBounds.TenantSnapshots:
		return snapshot.ErrQuota
	case all.Bytes > modelBounds.Bytes || all.Snapshots > modelBounds.Snapshots:
		return snapshot.ErrFull
	}
	return nil
}

// same tells whether the store answered as the model does.
func same(t *rapid.T, want, got error) bool {
	if want == nil {
		require.NoError(t, got)
		return true
	}
	require.ErrorIs(t, got, want)
	return false
}

func (m *model) put(t *rapid.T, id string, n int, ttl time.Duration) {
	tenant := tenantOf(id)
	want := m.refuses(tenant, 1, n)
	if m.entries[id] != nil {
		want = snapshot.ErrExists
	}
	if same(t, want, m.store.Put(ctx, id, sized(tenant, n), ttl)) {
		m.entries[id] = &entry{tenant: tenant, bytes: n, expires: m.now + ttl}
	}
}

func (m *model) claim(t *rapid.T, id string, lease time.Duration) {
	e := m.entries[id]
	var want error
	switch {
	case e == nil:
		want = snapshot.ErrNone
	case e.fence != 0:
		want = snapshot.ErrClaimed
	}
	claim, err := m.store.Claim(ctx, id, lease)
	if !same(t, want, err) {
		return
	}
	require.Equal(t, sized(e.tenant, e.bytes), claim.Record)
	require.Greater(t, claim.Fence, m.last[id])
	m.last[id], e.fence = claim.Fence, claim.Fence
	m.claims = append(m.claims, claimed{id, claim.Fence})
	e.hold(m.now, lease)
}

func (e *entry) hold(now, lease time.Duration) {
	e.lease = now + lease
	e.expires = max(e.expires, e.lease+lease)
}

// holds returns the entry of a claim, or why it is over.
func (m *model) holds(c claimed) (*entry, error) {
	e := m.entries[c.id]
	switch {
	case e == nil:
		return nil, snapshot.ErrNone
	case e.fence != c.fence:
		return nil, snapshot.ErrFence
	}
	return e, nil
}

func (m *model) renew(t *rapid.T, c claimed, lease time.Duration) {
	e, want := m.holds(c)
	if same(t, want, m.store.Renew(ctx, c.id, c.fence, lease)) {
		e.hold(m.now, lease)
	}
}

func (m *model) release(t *rapid.T, c claimed) {
	e, want := m.holds(c)
	if same(t, want, m.store.Release(ctx, c.id, c.fence)) {
		e.fence = 0
	}
}

func (m *model) replace(t *rapid.T, c claimed, n int, ttl time.Duration) {
	e, want := m.holds(c)
	if want == nil && n > e.bytes {
		want = m.refuses(e.tenant, 0, n-e.bytes)
	}
	if same(t, want, m.store.Replace(ctx, c.id, c.fence, sized(tenantOf(c.id), n), ttl)) {
		e.bytes, e.fence, e.expires = n, 0, m.now+ttl
	}
}

func (m *model) ack(t *rapid.T, c claimed) {
	_, want := m.holds(c)
	if same(t, want, m.store.Ack(ctx, c.id, c.fence)) {
		delete(m.entries, c.id)
	}
}

// agree sees that the store counts what lives, and beside it only what has expired and was not dropped yet.
func (m *model) agree(t *rapid.T) {
	all := m.store.Stats()
	late := m.expired - all.Expired
	require.GreaterOrEqual(t, late, int64(0))
	require.EqualValues(t, len(m.entries), int64(all.Snapshots)-late)
	require.LessOrEqual(t, all.Bytes, modelBounds.Bytes)
	if late > 0 {
		return
	}
	require.Equal(t, m.usage(""), all.Usage)
	for _, tenant := range tenants {
		require.Equal(t, m.usage(tenant), m.store.Usage(tenant))
	}
}
