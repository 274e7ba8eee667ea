//go:build cgo

package guest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compiler returns the C compiler that cgo uses, with its arguments: it must be there for the package to build.
func compiler(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// cc runs the C compiler and returns what it said.
func cc(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := append(compiler(t), args...)
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	return string(out), err
}

// build compiles a program from testdata and returns its path.
func build(t *testing.T, source string, flags ...string) (string, error) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	out, err := cc(t, append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-o", program, source}, flags...)...)
	if err != nil {
		t.Log(out)
	}
	return program, err
}
