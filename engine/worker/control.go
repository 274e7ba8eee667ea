package worker

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
)

const (
	// How often a worker is pinged, and for how long its answer may be missing.
	heartbeatInterval = time.Second
	heartbeatTimeout  = 15 * time.Second
	// How long a closed guest keeps its heap when no request carries its number to the worker, and how many such guests
	// may wait.
	maxCloseDelay = 10 * time.Millisecond
	maxClosing    = 64
)

// closing are the guests that the worker has not been told to close yet.
type closing struct {
	sync.Mutex
	guests []uint64
	timer  bool // one is set that sends them
}

// scheduleClose lets the worker close a guest soon: with the next request, or after maxCloseDelay.
func (p *process) scheduleClose(guest uint64) {
	c := &p.closing
	c.Lock()
	c.guests = append(c.guests, guest)
	flush := len(c.guests) >= maxClosing
	arm := !flush && !c.timer
	c.timer = c.timer || arm
	c.Unlock()
	switch {
	case flush:
		p.ping()
	case arm:
		time.AfterFunc(maxCloseDelay, func() {
			c.Lock()
			c.timer = false
			left := len(c.guests) > 0
			c.Unlock()
			if left {
				p.ping()
			}
		})
	}
}

// takeClosing returns the guests that are to be closed. The caller sends them.
func (p *process) takeClosing() []uint64 {
	c := &p.closing
	c.Lock()
	defer c.Unlock()
	guests := c.guests
	c.guests = nil
	return guests
}

// ping asks for a heartbeat, and carries the guests that are to be closed.
func (p *process) ping() {
	p.sendControl(func(b []byte) []byte { return appendGuests(b, p.takeClosing()) }, controlPing)
}

func (p *process) interrupt(guest uint64) {
	p.sendControl(func(b []byte) []byte { return wire.U64(b, guest) }, controlInterrupt)
}

// sendControl writes to the control stream. Errors are left alone: a worker that does not read misses its heartbeats.
func (p *process) sendControl(body func([]byte) []byte, kind byte) {
	p.controlMu.Lock()
	defer p.controlMu.Unlock()
	if p.hasExited() {
		return
	}
	_ = p.control.SetWriteDeadline(time.Now().Add(replyTimeout))
	if err := p.control.WriteFrame(body(p.control.NewFrame(kind))); errors.Is(err, os.ErrDeadlineExceeded) {
		p.kill(exitReason{crashed: true, text: "it does not read"})
	}
}

// readControl reads heartbeats until the worker has exited.
func (p *process) readControl(control *frame.Conn) {
	for {
		kind, body, err := control.ReadFrame(maxControl)
		r := read(body)
		switch {
		case err == nil && kind == controlPong:
			p.heaps.Store(int64(min(r.U32(), 1<<20)))
			p.lastHeartbeat.Store(int64(time.Since(p.born)))
		case err == nil && kind == controlRaise:
			p.raise(int(r.U32()))
		case err == nil:
			r.Fail()
		}
		if err == nil {
			err = r.err()
		}
		if err != nil {
			if errors.Is(err, frame.ErrProtocol) {
				p.protocolViolation(err)
			}
			_ = p.awaitExit()
			return
		}
	}
}

// raise gives a thread of the worker its usual priority. Nothing happens if it has none such, or if the kernel does not let us.
func (p *process) raise(thread int) {
	if _, err := os.Stat("/proc/" + strconv.Itoa(p.PID()) + "/task/" + strconv.Itoa(thread)); err != nil {
		return
	}
	var none int32 // priority
	_, _, _ = unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(thread), unix.SCHED_NORMAL, uintptr(unsafe.Pointer(&none)))
}

// missedHeartbeat says that the last heartbeat is too long ago.
func (p *process) missedHeartbeat() bool {
	return time.Since(p.born)-time.Duration(p.lastHeartbeat.Load()) > heartbeatTimeout
}
