package bridge

import (
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

type runState int

const (
	running   runState = iota // an exec or wait drives it
	suspended                 // nobody does
	ended
)

// run is a cell's life. Fields above mu belong to the goroutine that drives the run; those below are shared with
// tool calls, deliveries and aborts.
type run struct {
	service  *Service
	turn     *Turn
	source   *script.Source
	code     string // that source was prepared from
	language script.Language
	vm       engine.VM       // nil while its guest lies in a snapshot; mu guards changes of it
	engine   string          // the name of the guest's
	catalog  []byte          // that the guest sees
	ctx      context.Context // ends with the run; nested calls hang on it
	cancel   context.CancelFunc

	parentID string      // of the exec or wait being served
	detach   func() bool // from the client; false if that came too late
	output   outputLog
	settled  bool
	value    []byte // once settled
	noticed  engine.Hint
	hints    []string
	steps    int
	heap     int           // bytes, after the last step
	guest    time.Duration // guest execution, by the wall clock
	computed time.Duration // of which it had a processor
	leg      *leg          // being driven
	waited   time.Duration // everything between steps

	moving sync.Mutex // held while the guest is moved into a snapshot
	atRest sync.Mutex // held while somebody else than the driving goroutine touches the guest

	mu    sync.Mutex
	state runState
	// How often the run was suspended: a guest that was copied out earlier is out of date.
	suspensions int
	stored      bool          // the guest lies in a snapshot
	parking     *list.Element // on the list of parked heaps; handoffs.mu guards it
	stuck       bool          // parked, and can't be moved
	id          string
	pending     map[uint32]*item
	order       []*item // pending ones in the order of their requests
	queue       []*item // of them, calls that wait for a place
	active      int     // calls under way
	mailbox     []engine.Answer
	wake        chan struct{}
	effects     []*SideEffect
	harmful     bool // a call was started that must not be repeated
	expiry      *time.Timer
	expiresAt   time.Time
}

func newRun(s *Service, t *Turn, source *script.Source, language script.Language) *run {
	r := &run{
		service: s, turn: t, source: source, language: language,
		output: newOutputLog(&t.config), wake: make(chan struct{}, 1),
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// begin gives the run its guest.
func (r *run) begin(vm engine.VM, catalog []byte) {
	r.vm, r.engine, r.catalog = vm, vm.EngineName(), catalog
}

// runID names the run; most runs end without ever needing a name. r.mu must be held.
func (r *run) runID() string {
	if r.id == "" {
		r.id = "cm_" + rand.Text()
	}
	return r.id
}

// callID names a nested call to the world. Unlike the guest's own number it is unique across runs. r.mu must be
// held.
func (r *run) callID(id uint32) string { return r.runID() + "." + strconv.FormatUint(uint64(id), 36) }

// interrupt ends the step and the calls that are under way; whoever drives the run sees its context end.
func (r *run) interrupt() {
	r.cancel()
	r.mu.Lock()
	vm := r.vm
	r.mu.Unlock()
	if vm != nil {
		vm.Interrupt()
	}
}

// abort ends the run from outside (contract G7).
func (r *run) abort() {
	r.interrupt()
	r.mu.Lock()
	idle := r.state == suspended
	if idle {
		r.state = ended
	}
	r.mu.Unlock()
	if idle {
		r.release()
	}
}

// end is called by whoever drives the run, when it is over.
func (r *run) end() {
	if r.detach != nil {
		r.detach()
	}
	r.mu.Lock()
	r.state = ended
	r.mu.Unlock()
	r.release()
}

// release gives back what the run holds: its place, its heap, its calls. It is called once.
func (r *run) release() {
	r.cancel()
	r.service.forget(r)
	r.turn.removeRun(r)
	r.atRest.Lock() // whoever was copying the guest out has finished, and nobody begins
	r.mu.Lock()
	vm, stored := r.vm, r.stored
	r.vm, r.stored = nil, false
	if h := r.service.handoffs; h != nil {
		h.unpark(r)
	}
	r.mu.Unlock()
	r.atRest.Unlock()
	if vm != nil {
		vm.Close()
	}
	if stored {
		_ = r.service.handoffs.store.Delete(context.Background(), r.id)
	}
}

// attach ties the run to the client that it is driven for: the client going away ends it (contract G7). Whoever
// parks or ends the run detaches it first, so that a client that goes later takes nothing of anybody else's along.
func (r *run) attach(ctx context.Context) { r.detach = context.AfterFunc(ctx, r.interrupt) }

// drive serves one exec or wait: it takes steps, beginning with input, until there is a result to give.
func (r *run) drive(ctx context.Context, input []byte) (*Result, error) {
	r.attach(ctx)
	leg := newLeg(&r.turn.config)
	r.leg = leg
	for {
		fresh, result, err := r.step(leg, input)
		if result != nil || err != nil {
			return result, err
		}
		if r.mustSuspend(fresh, leg) {
			return r.suspend(fresh), nil
		}
		r.dispatch(fresh)
		started := time.Now()
		answers := r.collect(leg.drainLeft)
		leg.drained(time.Since(started))
		r.waited += time.Since(started)
		switch {
		case r.ctx.Err() != nil:
			return r.fail(aborted), nil
		case len(answers) == 0:
			return r.suspend(nil), nil
		}
		input = engine.AppendResume(nil, answers)
	}
}

// leg is what one exec or wait may spend, by clocks of their own (contract C1, C2, H1): processor time that the guest has
// had, and time between steps, which is nobody's computing. By the wall clock a single step ends when the guest's clock
// could at the earliest.
type leg struct {
	guestLeft, drainLeft time.Duration
	measured             bool // the last step's time is part of it: a step that nobody came back from has none
}

func newLeg(c *config.Config) *leg {
	return &leg{
		guestLeft: time.Duration(c.TimeoutMs) * time.Millisecond, drainLeft: time.Duration(c.DrainMs) * time.Millisecond,
	}
}

func (l *leg) drained(d time.Duration) { l.drainLeft = max(l.drainLeft-d, 0) }

// step takes one step and takes in its effects. It returns what the step asked for, or the result if that settles
// the matter.
func (r *run) step(l *leg, input []byte) ([]*item, *Result, error) {
	effects, err := r.vm.Step(r.ctx, input, l.guestLeft)
	l.measured = effects != nil
	if effects == nil {
		if errors.Is(err, engine.ErrOverloaded) {
			r.end()
			return nil, nil, unavailable(err)
		}
		return nil, r.fail(engineFailure(err, r)), nil
	}
	r.steps++
	r.heap = r.vm.HeapBytes()
	r.guest += effects.Took
	r.computed += effects.CPU
	l.guestLeft -= effects.CPU
	for _, o := range effects.Outputs {
		r.output.add(o)
	}
	r.output.omitted += effects.Omitted
	r.hintUnhandled(effects.Unhandled)
	switch {
	case err != nil:
		return nil, r.fail(engineFailure(err, r)), nil
	case r.output.over:
		return nil, r.fail(outputOver(r)), nil
	case l.guestLeft <= 0:
		return nil, r.fail(engineFailure(engine.ErrTimeout, r)), nil
	}
	return r.takeIn(effects)
}

// takeIn looks at where the cell's promise is and at what was asked for.
func (r *run) takeIn(e *engine.Effects) ([]*item, *Result, error) {
	switch e.Main.State {
	case engine.Rejected:
		return nil, r.fail(guestFailure(r, &e.Main.Thrown)), nil
	case engine.Fulfilled:
		r.settled, r.value, r.noticed = true, e.Main.Value, e.Main.Hints
	}
	fresh, err := r.admit(e)
	if err != nil {
		return nil, r.fail(engineFailure(err, r)), nil
	}
	r.mu.Lock()
	left, timers := r.count()
	r.mu.Unlock()
	switch {
	case left-timers == 0 && r.settled:
		return nil, r.complete(timers), nil
	case left == 0:
		return nil, r.fail(stuck), nil
	}
	return fresh, nil, nil
}

// count returns how much is pending, and how much of it are timers. r.mu must be held.
func (r *run) count() (all, timers int) {
	for _, it := range r.order {
		if it.kind == timerItem {
			timers++
		}
	}
	return len(r.order), timers
}
