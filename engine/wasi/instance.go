package wasi

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// layout is where in linear memory things are; see guest_layout in wasi.c.
type layout struct{ data, arena, out, outLen, broken, status uint32 }

// instance is one linear memory with the code that works on it. One goroutine at a time may use it, except for stop.
type instance struct {
	module  *module
	wasm    api.Module
	memory  api.Memory
	step    api.Function
	rest    api.Function
	catalog api.Function
	ctx     context.Context // leads the host functions to this instance
	layout  layout
	inputAt uint32
	scratch []byte // where images are built
	kept    []byte // the catalog, while it is zeroed
	trapped bool   // a call was left in the middle: the instance is thrown away

	// Of the step under way, or the last one.
	stop     atomic.Bool
	turns    turnTaking
	deadline time.Time
	reads    *stepper.Reads // nil unless it is replayed
	ended    error          // what ended it, if it did not end by itself
}

type instanceKey struct{}

// instantiate makes an instance whose memory is as the module's file says.
func (m *module) instantiate(ctx context.Context) (*instance, error) {
	i := &instance{module: m}
	ctx = experimental.WithMemoryAllocator(ctx, reserve())
	wasm, err := m.runtime.InstantiateModule(ctx, m.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("instantiate the guest: %w", err)
	}
	i.wasm, i.memory = wasm, wasm.Memory()
	i.step, i.rest, i.catalog = wasm.ExportedFunction("step"), wasm.ExportedFunction("rest"), wasm.ExportedFunction("catalog")
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	if err := i.lay(); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// lay finds out where things are and makes room for the heap and a first input.
func (i *instance) lay() error {
	at, err := i.call("layout")
	if err != nil {
		return fmt.Errorf("instantiate the guest: %w", err)
	}
	for n, field := range []*uint32{
		&i.layout.data, &i.layout.arena, &i.layout.out, &i.layout.outLen, &i.layout.broken, &i.layout.status,
	} {
		*field = i.u32(uint32(at) + uint32(n)*4)
	}
	i.inputAt = (i.layout.arena + uint32(i.module.heap) + wasmPage - 1) &^ (wasmPage - 1)
	return i.room(wasmPage)
}

// room makes the memory large enough for an input of n bytes.
func (i *instance) room(n int) error {
	need := int64(i.inputAt) + int64(n)
	missing := (need - int64(i.memory.Size()) + wasmPage - 1) / wasmPage
	if missing <= 0 {
		return nil
	}
	if n > inputBytes {
		return fmt.Errorf("%w: its input has %d bytes, over %d", engine.ErrProtocol, n, inputBytes)
	}
	if _, ok := i.memory.Grow(uint32(missing)); !ok {
		return errors.New("no address space for a guest's memory")
	}
	return nil
}

// write copies text to the input's place, zero-terminated.
func (i *instance) write(at uint32, text string) error {
	if err := i.room(int(at-i.inputAt) + len(text) + 1); err != nil {
		return err
	}
	i.memory.WriteString(at, text)
	i.memory.WriteByte(at+uint32(len(text)), 0)
	return nil
}

// all returns the whole memory, as it is: what is written to it is written there.
func (i *instance) all() []byte {
	b, _ := i.memory.Read(0, i.memory.Size())
	return b
}

// u32 reads a number, zero where there is no memory.
func (i *instance) u32(at uint32) uint32 {
	n, _ := i.memory.ReadUint32Le(at)
	return n
}

// call calls an exported function. A trap is an error, and the end of the instance.
func (i *instance) call(name string, args ...uint64) (uint64, error) {
	results, err := i.wasm.ExportedFunction(name).Call(i.ctx, args...)
	if err != nil {
		i.trapped = true
		return 0, err
	}
	if len(results) == 0 {
		return 0, nil
	}
	return results[0], nil
}

// wipe makes the guest ready to be looked at: what it has freed is zero afterwards, its last effects among it. It is bounded
// in time, since a guest may have forged the heap.
func (i *instance) wipe() error {
	i.deadline = time.Now().Add(wipeTime)
	if err := i.rest.CallWithStack(i.ctx, nil); err != nil {
		i.trapped = true
		return firstLine(err)
	}
	return nil
}

const wipeTime = 5 * time.Second

// catalogText returns the catalog as it lies in the heap.
func (i *instance) catalogText() ([]byte, error) {
	var at [1]uint64
	if err := i.catalog.CallWithStack(i.ctx, at[:]); err != nil {
		i.trapped = true
		return nil, firstLine(err)
	}
	text, ok := i.memory.Read(i.u32(uint32(at[0])), i.u32(uint32(at[0])+4))
	if !ok {
		return nil, errors.New("the catalog is not where it should be")
	}
	return text, nil
}

// Arm implements stepper.Heap. Stop needs no preparation: the guest is interrupted only once.
func (i *instance) Arm() { i.turns.wanted.Store(false) }

// Stop implements stepper.Heap.
func (i *instance) Stop() { i.stop.Store(true) }

// Effects implements stepper.Heap. Their place is read from memory that a guest could have written to.
func (i *instance) Effects() ([]byte, error) {
	n, _ := i.memory.ReadUint64Le(i.layout.outLen)
	if n > uint64(i.memory.Size()) {
		return nil, i.ended
	}
	b, _ := i.memory.Read(i.u32(i.layout.out), uint32(n))
	return bytes.Clone(b), i.ended
}

// status returns how the step was left.
func (i *instance) status() status { return status(i.u32(i.layout.status)) }

// fault returns what the engine found broken, nil if it has said nothing.
func (i *instance) fault() error {
	const maxFault = 200
	at := i.u32(i.layout.broken)
	text, ok := i.memory.Read(at, maxFault)
	if at == 0 || !ok {
		return nil
	}
	for n, b := range text {
		if b == 0 {
			return errors.New(string(text[:n]))
		}
	}
	return errors.New(string(text))
}

// high returns the end of what was written to the heap, as far as the heap's own numbers can be true.
func (i *instance) high() uint32 {
	high, _ := i.memory.ReadUint64Le(i.layout.arena + highOffset)
	return i.layout.arena + uint32(min(high, uint64(i.module.heap)))
}

// highOffset is where struct arena has its member high.
const highOffset = 16

func (i *instance) close() { _ = i.wasm.Close(context.Background()) }

// ---- what the guest may call

// poll answers whether the step is to be left, and how.
func poll(ctx context.Context, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*instance)
	now := time.Now()
	switch {
	case i.stop.Load():
		stack[0] = uint64(stopped)
	case !i.deadline.IsZero() && now.After(i.deadline):
		stack[0] = uint64(timedOut)
	default:
		i.turns.rest(now)
		stack[0] = 0
	}
}

