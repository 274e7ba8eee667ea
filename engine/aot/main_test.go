//go:build cgo

package aot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/courtesy"
	"github.com/codecell/codecell/engine/internal/linear"
)

// TestMain lets a plain `go test ./...` pass where the guest was not compiled ahead of time: then all there is to test is that
// the engine says so. The Makefile's targets set CODECELL_AOT where the tools are, and demand it.
func TestMain(m *testing.M) {
	if how := os.Getenv(crashes); how != "" {
		crash(how)
	}
	if Missing() == nil {
		goleak.VerifyTestMain(m)
		return
	}
	_, err := New(Options{})
	if !errors.Is(err, Missing()) || os.Getenv("CODECELL_AOT") == "required" {
		fmt.Println("engine/aot without its code:", err)
		os.Exit(1)
	}
	fmt.Println("engine/aot: only the refusal was tested:", err)
}

// longEnough is a step's timeout where the test is not about time.
const longEnough = time.Minute

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func limits(source string) engine.Begin {
	return engine.Begin{
		Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 1016, MaxTimers: 1000,
	}
}

// step executes the first step of a guest of its own.
func step(t testing.TB, e engine.Engine, b engine.Begin, timeout time.Duration) (*engine.Effects, error) {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	return vm.Step(context.Background(), b.Append(nil), timeout)
}

// value runs a cell that needs one step only, and returns its value as JSON.
func value(t testing.TB, e engine.Engine, source string) string {
	t.Helper()
	effects, err := step(t, e, limits(source), longEnough)
	require.NoError(t, err)
	require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
	return string(effects.Main.Value)
}

// booted returns a machine with a booted guest inside, and room for an input at inputAt.
func booted(t testing.TB) *machine {
	t.Helper()
	require.NoError(t, newEngine(t, Options{}).Ready()) // which keeps the code of the runtime's sources
	made, err := newMachine(linear.Pages(64<<20), &courtesy.Raiser{})
	require.NoError(t, err)
	t.Cleanup(made.Close)
	require.True(t, made.Grow(inputAt/linear.WasmPage))
	failed, err := made.Call(linear.Boot, nil, 0, guest.Eager)
	require.NoError(t, err)
	require.Zero(t, failed)
	return made.(*machine)
}

const inputAt = 66 << 20
