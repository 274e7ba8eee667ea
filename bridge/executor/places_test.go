package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
)

// held is an executor whose calls end when the test says so.
type held struct {
	order []string
	next  chan struct{}
}

func (h *held) Execute(ctx context.Context, c Call) (json.RawMessage, error) {
	h.order = append(h.order, c.ID)
	select {
	case <-h.next:
		return json.RawMessage("1"), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func TestPlaces(t *testing.T) {
	tool := entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "own"})
	other := entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "other"})
	world := func(t *testing.T) (*Registry, *held) {
		h := &held{next: make(chan struct{})}
		return NewRegistry(Options{Custom: map[string]Executor{"own": h}}), h
	}
	bound := func(t *testing.T, r *Registry, spec string) *Binding {
		b, err := r.Bind("", json.RawMessage(`{"type":"own"`+spec+`}`), catalog.Annotations{})
		require.NoError(t, err)
		return &b
	}
	// start has a call begin, or wait, before the next one does.
	start := func(ctx context.Context, b *Binding, c Call) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := b.Execute(ctx, c)
			done <- err
		}()
		synctest.Wait()
		return done
	}
	t.Run("G3 no more calls of a tool are under way than it may have, whichever turn they are of", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, h := world(t)
			for n := range 5 {
				start(t.Context(), bound(t, r, `,"maxConcurrent":2`), Call{ID: fmt.Sprint(n), RunID: "run", Tool: tool})
			}
			for n := range 5 {
				require.Len(t, h.order, min(5, 2+n))
				h.next <- struct{}{}
				synctest.Wait()
			}
			require.Equal(t, []string{"0", "1", "2", "3", "4"}, h.order)
			require.Empty(t, r.places.tools, "nothing is kept")
		})
	})
	t.Run("G3 other tools and other tenants have places of their own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, h := world(t)
			b := bound(t, r, `,"maxConcurrent":1`)
			start(t.Context(), b, Call{ID: "a", Tool: tool, Tenant: "a"})
			start(t.Context(), b, Call{ID: "b", Tool: tool, Tenant: "b"})
			start(t.Context(), b, Call{ID: "other", Tool: other, Tenant: "a"})
			start(t.Context(), bound(t, r, ""), Call{ID: "unbounded", Tool: tool, Tenant: "a"})
			require.Len(t, h.order, 4)
			close(h.next)
		})
	})
	t.Run("G3 runs take turns", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, h := world(t)
			b := bound(t, r, `,"maxConcurrent":1`)
			for n := range 4 {
				start(t.Context(), b, Call{ID: fmt.Sprint("many ", n), RunID: "many", Tool: tool})
			}
			for n := range 2 {
				start(t.Context(), b, Call{ID: fmt.Sprint("few ", n), RunID: "few", Tool: tool})
			}
			for range 6 {
				h.next <- struct{}{}
				synctest.Wait()
			}
			require.Equal(t, []string{"many 0", "many 1", "few 0", "many 2", "few 1", "many 3"}, h.order)
		})
	})
	t.Run("G3 a call that gets no place in time says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, h := world(t)
			start(t.Context(), bound(t, r, `,"maxConcurrent":1`), Call{RunID: "run", Tool: tool})
			err := <-start(t.Context(), bound(t, r, `,"maxConcurrent":1,"timeoutMs":1500`), Call{RunID: "run", Tool: tool})
			require.ErrorIs(t, err, ErrTimeout)
			require.EqualError(t, err, "tool openclaw:core:own was not called within 1.5s: it is busy with as many calls as it may have at once (1)")
			close(h.next)
		})
	})
	t.Run("G7 the end of the run ends the wait for a place", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, h := world(t)
			b := bound(t, r, `,"maxConcurrent":1`)
			start(t.Context(), b, Call{ID: "first", RunID: "run", Tool: tool})
			over := errors.New("the run is over")
			ctx, end := context.WithCancelCause(t.Context())
			done := start(ctx, b, Call{ID: "second", RunID: "ended", Tool: tool})
			start(t.Context(), b, Call{ID: "third", RunID: "run", Tool: tool})
			at := time.Now()
			end(over)
			require.ErrorIs(t, <-done, over)
			require.Equal(t, at, time.Now())
			close(h.next)
			synctest.Wait()
			require.Equal(t, []string{"first", "third"}, h.order)
			require.Empty(t, r.places.tools)
		})
	})
	t.Run("G3 a place is given back whatever comes of the call", func(t *testing.T) {
		bad := executorFunc(func(context.Context, Call) (json.RawMessage, error) { panic("no") })
		b := bind(t, bad, `,"maxConcurrent":1`, catalog.Annotations{})
		for range 3 {
			_, err := b.Execute(t.Context(), annotated(t, catalog.Annotations{}))
			require.ErrorContains(t, err, "failed inside its executor")
		}
		require.Empty(t, b.places.tools)
	})
	t.Run("G3 a place that comes when the call is over goes to the next", func(t *testing.T) {
		var p places
		call := Call{RunID: "run", Tool: tool}
		require.NoError(t, p.enter(t.Context(), &call, 1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 { // which of the two is seen first is open
			done := make(chan error)
			go func() { done <- p.enter(ctx, &call, 1) }()
			p.leave(&call)
			if err := <-done; err != nil {
				require.ErrorIs(t, err, context.Canceled)
				require.NoError(t, p.enter(t.Context(), &call, 1))
			}
		}
		p.leave(&call)
		require.Empty(t, p.tools)
	})
}
