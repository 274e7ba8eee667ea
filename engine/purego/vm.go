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
	"github.com/codecell/codecell/engine/internal/thread"
)

//go:embed host.js
var hostJS string

// stackSlots bound recursion, about as deep as elsewhere.
const stackSlots = 6000

// vm is one interpreter.
type vm struct {
	engine  *Engine
	catalog []byte
	started bool
	spoiled bool // a step was left in the middle
	records records
	clock   clock
	chance  *chance
	drive   quickjs.Value

	mu          sync.Mutex
	js          *quickjs.VM // nil once closed
	interrupted bool
}

func newVM(e *Engine, catalog []byte) (*vm, error) {
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	v := &vm{engine: e, catalog: catalog, js: js, chance: newChance([32]byte{})}
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
		"__random": func([]any) (any, error) { return v.chance.float(), nil },
	} {
		if err := v.js.RegisterHostFunc(name, f); err != nil {
			return err
		}
	}
	code, err := compiled()
	if err != nil {
		return err
	}
	if v.drive, err = v.js.EvalBytecodeValue(code[0]); err != nil {
		return err
	}
	for n, source := range code[1:] {
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
	v.clock.begin(false, nil)
	return nil
}

// compiled is the code of host.js and of the guest's own sources, made once. Their lines begin where no cell's can be.
var compiled = sync.OnceValues(func() ([][]byte, error) {
	js, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer js.Close()
	var code [][]byte
	for n, source := range append([]string{hostJS}, guest.Sources()...) {
		b, err := js.Compile(strings.Repeat("\n", ownLines)+source, quickjs.EvalGlobal)
		if err != nil {
			return nil, fmt.Errorf("compile source %d: %w", n-1, err)
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
	return v.take(ctx, input, timeout, false, nil)
}

// Replay implements engine.Replayer.
func (v *vm) Replay(ctx context.Context, input []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	return v.take(ctx, input, timeout, true, clock)
}

func (v *vm) take(ctx context.Context, input []byte, timeout time.Duration, replayed bool, reads []engine.ClockRun) (*engine.Effects, error) {
	if v.js == nil || v.spoiled {
		return nil, engine.ErrClosed
	}
	if err := v.engine.threads.Acquire(ctx, v.started); err != nil {
		return nil, err
	}
	defer v.engine.threads.Release()
	if v.stopped() {
		return nil, engine.ErrStopped
	}
	v.clock.begin(replayed, reads)
	v.records.raw = nil
	s := step{vm: v, deadline: time.Now().Add(timeout)}
	var err error
	took := thread.Run(func() { err = s.run(input) })
	v.started = true
	if err != nil {
		v.spoiled = true
	}
	effects, bad := engine.DecodeEffects(v.records.raw, err == nil)
	if effects != nil {
		effects.Took, effects.CPU = took.Wall, took.CPU
	}
	if err == nil {
		err = bad
	}
	return effects, err
}

func (v *vm) stopped() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.interrupted
}

// Interrupt implements engine.VM.
func (v *vm) Interrupt() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.interrupted = true
	if v.js != nil {
		v.js.Interrupt()
	}
}

// Footprint implements engine.VM. This engine has no way to know; a guest's output and requests are bounded elsewhere.
func (v *vm) Footprint() (int, error) { return 0, nil }

// HeapBytes implements engine.VM. This engine has no way to know.
func (v *vm) HeapBytes() int { return 0 }

// Close implements engine.VM.
func (v *vm) Close() {
	v.mu.Lock()
	js := v.js
	v.js = nil
	v.mu.Unlock()
	if js != nil {
		v.drive.Free()
		_ = js.Close()
		v.engine.open.Add(-1)
	}
}

// step is one step being taken.
type step struct {
	vm       *vm
	deadline time.Time
}

// run takes the step and says what ended it, if it did not end by itself.
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
	if err != nil || s.vm.started {
		return engine.ErrProtocol
	}
	sections, err := readCatalog(s.vm.catalog)
	if err != nil {
		return err
	}
	v := s.vm
	v.chance, v.records.maxOutput, v.records.truncate = newChance(b.seed), b.output, b.truncate
	v.js.SetMemoryLimit(uintptr(b.memory))
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
	if _, err := s.call("begin", b.source); err != nil {
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
	if s.vm.stopped() {
		return engine.ErrStopped
	}
	return s.vm.js.SetEvalTimeout(left)
}

// ended tells what an entry into the engine came to. The engine says little; what was going on outside says more.
func (s *step) ended(err error) error {
	switch {
	case s.vm.records.over:
		return engine.ErrOutput
	case s.vm.records.full:
		return engine.ErrMemory
	case s.vm.stopped():
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
