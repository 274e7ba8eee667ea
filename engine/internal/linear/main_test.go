package linear_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/wasi"
)

// TestMain lets a plain `go test ./...` pass where `make guest` has not run; see package wasi.
func TestMain(m *testing.M) {
	if _, err := wasi.Module(); err == nil {
		goleak.VerifyTestMain(m)
		return
	}
	if os.Getenv("CODECELL_GUEST") == "required" {
		fmt.Println("engine/internal/linear without a guest")
		os.Exit(1)
	}
	fmt.Println("engine/internal/linear: there is no guest to test")
}

// opener opens an engine for guests of so many bytes at most, 0 for the usual number. The test's end closes it.
type opener func(t testing.TB, heap int) *linear.Engine

// openers are the engines of guests in linear memory.
var openers = map[string]opener{
	"wasi": func(t testing.TB, heap int) *linear.Engine {
		e, err := wasi.New(wasi.Options{HeapBytes: heap, Spare: 1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e.Engine
	},
	"aot": func(t testing.TB, heap int) *linear.Engine {
		e, err := aot.New(aot.Options{HeapBytes: heap, Spare: 1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e.Engine
	},
}

// onEngines runs a test on each of them that this binary has.
func onEngines(t *testing.T, test func(t *testing.T, open opener)) {
	t.Helper()
	for name, open := range openers {
		if name == "aot" && aot.Missing() != nil && os.Getenv("CODECELL_AOT") != "required" {
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

const longEnough = 20 * time.Second

func limits(source string) engine.Begin {
	return engine.Begin{
		Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 1016, MaxTimers: 1000,
	}
}

// start opens a guest and takes its first step.
func start(t testing.TB, e engine.Engine, source string) (engine.Imager, *engine.Effects) {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	t.Cleanup(vm.Close)
	b := limits(source)
	effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
	require.NoError(t, err)
	return vm.(engine.Imager), effects
}

// resume answers the one request of the step before.
func resume(t testing.TB, vm engine.VM, before *engine.Effects, payload string) *engine.Effects {
	t.Helper()
	require.Len(t, before.Requests, 1)
	answers := []engine.Answer{{ID: before.Requests[0].ID, Payload: []byte(payload)}}
	effects, err := vm.Step(context.Background(), engine.AppendResume(nil, answers), longEnough)
	require.NoError(t, err)
	return effects
}

// keeper holds on to what is hard to copy by any other means (contract C9).
const keeper = `class C { #p = 7; get p() { return this.#p } static #s = Symbol("s"); static s = C.#s }
	function* g() { let x = 0; for (;;) x += yield x }
	const it = g(); it.next();
	const m = new Map([[C.s, new Set([1n << 70n])]]), d = new Date(5), c = new C(), r = /a(.)/y, w = new WeakMap([[c, "weak"]]);
	let resolve; const later = new Promise((f) => (resolve = f)).then((v) => v + 1);
	const bytes = new Uint8Array([1, 2, 3]).subarray(1);
	const first = await yield_control("one");
	it.next(10); resolve(41);
	const second = await yield_control("two");
	return [c.p, it.next(5).value, [...m.get(C.s)], d, r.exec("ab")[1], w.get(c), await later, [...bytes], first, second]`
