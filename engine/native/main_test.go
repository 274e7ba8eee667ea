//go:build cgo

package native

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// longEnough is a step's timeout where the test is not about time. The race detector and a busy machine need room.
const longEnough = 20 * time.Second

// newEngine starts an engine that the test's end closes. Closing fails while a guest is open, so a test that forgets
// one fails.
func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// limits are generous ones, for tests that are about something else.
func limits(source string) engine.Begin {
	return engine.Begin{
		Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 1016, MaxTimers: 1000,
	}
}

// start opens a guest, with the catalog that the engine tests share, and executes its first step.
func start(t testing.TB, e *Engine, b engine.Begin) (engine.VM, *engine.Effects) {
	t.Helper()
	vm, err := e.NewVM(smallCatalog())
	require.NoError(t, err)
	effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
	if err != nil {
		vm.Close()
	}
	require.NoError(t, err)
	return vm, effects
}

// run runs a cell that needs one step only.
func run(t testing.TB, e *Engine, source string) *engine.Effects {
	t.Helper()
	vm, effects := start(t, e, limits(source))
	vm.Close()
	return effects
}

// value runs a cell and returns its value as JSON.
func value(t testing.TB, e *Engine, source string) string {
	t.Helper()
	effects := run(t, e, source)
	require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
	return string(effects.Main.Value)
}

// thrown runs a cell and returns what it threw.
func thrown(t testing.TB, e *Engine, source string) engine.Thrown {
	t.Helper()
	effects := run(t, e, source)
	require.Equal(t, engine.Rejected, effects.Main.State, "value %s", effects.Main.Value)
	return effects.Main.Thrown
}

// limited executes a first step that a limit may end, and returns its error.
func limited(t testing.TB, e *Engine, b engine.Begin, timeout time.Duration) (*engine.Effects, error) {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	effects, err := vm.Step(context.Background(), b.Append(nil), timeout)
	require.False(t, errors.Is(err, engine.ErrProtocol), "%v", err)
	return effects, err
}

// resume answers requests and returns the effects of the step that follows.
func resume(t testing.TB, vm engine.VM, answers ...engine.Answer) *engine.Effects {
	t.Helper()
	effects, err := vm.Step(context.Background(), engine.AppendResume(nil, answers), longEnough)
	require.NoError(t, err)
	return effects
}

// smallCatalog has two tools, an MCP server and a declaration file.
func smallCatalog() []byte {
	return engine.AppendCatalog(nil,
		[]byte(`[{"id":"openclaw:core:echo","source":"openclaw","name":"echo","description":"Echoes."},`+
			`{"id":"openclaw:core:read","source":"openclaw","name":"read","description":"Reads."}]`),
		[]byte("\necho\topenclaw:core:echo\nread\topenclaw:core:read\n"),
		[]byte(`[{"id":"github","serverName":"github","tools":[{"path":["createIssue"],"tool":"mcp:github:create_issue"},`+
			`{"path":["resources","list"],"tool":"mcp:github:resources"}]}]`),
		[]byte(`[{"path":"mcp/index.d.ts","description":"Servers.","bytes":3,"content":"abc"}]`))
}

// elapsed is how long f took, less the time in which its thread could have gone on and had no processor: what a machine
// that is busy with something else adds. All that f does itself counts, and so does waiting for anything else.
func elapsed(t testing.TB, f func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, starved := time.Now(), runDelay(t)
	f()
	return time.Since(began) - (runDelay(t) - starved)
}

// runDelay is for how long this thread has waited for a processor since it began.
func runDelay(t testing.TB) time.Duration {
	t.Helper()
	// Nanoseconds on a processor, nanoseconds waiting for one, and how often.
	text, err := os.ReadFile("/proc/thread-self/schedstat")
	require.NoError(t, err)
	fields := strings.Fields(string(text))
	require.Len(t, fields, 3)
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	require.NoError(t, err)
	return time.Duration(ns)
}
