package linear

import (
	"time"

	"github.com/codecell/codecell/engine/internal/stepper"
)

// WasmPage is the size of WebAssembly's pages, in bytes.
const WasmPage = 64 << 10

// InputBytes bounds the input of one step, catalog included.
const InputBytes = 256 << 20

// Pages returns how many pages a memory may have in which heaps have so many bytes: stack and data (at most 4 MiB), heap, input.
func Pages(heap int) uint32 { return uint32((4<<20 + heap + InputBytes) / WasmPage) }

// Machine executes the guest's code on one linear memory. One goroutine at a time may use it, except for Stop and GiveWay.
type Machine interface {
	// Memory returns all of the memory: what is written to it is written there. It stays where it is.
	Memory() []byte

	// Grow makes the memory larger by so many pages, and says whether it could.
	Grow(pages uint32) bool

	// Call calls one of the guest's functions, which may take so long; zero: as long as it takes. The clock, where it is not
	// nil, is what the guest reads instead of the machine's. The error is that the function was left in the middle, and why.
	Call(f Function, clock *stepper.Reads, timeout time.Duration, args ...uint32) (uint32, error)

	// Constant returns the part of the memory that the guest can't write to; empty if there is none.
	Constant() (from, to uint32)

	// Freshen prepares it for another guest; deep says that the last one recursed deeply. It says whether it can: after a
	// function was left in the middle some machines can't. Memory is the caller's matter.
	Freshen(deep bool) bool

	// Arm prepares it for a step: from now on Stop, BeginLast and GiveWay may be called (see stepper.Yielding).
	Arm()
	// Stop makes the function under way end soon.
	Stop()
	// BeginLast lets the next step give way from its beginning, GiveWay one under way.
	BeginLast()
	GiveWay(yes bool)

	// Close releases the memory.
	Close()
}

// Function is a function of the guest's that the host calls; see wasi.c.
type Function int

// The functions. Their numbers are those of enum sandbox_function in sandbox.h.
const (
	Layout Function = iota
	Compile
	Boot
	Step
	Collect
	Rest
	Catalog
	functions
)

// Names are their names in the module.
var Names = [functions]string{"layout", "compile", "boot", "step", "collect", "rest", "catalog"}

// Status says how a step ended; the numbers are those of enum status in guest.h.
type Status uint32

// The ways a step ends.
const (
	Done Status = iota
	TimedOut
	Stopped
	MemoryFull
	OutputFull
	HardStopped
	Invalid
	Broken
	Diverged
)
