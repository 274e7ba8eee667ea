package bench

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// soakCells end in every way that a run can: with a value, waiting and resumed, waiting and abandoned, by the cell's
// own error, and by each limit. The costly ones come once a hundred or so.
var soakCells = []struct {
	code  string
	every int64
}{
	{`for (;;) {}`, 401},
	{`return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`, 307},
	{`const all = []; for (;;) all.push("x".repeat(1e5) + all.length)`, 103},
	{`return "x".repeat(1e6)`, 29},
	{`throw new TypeError("on purpose")`, 7},
	{`await yield_control(); return tools.tool_1({query: "b"})`, 5},
	{`text("a"); await Promise.all([1, 2, 3].map(() => tools.tool_0({query: "a"}))); return [...Array(1000).keys()]`, 1},
}

const (
	soakers = 8
	// Enough for every heap that will ever be needed to have been made and dirtied.
	warmup = 3000
	// More resident memory than this above that after the warm-up is a leak.
	soakGrowth = 48 << 20
)

// BenchmarkSoak runs that mix on several goroutines. Afterwards no heap may be in use, and memory and threads must be
// where they were after the warm-up, of the service and of its workers. make neighbours runs it for minutes.
func BenchmarkSoak(b *testing.B) {
	b.Run("thread", func(b *testing.B) { soakService(b, newService(b)) })
	b.Run("process", func(b *testing.B) { soakService(b, newIsolated(b)) })
}

func soakService(b *testing.B, s *service) {
	t := s.turn(b, turnRequest(50, `{"enabled":true,"timeoutMs":100,"memoryLimitBytes":16777216,"snapshotTtlSeconds":1}`))
	soak(b, s, t, warmup)
	before, workers := resident(b)
	threads := status(b, "Threads")
	b.ResetTimer()
	soak(b, s, t, b.N)
	b.StopTimer()
	// Whatever was abandoned goes with the turn.
	require.NoError(b, s.DropTurn("", t.ID()))
	require.Zero(b, s.Stats().Suspended)
	require.Zero(b, s.engine.Stats().InUse)
	runtime.GC()
	after, workersAfter := resident(b)
	b.ReportMetric(float64(after-before)/(1<<20), "MB-grown")
	b.ReportMetric(float64(workersAfter-workers)/(1<<20), "MB-grown-in-workers")
	require.Less(b, after-before, soakGrowth)
	require.Less(b, workersAfter-workers, soakGrowth)
	require.Less(b, status(b, "Threads"), threads+2*s.engine.Stats().Threads)
}

// BenchmarkSuspendSoak suspends runs, restores every one from its snapshot and lets it finish. Memory must be where it
// was after the warm-up, and nothing may be left.
func BenchmarkSuspendSoak(b *testing.B) {
	s := newService(b)
	t := s.turn(b, turnRequest(50, `{"enabled":true,"snapshot":{"resume":"restore"}}`))
	cycle := func(n int) {
		for range n {
			r, err := t.Exec(b.Context(), cell(`const kept = [1, 2]; await yield_control("later"); return kept.length`))
			id, _ := json.Marshal(must(b, bridge.Waiting, r, err).RunID)
			r, err = t.Wait(b.Context(), bridge.WaitInput{RunID: id})
			must(b, bridge.Completed, r, err)
		}
	}
	cycle(warmup)
	runtime.GC()
	before, _ := resident(b)
	b.ResetTimer()
	cycle(b.N)
	b.StopTimer()
	stats := s.Stats()
	require.Zero(b, stats.Suspended+stats.Parked+stats.Snapshots.Snapshots)
	require.Zero(b, stats.Snapshots.Bytes)
	require.EqualValues(b, warmup+b.N, stats.Offloads.Restored)
	runtime.GC()
	after, _ := resident(b)
	grown := after - before
	b.ReportMetric(float64(grown)/(1<<20), "MB-grown")
	require.Less(b, grown, soakGrowth)
}

// soak runs n cells.
func soak(b *testing.B, s *service, t *bridge.Turn, n int) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range soakers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := soakOne(b, s, t, i); err != nil {
					b.Errorf("cell %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// soakOne runs one cell. What its result says is the tests' business; here it only has to leave nothing behind. Of the
// runs that wait, some are left to expire.
func soakOne(b *testing.B, s *service, t *bridge.Turn, i int64) error {
	r, err := t.Exec(b.Context(), cell(soakCell(i)))
	if err != nil || r.Status != bridge.Waiting || i%3 == 0 {
		return err
	}
	id, err := json.Marshal(r.RunID)
	if err != nil {
		return err
	}
	_, err = t.Wait(b.Context(), bridge.WaitInput{RunID: id})
	return err
}

func soakCell(i int64) string {
	for _, c := range soakCells {
		if i%c.every == 0 {
			return c.code
		}
	}
	return ""
}

// status reads a number of this process from the kernel, such as Threads.
func status(b *testing.B, field string) int {
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			require.NoError(b, err)
			return n
		}
	}
	b.Fatalf("no %s in /proc/self/status", field)
	return 0
}

// resident returns the process's resident memory in bytes, and that of its workers.
func resident(b *testing.B) (self, workers int) {
	self, workers, err := Resident()
	require.NoError(b, err)
	return self, workers
}
