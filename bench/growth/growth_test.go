package growth

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	work := func(steps func(n int) int) func(n int) func() {
		return func(n int) func() {
			return func() {
				sum := 0
				for i := range steps(n) {
					sum += i ^ n
				}
				runtime.KeepAlive(sum)
			}
		}
	}
	t.Run("H6 what is in proportion passes", func(t *testing.T) {
		Linear(t, 1<<20, work(func(n int) int { return n }))
	})
	t.Run("H6 what is quadratic is seen", func(t *testing.T) {
		_, ok := compare(1<<10, work(func(n int) int { return n * n }), timeOf, 1)
		require.False(t, ok)
	})
	t.Run("H6 also in memory", func(t *testing.T) {
		_, ok := compare(1<<9, func(n int) func() {
			return func() { runtime.KeepAlive(make([]byte, n*n)) }
		}, bytesOf, 1)
		require.False(t, ok)
	})
}
