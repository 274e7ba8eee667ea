package executor

import (
	"container/list"
	"context"
	"sync"
)

// places bounds how many calls of a tool are under way at once. The tools of a tenant with the same id are one tool, in
// whichever turn they are. Where calls wait, runs take turns, so that one that waits with many does not keep others from
// theirs. The zero value is ready.
type places struct {
	mu    sync.Mutex
	tools map[placesKey]*toolPlaces // of which there are calls
}

type placesKey struct{ tenant, toolID string }

// toolPlaces are those of one tool.
type toolPlaces struct {
	busy int
	runs map[string]*waitingRun
	turn list.List // of the *waitingRun, in the order in which they get places
}

// waitingRun is a run with calls that wait.
type waitingRun struct {
	id    string
	calls list.List // of *waitingCall
	at    *list.Element
}

// waitingCall is told when it has a place.
type waitingCall struct {
	limit int
	ready chan struct{}
}

// enter waits for one of limit places, in turn. The error is the cause of the end of ctx. Who has a place gives it back with
// leave.
func (p *places) enter(ctx context.Context, call *Call, limit int) error {
	p.mu.Lock()
	key := placesKey{call.Tenant, call.Tool.ID()}
	tool := p.tools[key]
	if tool == nil {
		if p.tools == nil {
			p.tools = map[placesKey]*toolPlaces{}
		}
		tool = &toolPlaces{runs: map[string]*waitingRun{}}
		p.tools[key] = tool
	}
	if tool.busy < limit && tool.turn.Len() == 0 {
		tool.busy++
		p.mu.Unlock()
		return nil
	}
	waiting := &waitingCall{limit, make(chan struct{})}
	run, at := tool.wait(call.RunID, waiting)
	p.mu.Unlock()
	select {
	case <-waiting.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-waiting.ready: // meanwhile, and the place is somebody else's now
		tool.busy--
	default:
		tool.forget(run, at)
	}
	p.settle(key, tool)
	return context.Cause(ctx)
}

func (p *places) leave(call *Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := placesKey{call.Tenant, call.Tool.ID()}
	tool := p.tools[key]
	tool.busy--
	p.settle(key, tool)
}

// settle gives places that are free to those whose turn it is. mu must be held.
func (p *places) settle(key placesKey, tool *toolPlaces) {
	for tool.turn.Len() > 0 {
		run := tool.turn.Front().Value.(*waitingRun)
		next := run.calls.Front()
		call := next.Value.(*waitingCall)
		if tool.busy >= call.limit {
			return
		}
		tool.busy++
		close(call.ready)
		tool.turn.MoveToBack(run.at)
		tool.forget(run, next)
	}
	if tool.busy == 0 {
		delete(p.tools, key)
	}
}

// wait puts a call behind those of its run.
func (t *toolPlaces) wait(runID string, call *waitingCall) (*waitingRun, *list.Element) {
	run := t.runs[runID]
	if run == nil {
		run = &waitingRun{id: runID}
		t.runs[runID] = run
		run.at = t.turn.PushBack(run)
	}
	return run, run.calls.PushBack(call)
}

// forget takes out a call that does not wait any more.
func (t *toolPlaces) forget(run *waitingRun, call *list.Element) {
	run.calls.Remove(call)
	if run.calls.Len() == 0 {
		delete(t.runs, run.id)
		t.turn.Remove(run.at)
	}
}
