//go:build cgo

package native

import (
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A step that takes long gives way to shorter ones: see engine/guest/priority.c. Where the machine is so busy that it would
// not get anywhere, it has its usual priority for half of the time, and when it is to end. A thread that gets no processor
// can't raise its own priority: somebody else does.

const (
	// A step takes long once it has had a processor for this long.
	longStep = time.Millisecond
	// A step that gave way must have had a tenth of a processor after this long.
	starvedAfter = 100 * time.Millisecond
	// If it had not, it gives way no more for this long.
	sparedFor = 100 * time.Millisecond
	// A thread that has not raised its priority itself after this long is helped.
	unheardAfter = 3 * time.Millisecond
)

// courtesy is how a step under way gives way. Between Arm and the step's end it belongs to whoever calls GiveWay.
type courtesy struct {
	looked      bool
	used        time.Duration // processor time of its thread when it was looked at first
	since       time.Time     // it gives way, or zero
	usedSince   time.Duration
	sparedUntil time.Time
	called      time.Time // it is to have its usual priority again, or zero
}

// BeginLast implements stepper.Yielding.
func (h *heap) BeginLast() {
	h.courtesy.looked = true
	if canGiveWay() {
		h.control.BeginLast()
	}
}

// GiveWay implements stepper.Yielding.
func (h *heap) GiveWay(yes bool) {
	c := &h.courtesy
	switch {
	case !c.looked:
		c.looked, c.used = true, threadTime(h.control.Thread())
	case !canGiveWay() || yes && threadTime(h.control.Thread())-c.used < longStep:
	default:
		now := time.Now()
		yes = yes && !h.control.Late() && !h.starved(now)
		h.control.GiveWay(yes)
		h.helpBack(yes, now)
	}
}

// helpBack raises the priority of a thread that was to do so itself and did not get there.
func (h *heap) helpBack(givesWay bool, now time.Time) {
	c := &h.courtesy
	switch {
	case givesWay || !h.control.GaveWay():
		c.called = time.Time{}
	case c.called.IsZero():
		c.called = now
	case now.Sub(c.called) >= unheardAfter:
		c.called = now
		raise := raiseThread
		if by := h.raise.Load(); by != nil {
			raise = *by
		}
		raise(h.control.Thread())
	}
}

// raiseThread gives a thread of this process its usual priority. A sandboxed process can't.
func raiseThread(thread int) { setPolicy(thread, unix.SCHED_NORMAL) }

// RaiseBy implements engine.Yielder.
func (e *Engine) RaiseBy(raise func(thread int)) { e.heaps.raise.Store(&raise) }

// starved says whether a step that gives way had next to nothing of the processor, now or a while ago.
func (h *heap) starved(now time.Time) bool {
	c := &h.courtesy
	switch {
	case now.Before(c.sparedUntil):
		return true
	case c.since.IsZero():
	case now.Sub(c.since) < starvedAfter:
		return false
	case (threadTime(h.control.Thread())-c.usedSince)*10 < now.Sub(c.since):
		c.since, c.sparedUntil = time.Time{}, now.Add(sparedFor)
		return true
	}
	c.since, c.usedSince = now, threadTime(h.control.Thread())
	return false
}

// threadTime is how long a thread of this process has had a processor.
func threadTime(thread int) time.Duration {
	const perThread, scheduled = 4, 2 // see CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of the kernel
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^thread)<<3|perThread|scheduled, &t) // fails for no thread that is inside a step
	return time.Duration(t.Nano())
}

// canGiveWay says whether this process may lower the priority of a thread and raise it again: the kernel wants CAP_SYS_NICE
// or an RLIMIT_NICE of 20 for that. It tries on a thread that is thrown away if it may not.
var canGiveWay = sync.OnceValue(func() bool {
	result := make(chan bool)
	go func() {
		runtime.LockOSThread()
		ok := policy() == unix.SCHED_NORMAL && setPolicy(0, unix.SCHED_IDLE) && setPolicy(0, unix.SCHED_NORMAL)
		if ok {
			runtime.UnlockOSThread()
		}
		result <- ok
	}()
	return <-result
})

func policy() int {
	policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	return int(policy)
}

// setPolicy sets the policy of a thread, 0 for the calling one.
func setPolicy(thread, policy int) bool {
	var none int32
	_, _, errno := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(thread), uintptr(policy), uintptr(unsafe.Pointer(&none)))
	return errno == 0
}
