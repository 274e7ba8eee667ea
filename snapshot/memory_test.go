package snapshot_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
	"github.com/codecell/codecell/snapshot/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, storetest.Subject{
		Open: func(_ testing.TB, b snapshot.Bounds) snapshot.Store {
			return snapshot.NewMemory(snapshot.MemoryOptions{Bounds: b, Sweep: 7 * time.Second})
		},
		Within: synctest.Test,
	})
}

func TestMemoryExpiry(t *testing.T) {
	ctx := context.Background()
	record := func(text string) snapshot.Record { return snapshot.Record{Tenant: "t", Sealed: []byte(text)} }
	t.Run("C6 expired, it is swept though nobody asks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := snapshot.NewMemory(snapshot.MemoryOptions{Sweep: time.Minute})
			defer m.Close()
			require.NoError(t, m.Put(ctx, "a", record("12"), 10*time.Second))
			require.NoError(t, m.Put(ctx, "b", record("3"), 2*time.Minute))
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Equal(t, snapshot.Stats{Usage: snapshot.Usage{Snapshots: 1, Bytes: 1}, Expired: 1}, m.Stats())
		})
	})
	t.Run("H6 more than one batch is swept at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const many = 1000
			m := snapshot.NewMemory(snapshot.MemoryOptions{Sweep: time.Hour, Bounds: snapshot.Bounds{Snapshots: many, TenantSnapshots: many}})
			defer m.Close()
			for n := range many {
				require.NoError(t, m.Put(ctx, fmt.Sprint(n), record("1"), time.Duration(1+n%7)*time.Second))
			}
			require.ErrorIs(t, m.Put(ctx, "a", record("1"), time.Hour), snapshot.ErrQuota)
			time.Sleep(8 * time.Second)
			require.NoError(t, m.Put(ctx, "a", record("1"), time.Hour))
			require.Equal(t, snapshot.Stats{Usage: snapshot.Usage{Snapshots: 1, Bytes: 1}, Expired: many}, m.Stats())
		})
	})
}

func TestMemoryClose(t *testing.T) {
	t.Run("I1 many may close it, and it holds nothing", func(t *testing.T) {
		m := snapshot.NewMemory(snapshot.MemoryOptions{})
		require.NoError(t, m.Put(context.Background(), "a", snapshot.Record{Tenant: "t", Sealed: []byte("12")}, time.Minute))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { require.NoError(t, m.Close()) })
		}
		all.Wait()
		require.Equal(t, snapshot.Stats{}, m.Stats())
		require.Zero(t, m.Usage("t"))
	})
}

func TestBounds(t *testing.T) {
	t.Run("H6 by default no tenant may have more than half", func(t *testing.T) {
		b := snapshot.Bounds{}.WithDefaults()
		require.Equal(t, snapshot.Bounds{Bytes: 1 << 30, Snapshots: 1 << 20, TenantBytes: 1 << 29, TenantSnapshots: 1 << 19}, b)
	})
	t.Run("C6 and never less than one", func(t *testing.T) {
		b := snapshot.Bounds{Bytes: 1, Snapshots: 1}.WithDefaults()
		require.Equal(t, snapshot.Bounds{Bytes: 1, Snapshots: 1, TenantBytes: 1, TenantSnapshots: 1}, b)
	})
}
