package bench

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUsageOf(t *testing.T) {
	t.Run("I1 processor time and memory, the children's too", func(t *testing.T) {
		before, err := UsageOf(os.Getpid())
		require.NoError(t, err)
		require.Positive(t, before.Resident)
		child := exec.Command("sh", "-c", "while :; do :; done")
		require.NoError(t, child.Start())
		defer func() { _ = child.Wait() }()
		defer func() { _ = child.Process.Kill() }()
		require.Eventually(t, func() bool {
			now, err := UsageOf(os.Getpid())
			return err == nil && now.CPU > before.CPU+50*time.Millisecond
		}, time.Minute, 10*time.Millisecond)
	})
	t.Run("I1 a process that is not there", func(t *testing.T) {
		_, err := UsageOf(1 << 30)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}
