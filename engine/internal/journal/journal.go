package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codecell/codecell/engine"
)

// ErrTooLong means that replaying the steps would cost too much, or that they were too much to remember.
var ErrTooLong = errors.New("the run's journal is longer than allowed")

// MaxBytes bounds what a journal remembers, in bytes of the inputs of its steps. A guest that was given more can't be
// rebuilt.
const MaxBytes = 16 << 20

// entry is one step.
type entry struct {
	input []byte
	clock []engine.ClockRun
	hash  [32]byte
	took  time.Duration
}

// Journal is the steps of one guest from its beginning. One goroutine at a time may use it; a copy that Steps returned
// may be used by any.
type Journal struct {
	origin
	entries []entry
	last    *engine.Effects // of the last step, not hashed yet
	bytes   int
	limit   int // for bytes
	took    time.Duration
	full    bool // there was more than the limit
}

// origin is what the guest was before its first step.
type origin struct {
	image, catalog []byte // image is nil for a fresh guest
}

// Keeper is a guest that keeps its journal itself.
type Keeper interface {
	engine.VM
	// Journal returns it. It must not be added to, and must not be used while the guest executes a step.
	Journal() *Journal
}

// New returns the journal of a fresh guest that sees the catalog. A value, so that it can be a part of its guest.
func New(catalog []byte) Journal {
	return Journal{origin: origin{catalog: catalog}, limit: MaxBytes}
}

// Restored returns the journal of a guest that was restored from an image.
func Restored(image, catalog []byte) Journal {
	return Journal{origin: origin{image, catalog}, limit: MaxBytes}
}

// entryBytes and clockBytes are what a step and a clock read of it cost beside the input.
const (
	entryBytes = 128
	clockBytes = 16
)

// maxUnhashed is how large effects may be that are kept until more comes.
const maxUnhashed = 64 << 10

// Add takes in a step. It keeps the input, and small effects. Most runs have one step and are never rebuilt, so those are
// hashed only when more comes; large ones are hashed at once, since a run at rest must not hold them.
func (j *Journal) Add(input []byte, e *engine.Effects) {
	j.hashLast()
	j.bytes += len(input) + entryBytes + clockBytes*len(e.Clock)
	j.took += e.Took
	if j.full || j.bytes > j.limit {
		j.Drop()
		return
	}
	j.entries = append(j.entries, entry{input: input, clock: e.Clock, took: e.Took})
	j.last = e
	if len(e.Raw()) > maxUnhashed {
		j.hashLast()
	}
}

// Drop forgets the steps, as if there had been more than the journal remembers.
func (j *Journal) Drop() {
	j.full = true
	j.entries, j.last, j.origin, j.bytes = nil, nil, origin{}, 0
}

// Held returns how many bytes the journal holds for its guest, the catalog apart, which is the turn's.
func (j *Journal) Held() int {
	held := j.bytes + len(j.image)
	if j.last != nil {
		held += len(j.last.Raw())
	}
	return held
}

func (j *Journal) hashLast() {
	if j.last != nil {
		j.entries[len(j.entries)-1].hash = j.last.Hash()
		j.last = nil
	}
}

// Len returns how many steps there are to replay.
func (j *Journal) Len() int { return len(j.entries) }

// Full says whether there was more than the journal remembers.
func (j *Journal) Full() bool { return j.full }

// Steps returns the journal as it is now, to be rebuilt from while it goes on. It is ErrTooLong for one that is full, or
// whose steps took longer than max; zero stands for no such bound.
func (j *Journal) Steps(max time.Duration) (*Steps, error) {
	if j.full || max > 0 && j.took > max {
		return nil, ErrTooLong
	}
	j.hashLast()
	return &Steps{origin: j.origin, entries: slices.Clone(j.entries)}, nil
}

// Steps is what a guest was given until some moment.
type Steps struct {
	origin
	entries []entry
}

// slowest is how many times longer than at first a step may take when it is replayed in a slower engine, and grace what
// it may take on top, on a machine that has other things to do.
const (
	slowest = 20
	grace   = 5 * time.Second
)

// Rebuild replays the steps in an engine and returns the guest as it is after the last one. A step that is not the same
// step is engine.ErrDiverged, and the error says which.
func (s *Steps) Rebuild(ctx context.Context, e engine.Engine) (engine.VM, error) {
	vm, err := s.begin(ctx, e)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, vm.Interrupt)
	defer stop()
	for n, one := range s.entries {
		if err := one.replay(ctx, vm); err != nil {
			vm.Close()
			return nil, fmt.Errorf("step %d of %d: %w", n+1, len(s.entries), err)
		}
	}
	return vm, nil
}

// begin makes the guest as it was before its first step.
func (o *origin) begin(ctx context.Context, e engine.Engine) (engine.VM, error) {
	if o.image == nil {
		return e.NewVM(o.catalog)
	}
	p, ok := e.(engine.Portable)
	if !ok {
		return nil, fmt.Errorf("%w: engine %s restores none", engine.ErrImage, e.Name())
	}
	return p.Restore(ctx, o.image, o.catalog)
}

func (e *entry) replay(ctx context.Context, vm engine.VM) error {
	replayer, ok := vm.(engine.Replayer)
	if !ok {
		return fmt.Errorf("engine %s replays no steps", vm.EngineName())
	}
	effects, err := replayer.Replay(ctx, e.input, e.clock, e.took*slowest+grace)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: replayed, it ended with: %w", engine.ErrDiverged, err)
	case effects.Hash() != e.hash:
		return fmt.Errorf("%w: it handed out something else", engine.ErrDiverged)
	case !slices.Equal(effects.Clock, e.clock):
		return fmt.Errorf("%w: it read the clock otherwise", engine.ErrDiverged)
	}
	return nil
}
