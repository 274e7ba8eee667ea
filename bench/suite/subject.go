package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/snapshot"
)

// Subject is something that runs programs.
type Subject interface {
	Name() string
	// Measure does one of Tasks over and over for about d and returns what one time took. ErrNotApplicable: it is not
	// something that this subject does.
	Measure(ctx context.Context, task string, d time.Duration) (time.Duration, error)
	// StoredBytes is what a suspended guest takes when it is stored; 0 if there is no such thing.
	StoredBytes() (int, error)
	Close() error
}

// ErrNotApplicable means that a subject has no such thing to measure.
var ErrNotApplicable = errors.New("not applicable")

// The tasks that are no kernels.
const (
	Fresh   = "fresh"   // make a guest, evaluate 1+1, drop it
	Suspend = "suspend" // copy a guest that waits to bytes
	Restore = "restore" // make a guest of the bytes, drop it
	Cycle   = "cycle"   // restore a suspended guest from bytes, resume it, suspend it to bytes
)

// Kernel is a program that computes.
type Kernel struct{ Name, Code string }

// Kernels are what engines compute; each is the body of a function.
var Kernels = []Kernel{
	{"recursion", `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(22)`},
	{"sort", `const a = []; let x = 1; for (let i = 0; i < 20000; i++) { x = (x * 48271) % 2147483647; a.push(x) } a.sort((p, q) => p - q); return a[5]`},
	{"JSON", `let o = []; for (let i = 0; i < 500; i++) o.push({id: i, name: "n" + i, tags: ["a", "b"], v: i / 3}); let s = ""; for (let i = 0; i < 5; i++) { s = JSON.stringify(o); o = JSON.parse(s) } return s.length`},
	{"regexp", `const s = "foo123bar ".repeat(500); let n = 0; for (const m of s.matchAll(/([a-z]+)(\d+)([a-z]+)/g)) n += m[2].length; return n`},
	{"strings", `let s = ""; for (let i = 0; i < 20000; i++) s += String.fromCharCode(97 + i % 26); return s.split("a").join("bb").toUpperCase().length`},
	{"Map", `const m = new Map(); for (let i = 0; i < 20000; i++) m.set("k" + i, i); let t = 0; for (const [, v] of m) t += v; return t`},
}

// engineSubject is one of Codecell's engines.
type engineSubject struct {
	engine  engine.Engine
	catalog []byte
	sealer  *snapshot.Sealer
}

// OfEngine makes a subject of an engine; its guests see the catalog. The engine stays the caller's.
func OfEngine(e engine.Engine, catalog []byte) (Subject, error) {
	sealer, err := snapshot.NewSealer(nil)
	if err != nil {
		return nil, err
	}
	return &engineSubject{e, catalog, sealer}, nil
}

func (s *engineSubject) Name() string { return s.engine.Name() }

func (s *engineSubject) Close() error { return nil }

const longEnough = time.Minute

func begin(code string) []byte {
	b := engine.Begin{
		Source: code, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 64, MaxTimers: 64,
	}
	return b.Append(nil)
}

// run runs a program in a guest of its own.
func (s *engineSubject) run(ctx context.Context, input []byte) error {
	vm, err := s.engine.NewVM(s.catalog)
	if err != nil {
		return err
	}
	defer vm.Close()
	effects, err := vm.Step(ctx, input, longEnough)
	if err == nil && effects.Main.State != engine.Fulfilled {
		err = fmt.Errorf("the program did not return: %+v", effects.Main.Thrown)
	}
	return err
}

// Measure implements Subject.
func (s *engineSubject) Measure(ctx context.Context, task string, d time.Duration) (time.Duration, error) {
	switch task {
	case Suspend:
		return s.suspending(ctx, d)
	case Restore:
		return s.restoring(ctx, d)
	case Cycle:
		return s.cycle(ctx, d)
	}
	code := "return 1+1"
	for _, k := range Kernels {
		if k.Name == task {
			code = k.Code
		}
	}
	input := begin(code)
	return Repeat(d, func() error { return s.run(ctx, input) })
}

