//go:build cgo

package guest

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBroken(t *testing.T) {
	program, err := build(t, "testdata/broken_check.c", "-Wl,--wrap=__assert_fail", "-Wl,--wrap=abort")
	require.NoError(t, err)
	for how, what := range map[string]string{"assert": `strcmp(argv[1], "abort") == 0`, "abort": "abort"} {
		t.Run("H3 inside a step, it ends the step: "+how, func(t *testing.T) {
			out, err := exec.Command(program, how, "inside").CombinedOutput()
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%d %s\n", Broken, what), string(out))
		})
		t.Run("H3 outside of one, it ends the process: "+how, func(t *testing.T) {
			err := exec.Command(program, how, "outside").Run()
			var exit *exec.ExitError
			require.True(t, errors.As(err, &exit), "%v", err)
			require.Equal(t, syscall.SIGABRT, exit.Sys().(syscall.WaitStatus).Signal())
		})
	}
}
