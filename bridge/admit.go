package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine"
)

// errHeld means that the run makes the service hold more than it may.
var errHeld = errors.New("the run holds too much")

// admit takes in what a step asked for, and charges the invocation for the processor time that this takes (contract H6).
// Nothing is started yet: a run that can't be suspended must not have started the calls of that suspension (contract C6).
// An engine.ErrProtocol means that the step can't be the guest's.
func (r *run) admit(i *invocation, e *engine.Effects) ([]*request, error) {
	if len(e.Requests) == 0 && len(e.Cancelled) == 0 {
		return nil, nil
	}
	clock := startClock()
	defer clock.stop()
	entered := r.service.pace.enter(r, i)
	defer func() { r.service.pace.leave(entered) }()
	ctx := &deadline{r.ctx, time.Now().Add(admissionSlack * i.left)}
	unchecked := 0
	// All that a step hands out lies in one buffer, which must not be kept for a small part of it.
	keepsBuffer := len(e.Raw()) <= maxSharedBuffer
	fresh := make([]*request, 0, min(len(e.Requests), 64))
	cancelled := r.cancelTimers(e.Cancelled)
	for n := range e.Requests {
		asked := &e.Requests[n]
		if asked.Method == engine.MethodTimer && cancelled[asked.ID] {
			continue // set and cleared in the same step
		}
		q, err := r.admitOne(ctx, asked)
		if err != nil {
			return nil, err
		}
		if !keepsBuffer && len(q.input) < len(e.Raw())/2 {
			q.input = bytes.Clone(q.input)
		}
		fresh = append(fresh, q)
		if unchecked += effort(asked); unchecked >= checkEvery {
			unchecked = 0
			if err := r.chargeService(i, &clock); err != nil {
				return nil, err
			}
			r.service.pace.leave(entered)
			r.service.pace.rest(r, i)
			entered = r.service.pace.enter(r, i)
			clock.resume()
		}
	}
	return fresh, r.chargeService(i, &clock)
}

// cancelTimers forgets timers that the cell cleared, and returns them.
func (r *run) cancelTimers(ids []uint32) map[uint32]bool {
	if len(ids) == 0 {
		return nil
	}
	cancelled := make(map[uint32]bool, len(ids))
	for _, id := range ids {
		cancelled[id] = true
		r.requests.cancel(id)
	}
	return cancelled
}

// maxSharedBuffer is how large the buffer of a step's effects may be that its requests keep.
const maxSharedBuffer = 64 << 10

// checkEvery is how much effort goes between two looks at the clock, which cost as much as a small request.
const checkEvery = 256

// effort is about how much work a request is, in multiples of that for a timer: a search costs the most, and whatever has
// an input is read once or twice.
func effort(asked *engine.Request) int {
	n := 1 + (len(asked.Name)+len(asked.Payload))/256
	switch asked.Method {
	case engine.MethodTimer, engine.MethodYield:
		return n
	case engine.MethodSearch:
		return n + 128
	}
	return n + 32
}

// chargeService charges what the service has done since it was asked last. It fails when the budget is spent, or the run is
// to end.
func (r *run) chargeService(i *invocation, clock *processorClock) error {
	took := clock.lap()
	i.served(took)
	r.usage.Service += took
	r.turn.share.Charge(took)
	switch {
	case r.ctx.Err() != nil:
		return engine.ErrStopped
	case i.left <= 0:
		return engine.ErrTimeout
	}
	return nil
}

