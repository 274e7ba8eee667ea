//go:build cgo

package aot

import (
	"errors"
	"runtime"
	"time"

	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/courtesy"
	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// machine is a guest's sandbox.
type machine struct {
	*guest.Sandbox
	control *guest.Control
	courtesy.Courtesy
}

var _ linear.Machine = (*machine)(nil)

func newMachine(pages uint32, raiser *courtesy.Raiser) (linear.Machine, error) {
	s, err := guest.NewSandbox(pages)
	if err != nil {
		return nil, err
	}
	return &machine{s, s.Control(), courtesy.Of(s.Control(), raiser)}, nil
}

// Call implements linear.Machine.
func (m *machine) Call(f linear.Function, clock *stepper.Reads, timeout time.Duration, args ...uint32) (uint32, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all guest.SandboxArgs
	copy(all[:], args)
	if clock == nil {
		return left(m.Sandbox.Call(int(f), all, timeout))
	}
	runs := make([]guest.ClockRun, len(clock.Runs()))
	for n, r := range clock.Runs() {
		runs[n] = guest.ClockRun(r)
	}
	return left(m.Replay(int(f), all, runs, timeout))
}

// left tells a status that the host gave from a trap of the guest's.
func left(result uint32, err error) (uint32, error) {
	var trap guest.Trap
	if errors.As(err, &trap) {
		if status, known := trap.Status(); known {
			return 0, linear.Left(status)
		}
	}
	return result, err
}

// Freshen implements linear.Machine.
func (m *machine) Freshen(deep bool) bool {
	m.Sandbox.Freshen(deep)
	return true
}

// Arm implements linear.Machine.
func (m *machine) Arm() {
	m.control.Arm()
	m.Begin()
}

// Stop implements linear.Machine.
func (m *machine) Stop() { m.control.Stop() }

// Close implements linear.Machine.
func (m *machine) Close() { m.Free() }
