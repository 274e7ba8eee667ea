//go:build cgo

package native

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
)

const (
	page = 4096
	// Beyond the image, this much of a heap is wiped in place on reset; the rest goes back to the system.
	keepBytes = 512 << 10
	// The hard stop comes this long after the deadline: the interrupt handler, which most loops reach, is first.
	grace = 25 * time.Millisecond
	// If the kernel was slow to deliver it, it is sent again.
	kickAgain = 10 * time.Millisecond
)

// heap is one address range: a page for the control, which no guest can reach, then the guest's heap. It belongs
// to one run at a time.
type heap struct {
	mapping []byte
	control *guest.Control
	image   []byte
	spoiled bool // a step was left in the middle: only a reset makes the heap usable
	running atomic.Bool
	taken   atomic.Bool // by a run
	listed  atomic.Bool // on the pool's list
	alarm   *time.Timer
}

// newHeap reserves an address range for a heap of size bytes and boots a guest in it. Memory is taken only as it
// is touched.
func newHeap(size int) (*heap, error) {
	mapping, err := syscall.Mmap(-1, 0, page+size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space for a guest heap: %w", size, err)
	}
	h := &heap{mapping: mapping, control: guest.NewControl(unsafe.Pointer(&mapping[0]))}
	if err := h.control.Boot(unsafe.Pointer(&mapping[page]), size); err != nil {
		_ = syscall.Munmap(mapping)
		return nil, err
	}
	used := (h.control.Used() + 15) &^ 15
	h.image = append(make([]byte, 0, used), mapping[page:page+used]...)
	h.alarm = time.AfterFunc(time.Hour, h.kick)
	h.alarm.Stop()
	return h, nil
}

// kick ends a deaf step. It runs on the timer's goroutine, while another one is inside the step.
func (h *heap) kick() {
	if !h.running.Load() {
		return
	}
	h.control.Kick()
	h.alarm.Reset(kickAgain)
}

// stop ends the running step early.
func (h *heap) stop() {
	h.control.Stop()
	h.alarm.Reset(grace)
}

// step takes a step on the caller's thread.
func (h *heap) step(input, catalog []byte, timeout time.Duration) guest.Status {
	return h.watch(timeout, func() guest.Status { return h.control.Step(input, catalog, timeout, grace) })
}

// replay executes a step that was executed before, on the caller's thread.
func (h *heap) replay(input, catalog []byte, clock []engine.ClockRun, timeout time.Duration) guest.Status {
	reads := make([]guest.ClockRun, len(clock))
	for i, r := range clock {
		reads[i] = guest.ClockRun(r)
	}
	return h.watch(timeout, func() guest.Status { return h.control.Replay(input, catalog, reads, timeout, grace) })
}

// watch sees to it that a step ends.
func (h *heap) watch(timeout time.Duration, step func() guest.Status) guest.Status {
	h.running.Store(true)
	h.alarm.Reset(timeout + grace)
	status := step()
	h.running.Store(false)
	h.alarm.Stop()
	h.spoiled = status != guest.Done
	return status
}

func (h *heap) reset() {
	h.control.Reset(h.image, keepBytes)
	h.spoiled = false
}

func (h *heap) free() {
	h.alarm.Stop()
	_ = syscall.Munmap(h.mapping)
}
