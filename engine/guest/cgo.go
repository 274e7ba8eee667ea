//go:build cgo

package guest

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo LDFLAGS: -lm -Wl,--wrap=gettimeofday -Wl,--wrap=localtime_r -Wl,--wrap=gmtime_r -Wl,--wrap=mktime -Wl,--wrap=__assert_fail -Wl,--wrap=abort -Wl,--wrap=lre_compile -Wl,--wrap=lre_exec -Wl,--wrap=lre_get_flags -Wl,--wrap=lre_get_groupnames
#include <stdlib.h>
#include "guest.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	// The engine itself: linking the module brings QuickJS-NG's objects into the binary.
	_ "github.com/buke/quickjs-go"
)

// Status says how a step ended.
type Status int

// The ways a step ends.
const (
	Done     Status = C.STEP_DONE
	Timeout  Status = C.STEP_TIMEOUT
	Stopped  Status = C.STEP_STOPPED
	Memory   Status = C.STEP_MEMORY
	Output   Status = C.STEP_OUTPUT
	HardStop Status = C.STEP_HARD_STOP
	Invalid  Status = C.STEP_INVALID
	Broken   Status = C.STEP_BROKEN
	Diverged Status = C.STEP_DIVERGED
)

// ControlSize is the number of bytes that a heap's Control needs, outside of the heap itself.
const ControlSize = int(C.sizeof_struct_control)

// Control is the host's side of one heap. It must lie in memory that neither moves nor is part of the heap. One
// goroutine at a time may use it, except for Stop and SendStop.
type Control C.struct_control

var installHardStop = sync.OnceValue(func() error {
	if e := C.hard_stop_install(); e != 0 {
		return fmt.Errorf("install the hard stop's signal handler: errno %d", int(e))
	}
	return nil
})

// compileSources makes bytecode of the runtime's own JavaScript, once for all heaps.
var compileSources = sync.OnceValue(func() error {
	for i, source := range Sources() {
		text := C.CString(source)
		ok := C.code_compile(C.int(i), text, C.size_t(len(source)))
		C.free(unsafe.Pointer(text))
		if !ok {
			return fmt.Errorf("compile the guest's own source %d", i)
		}
	}
	return keepTables()
})

// keepTables keeps the tables of constants for all guests, for as long as the process lives.
var keepTables = sync.OnceValue(func() error {
	for i, table := range Tables() {
		if !C.table_keep(C.int(i), C.CString(table), C.size_t(len(table))) {
			return fmt.Errorf("there is no place for table %d", i)
		}
	}
	return nil
})

// NewControl places a Control at p, which must be ControlSize zeroed bytes.
func NewControl(p unsafe.Pointer) *Control { return (*Control)(p) }

func (c *Control) c() *C.struct_control { return (*C.struct_control)(c) }

// Boot makes a heap in the zeroed memory at base. Afterwards Used says how many bytes the image of a fresh guest has.
func (c *Control) Boot(base unsafe.Pointer, size int) error {
	if err := installHardStop(); err != nil {
		return err
	}
	if err := compileSources(); err != nil {
		return err
	}
	r := C.guest_boot(c.c(), base, C.uint64_t(size), C.int(Eager))
	switch {
	case r < 0:
		return errors.New("boot a guest heap: the engine did not start; is the memory limit too small?")
	case r > 0:
		return fmt.Errorf("boot a guest heap: runtime source %d failed", int(r))
	}
	return nil
}

// Step executes one step; input and catalog are as the package describes. The guest may run for timeout, and grace
// later SendStop ends it even if it reacts to nothing else. Step must be called with the goroutine locked to its thread.
func (c *Control) Step(input, catalog []byte, timeout, grace time.Duration) Status {
	return Status(C.guest_step(c.c(), C.int64_t(timeout), C.int64_t(grace),
		(*C.uint8_t)(unsafe.SliceData(input)), C.uint64_t(len(input)),
		(*C.uint8_t)(unsafe.SliceData(catalog)), C.uint64_t(len(catalog))))
}

