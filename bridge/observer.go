package bridge

import (
	"context"
	"time"

	"github.com/codecell/codecell/engine/script"
)

// Observer is told what happens to runs: where metrics, traces and events listen. Observe is called on the goroutine that
// does the work, in order for each run, apart from the events of calls; it must return at once. The context is that of the
// request which the run is driven for, with its values, and its end means nothing.
type Observer interface {
	Observe(ctx context.Context, run RunInfo, e Event)
}

// Observers are several observers as one, told in this order.
type Observers []Observer

// Observe implements Observer.
func (o Observers) Observe(ctx context.Context, run RunInfo, e Event) {
	for _, one := range o {
		one.Observe(ctx, run, e)
	}
}

// RunInfo says which run an event is about.
type RunInfo struct {
	Tenant, TurnID string
	RunID          string // empty until the run was named
	Context        Context
}

// Event is one of CellRefused, RunStarted, StepEnded, OutputAdded, CallStarted, CallProgressed, CallWaits, CallDecided, CallEnded,
// HookAnswered, RunSuspended, RunResumed, RunEnded.
type Event interface{ event() }

// CellRefused is an exec whose cell never became a run, although its answer is a result: a failed one with this code.
type CellRefused struct{ Code Code }

// RunStarted is a cell that passed all checks and has a guest, or a run that was imported.
type RunStarted struct{ TypeScript bool }

// StepEnded is one uninterrupted stretch of guest execution.
type StepEnded struct {
	Queued    time.Duration // from asking for the step until its effects were there, the step itself apart
	Wall, CPU time.Duration
	HeapBytes int
}

// OutputAdded is an item of the run's output, as its result will carry it: JSON, and not to be changed.
type OutputAdded struct{ Item []byte }

// CallStarted is a nested call that an executor begins with.
type CallStarted struct{ CallID, ToolID string }

// CallProgressed is what a tool says of itself meanwhile. Total is 0 if it is not known.
type CallProgressed struct {
	CallID, ToolID string
	Done, Total    float64
	Message        string
}

// CallWaits is a call that waits for somebody outside: the caller, whose tool it is, or a person who may approve it.
type CallWaits struct {
	CallID, ToolID string
	For            string // "caller" or "approval"
	ApprovalID     string // of the approval that it waits for
}

// CallDecided is what came of an approval that a call waited for: approved, denied or expired. By is who decided, as they say.
type CallDecided struct{ CallID, ToolID, ApprovalID, State, By string }

// CallEnded is what a nested call came to: also one that the caller carried out, or that was refused before anybody did, of
// which no CallStarted was told.
type CallEnded struct {
	CallID, ToolID string        // ToolID is empty if there is no such tool
	State          string        // completed, failed, refused, or cancelled, where the run ended first
	Code           string        // of the error that the cell gets; empty for none
	Took           time.Duration // of the executor
	Decisions      []Decision    // of the stages, in their order; not to be changed
}

// HookAnswered is what a hook made of a call, or of an exec: allowed, blocked, changed, failed, or failOpen, where it failed
// and the call went on.
type HookAnswered struct{ Hook, Outcome string }

// RunSuspended is a run that waits for somebody, RunResumed one that is driven on.
type (
	RunSuspended struct{}
	RunResumed   struct{}
)

// RunEnded is a run's result, or its end without one: Status is empty then, and Cause says why. It is the last event of each
// run that was started.
type RunEnded struct {
	Status Status
	Code   Code          // of a failed run
	Cause  Cause         // of an end without a result
	Wall   time.Duration // since RunStarted, waiting and all
	Usage  Usage
}

// Cause is why a run ended without a result.
type Cause string

// The causes.
const (
	CauseAborted    Cause = "aborted"    // while it was suspended: by its client, or with its turn
	CauseExpired    Cause = "expired"    // nobody resumed it in time
	CauseExported   Cause = "exported"   // it goes on elsewhere
	CauseOverloaded Cause = "overloaded" // there was no place for its first step
)

func (CellRefused) event()    {}
func (HookAnswered) event()   {}
func (RunStarted) event()     {}
func (StepEnded) event()      {}
func (OutputAdded) event()    {}
func (CallStarted) event()    {}
func (CallProgressed) event() {}
func (CallWaits) event()      {}
func (CallDecided) event()    {}
func (CallEnded) event()      {}
func (RunSuspended) event()   {}
func (RunResumed) event()     {}
func (RunEnded) event()       {}

// observe tells the observer, if there is one, and those who listen.
func (r *run) observe(e Event) {
	r.tell(e)
	if r.turn.observer == nil {
		return
	}
	ctx := context.Background()
	if r.invocation != nil {
		ctx = context.WithoutCancel(r.invocation.ctx)
	}
	r.turn.observer.Observe(ctx, r.info(), e)
}

// isHeard says whether anybody is told what happens to the run.
func (r *run) isHeard() bool { return r.turn.observer != nil || r.turn.log.Load() != nil }

// observeOutput tells of the run's output from its n-th item on.
func (r *run) observeOutput(n int) {
	if r.isHeard() {
		for _, item := range r.output.items[n:] {
			r.observe(OutputAdded{item})
		}
	}
}

// observeWait tells of a call that is about to wait for somebody outside.
func (r *run) observeWait(ctx context.Context, q *request, kind requestKind) {
	if !r.isHeard() {
		return
	}
	e := CallWaits{CallID: r.id.call(q.id), ToolID: q.entry.ID(), For: "caller"}
	if kind == approvalRequest {
		e.For, e.ApprovalID = "approval", q.call.asked.ID()
	}
	r.observeCall(ctx, e)
}

// observeStart tells the observer of a run, which is told of its end then too.
func (r *run) observeStart() {
	r.started = time.Now()
	r.observe(RunStarted{TypeScript: r.cell.language == script.TypeScript})
}

// observeEnd tells the observer of the end of a run that it was told of.
func (r *run) observeEnd() {
	if r.started.IsZero() {
		return
	}
	e := r.ended
	if e.Status == "" && e.Cause == "" {
		e.Cause = CauseAborted
	}
	e.Wall, e.Usage = time.Since(r.started), r.usage
	r.observe(e)
}

// observeRefused tells the observer of an exec that ends with a result before there is a run.
func (t *Turn) observeRefused(ctx context.Context, result *Result) {
	if o := t.observer; o != nil && result != nil {
		o.Observe(context.WithoutCancel(ctx), t.info(), CellRefused{result.Code})
	}
}

// observeHook tells the observer what a hook said.
func (t *Turn) observeHook(ctx context.Context, run RunInfo, hook, outcome string) {
	if o := t.observer; o != nil {
		o.Observe(context.WithoutCancel(ctx), run, HookAnswered{hook, outcome})
	}
}

// observeCall is observe for the goroutine of a call.
func (r *run) observeCall(ctx context.Context, e Event) {
	r.tell(e)
	if o := r.turn.observer; o != nil {
		o.Observe(context.WithoutCancel(ctx), r.info(), e)
	}
}

func (r *run) info() RunInfo {
	info := r.turn.info()
	if r.id.given() {
		info.RunID = r.id.String()
	}
	return info
}

func (t *Turn) info() RunInfo { return RunInfo{Tenant: t.tenant, TurnID: t.id, Context: t.context} }