// admitOne judges a request: everything that it names is looked up in the turn's own catalog.
func (r *run) admitOne(ctx context.Context, asked *engine.Request) (*request, error) {
	q := &request{id: asked.ID, method: asked.Method}
	var refused, failed error
	switch asked.Method {
	case engine.MethodSearch:
		refused = r.search(q, asked)
	case engine.MethodDescribe:
		refused = r.describe(q, asked)
	case engine.MethodCall, engine.MethodCallValue:
		failed = r.admitCall(ctx, q, asked)
	case engine.MethodNamespace:
		if server, ok := isAPI(asked); ok {
			refused = r.describeAPI(q, server, asked)
		} else if isStore(asked) {
			refused = r.changeStore(q, asked)
		} else {
			failed = r.admitCall(ctx, q, asked)
		}
	case engine.MethodYield:
		q.kind, q.answer = yieldRequest, engine.Answer{ID: q.id, Payload: yielded(asked.Payload)}
	case engine.MethodTimer:
		q.kind, q.due = timerRequest, time.Now().Add(timerDelay(asked.Payload))
	}
	switch {
	case errors.Is(failed, context.DeadlineExceeded):
		return nil, engine.ErrTimeout
	case failed != nil:
		return nil, engine.ErrStopped
	case refused != nil:
		r.refuse(q, refused)
	}
	err := r.hold(q)
	if err == nil {
		err = r.requests.add(q)
	}
	if c := q.call; err != nil && c != nil && c.at < stageCount { // it is on no list from which it would be recorded
		r.giveUp(c)
	}
	return q, err
}

func yielded(reason []byte) []byte {
	return append(append([]byte(`{"status":"yielded","reason":`), reason...), '}')
}

// hold counts in the run's account what is kept for a request. A request that there is no room for is refused; a run that
// has no room even for that is over.
func (r *run) hold(q *request) error {
	size := q.size()
	err := r.account.Hold(size)
	if err != nil && size > 2*requestOverhead {
		r.refuse(q, &refusalError{codeTooManyBytes, fmt.Sprintf("this takes %d bytes, and %v. Await pending calls before starting others, or pass less data.", size, err)})
		q.answer.Payload = append([]byte(nil), q.answer.Payload...)
		size = q.size()
		err = r.account.Hold(size)
	}
	var full *account.FullError
	if errors.As(err, &full) {
		return fmt.Errorf("%w: %w", errHeld, err)
	}
	q.held = size
	return nil
}

// holdGuest counts what the engine holds for the guest, to rebuild it from. Where that is more than half of what the run
// may hold, or there is no room, the guest does without: inputs and answers come first.
func (r *run) holdGuest() {
	holder, ok := r.guest.vm.(engine.Holder)
	if !ok {
		return
	}
	held := holder.HeldBytes()
	r.account.Release(r.guest.setHeld(held))
	if held > r.turn.config.MaxHeldBytes/2 || r.account.Hold(held) != nil {
		r.guest.setHeld(0)
		holder.Forget()
	}
}

// admissionSlack is how many times longer than what is left of the budget the admission of a step may take by the wall
// clock, which goes on while others have the processor.
const admissionSlack = 4

// deadline is a context that ends at some time, without a timer: whoever works asks for its error now and then.
type deadline struct {
	context.Context
	at time.Time
}

// Err implements context.Context.
func (d *deadline) Err() error {
	if err := d.Context.Err(); err != nil || time.Now().Before(d.at) {
		return err
	}
	return context.DeadlineExceeded
}

// processorClock measures how long the goroutine that starts it is at work, which must not block. The first millisecond is
// taken from the wall clock, which costs next to nothing: that is more than nearly all steps need, and as much as a busy
// machine may add. Whatever takes longer is measured by the processor's clock of the thread, to which the goroutine is
// locked then, until stop.
type processorClock struct {
	began, last time.Time
	locked      bool
	lastCPU     time.Duration
}

func startClock() processorClock {
	now := time.Now()
	return processorClock{began: now, last: now}
}

// lap returns the time since the last lap.
func (c *processorClock) lap() time.Duration {
	if c.locked {
		now := threadTime()
		took := now - c.lastCPU
		c.lastCPU = now
		return took
	}
	now := time.Now()
	took := now.Sub(c.last)
	c.last = now
	if now.Sub(c.began) > maxHandover {
		c.locked = true
		runtime.LockOSThread()
		c.lastCPU = threadTime()
	}
	return took
}

// resume leaves out the time since the last lap.
func (c *processorClock) resume() { c.last = time.Now() }

func (c *processorClock) stop() {
	if c.locked {
		runtime.UnlockOSThread()
	}
}

func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // fails for no clock that exists
	return time.Duration(t.Nano())
}
