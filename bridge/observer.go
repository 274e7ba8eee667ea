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

// RunInfo says which run an event is about.
type RunInfo struct {
	Tenant, TurnID string
	RunID          string // empty until the run was named
	Context        Context
}

// Event is one of RunStarted, StepEnded, CallStarted, CallProgressed, CallEnded, RunSuspended, RunResumed, RunEnded.
type Event interface{ event() }

// RunStarted is a cell that passed all checks and has a guest, or a run that was imported.
type RunStarted struct{ TypeScript bool }

// StepEnded is one uninterrupted stretch of guest execution.
type StepEnded struct {
	Wall, CPU time.Duration
	HeapBytes int
}

// CallStarted is a nested call that an executor begins with.
type CallStarted struct{ CallID, ToolID string }

// CallProgressed is what a tool says of itself meanwhile. Total is 0 if it is not known.
type CallProgressed struct {
	CallID, ToolID string
	Done, Total    float64
	Message        string
}

// CallEnded is what it came to: completed, failed, or cancelled, where the run ended first.
type CallEnded struct {
	CallID, ToolID, State string
	Took                  time.Duration
}

// RunSuspended is a run that waits for somebody, RunResumed one that is driven on.
type (
	RunSuspended struct{}
	RunResumed   struct{}
)

// RunEnded is a run's result, or its end without one (it was aborted or expired while it was suspended, it was exported, or
// there was no place for its first step): Status is empty then. It is the last event of each run that was started.
type RunEnded struct {
	Status Status
	Code   Code // of a failed run
}

func (RunStarted) event()     {}
func (StepEnded) event()      {}
func (CallStarted) event()    {}
func (CallProgressed) event() {}
func (CallEnded) event()      {}
func (RunSuspended) event()   {}
func (RunResumed) event()     {}
func (RunEnded) event()       {}

// observe tells the observer, if there is one.
func (r *run) observe(e Event) {
	if r.service.options.Observer == nil {
		return
	}
	ctx := context.Background()
	if r.invocation != nil {
		ctx = context.WithoutCancel(r.invocation.ctx)
	}
	r.service.options.Observer.Observe(ctx, r.info(), e)
}

// observeStart tells the observer of a run, which is told of its end then too.
func (r *run) observeStart() {
	r.started = true
	r.observe(RunStarted{TypeScript: r.cell.language == script.TypeScript})
}

// observeCall is observe for the goroutine of a call.
func (r *run) observeCall(ctx context.Context, e Event) {
	if o := r.service.options.Observer; o != nil {
		o.Observe(context.WithoutCancel(ctx), r.info(), e)
	}
}

func (r *run) info() RunInfo {
	info := RunInfo{Tenant: r.turn.tenant, TurnID: r.turn.id, Context: r.turn.context}
	if r.id.given() {
		info.RunID = r.id.String()
	}
	return info
}
