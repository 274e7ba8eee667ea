package storetest

import (
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// expiry are the tests of leases and times to live.
var expiry = []testCase{
	{name: "C6 it is there until its time has passed, and then it is not", test: func(w *world) {
		require.NoError(w, w.Put(ctx, "a", record("t", "12"), w.ticks(4)))
		require.NoError(w, w.Put(ctx, "b", record("t", "12"), w.ticks(4)))
		w.pass(4)
		require.NoError(w, w.Ack(ctx, "a", w.claim("a", "12")))
		w.pass(1)
		w.claimFails("b", snapshot.ErrNone)
		require.NoError(w, w.Put(ctx, "b", record("u", "345"), long), "another takes its place")
		w.counts("t", usage(0, 0), usage(1, 3))
		require.EqualValues(w, 1, w.Stats().Expired)
	}},
	{name: "C6 released, it has at least the time that it had", test: func(w *world) {
		require.NoError(w, w.Put(ctx, "a", record("t", "12"), w.ticks(8)))
		claim, err := w.Claim(ctx, "a", w.ticks(1))
		require.NoError(w, err)
		require.NoError(w, w.Release(ctx, "a", claim.Fence))
		w.pass(8)
		w.claim("a", "12")
	}},
	{name: "C6 replaced, it lives anew", test: func(w *world) {
		require.NoError(w, w.Put(ctx, "a", record("t", "12"), w.ticks(4)))
		w.pass(3)
		f := w.claim("a", "12")
		require.NoError(w, w.Replace(ctx, "a", f, record("t", "34"), w.ticks(4)))
		w.pass(4)
		f = w.claim("a", "34")
		require.NoError(w, w.Replace(ctx, "a", f, record("t", "56"), w.ticks(2)), "also a shorter time counts")
		w.pass(3)
		w.claimFails("a", snapshot.ErrNone)
	}},
	{name: "I6 an expired holder's writes are refused, whether or not another came", test: func(w *world) {
		w.put("a", record("t", "12"))
		claim, err := w.Claim(ctx, "a", w.ticks(2))
		require.NoError(w, err)
		w.pass(2)
		w.claimFails("a", snapshot.ErrClaimed)
		w.pass(1)
		w.over("a", claim.Fence, snapshot.ErrFence)
		next := w.claim("a", "12")
		require.Greater(w, next, claim.Fence)
		w.over("a", claim.Fence, snapshot.ErrFence)
		require.NoError(w, w.Ack(ctx, "a", next))
	}},
	{name: "I6 renewed, the lease counts from then", test: func(w *world) {
		w.put("a", record("t", "12"))
		claim, err := w.Claim(ctx, "a", w.ticks(2))
		require.NoError(w, err)
		for range 4 {
			w.pass(2)
			require.NoError(w, w.Renew(ctx, "a", claim.Fence, w.ticks(2)))
		}
		w.claimFails("a", snapshot.ErrClaimed)
		w.pass(3)
		require.ErrorIs(w, w.Renew(ctx, "a", claim.Fence, long), snapshot.ErrFence)
		w.claim("a", "12")
	}},
	{name: "I6 renewed for less, the lease is shorter", test: func(w *world) {
		w.put("a", record("t", "12"))
		claim, err := w.Claim(ctx, "a", long)
		require.NoError(w, err)
		require.NoError(w, w.Renew(ctx, "a", claim.Fence, w.ticks(1)))
		w.pass(2)
		w.claim("a", "12")
	}},
	{name: "I6 it does not expire while it is held, and a lease longer another can take over", test: func(w *world) {
		require.NoError(w, w.Put(ctx, "a", record("t", "12"), w.ticks(1)))
		first, err := w.Claim(ctx, "a", w.ticks(4))
		require.NoError(w, err)
		w.pass(4)
		require.NoError(w, w.Renew(ctx, "a", first.Fence, w.ticks(4)))
		w.pass(5) // the holder has died
		second, err := w.Claim(ctx, "a", w.ticks(4))
		require.NoError(w, err)
		require.NoError(w, w.Release(ctx, "a", second.Fence))
		w.pass(9)
		w.claimFails("a", snapshot.ErrNone)
		w.over("a", second.Fence, snapshot.ErrNone)
		w.counts("t", usage(0, 0), usage(0, 0))
	}},
}
