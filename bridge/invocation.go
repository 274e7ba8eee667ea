package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
)

// invocation is one exec or wait of a run: what it may spend, and for which client. It belongs to the goroutine that
// drives the run.
//
// There are two budgets (contract C1, H1, H6). One is of what the run itself makes the machine do: processor time of the
// guest, of the service on its behalf, and the time that it sleeps while nobody else works for it, or rests while others go
// first. The other is for waiting
// for tools. Waiting for a processor is charged to neither, except that a single step ends, by the wall clock, when what is
// left would be over.
type invocation struct {
	ctx      context.Context // of the client: its values go along with the calls (see callContext)
	parentID string          // of the exec or wait, as the caller names it
	detach   func() bool     // from the client; false if that came too late

	limit   time.Duration
	left    time.Duration // of the first budget
	asleep  time.Duration // of it, what the run slept
	service time.Duration // of it, what the service did
	resting time.Duration // of it, what the run let others go first

	waitLeft time.Duration // the second budget

	used   time.Duration // processor time of guest and service: see pace
	rested time.Duration // of it, what the invocation has rested for

	calls context.Context // of the calls that it starts, once it has started some

	measured bool // the last step's time is part of it: a step that nobody came back from has none
}

func newInvocation(ctx context.Context, c *config.Config, parentID string) *invocation {
	limit := time.Duration(c.TimeoutMs) * time.Millisecond
	return &invocation{ctx: ctx, parentID: parentID, limit: limit, left: limit, waitLeft: drainBudget(c)}
}

func drainBudget(c *config.Config) time.Duration { return time.Duration(c.DrainMs) * time.Millisecond }

// awakeShare is the part of the first budget that can't be slept away, one in so many: whoever wakes up must have time to
// do what it slept for.
const awakeShare = 20

// sleepLeft returns how long the run may sleep while nobody else works for it.
func (i *invocation) sleepLeft() time.Duration { return i.left - i.limit/awakeShare }

// waiting charges time between steps: to both budgets, unless tools were at work, which only the second one is for.
func (i *invocation) waiting(d time.Duration, toolsAtWork bool) {
	i.waitLeft = max(i.waitLeft-d, 0)
	if !toolsAtWork {
		i.left -= d
		i.asleep += d
	}
}

// maxHandover is how much of the time between asking for a step and having its effects, the step itself apart, is charged
// to the run. More than that is a busy machine's.
const maxHandover = time.Millisecond

// executed charges a step that took so long to come back.
func (i *invocation) executed(e *engine.Effects, elapsed time.Duration) (service time.Duration) {
	service = min(max(elapsed-e.Took, 0), maxHandover)
	i.left -= e.CPU + service
	i.service += service
	i.used += e.CPU + service
	return service
}

// restedFor charges a rest (see pace).
func (i *invocation) restedFor(d time.Duration) {
	i.left -= d
	i.resting += d
}

// served charges processor time of the service, and returns it.
func (i *invocation) served(d time.Duration) time.Duration {
	i.left -= d
	i.service += d
	i.used += d
	return d
}

// attach ties the run to the client that it is driven for: the client going away ends it (contract G7). Whoever parks or
// ends the run detaches it first, so that a client that goes later takes nothing of anybody else's along.
func (r *run) attach(i *invocation) {
	r.invocation = i
	r.listen(i.ctx)
	i.detach = context.AfterFunc(i.ctx, r.interrupt)
}

// callContext ends with the run, and has the values of the invocation's client, so that traces pass on to tools.
func (r *run) callContext() context.Context {
	i := r.invocation
	if i.calls == nil {
		i.calls = valued{r.ctx, context.WithValue(context.WithoutCancel(i.ctx), parentKey{}, i.parentID)}
	}
	return i.calls
}

// unattendedContext is the same for calls that are not of an invocation here.
func (r *run) unattendedContext() context.Context {
	return valued{r.ctx, context.WithValue(context.Background(), parentKey{}, r.parent)}
}

// parentKey is where a call's context has the id of the exec or wait that started it.
type parentKey struct{}

func (r *run) parentID(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}

// valued is a context with the values of another beside its own.
type valued struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (v valued) Value(key any) any {
	if own := v.Context.Value(key); own != nil {
		return own
	}
	return v.values.Value(key)
}

// drive serves an invocation: it executes steps, beginning with input, until there is a result to give.
func (r *run) drive(i *invocation, input []byte) (*Result, error) {
	defer r.service.pace.ended(r, i)
	for {
		r.claim.Long = r.service.pace.rest(r, i)
		fresh, result, err := r.step(i, input)
		if result != nil || err != nil {
			return result, err
		}
		if r.mustSuspend(i) {
			return r.suspend(fresh), nil
		}
		r.start(fresh)
		answers := r.await(i, r.mustSuspend)
		switch {
		case r.ctx.Err() != nil:
			return r.fail(aborted), nil
		case len(answers) == 0:
			return r.suspend(nil), nil
		}
		input = engine.AppendResume(nil, answers)
	}
}

