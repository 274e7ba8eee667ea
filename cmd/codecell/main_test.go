package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine/worker/sandbox/sandboxtest"
)

// asCodecell makes the test's binary the command, for tests that need more than one process.
const asCodecell = "CODECELL_TEST_AS_COMMAND"

// onOldKernel has a process find a kernel that does not know Landlock, and so do all that it starts.
const onOldKernel = "CODECELL_TEST_ON_OLD_KERNEL"

func TestMain(m *testing.M) {
	if os.Getenv(onOldKernel) != "" {
		if err := sandboxtest.WithoutLandlock(); err != nil {
			panic(err)
		}
	}
	// Workers have no environment to be told by.
	if os.Getenv(asCodecell) != "" || len(os.Args) > 1 && (os.Args[1] == workerName || os.Args[1] == parserName) {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// lines is a writer that several goroutines may use while a test reads it.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// outcome is what a command left behind.
type outcome struct {
	status   int
	out, err string
}

func codecell(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs lines
	term := &terminal{in: strings.NewReader(stdin), out: &out, err: &errs, ctx: t.Context(), now: t.Context()}
	status := run(term, args)
	return outcome{status, out.String(), errs.String()}
}

func TestCommandLine(t *testing.T) {
	t.Run("I1 version", func(t *testing.T) {
		got := codecell(t, "", "version")
		require.Equal(t, exitOK, got.status)
		require.Regexp(t, `^codecell .*go1\.`, got.out)
	})
	t.Run("I1 help", func(t *testing.T) {
		for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"exec", "--help"}} {
			got := codecell(t, "", args...)
			require.Equal(t, exitOK, got.status)
			require.Contains(t, got.out, "Usage: codecell")
			require.Empty(t, got.err)
		}
	})
	for name, args := range map[string][]string{
		"no command": {}, "an unknown command": {"run"}, "an unknown flag": {"serve", "--lisen", "x"},
		"no cell": {"exec"}, "no such cell": {"exec", "/no/such/cell.js"}, "no such catalog": {"exec", "-", "--catalog", "/no/such/file"},
		"a server that is no URL": {"exec", "-", "--server", "localhost:8080"}, "no such config": {"serve", "--config", "/no/such/file"},
		"a bad grace period": {"serve", "--grace", "soon"}, "a bad log level": {"serve", "--log-level", "loud"},
	} {
		t.Run("I1 usage: "+name, func(t *testing.T) {
			got := codecell(t, "return 1", args...)
			require.Equal(t, exitUsage, got.status, got.err)
			require.Contains(t, got.err, "codecell: ")
			require.Empty(t, got.out)
		})
	}
}

// serving runs codecell serve on a free port until the test ends.
func serving(t *testing.T, args ...string) (base string, stop func() outcome) {
	t.Helper()
	base, _, stop = servingLogged(t, args...)
	return base, stop
}

// servingLogged is serving for who wants to read the log meanwhile.
func servingLogged(t *testing.T, args ...string) (base string, log *lines, stop func() outcome) {
	t.Helper()
	var out, errs lines
	ctx, cancel := context.WithCancel(context.Background())
	term := &terminal{in: strings.NewReader(""), out: &out, err: &errs, ctx: ctx, now: context.Background()}
	status := make(chan int, 1)
	go func() { status <- run(term, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)) }()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "\n") || len(status) > 0 }, waitLong, waitShort)
	_, base, _ = strings.Cut(strings.TrimSpace(out.String()), "listens on ")
	require.NotEmpty(t, base, errs.String())
	var once sync.Once
	var result outcome
	stop = func() outcome {
		once.Do(func() {
			cancel()
			result = outcome{<-status, out.String(), errs.String()}
		})
		return result
	}
	t.Cleanup(func() { stop() })
	return base, &errs, stop
}