// Repeat does f over and over for about d, once at least, and returns what one time took.
func Repeat(d time.Duration, f func() error) (time.Duration, error) {
	start := time.Now()
	for n := 1; ; n++ {
		if err := f(); err != nil {
			return 0, err
		}
		if took := time.Since(start); took >= d {
			return took / time.Duration(n), nil
		}
	}
}

// waiter suspends whenever it is resumed, and holds on to a few things meanwhile.
const waiter = `const seen = new Map(), log = []; class C { #n = 0; up() { return ++this.#n } } const c = new C();
	for (;;) { log.push(c.up()); if (log.length > 9) log.length = 0; seen.set("last", {at: c.up()}); await yield_control("later") }`

// suspended is a guest at rest, as bytes, and what it waits for.
type suspended struct {
	sealed []byte
	asks   uint32
}

func (s *engineSubject) suspend(vm engine.VM, effects *engine.Effects) (suspended, error) {
	if _, ok := vm.(engine.Imager); !ok {
		return suspended{}, ErrNotApplicable
	}
	image, err := engine.Image(context.Background(), vm)
	if err != nil {
		return suspended{}, err
	}
	if len(effects.Requests) != 1 {
		return suspended{}, errors.New("the program does not wait")
	}
	return suspended{s.sealer.Seal(&snapshot.Snapshot{Image: image}, snapshot.Binding{}), effects.Requests[0].ID}, nil
}

// waiting returns a guest that waits.
func (s *engineSubject) waiting(ctx context.Context) (engine.VM, *engine.Effects, error) {
	vm, err := s.engine.NewVM(s.catalog)
	if err != nil {
		return nil, nil, err
	}
	effects, err := vm.Step(ctx, begin(waiter), longEnough)
	if err != nil {
		vm.Close()
	}
	return vm, effects, err
}

func (s *engineSubject) firstSuspended(ctx context.Context) (suspended, error) {
	vm, effects, err := s.waiting(ctx)
	if err != nil {
		return suspended{}, err
	}
	defer vm.Close()
	return s.suspend(vm, effects)
}

func (s *engineSubject) suspending(ctx context.Context, d time.Duration) (time.Duration, error) {
	vm, effects, err := s.waiting(ctx)
	if err != nil {
		return 0, err
	}
	defer vm.Close()
	return Repeat(d, func() error {
		_, err := s.suspend(vm, effects)
		return err
	})
}

func (s *engineSubject) restoring(ctx context.Context, d time.Duration) (time.Duration, error) {
	portable, at, err := s.portable(ctx)
	if err != nil {
		return 0, err
	}
	return Repeat(d, func() error {
		vm, err := s.restore(portable, at)
		if err == nil {
			vm.Close()
		}
		return err
	})
}

// portable returns the engine, if its guests can be restored, and one of them to begin with.
func (s *engineSubject) portable(ctx context.Context) (engine.Portable, suspended, error) {
	portable, ok := s.engine.(engine.Portable)
	if !ok {
		return nil, suspended{}, ErrNotApplicable
	}
	at, err := s.firstSuspended(ctx)
	return portable, at, err
}

func (s *engineSubject) restore(portable engine.Portable, at suspended) (engine.VM, error) {
	snap, err := s.sealer.Open(at.sealed, snapshot.Binding{}, 256<<20)
	if err != nil {
		return nil, err
	}
	return portable.Restore(context.Background(), snap.Image, s.catalog)
}

func (s *engineSubject) cycle(ctx context.Context, d time.Duration) (time.Duration, error) {
	portable, at, err := s.portable(ctx)
	if err != nil {
		return 0, err
	}
	return Repeat(d, func() error {
		vm, err := s.restore(portable, at)
		if err != nil {
			return err
		}
		defer vm.Close()
		answers := []engine.Answer{{ID: at.asks, Payload: []byte("null")}}
		effects, err := vm.Step(ctx, engine.AppendResume(nil, answers), longEnough)
		if err != nil {
			return err
		}
		at, err = s.suspend(vm, effects)
		return err
	})
}

// StoredBytes implements Subject.
func (s *engineSubject) StoredBytes() (int, error) {
	if _, ok := s.engine.(engine.Portable); !ok {
		return 0, ErrNotApplicable
	}
	at, err := s.firstSuspended(context.Background())
	return len(at.sealed), err
}