// step executes one step and takes in its effects. It returns what the step asked for, or the result if that settles the
// matter.
func (r *run) step(i *invocation, input []byte) ([]*request, *Result, error) {
	of := r.turn.of
	if !of.steps.enter(r.ctx, r.service.options.Tenants(of.name).Steps) {
		return nil, r.fail(engineFailure(engine.ErrStopped, r)), nil
	}
	asked := time.Now()
	effects, err := r.guest.step(r.ctx, input, i.left)
	of.steps.leave()
	i.measured = effects != nil
	if effects == nil {
		if errors.Is(err, engine.ErrOverloaded) {
			r.ended.Cause = CauseOverloaded
			r.end()
			return nil, nil, unavailable(err)
		}
		return nil, r.fail(engineFailure(err, r)), nil
	}
	elapsed := time.Since(asked)
	service := i.executed(effects, elapsed) + i.served(time.Duration(r.handled.Swap(0)))
	r.usage.Service += service
	r.turn.share.Charge(effects.CPU + service)
	r.usage.Steps++
	r.usage.Heap = r.guest.heapBytes()
	r.holdGuest()
	r.usage.Guest += effects.Took
	r.usage.CPU += effects.CPU
	r.traceStep(i, asked, effects, elapsed, err)
	r.observe(StepEnded{Queued: max(elapsed-effects.Took, 0), Wall: effects.Took, CPU: effects.CPU, HeapBytes: r.usage.Heap})
	before, items := r.output.bytes, len(r.output.items)
	for _, o := range effects.Outputs {
		r.output.add(o)
	}
	r.observeOutput(items)
	held := r.keep(r.output.bytes - before + len(effects.Main.Value))
	r.output.omitted += effects.Omitted
	r.hintUnhandled(effects.Unhandled)
	r.hintMisused(effects)
	switch {
	case err != nil:
		return nil, r.fail(engineFailure(err, r)), nil
	case r.output.over:
		return nil, r.fail(outputOver(r)), nil
	case held != nil:
		return nil, r.fail(engineFailure(fmt.Errorf("%w: %w", errHeld, held), r)), nil
	case i.left <= 0:
		return nil, r.fail(engineFailure(engine.ErrTimeout, r)), nil
	}
	return r.takeIn(i, effects)
}

// takeIn looks at where the cell's promise is and at what was asked for.
func (r *run) takeIn(i *invocation, e *engine.Effects) ([]*request, *Result, error) {
	switch e.Main.State {
	case engine.Rejected:
		return nil, r.fail(guestFailure(r, &e.Main.Thrown)), nil
	case engine.Fulfilled:
		r.settled, r.value, r.noticed = true, e.Main.Value, e.Main.Hints
	}
	if r.missesAwait {
		r.noticed &^= engine.HintPromise | engine.HintUndefined // that says why
	}
	fresh, err := r.admit(i, e)
	if err != nil {
		return nil, r.fail(engineFailure(err, r)), nil
	}
	left, timers := r.requests.outstanding()
	switch {
	case left-timers == 0 && r.settled:
		return nil, r.complete(timers), nil
	case left == 0:
		return nil, r.fail(neverSettles), nil
	}
	return fresh, nil, nil
}

// await waits until something can be delivered to the guest, and takes it. It returns nothing when a budget is spent, the
// run was aborted, or there is no more sense in it, which is asked each time that calls have gone on without an answer.
func (r *run) await(i *invocation, senseless func(*invocation) bool) []engine.Answer {
	for woken := false; ; woken = true {
		now := time.Now()
		answers, next, calls := r.requests.take(now)
		if len(answers) > 0 || r.ctx.Err() != nil {
			return answers
		}
		if woken && senseless(i) {
			return nil
		}
		left := i.waitLeft
		if !calls {
			left = min(left, i.sleepLeft())
		}
		if left <= 0 {
			return nil
		}
		if !next.IsZero() {
			left = min(left, next.Sub(now))
		}
		r.sleep(left)
		slept := time.Since(now)
		i.waiting(slept, calls)
		r.usage.Waited += slept
	}
}

// sleep waits for d, for an answer, or for the end of the run.
func (r *run) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.requests.wake:
	case <-timer.C:
	case <-r.ctx.Done():
	}
}

// mustSuspend says whether the run has to wait for somebody else although no budget is spent (contract C1, C2): it yielded;
// or its config drains no tools.* calls and one is pending; or all that is left needs the caller, or comes when the budgets
// are spent.
func (r *run) mustSuspend(i *invocation) bool {
	w := r.requests.waits()
	switch {
	case i.waitLeft <= 0, w.yields, w.tools && r.turn.config.Drain == config.DrainNamespaces:
		return true
	case w.answers, w.calls:
		return false
	}
	end := time.Now().Add(min(i.waitLeft, i.sleepLeft()))
	return w.nextTimer.IsZero() || !w.nextTimer.Before(end)
}
