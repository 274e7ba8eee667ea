// Package thread executes a step on a thread of its own and measures it by two clocks.
//
// It knows neither guests nor how many steps are executed at once.
package thread

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Took is how long a step took.
type Took struct {
	Wall time.Duration // from begin to end
	CPU  time.Duration // of which the thread had a processor
}

// Run calls step on the goroutine's thread, locked: handing a step to another thread would take longer than most steps,
// and a heap that is inside a step is bound to the stack that it runs on.
func Run(step func()) Took {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cpu, wall := processor(), time.Now()
	step()
	took := Took{Wall: time.Since(wall)}
	// The two clocks are read one after the other: the thread can't have had more than all of the time.
	took.CPU = min(processor()-cpu, took.Wall)
	return took
}

// processor is how long this thread has had a processor since it began.
func processor() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // fails for no clock that exists
	return time.Duration(t.Nano())
}
