//go:build cgo

package native

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// process is what the process holds: what must not grow with the number of runs.
type process struct{ threads, files, rssKB int }

func measure(t *testing.T) process {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	field := func(name string) int {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		require.NoError(t, err)
		return n
	}
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return process{field("Threads"), len(files), field("VmRSS")}
}

// mixed runs one cell of a mixture in which most complete and each way to end otherwise occurs.
func mixed(t *testing.T, e *Engine, i int) {
	cell, timeout := `return {n: [1, 2, 3].map(x => x * 2)}`, longEnough
	switch {
	case i%500 == 499:
		cell, timeout = `for (;;);`, time.Millisecond
	case i%997 == 996:
		cell, timeout = `new Array(2 ** 32 - 1).join("")`, time.Millisecond
	case i%10 == 1:
		cell = `throw new Error("x")`
	case i%50 == 2:
		cell = `const a = []; for (;;) a.push({})`
	case i%10 == 3:
		cell = `await tools.call("x"); return 1`
	case i%10 == 4:
		cell = `return new URL("http://h/" + "x".repeat(1000)).href.length`
	}
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	b := limits(cell)
	b.MemoryLimit = 2 << 20
	effects, err := vm.Step(context.Background(), b.Append(nil), timeout)
	require.True(t, err == nil || errors.Is(err, engine.ErrTimeout) || errors.Is(err, engine.ErrMemory), "%v", err)
	if err == nil && len(effects.Requests) == 1 && i%20 == 3 {
		resume(t, vm, engine.Answer{ID: effects.Requests[0].ID, Payload: []byte("1")})
	}
}

func TestNothingLeaks(t *testing.T) {
	e := newEngine(t, Options{Heaps: 4})
	for i := range 1000 {
		mixed(t, e, i)
	}
	before, heaps := measure(t), e.Stats().Heaps
	for i := range 10000 {
		mixed(t, e, i)
	}
	after := measure(t)
	t.Logf("before %+v, after %+v", before, after)
	t.Run("H2 heaps", func(t *testing.T) {
		require.Equal(t, heaps, e.Stats().Heaps)
		require.Zero(t, e.Stats().InUse)
	})
	t.Run("H5 threads", func(t *testing.T) { require.LessOrEqual(t, after.threads, before.threads+2) })
	t.Run("H5 descriptors", func(t *testing.T) { require.LessOrEqual(t, after.files, before.files) })
	t.Run("H2 memory", func(t *testing.T) {
		require.LessOrEqual(t, after.rssKB, before.rssKB+12<<10, "a little over 1 kB a run would show")
	})
}

func TestHammer(t *testing.T) {
	e := newEngine(t, Options{Heaps: 4, Threads: 3, Queue: 8, Warm: 1})
	cells := []string{
		`return 1`, `await tools.call("x"); return 2`, `for (;;);`, `new Array(2 ** 32 - 1).join("")`, `const a = []; for (;;) a.push([])`,
		`for (let i = 0; i < 1e5; i++); return structuredClone({a: 1})`, `throw null`, `text("x".repeat(1e4)); yield_control(); return 3`,
	}
	var done, refused atomic.Int64
	var group sync.WaitGroup
	for g := range 64 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for runs := 0; runs < 10; {
				vm, err := e.NewVM(nil)
				if err != nil {
					refused.Add(1)
					time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
					continue
				}
				hammer(t, vm, random, cells[random.IntN(len(cells))])
				done.Add(1)
				runs++
			}
		})
	}
	group.Wait()
	t.Logf("%d runs, %d refused", done.Load(), refused.Load())
	require.Equal(t, int64(640), done.Load())
	stats := e.Stats()
	require.LessOrEqual(t, stats.Heaps, 4)
	require.Equal(t, engine.Stats{Heaps: stats.Heaps, Threads: 3}, stats)
	require.Equal(t, "2", value(t, e, "return 2"))
}

// hammer takes a run's first steps with an interrupt or an end of the caller's context at a random time.
func hammer(t *testing.T, vm engine.VM, random *rand.Rand, cell string) {
	defer vm.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(20))*time.Millisecond)
	defer cancel()
	after := time.Duration(random.IntN(8000)) * time.Microsecond
	timer := time.AfterFunc(after, vm.Interrupt)
	defer timer.Stop()
	b := limits(cell)
	b.MemoryLimit = 4 << 20
	effects, err := vm.Step(ctx, b.Append(nil), time.Duration(1+random.IntN(10))*time.Millisecond)
	for err == nil && effects.Main.State == engine.Pending && len(effects.Requests) > 0 {
		a := engine.Answer{ID: effects.Requests[0].ID, Payload: []byte("1")}
		effects, err = vm.Step(ctx, engine.AppendResume(nil, []engine.Answer{a}), 10*time.Millisecond)
	}
	switch {
	case err == nil, errors.Is(err, engine.ErrTimeout), errors.Is(err, engine.ErrStopped), errors.Is(err, engine.ErrMemory),
		errors.Is(err, engine.ErrOverloaded):
	default:
		t.Errorf("%s: %v", cell, err)
	}
}

func TestOverload(t *testing.T) {
	t.Run("H5 no heap is an answer at once", func(t *testing.T) {
		e := newEngine(t, Options{Heaps: 1})
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		_, err = e.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrOverloaded)
	})
	t.Run("H5 a full queue turns new runs away, and lets those go on that have begun", func(t *testing.T) {
		e := newEngine(t, Options{Threads: 1, Queue: 1, Warm: 4})
		begun, first := start(t, e, limits(`await tools.echo(); return 1`))
		defer begun.Close()
		busy, waiting, late := open(t, e), open(t, e), open(t, e)
		var group sync.WaitGroup
		defer group.Wait()
		defer busy.Interrupt()
		loop, short := limits(`for (;;);`), limits(`return 1`)
		group.Go(func() { _, _ = busy.Step(context.Background(), loop.Append(nil), longEnough) })
		require.Eventually(t, func() bool { return e.Stats().Running == 1 }, longEnough, time.Millisecond)
		group.Go(func() { _, _ = waiting.Step(context.Background(), short.Append(nil), longEnough) })
		require.Eventually(t, func() bool { return e.Stats().Queued == 1 }, longEnough, time.Millisecond)
		_, err := late.Step(context.Background(), short.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_, err = begun.Step(ctx, engine.AppendResume(nil, []engine.Answer{{ID: first.Requests[0].ID, Payload: []byte("1")}}), longEnough)
		require.ErrorIs(t, err, engine.ErrStopped, "it waited as long as its caller did")
	})
}

// open opens a guest that the test's end closes.
func open(t *testing.T, e *Engine) engine.VM {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	t.Cleanup(vm.Close)
	return vm
}

func TestClose(t *testing.T) {
	e, err := New(Options{Warm: 2})
	require.NoError(t, err)
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	require.ErrorContains(t, e.Close(), "1 guests are still open")
	vm.Close()
	require.NoError(t, e.Close())
	require.Zero(t, e.Stats().Heaps)
}
