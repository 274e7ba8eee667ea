package storetest

import (
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// claims are the tests of who may write.
var claims = []testCase{
	{name: "C5 claimed, nobody else has it until it is released", test: func(w *world) {
		w.put("a", record("t", "12"))
		first := w.claim("a", "12")
		w.claimFails("a", snapshot.ErrClaimed)
		require.NoError(w, w.Release(ctx, "a", first))
		second := w.claim("a", "12")
		require.Greater(w, second, first)
		w.over("a", first, snapshot.ErrFence)
		w.claimFails("a", snapshot.ErrClaimed)
	}},
	{name: "C5 replaced, it is the new record, for whoever comes next", test: func(w *world) {
		w.put("a", record("t", "12"))
		first := w.claim("a", "12")
		require.NoError(w, w.Replace(ctx, "a", first, record("t", "345"), long))
		w.over("a", first, snapshot.ErrFence)
		w.counts("t", usage(1, 3), usage(1, 3))
		w.claim("a", "345")
	}},
	{name: "C5 acknowledged, it is gone", test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		require.NoError(w, w.Ack(ctx, "a", f))
		w.claimFails("a", snapshot.ErrNone)
		w.over("a", f, snapshot.ErrNone)
		w.counts("t", usage(0, 0), usage(0, 0))
	}},
	{name: "C5 a fence that nobody was given opens nothing", test: func(w *world) {
		w.put("a", record("t", "12"))
		w.over("a", 0, snapshot.ErrFence)
		w.over("a", 1, snapshot.ErrFence)
		f := w.claim("a", "12")
		for _, forged := range []snapshot.Fence{0, f - 1, f + 1, ^f, 1 << 63} {
			w.over("a", forged, snapshot.ErrFence)
		}
		w.over("b", f, snapshot.ErrNone)
		require.NoError(w, w.Renew(ctx, "a", f, long))
	}},
	{name: "C5 a fence is no other record's", test: func(w *world) {
		w.put("a", record("t", "12"))
		w.put("b", record("t", "34"))
		a, b := w.claim("a", "12"), w.claim("b", "34")
		if a != b { // each id may have its own numbers
			w.over("a", b, snapshot.ErrFence)
		}
		require.NoError(w, w.Ack(ctx, "a", a))
		require.NoError(w, w.Ack(ctx, "b", b))
	}},
	{name: "C5 the fence of a record that was deleted is not that of its successor", test: func(w *world) {
		var last snapshot.Fence
		for range 5 {
			w.put("a", record("t", "12"))
			f := w.claim("a", "12")
			require.Greater(w, f, last)
			if last != 0 {
				w.over("a", last, snapshot.ErrFence)
			}
			require.NoError(w, w.Delete(ctx, "a"))
			last = f
		}
	}},
	{name: "H4 a record does not change its tenant", test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		require.ErrorIs(w, w.Replace(ctx, "a", f, record("u", "34"), long), snapshot.ErrTenant)
		require.NoError(w, w.Release(ctx, "a", f), "the claim is still the caller's")
		w.claim("a", "12")
		w.counts("u", usage(0, 0), usage(1, 2))
	}},
}
