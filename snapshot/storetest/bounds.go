package storetest

import (
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// bounds are the tests of what is kept at most.
var bounds = []testCase{
	{name: "C6 bytes in sum: what is refused changes nothing", bounds: snapshot.Bounds{Bytes: 10, TenantBytes: 10}, test: func(w *world) {
		w.put("a", record("t", "123456"))
		err := w.Put(ctx, "b", sized("u", 5), long)
		require.ErrorIs(w, err, snapshot.ErrFull)
		require.NotErrorIs(w, err, snapshot.ErrQuota)
		w.put("b", sized("u", 4)) // to the last byte
		w.counts("t", usage(1, 6), usage(2, 10))
		w.claim("a", "123456")
	}},
	{name: "C6 records in sum", bounds: snapshot.Bounds{Snapshots: 2, TenantSnapshots: 2}, test: func(w *world) {
		w.put("a", sized("t", 0))
		w.put("b", sized("u", 0))
		err := w.Put(ctx, "c", sized("v", 0), long)
		require.ErrorIs(w, err, snapshot.ErrFull)
		require.NotErrorIs(w, err, snapshot.ErrQuota)
		require.NoError(w, w.Delete(ctx, "b"))
		w.put("c", sized("v", 0))
	}},
	{name: "H6 a tenant that uses up its part leaves the others theirs", bounds: snapshot.Bounds{Bytes: 100, Snapshots: 10, TenantBytes: 20, TenantSnapshots: 2}, test: func(w *world) {
		w.put("a", sized("t", 15))
		err := w.Put(ctx, "b", sized("t", 6), long)
		require.ErrorIs(w, err, snapshot.ErrQuota)
		require.ErrorIs(w, err, snapshot.ErrFull)
		w.put("b", sized("t", 5))
		require.ErrorIs(w, w.Put(ctx, "c", sized("t", 0), long), snapshot.ErrQuota)
		for _, id := range []string{"d", "e"} {
			w.put(id, sized("u", 10))
		}
		w.counts("t", usage(2, 20), usage(4, 40))
		w.counts("u", usage(2, 20), usage(4, 40))
		w.counts("nobody", usage(0, 0), usage(4, 40))
	}},
	{name: "C6 a claimed record keeps its place", bounds: snapshot.Bounds{Snapshots: 1, TenantSnapshots: 1}, test: func(w *world) {
		w.put("a", record("t", "12"))
		f := w.claim("a", "12")
		require.ErrorIs(w, w.Put(ctx, "b", sized("u", 0), long), snapshot.ErrFull)
		w.counts("t", usage(1, 2), usage(1, 2))
		require.NoError(w, w.Release(ctx, "a", f), "there is always room for what comes back")
		w.claim("a", "12")
	}},
	{name: "C6 replacing needs room for what it adds, and leaves the claim when there is none", bounds: snapshot.Bounds{Bytes: 10, TenantBytes: 8}, test: func(w *world) {
		w.put("a", record("t", "1234"))
		w.put("b", sized("u", 4))
		f := w.claim("a", "1234")
		require.ErrorIs(w, w.Replace(ctx, "a", f, sized("t", 9), long), snapshot.ErrQuota)
		require.ErrorIs(w, w.Replace(ctx, "a", f, sized("t", 7), long), snapshot.ErrFull)
		w.counts("t", usage(1, 4), usage(2, 8))
		w.claimFails("a", snapshot.ErrClaimed)
		require.NoError(w, w.Replace(ctx, "a", f, record("t", "123456"), long))
		w.claim("a", "123456")
		w.counts("t", usage(1, 6), usage(2, 10))
	}},
	{name: "C6 what has expired makes room", bounds: snapshot.Bounds{Bytes: 10, TenantBytes: 10, Snapshots: 2, TenantSnapshots: 2}, test: func(w *world) {
		require.NoError(w, w.Put(ctx, "a", sized("t", 8), w.ticks(2)))
		w.put("b", sized("u", 1))
		require.ErrorIs(w, w.Put(ctx, "c", sized("t", 8), long), snapshot.ErrFull)
		w.pass(3)
		w.put("c", sized("t", 8))
		w.counts("t", usage(1, 8), usage(2, 9))
	}},
	{name: "C6 what was put in place of another is counted once", test: func(w *world) {
		for _, n := range []int{6, 4, 0, 9} {
			w.put("a", sized("t", n))
			f := w.claim("a", string(make([]byte, n)))
			require.NoError(w, w.Replace(ctx, "a", f, sized("t", n+1), long))
			w.counts("t", usage(1, int64(n)+1), usage(1, int64(n)+1))
			require.NoError(w, w.Delete(ctx, "a"))
			w.counts("t", usage(0, 0), usage(0, 0))
		}
	}},
}
