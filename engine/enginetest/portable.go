package enginetest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/engine"
)

// Portable is a fake engine whose guests can be copied out: the image of a guest is the inputs that it was given, and
// restoring one executes the steps again. It is safe for concurrent use.
type Portable struct {
	*Engine
	build string

	// Diverge, from the step of that number on, makes guests hand out a text that the script did not. Zero: never.
	Diverge atomic.Int64

	mu     sync.Mutex
	failed error
}

// NewPortable returns a portable engine of some build, whose guests follow the same kind of script as New's.
func NewPortable(build string, script func(source string) Script) *Portable {
	return &Portable{Engine: New(script), build: build}
}

// FailToLoad makes Build and Ready fail.
func (p *Portable) FailToLoad(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = err
}

// Name implements engine.Engine.
func (p *Portable) Name() string { return "portable" }

// Build implements engine.Portable.
func (p *Portable) Build() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.build, p.failed
}

// Ready implements engine.Readier.
func (p *Portable) Ready() error {
	_, err := p.Build()
	return err
}

// NewVM implements engine.Engine.
func (p *Portable) NewVM(catalog []byte) (engine.VM, error) {
	vm, err := p.Engine.NewVM(catalog)
	if err != nil {
		return nil, err
	}
	return &portableVM{VM: vm.(*VM), engine: p}, nil
}

// image is what a fake image holds.
type image struct {
	Build  string
	Inputs [][]byte
}

// Restore implements engine.Portable.
func (p *Portable) Restore(_ context.Context, raw, catalog []byte) (engine.VM, error) {
	var from image
	if json.Unmarshal(raw, &from) != nil || from.Build != p.build {
		return nil, engine.ErrImage
	}
	made, err := p.NewVM(catalog)
	if err != nil {
		return nil, err
	}
	vm := made.(*portableVM)
	for _, raw := range from.Inputs {
		in, step, err := vm.next(raw, 0)
		if err == nil {
			_, err = execute(step, in)
		}
		if err != nil {
			vm.Close()
			return nil, engine.ErrImage
		}
	}
	return vm, nil
}

// portableVM is a guest of a Portable.
type portableVM struct {
	*VM
	engine *Portable
}

// EngineName implements engine.VM.
func (v *portableVM) EngineName() string { return v.engine.Name() }

// Replay implements engine.Replayer.
func (v *portableVM) Replay(ctx context.Context, raw []byte, clock []engine.ClockRun, timeout time.Duration) (*engine.Effects, error) {
	effects, err := v.VM.Replay(ctx, raw, clock, timeout)
	if at := v.engine.Diverge.Load(); err == nil && at > 0 && int64(len(v.Inputs())) >= at {
		out := &Records{}
		out.Text("something else").Pending()
		return out.Decode(true)
	}
	return effects, err
}

// Capture implements engine.Imager.
func (v *portableVM) Capture() (engine.Capture, error) {
	if v.stepping.Load() {
		v.VM.engine.note(v.VM, "was to be copied out inside a step")
	}
	if v.Closed() > 0 {
		v.VM.engine.note(v.VM, "was to be copied out after it was closed")
		return nil, engine.ErrClosed
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	taken := image{v.engine.build, slices.Clone(v.raw)}
	return func(context.Context) ([]byte, error) { return json.Marshal(taken) }, nil
}
