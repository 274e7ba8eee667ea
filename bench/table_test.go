package bench

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/codecell/codecell/engine/worker"
)

// table collects what the benchmarks measured, one row each, in the order in which they first ran.
var table = struct {
	order []string
	rows  map[string]string
}{rows: map[string]string{}}

// row sets what is shown for a measurement. A benchmark runs several times, each longer than the last; the last one
// counts.
func row(what, format string, values ...any) {
	if _, known := table.rows[what]; !known {
		table.order = append(table.order, what)
	}
	table.rows[what] = fmt.Sprintf(format, values...)
}

// each sets a row to the time that one of n operations took.
func each(what string, took time.Duration, n int) {
	row(what, "%.1f µs", float64(took.Nanoseconds())/float64(n)/1e3)
}

// TestMain prints the table in Markdown, ready for README. Started as a worker, the test's binary is one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asWorker {
		if err := worker.Serve(openEngine); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	status := m.Run()
	if len(table.order) > 0 {
		fmt.Printf("\n%d cores, %s/%s, %s\n\n| what | measured |\n|---|---|\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	}
	for _, what := range table.order {
		fmt.Printf("| %s | %s |\n", what, table.rows[what])
	}
	os.Exit(status)
}
