package purego

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/stepper"
)

var (
	//go:embed host.js
	hostJS string
	//go:embed lacking.js
	lackingJS string
)

// stackSlots bound recursion, about as deep as elsewhere.
const stackSlots = 6000

// ownBytes is what a fresh guest takes: the limit of a cell is counted from there.
const ownBytes = 1 << 20

// vm is a guest, in an interpreter of its own.
type vm struct {
	stepper.Stepper
	engine  *Engine
	catalog []byte
	records records
	clock   clock
	random  *random
	drive   quickjs.Value
	js      *quickjs.VM // nil once closed
	ended   error       // what ended the last step, if it did not end by itself
}

func newVM(e *Engine, catalog []byte) (*vm, error) {
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	v := &vm{Stepper: stepper.New(e.threads, false), engine: e, catalog: catalog, js: js, random: newRandom([32]byte{})}
	v.records.maxOutput = 1 << 30
	if err := v.boot(); err != nil {
		_ = js.Close()
		return nil, fmt.Errorf("boot a guest: %w", err)
	}
	return v, nil
}

func (v *vm) boot() error {
	v.js.SetMaxStackSize(stackSlots)
	for name, f := range map[string]quickjs.HostFunc{
		"__emit":   v.records.emit,
		"__now":    func([]any) (any, error) { return float64(v.clock.read()), nil },
		"__random": func([]any) (any, error) { return v.random.float(), nil },
		"__row":    row,
	} {
		if err := v.js.RegisterHostFunc(name, f); err != nil {
			return err
		}
	}
	code, err := compiled()
	if err != nil {
		return err
	}
	if _, err = v.js.EvalBytecode(code[0]); err != nil {
		return err
	}
	if v.drive, err = v.js.EvalBytecodeValue(code[1]); err != nil {
		return err
	}
	for n, source := range code[2:] {
		f, err := v.js.EvalBytecodeValue(source)
		if err != nil {
			return fmt.Errorf("source %d: %w", n, err)
		}
		if _, err := v.call("source", n, f); err != nil {
			return fmt.Errorf("source %d: %w", n, err)
		}
	}
	for n := range guest.Eager {
		if _, err := v.call("load", n); err != nil {
			return fmt.Errorf("source %d: %w", n, err)
		}
	}
	v.clock.begin(nil)
	return nil
}

// row gives a row of the runtime's tables of constants.
func row(args []any) (any, error) {
	if len(args) == 2 {
		table, isNumber := args[0].(int)
		name, isText := args[1].(string)
		if text, ok := guest.Row(table, name); ok && isNumber && isText {
			return text, nil
		}
	}
	return nil, nil
}

// compiled is the code of lacking.js, host.js and the guest's own sources, made once.
var compiled = sync.OnceValues(func() ([][]byte, error) {
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer js.Close()
	var code [][]byte
	for n, source := range append([]string{lackingJS, hostJS}, guest.Sources()...) {
		b, err := js.Compile(source, quickjs.EvalGlobal)
		if err != nil {
			return nil, fmt.Errorf("compile source %d: %w", n-2, err)
		}
		code = append(code, b)
	}
	return code, nil
})

// call calls host.js.
func (v *vm) call(args ...any) (any, error) {
	r, err := v.drive.CallValue(v.js.NewInt(0), args...)
	if err != nil {
		return nil, err
	}
	defer r.Free()
	return r.Any()
}

var _ engine.Replayer = (*vm)(nil)

// EngineName implements engine.VM.
func (v *vm) EngineName() string { return v.engine.Name() }

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, nil, timeout)
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.execute(ctx, input, stepper.ReadsOf(clock), timeout)
}

// execute executes a step. reads are nil unless it is replayed.
func (v *vm) execute(ctx context.Context, input []byte, reads *stepper.Reads, timeout time.Duration) (*engine.Effects, error) {
	if v.js == nil {
		return nil, engine.ErrClosed
	}
	return v.Execute(ctx, v, func() {
		v.clock.begin(reads)
		v.records.raw = nil
		s := step{vm: v, deadline: time.Now().Add(timeout)}
		v.ended = s.run(input)
	})
}

// Arm implements stepper.Heap.
func (v *vm) Arm() {}

// Stop implements stepper.Heap.
func (v *vm) Stop() { v.js.Interrupt() }

