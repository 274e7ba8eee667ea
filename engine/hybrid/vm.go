package hybrid

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

// maxReplayed bounds what is replayed, in execution time of its first time: the portable engine may take several times
// as long.
const maxReplayed = 500 * time.Millisecond

// vm is a guest of the primary engine.
type vm struct {
	engine.VM
	engine  *Engine
	own     journal.Journal
	journal *journal.Journal // own, or the guest's if that keeps one itself
	ended   bool             // a step was ended from outside
}

var (
	_ engine.Imager = (*vm)(nil)
	_ engine.Holder = (*vm)(nil)
)

func newVM(e *Engine, guest engine.VM, catalog []byte) *vm {
	if keeper, ok := guest.(journal.Keeper); ok {
		return &vm{VM: guest, engine: e, journal: keeper.Journal()}
	}
	v := &vm{VM: guest, engine: e, own: journal.New(catalog)}
	v.journal = &v.own
	return v
}

// Step implements engine.VM.
func (v *vm) Step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	effects, err := v.VM.Step(ctx, input, timeout)
	switch {
	case err == nil && v.journal == &v.own:
		v.own.Add(input, effects)
	case err != nil && !errors.Is(err, engine.ErrOverloaded): // that one did not begin
		v.ended = true
	}
	return effects, err
}

// HeldBytes implements engine.Holder.
func (v *vm) HeldBytes() int { return v.journal.Held() }

// Forget implements engine.Holder.
func (v *vm) Forget() {
	if holder, ok := v.VM.(engine.Holder); ok {
		holder.Forget() // it keeps the journal
		return
	}
	v.journal.Drop()
}

// Capture implements engine.Imager. The image is made in the portable engine: the guest itself is not touched.
func (v *vm) Capture() (engine.Capture, error) {
	if v.ended {
		return nil, engine.ErrClosed
	}
	steps, err := v.journal.Steps(maxReplayed)
	if err != nil {
		return nil, pinned(err)
	}
	return func(ctx context.Context) ([]byte, error) {
		guest, err := steps.Rebuild(ctx, v.engine.portable)
		if err != nil {
			return nil, pinned(err)
		}
		defer guest.Close()
		return engine.Image(ctx, guest)
	}, nil
}

// pinned wraps engine.ErrPinned around what will be the same the next time.
func pinned(err error) error {
	if errors.Is(err, engine.ErrDiverged) || errors.Is(err, journal.ErrTooLong) {
		return fmt.Errorf("%w: %w", engine.ErrPinned, err)
	}
	return err
}
