//go:build cgo

package native

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func newPool(t *testing.T, limit int) *pool {
	t.Helper()
	p := &pool{size: 1 << 20, limit: limit}
	t.Cleanup(func() { require.NoError(t, p.close()) })
	return p
}

func TestPool(t *testing.T) {
	t.Run("H5 no more heaps than the limit", func(t *testing.T) {
		p := newPool(t, 2)
		a, err := p.acquire()
		require.NoError(t, err)
		b, err := p.acquire()
		require.NoError(t, err)
		require.NotSame(t, a, b)
		_, err = p.acquire()
		require.ErrorIs(t, err, engine.ErrOverloaded)
		p.release(a)
		c, err := p.acquire()
		require.NoError(t, err)
		require.Same(t, a, c)
		p.release(b)
		p.release(c)
		require.Zero(t, p.inUse.Load())
	})
	t.Run("a heap is found again when the processors' caches were emptied", func(t *testing.T) {
		p := newPool(t, 3)
		require.NoError(t, p.grow(3))
		for range 20 {
			runtime.GC() // twice empties a sync.Pool
			runtime.GC()
			seen := map[*heap]bool{}
			for range 3 {
				h, err := p.acquire()
				require.NoError(t, err)
				seen[h] = true
			}
			require.Len(t, seen, 3)
			for h := range seen {
				p.release(h)
			}
		}
	})
	t.Run("a closed pool hands nothing out that it has freed", func(t *testing.T) {
		p := &pool{size: 1 << 20, limit: 2}
		require.NoError(t, p.grow(2))
		require.NoError(t, p.close())
		h, err := p.acquire()
		require.NoError(t, err)
		require.NotNil(t, h.control, "a new heap, not one that is gone")
		require.ErrorContains(t, p.close(), "1 guests are still open")
		p.release(h)
		require.NoError(t, p.close())
	})
	t.Run("A7 a heap belongs to one at a time", func(t *testing.T) {
		p := newPool(t, 4)
		var owners sync.Map
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 2000 {
					h, err := p.acquire()
					if err != nil {
						runtime.Gosched()
						continue
					}
					if _, taken := owners.LoadOrStore(h, true); taken {
						t.Error("a heap was handed out twice")
					}
					owners.Delete(h)
					p.release(h)
				}
			})
		}
		wg.Wait()
		require.Zero(t, p.inUse.Load())
		require.LessOrEqual(t, p.count(), 4)
	})
}
