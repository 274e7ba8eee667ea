package thread

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Run("H1 sleeping is wall time alone", func(t *testing.T) {
		took := Run(func() { time.Sleep(50 * time.Millisecond) })
		require.GreaterOrEqual(t, took.Wall, 50*time.Millisecond)
		require.Less(t, took.CPU, 25*time.Millisecond)
	})
	t.Run("H1 computing is both, and never more than the wall's", func(t *testing.T) {
		took := Run(func() {
			for start := processor(); processor()-start < 20*time.Millisecond; {
			}
		})
		require.GreaterOrEqual(t, took.CPU, 19*time.Millisecond)
		require.GreaterOrEqual(t, took.Wall, took.CPU)
	})
}
