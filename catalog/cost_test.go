package catalog

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// cost is the processor time that f takes, which is the same on a machine that is busy with something else.
func cost(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := processor()
	f()
	return processor() - before
}

// processor is how long this thread has had a processor since it began.
func processor() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // fails for no clock that exists
	return time.Duration(t.Nano())
}
