//go:build cgo

package native

import (
	"fmt"
	"syscall"
)

// minStack is what a thread's stack needs for a guest's own limit of 1 MiB, what the engine puts on top of that before
// it looks, and the frames below.
const minStack = 2 << 20

// checkStack makes sure that a guest meets its stack limit, a RangeError that it can catch, before the thread meets the
// end of its stack. New threads get the process's limit.
func checkStack() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &limit); err != nil {
		return fmt.Errorf("read the stack limit: %w", err)
	}
	if limit.Cur < minStack {
		return fmt.Errorf("threads have stacks of %d bytes and guests need %d: raise the limit (ulimit -s 8192)", limit.Cur, minStack)
	}
	return nil
}
