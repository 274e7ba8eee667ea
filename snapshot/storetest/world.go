package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// world is a test with its store.
type world struct {
	*testing.T
	snapshot.Store
	subject *Subject
}

var ctx = context.Background()

// ticks are for times to live and leases. None ends when a whole number of ticks has passed, so that nothing hangs on
// the moment in which it does.
func (w *world) ticks(n int) time.Duration { return ticks(w.subject.Tick, n) }

func ticks(tick time.Duration, n int) time.Duration { return time.Duration(n)*tick + tick/4 }

// pass lets whole ticks pass.
func (w *world) pass(n int) { w.subject.Sleep(time.Duration(n) * w.subject.Tick) }

// long is longer than any test.
const long = time.Hour

func record(tenant, text string) snapshot.Record {
	return snapshot.Record{Tenant: tenant, Sealed: []byte(text)}
}

func sized(tenant string, bytes int) snapshot.Record {
	return snapshot.Record{Tenant: tenant, Sealed: make([]byte, bytes)}
}

func (w *world) put(id string, r snapshot.Record) {
	w.Helper()
	require.NoError(w, w.Put(ctx, id, r, long))
}

// claim claims what must be there, holding the text.
func (w *world) claim(id, text string) snapshot.Fence {
	w.Helper()
	claim, err := w.Claim(ctx, id, long)
	require.NoError(w, err)
	require.Equal(w, text, string(claim.Record.Sealed))
	require.NotZero(w, claim.Fence)
	return claim.Fence
}

// claimFails claims what can't be had.
func (w *world) claimFails(id string, want error) {
	w.Helper()
	claim, err := w.Claim(ctx, id, long)
	require.ErrorIs(w, err, want)
	require.Zero(w, claim)
}

// over sees that every write of a holder is refused.
func (w *world) over(id string, f snapshot.Fence, want error) {
	w.Helper()
	require.ErrorIs(w, w.Renew(ctx, id, f, long), want)
	require.ErrorIs(w, w.Release(ctx, id, f), want)
	require.ErrorIs(w, w.Replace(ctx, id, f, record("t", "forged"), long), want)
	require.ErrorIs(w, w.Ack(ctx, id, f), want)
}

// counts sees what is kept for a tenant and for all.
func (w *world) counts(tenant string, own, all snapshot.Usage) {
	w.Helper()
	require.Equal(w, own, w.Usage(tenant))
	require.Equal(w, all, w.Stats().Usage)
}

func usage(snapshots int, bytes int64) snapshot.Usage {
	return snapshot.Usage{Snapshots: snapshots, Bytes: bytes}
}
