package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/codecell/codecell/engine"
)

// call is a nested tool call on its way through the stages. No lock of the run is held in any of them.
type call struct {
	*request
	run    *run
	target string          // what the cell named
	result json.RawMessage // what the tool answered
	err    error           // why it did not

	started time.Time // by the executor
}

// stage is one of the things that happen to a nested call. It returns a *refusalError where the call ends, rejected.
type stage struct {
	name string
	run  func(context.Context, *call) error
}

// The stages of a nested call, in this order (contract G1). Each is a file of its own, call_….go, and there is no other way
// to a tool.
//
// The first ones wait for nobody and change nothing. They happen when a step has asked for the call, before it is known
// whether the run must be suspended: one that may not be must not have started the calls of that suspension (contract C6).
// The others happen on a goroutine of the call's own, when there is a place for it (contract D6); for a call that the caller
// carries out, the caller's answer comes in their stead.
//
// A stage that asks somebody else (hooks, approval) belongs between policy and validate, since it may change the input; one
// that looks at the result (hooks) between execute and record.
var (
	admission = []stage{
		{"look up", lookUp},
		{"policy", checkPolicy},
		{"validate", validateInput},
	}
	completion = []stage{
		{"execute", execute},
		{"record", record},
	}
)

// refusalError ends a call: the guest's promise rejects with its code and text.
type refusalError struct{ code, text string }

func (e *refusalError) Error() string { return e.text }

// admitCall takes a call through the stages up to where it could be carried out. It fails when ctx ends before that.
func (r *run) admitCall(ctx context.Context, q *request, asked *engine.Request) error {
	c := &call{request: q, run: r, target: asked.Name}
	q.kind, q.input = localRequest, asked.Payload
	for _, s := range admission {
		err := s.run(ctx, c)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.refuse(q, err)
			return nil
		}
	}
	return nil
}

// carryOut takes a call through the rest of the stages, and starts the next one that waits for its place.
func (r *run) carryOut(q *request) {
	c := &call{request: q, run: r}
	for _, s := range completion {
		_ = s.run(q.ctx, c) // what went wrong is in the call, and record says it
	}
	r.startCalls()
}

// refuse answers a request with an error. What it held is not needed any more.
func (r *run) refuse(q *request, err error) {
	code := codeInvalidInput
	var refused *refusalError
	if errors.As(err, &refused) {
		code = refused.code
	}
	q.refuse(r.id.call(q.id), code, err.Error())
	q.input = nil
}
