package codecell_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// binary is codecell, built once for all tests: the documents are about it.
var binary string

func TestMain(m *testing.M) { os.Exit(testWithBinary(m)) }

func testWithBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "codecell")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "codecell")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/codecell").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// serve starts the service on a port of its own and returns where it listens. When the test ends it is told to stop,
// and must do so in order.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		// A service that has ended already says why below.
		_ = cmd.Process.Signal(syscall.SIGTERM)
		err := cmd.Wait() // the log is complete only then
		require.NoError(t, err, "%s", log.String())
	})
	require.NoError(t, err, "the service ended before it listened")
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "codecell listens on ")
	require.True(t, ok, line)
	return base
}

// runCell runs codecell exec on a cell and returns what it printed.
func runCell(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"exec"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, complaints.String())
	return string(out)
}

func TestSample(t *testing.T) {
	const sample = "cmd/codecell/sample/"
	const printed = "3 open orders\n{\n  \"short\": [\n    \"A-3\"\n  ],\n  \"issue\": 7\n}\n"
	t.Run("I1 in this process", func(t *testing.T) {
		require.Equal(t, printed, runCell(t, sample+"cell.ts", "--catalog", sample+"turn.json5"))
	})
	t.Run("I1 against a server, as make run shows it", func(t *testing.T) {
		base := serve(t, "--test-executors")
		require.Equal(t, printed, runCell(t, sample+"cell.ts", "--catalog", sample+"turn.json5", "--server", base))
	})
}
