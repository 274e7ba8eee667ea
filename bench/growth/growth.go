package growth

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// factor is how many times larger the larger of two things is.
	factor = 8
	// most is how many times as much it may cost. What is quadratic costs sixty-four times as much, which leaves room for
	// caches, for logarithms, and for who else uses the machine.
	most = 24
	// tries is how often both are measured until they are in proportion: others use the machine too.
	tries = 10
	// Costs below these are those of anything, however small it is.
	leastTime  = 50 * time.Microsecond
	leastBytes = 128 << 10 // a small thing may find a buffer that is kept for use again, a large one never does
)

// Linear holds the work that prepare returns for something of size n to what it costs for one of 8 n: processor time, of
// whichever goroutines, and memory that is allocated. What prepare does itself is not counted. It is called several times.
func Linear(t testing.TB, n int, prepare func(n int) func()) {
	t.Helper()
	if times, ok := compare(n, prepare, bytesOf, leastBytes); !ok {
		t.Errorf("%d times as large, it allocated %.1f times as much", factor, times)
	}
	if times, ok := compare(n, prepare, timeOf, float64(leastTime)); !ok {
		t.Errorf("%d times as large, it took %.1f times as long", factor, times)
	}
}

// compare says how many times as much the larger of two things costs, and whether that is in proportion.
func compare(n int, prepare func(n int) func(), cost func(func()) float64, least float64) (times float64, ok bool) {
	small, large := math.Inf(1), math.Inf(1)
	for range tries {
		small, large = min(small, max(cost(prepare(n)), least)), min(large, cost(prepare(factor*n)))
		if times = large / small; times <= most {
			return times, true
		}
	}
	return times, false
}

// timeOf is how long this process has a processor while work is done, without the collector: whether that runs in between is a
// matter of luck, and what it has to collect is compared by bytesOf.
func timeOf(work func()) float64 {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := processorTime()
	work()
	return float64(processorTime() - before)
}

func processorTime() time.Duration {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now) // fails for no clock that exists
	return time.Duration(now.Nano())
}

// bytesOf is how many bytes are allocated while work is done.
func bytesOf(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