// Replay is Step for a step that was executed before: the guest's clock gives the reads of then, runs of equal ones. Beyond
// them the step ends as Diverged.
func (c *Control) Replay(input, catalog []byte, reads []ClockRun, timeout, grace time.Duration) Status {
	defer withReads(c.c(), reads)()
	return c.Step(input, catalog, timeout, grace)
}

// withReads has the guest's clock give the reads of a step that was executed before, until what it returns is called.
func withReads(c *C.struct_control, reads []ClockRun) (end func()) {
	runs := clockRuns(reads)
	var pin runtime.Pinner
	if len(runs) > 0 {
		pin.Pin(&runs[0])
		c.reads = &runs[0]
	}
	c.replayed, c.reads_len = 1, C.uint64_t(len(runs))
	return func() {
		c.replayed, c.reads, c.reads_len = 0, nil, 0
		pin.Unpin()
	}
}

func clockRuns(reads []ClockRun) []C.struct_clock_run {
	runs := make([]C.struct_clock_run, len(reads))
	for i, r := range reads {
		runs[i] = C.struct_clock_run{ms: C.int64_t(r.Millis), count: C.uint64_t(r.Count)}
	}
	return runs
}

// ClockRun is a number of clock reads in a row that got the same answer, in milliseconds.
type ClockRun struct {
	Millis int64
	Count  uint32
}

// Effects returns the records of the last step. They lie in the heap and are valid until its next step or reset.
func (c *Control) Effects() []byte {
	return unsafe.Slice((*byte)(c.out), int(c.out_len))
}

// Fault returns what the engine found broken in the step that ended as Broken.
func (c *Control) Fault() string { return C.GoString(c.broken) }

// Reset makes the heap a fresh guest again: image is a copy of its first bytes, taken after Boot. keep is how many
// bytes beyond the image are wiped in place; pages beyond them are returned to the system.
func (c *Control) Reset(image []byte, keep int) {
	C.guest_reset(c.c(), (*C.uint8_t)(unsafe.SliceData(image)), C.uint64_t(len(image)), C.uint64_t(keep))
}

// Footprint returns in how many bytes the heap differs from a fresh guest, not counting the last step's effects.
func (c *Control) Footprint(image []byte) int {
	return int(C.guest_footprint(c.c(), (*C.uint8_t)(unsafe.SliceData(image)), C.uint64_t(len(image))))
}

// Used returns the end of what was ever written to the heap since it was booted or reset, in bytes from its base.
func (c *Control) Used() int { return int(c.arena.high) }

// Arm takes back an earlier Stop. Call it before a step's Stop can be called.
func (c *Control) Arm() { c.stop, c.give_way = 0, 0 }

// Stop asks the running step to end; SendStop forces it. Any goroutine may call them.
func (c *Control) Stop() { C.guest_request_stop(c.c()) }

// GiveWay lowers the priority of the thread of a step under way so far that the kernel takes the processor from it whenever
// others want it, or raises it again. The thread does so itself, soon; at the end of the step it has its priority back. It
// reports whether there was a need to. Use it only if CanGiveWay.
func (c *Control) GiveWay(yes bool) bool {
	wanted := C.int(0)
	if yes {
		wanted = 1
	}
	return C.give_way_send(c.c(), wanted) != 0
}

// BeginLast lets the next step give way from its beginning. Call it after Arm.
func (c *Control) BeginLast() { c.give_way = 1 }

// Late says whether the step under way should have ended.
func (c *Control) Late() bool { return C.give_way_late(c.c()) != 0 }

// GaveWay says whether the thread's priority is lowered.
func (c *Control) GaveWay() bool { return c.gave_way != 0 }

// Thread is the kernel's number of the thread that executes a step, or has executed the last one.
func (c *Control) Thread() int { return int(c.thread) }

// SendStop sends the hard stop's signal to a step that is past its deadline and grace, or was stopped and goes on regardless. It reports whether
// there was such a step.
func (c *Control) SendStop() bool { return C.hard_stop_send(c.c()) != 0 }
