package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/snapshot"
)

// crowds are the tests with many callers at once.
var crowds = []testCase{
	{name: "C5 of many claimants one has it", test: func(w *world) {
		w.put("a", record("t", "12"))
		var claimed, refused atomic.Int64
		together(16, func(int) {
			_, err := w.Claim(ctx, "a", long)
			switch {
			case err == nil:
				claimed.Add(1)
			case errors.Is(err, snapshot.ErrClaimed):
				refused.Add(1)
			}
		})
		require.EqualValues(w, 1, claimed.Load())
		require.EqualValues(w, 15, refused.Load())
	}},
	{name: "C6 of many that put a run's record one does", test: func(w *world) {
		var put atomic.Int64
		together(16, func(n int) {
			if w.Put(ctx, "a", sized("t", n), long) == nil {
				put.Add(1)
			}
		})
		require.EqualValues(w, 1, put.Load())
		require.Equal(w, 1, w.Usage("t").Snapshots)
	}},
	{name: "C5 many do everything to a few records, and each has one holder at a time", bounds: crowded, test: hammer},
}

// together has n goroutines do something at once.
func together(n int, do func(n int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

var (
	crowded = snapshot.Bounds{Bytes: 200, TenantBytes: 120, Snapshots: 5, TenantSnapshots: 3}
	tenants = []string{"t", "u"}
)

// hammered is a record that many have at once, beside who holds it.
type hammered struct {
	id, tenant string
	holders    atomic.Int32
	fence      atomic.Uint64 // the last that was seen
}

func hammer(w *world) {
	var runs []*hammered
	for n := range 6 {
		runs = append(runs, &hammered{id: fmt.Sprint("run-", n), tenant: tenants[n%len(tenants)]})
	}
	together(8, func(seed int) {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		for range 500 {
			w.hammerOnce(r, runs[r.IntN(len(runs))])
			if all := w.Stats(); all.Bytes < 0 || all.Bytes > crowded.Bytes || all.Snapshots > crowded.Snapshots {
				w.Errorf("it keeps %+v", all)
			}
			if own := w.Usage("t"); own.Bytes < 0 || own.Bytes > crowded.TenantBytes || own.Snapshots > crowded.TenantSnapshots {
				w.Errorf("it keeps %+v for one tenant", own)
			}
		}
	})
	for _, h := range runs {
		require.NoError(w, w.Delete(ctx, h.id))
	}
	for _, tenant := range tenants {
		w.counts(tenant, usage(0, 0), usage(0, 0))
	}
}

// hammerOnce puts a record, or claims one and gives it up in some way. All leases are longer than the test: two holders at
// a time are a fault.
func (w *world) hammerOnce(r *rand.Rand, h *hammered) {
	if r.IntN(2) == 0 {
		w.allow(w.Put(ctx, h.id, sized(h.tenant, r.IntN(70)), long), snapshot.ErrExists, snapshot.ErrFull)
		return
	}
	claim, err := w.Claim(ctx, h.id, long)
	w.allow(err, snapshot.ErrNone, snapshot.ErrClaimed)
	if err != nil {
		return
	}
	if h.holders.Add(1) != 1 {
		w.Errorf("%s has two holders", h.id)
	}
	if last := h.fence.Swap(uint64(claim.Fence)); last >= uint64(claim.Fence) {
		w.Errorf("%s had fence %d, and then %d", h.id, last, claim.Fence)
	}
	w.allow(w.Renew(ctx, h.id, claim.Fence, long))
	h.holders.Add(-1) // before it is given up: from then on another may have it
	switch r.IntN(3) {
	case 0:
		w.allow(w.Release(ctx, h.id, claim.Fence))
	case 1:
		w.allow(w.Ack(ctx, h.id, claim.Fence))
	default:
		err := w.Replace(ctx, h.id, claim.Fence, sized(h.tenant, r.IntN(70)), long)
		w.allow(err, snapshot.ErrFull)
		if err != nil {
			w.allow(w.Release(ctx, h.id, claim.Fence))
		}
	}
}

// allow reports an error that is none of those.
func (w *world) allow(err error, of ...error) {
	for _, e := range of {
		if errors.Is(err, e) {
			return
		}
	}
	if err != nil {
		w.Errorf("unexpected: %v", err)
	}
}
