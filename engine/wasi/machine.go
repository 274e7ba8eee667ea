package wasi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// machine executes the guest's code on one linear memory.
type machine struct {
	wasm      api.Module
	memory    api.Memory
	functions []api.Function  // by linear.Function
	ctx       context.Context // leads the host functions to this machine
	trapped   bool            // a function was left in the middle: the machine is thrown away

	// Of the function under way, or the last one.
	stop     atomic.Bool
	turns    turnTaking
	deadline time.Time
	clock    *stepper.Reads // nil: the machine's
}

var _ linear.Machine = (*machine)(nil)

type machineKey struct{}

// newMachine makes a machine whose memory is as the module's file says.
func (m *module) newMachine() (linear.Machine, error) {
	ctx := experimental.WithMemoryAllocator(context.Background(), reserve())
	wasm, err := m.runtime.InstantiateModule(ctx, m.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("instantiate the guest: %w", err)
	}
	g := &machine{wasm: wasm, memory: wasm.Memory()}
	for _, name := range linear.Names {
		g.functions = append(g.functions, wasm.ExportedFunction(name))
	}
	g.ctx = context.WithValue(context.Background(), machineKey{}, g)
	return g, nil
}

// Memory implements linear.Machine.
func (g *machine) Memory() []byte {
	b, _ := g.memory.Read(0, g.memory.Size())
	return b
}

// Grow implements linear.Machine.
func (g *machine) Grow(pages uint32) bool {
	_, ok := g.memory.Grow(pages)
	return ok
}

// Call implements linear.Machine.
func (g *machine) Call(f linear.Function, clock *stepper.Reads, timeout time.Duration, args ...uint32) (uint32, error) {
	g.clock, g.deadline = clock, time.Time{}
	if timeout > 0 {
		g.deadline = time.Now().Add(timeout)
	}
	var stack [5]uint64
	for n, arg := range args {
		stack[n] = uint64(arg)
	}
	if err := g.functions[f].CallWithStack(g.ctx, stack[:]); err != nil {
		g.trapped = true
		return 0, firstLine(err)
	}
	return uint32(stack[0]), nil
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

// Constant implements linear.Machine.
func (g *machine) Constant() (from, to uint32) { return 0, 0 }

// Freshen implements linear.Machine. Deep recursion may have left wazero's own stack large: that goes with the function.
func (g *machine) Freshen(deep bool) bool {
	if deep {
		g.functions[linear.Step] = g.wasm.ExportedFunction(linear.Names[linear.Step])
	}
	g.stop.Store(false)
	return !g.trapped
}

// Arm implements linear.Machine. Stop needs no preparation: the guest is interrupted only once.
func (g *machine) Arm() { g.turns.wanted.Store(false) }

// Stop implements linear.Machine.
func (g *machine) Stop() { g.stop.Store(true) }

// Close implements linear.Machine.
func (g *machine) Close() { _ = g.wasm.Close(context.Background()) }

// ---- what the guest may call

// poll answers whether the step is to be left, and how.
func poll(ctx context.Context, stack []uint64) {
	g := ctx.Value(machineKey{}).(*machine)
	now := time.Now()
	switch {
	case g.stop.Load():
		stack[0] = uint64(linear.Stopped)
	case !g.deadline.IsZero() && now.After(g.deadline):
		stack[0] = uint64(linear.TimedOut)
	default:
		g.turns.rest(now)
		stack[0] = 0
	}
}

// noRead is what clock returns when a step that is replayed reads it more often than the first time.
const noRead = uint64(1) << 63

// clock returns the time in milliseconds, or the next read of a step that is replayed.
func clock(ctx context.Context, stack []uint64) {
	g := ctx.Value(machineKey{}).(*machine)
	if g.clock == nil {
		stack[0] = uint64(time.Now().UnixMilli())
		return
	}
	millis, ok := g.clock.Next()
	if !ok {
		stack[0] = noRead
		return
	}
	stack[0] = uint64(millis)
}