// noRead is what clock returns when a step that is replayed reads it more often than the first time.
const noRead = uint64(1) << 63

// clock returns the time in milliseconds, or the next read of a step that is replayed.
func clock(ctx context.Context, stack []uint64) {
	i := ctx.Value(instanceKey{}).(*instance)
	if i.reads == nil {
		stack[0] = uint64(time.Now().UnixMilli())
		return
	}
	millis, ok := i.reads.Next()
	if !ok {
		stack[0] = noRead
		return
	}
	stack[0] = uint64(millis)
}

// status says how a step ended; the numbers are those of enum status in guest.h.
type status uint32

const (
	done status = iota
	timedOut
	stopped
	memoryFull
	outputFull
	hardStopped
	invalid
	broken
	diverged
)

var statusErrors = map[status]error{
	timedOut:   engine.ErrTimeout,
	stopped:    engine.ErrStopped,
	memoryFull: engine.ErrMemory,
	outputFull: engine.ErrOutput,
	invalid:    engine.ErrProtocol,
	diverged:   engine.ErrDiverged,
}

// execute executes a step. reads are nil unless it is replayed.
func (i *instance) execute(input, catalog []byte, reads *stepper.Reads, timeout time.Duration) {
	i.reads = reads
	status, fault := i.enter(input, catalog, timeout)
	i.reads = nil
	switch status {
	case done:
		i.ended = nil
	case broken:
		i.ended = fmt.Errorf("%w: %w", engine.ErrBroken, fault)
	default:
		i.ended = errors.Join(statusErrors[status], fault)
	}
}

// enter lets the guest run, and returns how the step ended, and what the engine said of it.
func (i *instance) enter(input, catalog []byte, timeout time.Duration) (status, error) {
	catalogAt := i.inputAt + uint32(len(input)+15)&^15
	if err := i.room(len(input) + len(catalog) + 16); err != nil {
		return invalid, err
	}
	i.memory.Write(i.inputAt, input)
	i.memory.Write(catalogAt, catalog)
	i.deadline = time.Now().Add(timeout)
	stack := [4]uint64{uint64(i.inputAt), uint64(len(input)), uint64(catalogAt), uint64(len(catalog))}
	trap := i.step.CallWithStack(i.ctx, stack[:])
	if trap == nil {
		return done, nil
	}
	i.trapped = true
	left := i.status()
	if _, err := i.call("collect"); err != nil || left == done || left > diverged {
		return broken, errors.Join(firstLine(trap), i.fault())
	}
	return left, i.fault()
}

// firstLine drops the stack trace, which tells nothing of a stripped module.
func firstLine(err error) error {
	text := err.Error()
	for n := range len(text) {
		if text[n] == '\n' {
			return errors.New(text[:n])
		}
	}
	return err
}

// limitOf reads the memory limit from the input of a run's first step; false if it is not one.
func limitOf(input []byte) (int, bool) {
	if len(input) < 6 || input[0] != 1 {
		return 0, false
	}
	return int(binary.LittleEndian.Uint32(input[2:])), true
}
