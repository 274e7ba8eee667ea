package linear

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// layout is where in linear memory things are; see guest_layout in wasi.c.
type layout struct{ data, arena, out, outLen, broken, status uint32 }

// instance is one linear memory with the machine that works on it. One goroutine at a time may use it, except for Stop.
type instance struct {
	Machine
	module  *Module
	layout  layout
	inputAt uint32
	scratch []byte // where images are built
	kept    []byte // the catalog, while it is zeroed
	trapped bool   // a call was left in the middle: there is no other one before the next guest
	ended   error  // what ended the last step, if it did not end by itself
}

var _ stepper.Yielding = (*instance)(nil)

// instantiate makes an instance whose memory is as the module's file says.
func (m *Module) instantiate() (*instance, error) {
	machine, err := m.machine()
	if err != nil {
		return nil, err
	}
	i := &instance{Machine: machine, module: m}
	if err := i.lay(); err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

// lay finds out where things are and makes room for the heap and a first input.
func (i *instance) lay() error {
	at, err := i.call(Layout)
	if err != nil {
		return fmt.Errorf("instantiate the guest: %w", err)
	}
	for n, field := range []*uint32{
		&i.layout.data, &i.layout.arena, &i.layout.out, &i.layout.outLen, &i.layout.broken, &i.layout.status,
	} {
		*field = i.u32(at + uint32(n)*4)
	}
	i.inputAt = (i.layout.arena + uint32(i.module.heap) + WasmPage - 1) &^ (WasmPage - 1)
	return i.room(WasmPage)
}

// room makes the memory large enough for an input of n bytes.
func (i *instance) room(n int) error {
	need := int64(i.inputAt) + int64(n)
	missing := (need - int64(len(i.Memory())) + WasmPage - 1) / WasmPage
	if missing <= 0 {
		return nil
	}
	if n > InputBytes {
		return fmt.Errorf("%w: its input has %d bytes, over %d", engine.ErrProtocol, n, InputBytes)
	}
	if !i.Grow(uint32(missing)) {
		return errors.New("no address space for a guest's memory")
	}
	return nil
}

// write copies text to the input's place, zero-terminated.
func (i *instance) write(text string) error {
	if err := i.room(len(text) + 1); err != nil {
		return err
	}
	input := i.Memory()[i.inputAt:]
	input[copy(input, text)] = 0
	return nil
}

// read returns a part of the memory, nil where there is none.
func (i *instance) read(at uint32, n uint64) []byte {
	all := i.Memory()
	if uint64(at)+n > uint64(len(all)) || n > uint64(len(all)) {
		return nil
	}
	return all[at:][:n]
}

// u32 reads a number, zero where there is no memory.
func (i *instance) u32(at uint32) uint32 {
	if b := i.read(at, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// u64 is the same for a larger one.
func (i *instance) u64(at uint32) uint64 {
	if b := i.read(at, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// call calls a function of the guest's that takes no long time. That it was left is an error, and the end of the guest.
func (i *instance) call(f Function, args ...uint32) (uint32, error) {
	result, err := i.Call(f, nil, callTime, args...)
	if err != nil {
		i.trapped = true
	}
	return result, err
}

// callTime bounds the calls that are no steps: a guest may have forged its heap.
const callTime = 5 * time.Second

// wipe makes the guest ready to be looked at: what it has freed is zero afterwards, its last effects among it.
func (i *instance) wipe() error {
	_, err := i.call(Rest)
	return err
}

// catalogText returns the catalog as it lies in the heap.
func (i *instance) catalogText() ([]byte, error) {
	at, err := i.call(Catalog)
	if err != nil {
		return nil, err
	}
	text := i.read(i.u32(at), uint64(i.u32(at+4)))
	if text == nil {
		return nil, errors.New("the catalog is not where it should be")
	}
	return text, nil
}

// Effects implements stepper.Heap. Their place is read from memory that a guest could have written to.
func (i *instance) Effects() ([]byte, error) {
	return bytes.Clone(i.read(i.u32(i.layout.out), i.u64(i.layout.outLen))), i.ended
}

// status returns how the step was left.
func (i *instance) status() Status { return Status(i.u32(i.layout.status)) }

// fault returns what the engine found broken, nil if it has said nothing.
func (i *instance) fault() error {
	const maxFault = 200
	at := i.u32(i.layout.broken)
	text := i.read(at, maxFault)
	if at == 0 || text == nil {
		return nil
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	return errors.New(string(text))
}

// high returns the end of what was written to the heap, as far as the heap's own numbers can be true.
func (i *instance) high() uint32 {
	return i.layout.arena + uint32(min(i.u64(i.layout.arena+highOffset), uint64(i.module.heap)))
}

// highOffset is where struct arena has its member high.
const highOffset = 16

var statusErrors = map[Status]error{
	TimedOut:    engine.ErrTimeout,
	HardStopped: engine.ErrTimeout,
	Stopped:     engine.ErrStopped,
	MemoryFull:  engine.ErrMemory,
	OutputFull:  engine.ErrOutput,
	Invalid:     engine.ErrProtocol,
	Diverged:    engine.ErrDiverged,
}

// execute executes a step. The clock is nil unless it is replayed.
func (i *instance) execute(input, catalog []byte, clock *stepper.Reads, timeout time.Duration) {
	status, fault := i.enter(input, catalog, clock, timeout)
	switch status {
	case Done:
		i.ended = nil
	case Broken:
		i.ended = fmt.Errorf("%w: %w", engine.ErrBroken, fault)
	default:
		i.ended = errors.Join(statusErrors[status], fault)
	}
}

// Left is the error of a machine that knows itself how the step ended.
type Left Status

func (l Left) Error() string { return "left by the host" }

// enter lets the guest run, and returns how the step ended, and what the engine said of it.
func (i *instance) enter(input, catalog []byte, clock *stepper.Reads, timeout time.Duration) (Status, error) {
	catalogAt := i.inputAt + uint32(len(input)+15)&^15
	if err := i.room(len(input) + len(catalog) + 16); err != nil {
		return Invalid, err
	}
	all := i.Memory()
	copy(all[i.inputAt:], input)
	copy(all[catalogAt:], catalog)
	_, trap := i.Call(Step, clock, timeout, i.inputAt, uint32(len(input)), catalogAt, uint32(len(catalog)))
	if trap == nil {
		return Done, nil
	}
	left := i.status()
	var known Left
	if errors.As(trap, &known) {
		left = Status(known)
	}
	if _, err := i.call(Collect); err != nil || left == Done || left > Diverged {
		left, trap = Broken, errors.Join(trap, i.fault())
	} else {
		trap = i.fault()
	}
	i.trapped = true
	return left, trap
}

// limitOf reads the memory limit from the input of a run's first step; false if it is not one.
func limitOf(input []byte) (int, bool) {
	if len(input) < 6 || input[0] != 1 {
		return 0, false
	}
	return int(binary.LittleEndian.Uint32(input[2:])), true
}