// Effects implements stepper.Heap.
func (v *vm) Effects() ([]byte, error) { return v.records.raw, v.ended }

// Footprint implements engine.VM. This engine has no way to know; a guest's output and requests are bounded elsewhere.
func (v *vm) Footprint() (int, error) { return 0, nil }

// HeapBytes implements engine.VM. This engine has no way to know.
func (v *vm) HeapBytes() int { return 0 }

// Close implements engine.VM.
func (v *vm) Close() {
	if js := v.js; js != nil {
		v.js = nil
		v.drive.Free()
		_ = js.Close()
		v.engine.open.Add(-1)
	}
}

// step is one step under way.
type step struct {
	vm       *vm
	deadline time.Time
}

// run executes the step and says what ended it, if it did not end by itself.
func (s *step) run(input []byte) error {
	r := read(input)
	var err error
	switch r.U8() {
	case 1:
		err = s.begin(r)
	case 2:
		err = s.resume(r)
	default:
		err = engine.ErrProtocol
	}
	if err == nil {
		_, err = s.call("finish")
	}
	if err == nil {
		err = s.drain()
	}
	if s.vm.clock.missing {
		return engine.ErrDiverged
	}
	if err != nil {
		return err
	}
	if n := s.vm.records.omitted; n > 0 {
		s.vm.records.record('O', binary.LittleEndian.AppendUint64(nil, n))
		s.vm.records.omitted = 0
	}
	s.vm.clock.record(&s.vm.records)
	return nil
}

func (s *step) begin(r *reader) error {
	b, err := readBegin(r)
	if err != nil || s.vm.Begun() {
		return engine.ErrProtocol
	}
	sections, err := readCatalog(s.vm.catalog)
	if err != nil {
		return err
	}
	v := s.vm
	v.random, v.records.maxOutput, v.records.truncate = newRandom(b.seed), b.output, b.truncate
	v.js.SetMemoryLimit(uintptr(b.memory + ownBytes))
	output := b.output
	if b.truncate {
		output = b.value
	}
	for _, l := range []struct {
		name  string
		value int
	}{{"requests", b.requests}, {"timers", b.timers}, {"value", b.value}, {"output", output}} {
		if _, err := s.call("limit", l.name, l.value); err != nil {
			return err
		}
	}
	for n, text := range sections {
		if _, err := s.call("section", n, text); err != nil {
			return err
		}
	}
	if _, err := s.call("begin", b.source, b.namespaces); err != nil {
		return err
	}
	return s.drain()
}

func (s *step) resume(r *reader) error {
	answers, err := readAnswers(r)
	if err != nil {
		return err
	}
	for _, a := range answers {
		known, err := s.call("answer", float64(a.ID), int(a.Kind), string(a.Payload))
		if err != nil {
			return err
		}
		if known != true {
			return engine.ErrProtocol
		}
		if err := s.drain(); err != nil {
			return err
		}
	}
	return nil
}

// call calls host.js within what is left of the step's time.
func (s *step) call(args ...any) (any, error) {
	if err := s.arm(); err != nil {
		return nil, err
	}
	r, err := s.vm.call(args...)
	return r, s.ended(err)
}

// drain runs the jobs that are queued.
func (s *step) drain() error {
	if err := s.arm(); err != nil {
		return err
	}
	_, err := s.vm.js.ExecutePendingJobs()
	return s.ended(err)
}

func (s *step) arm() error {
	left := time.Until(s.deadline)
	if left <= 0 {
		return engine.ErrTimeout
	}
	if s.vm.Interrupted() {
		return engine.ErrStopped
	}
	return s.vm.js.SetEvalTimeout(left)
}

// ended tells what an entry into the engine came to. The engine says little; what was going on outside says more.
func (s *step) ended(err error) error {
	switch {
	case s.vm.records.tooMuch:
		return engine.ErrOutput
	case s.vm.records.full:
		return engine.ErrMemory
	case s.vm.Interrupted():
		return engine.ErrStopped
	case !time.Now().Before(s.deadline):
		return engine.ErrTimeout
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "out of memory") || strings.Contains(err.Error(), "OOM"):
		return engine.ErrMemory
	}
	return fmt.Errorf("%w: %w", engine.ErrBroken, err)
}
