//go:build cgo

package guest

/*
#include "sandbox_host.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// Sandbox is a guest on WebAssembly that was compiled ahead of time: one linear memory with the code that works on it. One
// goroutine at a time may use it, except for what its Control says.
type Sandbox struct{ c *C.struct_sandbox }

// SandboxModule returns the SHA-256, in hexadecimal, of the module that the linked code was made of; empty if none was linked.
func SandboxModule() string { return C.GoString(C.sandbox_module()) }

// Reasons for which there can be no sandbox.
var (
	ErrNoSandboxCode = errors.New("this binary was built without the guest that is compiled ahead of time: run `make guest`, with wabt's wasm2c and a C compiler, before the build")
	ErrNoSandbox     = errors.New("guests that are compiled ahead of time run on Linux on amd64 only, from Linux 5.9 on, on processors with FSGSBASE")
)

// SandboxMissing is why this binary can make no sandbox, nil if it can.
func SandboxMissing() error {
	switch {
	case C.sandbox_supported() == 0:
		return ErrNoSandbox
	case SandboxModule() == "":
		return ErrNoSandboxCode
	}
	return nil
}

var openSandboxes = sync.OnceValue(func() error {
	if err := installHardStop(); err != nil {
		return err
	}
	if e := C.sandbox_open(); e != 0 {
		return fmt.Errorf("install the handler of faults: errno %d", int(e))
	}
	return keepTables()
})

// NewSandbox makes a sandbox whose memory is as the module says, and can grow to so many pages.
func NewSandbox(maxPages uint32) (*Sandbox, error) {
	if err := SandboxMissing(); err != nil {
		return nil, err
	}
	if err := openSandboxes(); err != nil {
		return nil, err
	}
	s := C.sandbox_new(C.uint32_t(maxPages))
	if s == nil {
		return nil, errors.New("no address space for a guest: it takes 8 GiB, of which little becomes memory")
	}
	return &Sandbox{s}, nil
}

var keepCode sync.Mutex

// KeepSandboxCode keeps the code of one of the runtime's Sources for the guests of all sandboxes. It is the same each time.
func KeepSandboxCode(index int, code []byte) {
	keepCode.Lock()
	defer keepCode.Unlock()
	C.sandbox_keep_code(C.int(index), (*C.uint8_t)(unsafe.SliceData(code)), C.uint64_t(len(code)))
}

// Memory returns the guest's memory. It stays where it is, and is gone after Free.
func (s *Sandbox) Memory() []byte {
	return unsafe.Slice((*byte)(s.c.memory), int(s.c.memory_bytes))
}

// Grow makes the memory larger by so many pages of 64 KiB, and says whether it could.
func (s *Sandbox) Grow(pages uint32) bool { return C.sandbox_grow(s.c, C.uint32_t(pages)) != 0 }

// Constant returns the part of the memory that can't be written to, neither by the guest nor by the host.
func (s *Sandbox) Constant() (from, to uint32) {
	return uint32(C.sandbox_constant_from()), uint32(C.sandbox_constant_to())
}

// Control is the host's side of the function that is under way.
func (s *Sandbox) Control() *Control { return (*Control)(&s.c.step) }

// Freshen prepares the sandbox for another guest; deep says that the last one recursed deeply. Memory is the caller's matter.
func (s *Sandbox) Freshen(deep bool) {
	d := C.int(0)
	if deep {
		d = 1
	}
	C.sandbox_freshen(s.c, d)
}

// SandboxArgs are the arguments of a function, as many as it has.
type SandboxArgs [C.SANDBOX_ARGS]uint32

// Call calls a function by its number in enum sandbox_function, for at most so long; zero: as long as it takes. It must be called
// with the goroutine locked to its thread. The function's result is zero if it was left, and then the error says why.
func (s *Sandbox) Call(function int, args SandboxArgs, timeout time.Duration) (uint32, error) {
	left := C.sandbox_call(s.c, C.int(function), (*C.uint32_t)(&args[0]), C.int64_t(timeout))
	if left == 0 {
		return uint32(s.c.result), nil
	}
	return 0, Trap(left)
}

// Replay is Call for a step that was executed before: the guest's clock gives the reads of then, runs of equal ones.
func (s *Sandbox) Replay(function int, args SandboxArgs, reads []ClockRun, timeout time.Duration) (uint32, error) {
	defer withReads(&s.c.step, reads)()
	return s.Call(function, args, timeout)
}

// Free gives the memory back.
func (s *Sandbox) Free() {
	C.sandbox_free(s.c)
	s.c = nil
}

// Trap is why a function was left in the middle.
type Trap int

// Status is how the host ended it; false if it did not.
func (t Trap) Status() (Status, bool) { return Status(t), t < C.SANDBOX_FAULT }

// traps are the reasons of the runtime that the code was made for, by their numbers.
var traps = [...]string{
	"", "an access beyond memory", "an integer overflow", "a division by zero", "a number that is no integer", "an unreachable instruction",
	"an indirect call of what is no such function", "an exception", "a full stack",
}

func (t Trap) Error() string {
	reason := int(t) - C.SANDBOX_TRAPPED
	switch {
	case t < C.SANDBOX_FAULT:
		return fmt.Sprintf("guest was ended: status %d", int(t))
	case t == C.SANDBOX_FAULT:
		return "guest reached for what is not its memory, or its stack is full"
	case reason > 0 && reason < len(traps):
		return "guest met " + traps[reason]
	}
	return fmt.Sprintf("guest met trap %d", reason)
}
