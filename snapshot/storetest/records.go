package storetest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// records are the tests of what is put and forgotten.
var records = []testCase{
	{name: "C6 what was put is claimed with its tenant, under its id only", test: func(w *world) {
		w.put("a", record("t", "12"))
		w.claimFails("A", snapshot.ErrNone)
		claim, err := w.Claim(ctx, "a", long)
		require.NoError(w, err)
		require.Equal(w, record("t", "12"), claim.Record)
	}},
	{name: "C6 a record, an id and a tenant may be any bytes", test: func(w *world) {
		for _, odd := range []string{"", "\x00\xff", "{a}:*?[b]\r\n", "__proto__", strings.Repeat("x", 1000)} {
			w.put(odd, record(odd, odd))
			require.NoError(w, w.Ack(ctx, odd, w.claim(odd, odd)))
		}
	}},
	{name: "C6 a second record of a run is refused, claimed or not", test: func(w *world) {
		w.put("a", record("t", "first"))
		require.ErrorIs(w, w.Put(ctx, "a", record("t", "second"), long), snapshot.ErrExists)
		f := w.claim("a", "first")
		require.ErrorIs(w, w.Put(ctx, "a", record("u", "second"), long), snapshot.ErrExists)
		require.NoError(w, w.Release(ctx, "a", f))
		w.claim("a", "first")
	}},
	{name: "C6 deleted, it is gone, whoever holds it", test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		require.NoError(w, w.Delete(ctx, "a"))
		require.NoError(w, w.Delete(ctx, "a"), "there is none any more")
		w.claimFails("a", snapshot.ErrNone)
		w.over("a", f, snapshot.ErrNone)
		w.counts("t", usage(0, 0), usage(0, 0))
	}},
	{name: "C6 no time to live is no record, and no lease no claim", test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		for _, none := range []int{0, -1} {
			span := long * 0
			if none < 0 {
				span = -long
			}
			require.ErrorIs(w, w.Put(ctx, "b", record("t", "12"), span), snapshot.ErrLifetime)
			require.ErrorIs(w, w.Replace(ctx, "a", f, record("t", "34"), span), snapshot.ErrLifetime)
			require.ErrorIs(w, w.Renew(ctx, "a", f, span), snapshot.ErrLifetime)
			_, err := w.Claim(ctx, "a", span)
			require.ErrorIs(w, err, snapshot.ErrLifetime)
		}
		require.NoError(w, w.Release(ctx, "a", f))
		w.claim("a", "12")
		w.counts("t", usage(1, 2), usage(1, 2))
	}},
	{name: "I1 closed, it keeps nothing and does nothing", test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		require.NoError(w, w.Close())
		require.ErrorIs(w, w.Put(ctx, "b", record("t", "12"), long), snapshot.ErrClosed)
		w.claimFails("a", snapshot.ErrClosed)
		w.over("a", f, snapshot.ErrClosed)
		require.ErrorIs(w, w.Delete(ctx, "a"), snapshot.ErrClosed)
	}},
}
