//go:build cgo

package courtesy

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/guest"
)

const (
	// A step takes long once it has had a processor for this long.
	longStep = time.Millisecond
	// A step that gave way must have had a tenth of a processor after this long.
	starvedAfter = 100 * time.Millisecond
	// If it had not, it gives way no more for this long.
	sparedFor = 100 * time.Millisecond
	// UnheardAfter is how long a thread has to raise its priority itself, before it is helped.
	UnheardAfter = 3 * time.Millisecond
)

// Courtesy is how the steps of one guest give way. Between Begin and a step's end it belongs to whoever calls GiveWay.
type Courtesy struct {
	control *guest.Control
	raiser  *Raiser

	looked      bool
	used        time.Duration // processor time of its thread when it was looked at first
	since       time.Time     // it gives way, or zero
	usedSince   time.Duration
	sparedUntil time.Time
	called      time.Time // it is to have its usual priority again, or zero
}

// Of returns the courtesy of a guest's steps.
func Of(control *guest.Control, raiser *Raiser) Courtesy {
	return Courtesy{control: control, raiser: raiser}
}

// Begin prepares it for a step.
func (c *Courtesy) Begin() { *c = Of(c.control, c.raiser) }

// Raiser raises the priorities of threads. The zero Raiser does so itself.
type Raiser struct {
	by atomic.Pointer[func(thread int)]
}

// By sets what does so instead, given the kernel's number of a thread; nil: nothing does.
func (r *Raiser) By(raise func(thread int)) {
	if raise == nil {
		r.by.Store(nil)
		return
	}
	r.by.Store(&raise)
}

func (r *Raiser) raise(thread int) {
	if by := r.by.Load(); by != nil {
		(*by)(thread)
		return
	}
	setPolicy(thread, unix.SCHED_NORMAL) // which a sandboxed process can't
}

// BeginLast lets the next step give way from its beginning.
func (c *Courtesy) BeginLast() {
	c.looked = true
	if Possible() {
		c.control.BeginLast()
	}
}

// GiveWay lets a step under way give way, or not any more. It is called again and again.
func (c *Courtesy) GiveWay(yes bool) {
	switch {
	case !c.looked:
		c.looked, c.used = true, threadTime(c.control.Thread())
	case !Possible() || yes && threadTime(c.control.Thread())-c.used < longStep:
	default:
		now := time.Now()
		yes = yes && !c.control.Late() && !c.starved(now)
		c.control.GiveWay(yes)
		c.HelpBack(yes, now)
	}
}

// HelpBack raises the priority of a thread that was to do so itself and did not get there.
func (c *Courtesy) HelpBack(givesWay bool, now time.Time) {
	switch {
	case givesWay || !c.control.GaveWay():
		c.called = time.Time{}
	case c.called.IsZero():
		c.called = now
	case now.Sub(c.called) >= UnheardAfter:
		c.called = now
		c.raiser.raise(c.control.Thread())
	}
}

// starved says whether a step that gives way had next to nothing of the processor, now or a while ago.
func (c *Courtesy) starved(now time.Time) bool {
	switch {
	case now.Before(c.sparedUntil):
		return true
	case c.since.IsZero():
	case now.Sub(c.since) < starvedAfter:
		return false
	case (threadTime(c.control.Thread())-c.usedSince)*10 < now.Sub(c.since):
		c.since, c.sparedUntil = time.Time{}, now.Add(sparedFor)
		return true
	}
	c.since, c.usedSince = now, threadTime(c.control.Thread())
	return false
}

// threadTime is how long a thread of this process has had a processor.
func threadTime(thread int) time.Duration {
	const perThread, scheduled = 4, 2 // see CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of the kernel
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^thread)<<3|perThread|scheduled, &t) // fails for no thread that is inside a step
	return time.Duration(t.Nano())
}

// Possible says whether this process may lower the priority of a thread and raise it again: the kernel wants CAP_SYS_NICE
// or an RLIMIT_NICE of 20 for that. It tries on a thread that is thrown away if it may not.
var Possible = sync.OnceValue(func() bool {
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

// Report says what an operator should know.
func Report() []string {
	if Possible() {
		return nil
	}
	return []string{"cells that compute for long keep short ones waiting: the kernel lets the service lower no thread's priority and raise it again; grant CAP_SYS_NICE, or a limit on nice of 20"}
}

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
