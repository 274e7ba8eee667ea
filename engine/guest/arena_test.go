//go:build cgo

package guest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sanitizers are used where the compiler has them.
func sanitizers(t *testing.T) []string {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	if _, err := build(t, "testdata/arena_check.c", flags...); err != nil {
		return nil
	}
	return flags
}

func TestArena(t *testing.T) {
	for name, flags := range map[string][]string{"checked": append(sanitizers(t), "-O1"), "as built": {"-O2"}} {
		program, err := build(t, "testdata/arena_check.c", flags...)
		require.NoError(t, err)
		for limit, runsOut := range map[int]bool{1 << 16: true, 1 << 20: true, 64 << 20: false} {
			for seed := 1; seed <= 2; seed++ {
				t.Run(fmt.Sprintf("H2 %s, %d bytes, seed %d", name, limit, seed), func(t *testing.T) {
					out, err := exec.Command(program, fmt.Sprint(seed), "6000", fmt.Sprint(limit)).CombinedOutput()
					require.NoError(t, err, "%s", out)
					count := strings.TrimSpace(string(out))
					require.Equal(t, runsOut, count != "5", "refused %s times, five of them on purpose", count)
				})
			}
		}
	}
}
