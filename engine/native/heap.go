//go:build cgo

package native

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/courtesy"
)

const (
	page = 4096
	// Beyond the image, this much of a heap is wiped in place on reset; the rest is returned to the system.
	keepBytes = 512 << 10
	// The hard stop comes this long after the deadline: the interrupt handler, which most loops call, ends them first.
	grace = 25 * time.Millisecond
	// The kernel may be slow to deliver the signal: it is sent again after this.
	resendStop = 10 * time.Millisecond
)

// heap is one address range: a page for the control, which no guest can reach, then the guest's heap. It belongs to one
// run at a time.
type heap struct {
	mapping []byte
	control *guest.Control
	image   []byte
	status  guest.Status // of the last step
	running atomic.Bool
	stopped atomic.Bool // the step is to end soon
	taken   atomic.Bool // by a run
	listed  atomic.Bool // on the pool's list
	alarm   *time.Timer

	courtesy.Courtesy
}

// newHeap reserves an address range for a heap of size bytes and boots a guest in it. Memory is taken only as it is
// touched.
func newHeap(size int, raiser *courtesy.Raiser) (*heap, error) {
	mapping, err := syscall.Mmap(-1, 0, page+size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space for a guest heap: %w", size, err)
	}
	h := &heap{mapping: mapping, control: guest.NewControl(unsafe.Pointer(&mapping[0]))}
	h.Courtesy = courtesy.Of(h.control, raiser)
	if err := h.control.Boot(unsafe.Pointer(&mapping[page]), size); err != nil {
		_ = syscall.Munmap(mapping)
		return nil, err
	}
	used := (h.control.Used() + 15) &^ 15
	h.image = append(make([]byte, 0, used), mapping[page:page+used]...)
	h.alarm = time.AfterFunc(time.Hour, h.sendStop)
	h.alarm.Stop()
	return h, nil
}

// sendStop ends a step that reacts to nothing else. It runs on the timer's goroutine, while another one is inside the
// step.
func (h *heap) sendStop() {
	if !h.running.Load() {
		return
	}
	h.control.SendStop()
	h.alarm.Reset(resendStop)
}

// Arm implements stepper.Heap.
func (h *heap) Arm() {
	h.stopped.Store(false)
	h.Begin()
	h.control.Arm()
}

// Stop implements stepper.Heap. To be asked again does not give the step more time.
func (h *heap) Stop() {
	if h.stopped.Swap(true) {
		return
	}
	h.control.Stop()
	h.alarm.Reset(grace)
}

// Effects implements stepper.Heap.
func (h *heap) Effects() ([]byte, error) {
	raw := bytes.Clone(h.control.Effects())
	if h.status == guest.Broken {
		return raw, fmt.Errorf("%w: %s", engine.ErrBroken, h.control.Fault())
	}
	return raw, statusErrors[h.status]
}

var statusErrors = map[guest.Status]error{
	guest.Timeout:  engine.ErrTimeout,
	guest.HardStop: engine.ErrTimeout,
	guest.Stopped:  engine.ErrStopped,
	guest.Memory:   engine.ErrMemory,
	guest.Output:   engine.ErrOutput,
	guest.Invalid:  engine.ErrProtocol,
	guest.Diverged: engine.ErrDiverged,
}

// step executes a step on the caller's thread.
func (h *heap) step(input, catalog []byte, timeout time.Duration) {
	h.watch(timeout)
	h.finished(h.control.Step(input, catalog, timeout, grace))
}

// replay executes a step that was executed before, on the caller's thread.
func (h *heap) replay(input, catalog []byte, clock []engine.ClockRun, timeout time.Duration) {
	reads := make([]guest.ClockRun, len(clock))
	for i, r := range clock {
		reads[i] = guest.ClockRun(r)
	}
	h.watch(timeout)
	h.finished(h.control.Replay(input, catalog, reads, timeout, grace))
}

// watch sees to it that the step that begins now ends.
func (h *heap) watch(timeout time.Duration) {
	h.running.Store(true)
	h.alarm.Reset(timeout + grace)
	if h.stopped.Load() {
		h.alarm.Reset(grace) // Stop came first, and its alarm was put off above
	}
}

func (h *heap) finished(status guest.Status) {
	h.running.Store(false)
	h.alarm.Stop()
	h.status = status
}

func (h *heap) reset() {
	h.control.Reset(h.image, keepBytes)
	h.status = guest.Done
}

func (h *heap) free() {
	h.alarm.Stop()
	_ = syscall.Munmap(h.mapping)
}
