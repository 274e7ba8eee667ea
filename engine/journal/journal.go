package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codecell/codecell/engine"
)

// Limits bound a journal. Beyond them it is over: taking the steps again would cost too much memory or time.
type Limits struct {
	Bytes int           // of inputs
	Took  time.Duration // guest execution
}

// ErrOver means that the journal passed its limits.
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
	limits  Limits
	catalog []byte
	steps   []taken
	last    *engine.Effects // of the last step, not hashed yet
	bytes   int
	took    time.Duration
	over    bool
}

// New returns the journal of a fresh guest that sees the catalog.
func New(catalog []byte, l Limits) *Journal { return &Journal{catalog: catalog, limits: l} }

// Add takes in a step. It keeps input and effects. Most runs have one step and are never rebuilt, so the effects are
// hashed only when more comes.
func (j *Journal) Add(input []byte, e *engine.Effects) {
	j.settle()
	j.bytes += len(input)
	j.took += e.Took
	if j.over = j.over || j.bytes > j.limits.Bytes || j.took > j.limits.Took; j.over {
		j.steps, j.last, j.catalog = nil, nil, nil
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

// Steps returns the journal as it is now, to be rebuilt from while it goes on. It is ErrOver for one that is over.
func (j *Journal) Steps() (*Steps, error) {
	if j.over {
		return nil, ErrOver
	}
	j.settle()
	return &Steps{catalog: j.catalog, steps: slices.Clone(j.steps)}, nil
}

// Steps is what a guest was given until some moment.
type Steps struct {
	catalog []byte
	steps   []taken
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
	vm, err := e.NewVM(s.catalog)
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

func (t *taken) again(ctx context.Context, vm engine.VM) error {
	effects, err := vm.Retake(ctx, t.input, t.clock, t.took*slowest+grace)
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
