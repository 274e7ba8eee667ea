package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codecell/codecell/engine"
)

// ErrOver means that taking the steps again would cost too much, or that they were too much to remember.
var ErrOver = errors.New("the run's journal is longer than allowed")

// taken is one step.
type taken struct {
	input []byte
	clock []engine.ClockRun
	hash  [32]byte
	took  time.Duration
}

// Journal is the steps of one guest from its beginning. One goroutine at a time may use it; a copy that Steps returned
// is anybody's.
type Journal struct {
	origin
	steps    []taken
	last     *engine.Effects // of the last step, not hashed yet
	bytes    int
	maxBytes int
	took     time.Duration
	over     bool
}

// origin is what the guest was before its first step.
type origin struct {
	image, catalog []byte // image is nil for a fresh guest
}

// Keeper is a guest that keeps its journal itself.
type Keeper interface {
	engine.VM
	// Journal returns it. It must not be added to, and is the guest's: no step may be taken while it is used.
	Journal() *Journal
}

// New returns the journal of a fresh guest that sees the catalog. It remembers inputs of maxBytes; beyond that it is over.
func New(catalog []byte, maxBytes int) *Journal {
	return &Journal{origin: origin{catalog: catalog}, maxBytes: maxBytes}
}

// Restored returns the journal of a guest that was restored from an image.
func Restored(image, catalog []byte, maxBytes int) *Journal {
	return &Journal{origin: origin{image, catalog}, maxBytes: maxBytes}
}

// Add takes in a step. It keeps input and effects. Most runs have one step and are never rebuilt, so the effects are
// hashed only when more comes.
func (j *Journal) Add(input []byte, e *engine.Effects) {
	j.settle()
	j.bytes += len(input)
	j.took += e.Took
	if j.over = j.over || j.bytes > j.maxBytes; j.over {
		j.steps, j.last, j.origin = nil, nil, origin{}
		return
	}
	j.steps = append(j.steps, taken{input: input, clock: e.Clock, took: e.Took})
	j.last = e
}

func (j *Journal) settle() {
	if j.last != nil {
		j.steps[len(j.steps)-1].hash = j.last.Hash()
		j.last = nil
	}
}

// Len returns how many steps there are to take again.
func (j *Journal) Len() int { return len(j.steps) }

// Over says whether there was more than the journal remembers.
func (j *Journal) Over() bool { return j.over }

// Steps returns the journal as it is now, to be rebuilt from while it goes on. It is ErrOver for one that is over, or
// whose steps took longer than most, which is zero for any length of time.
func (j *Journal) Steps(most time.Duration) (*Steps, error) {
	if j.over || most > 0 && j.took > most {
		return nil, ErrOver
	}
	j.settle()
	return &Steps{origin: j.origin, steps: slices.Clone(j.steps)}, nil
}

// Steps is what a guest was given until some moment.
type Steps struct {
	origin
	steps []taken
}

// slowest is how many times longer than at first a step may take when it is taken again in a slower engine, and grace
// what it may take on top, on a machine that has other things to do.
const (
	slowest = 20
	grace   = 5 * time.Second
)

// Rebuild takes the steps again in an engine and returns the guest as it is after the last one. A step that is not the
// same step is engine.ErrDiverged, and the error says which.
func (s *Steps) Rebuild(ctx context.Context, e engine.Engine) (engine.VM, error) {
	vm, err := s.begin(e)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, vm.Interrupt)
	defer stop()
	for n, step := range s.steps {
		if err := step.again(ctx, vm); err != nil {
			vm.Close()
			return nil, fmt.Errorf("step %d of %d: %w", n+1, len(s.steps), err)
		}
	}
	return vm, nil
}

// begin makes the guest as it was before its first step.
func (o *origin) begin(e engine.Engine) (engine.VM, error) {
	if o.image == nil {
		return e.NewVM(o.catalog)
	}
	p, ok := e.(engine.Portable)
	if !ok {
		return nil, fmt.Errorf("%w: engine %s restores none", engine.ErrImage, e.Name())
	}
	return p.Restore(o.image, o.catalog)
}

func (t *taken) again(ctx context.Context, vm engine.VM) error {
	replayer, ok := vm.(engine.Replayer)
	if !ok {
		return fmt.Errorf("engine %s replays no steps", vm.EngineName())
	}
	effects, err := replayer.Replay(ctx, t.input, t.clock, t.took*slowest+grace)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: taken again it ended with: %w", engine.ErrDiverged, err)
	case effects.Hash() != t.hash:
		return fmt.Errorf("%w: it handed out something else", engine.ErrDiverged)
	case !slices.Equal(effects.Clock, t.clock):
		return fmt.Errorf("%w: it read the clock otherwise", engine.ErrDiverged)
	}
	return nil
}
