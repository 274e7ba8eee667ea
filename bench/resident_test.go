package bench

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResident(t *testing.T) {
	self, before, err := Resident()
	require.NoError(t, err)
	require.Greater(t, self, 1<<20)
	cmd := exec.Command("sleep", "60")
	require.NoError(t, cmd.Start())
	_, with, err := Resident()
	require.NoError(t, err)
	require.Greater(t, with, before)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	_, after, err := Resident()
	require.NoError(t, err)
	require.Equal(t, before, after)
}
