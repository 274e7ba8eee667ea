package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// ExecInput is what the model called exec with, as it came: a member of the wrong type is judged, not refused.
type ExecInput struct {
	ToolCallID              string
	Code, Command, Language json.RawMessage // nil if absent
}

// Exec runs a cell (contract B). The error, if any, is an *Error: the service can't take the cell. Whatever the cell
// does is a result.
func (t *Turn) Exec(ctx context.Context, in ExecInput) (*Result, error) {
	end, err := t.service.beginInvocation(t.of)
	if err != nil {
		return nil, err
	}
	defer end()
	e := t.enterExec(in)
	ctx, span := t.startSpan(ctx, execName, in.ToolCallID)
	result, err := t.exec(ctx, in, &e, span)
	span.done(result, err)
	e.over(result, err)
	return result, err
}

func (t *Turn) exec(ctx context.Context, in ExecInput, e *execEntry, span *invocationSpan) (*Result, error) {
	a, err := t.announce(ctx, in)
	if err != nil {
		return nil, err
	}
	e.announced = a
	if a.refusal != nil {
		t.observeRefused(ctx, a.refusal)
		return a.refusal, nil
	}
	c, err := t.prepareCell(ctx, a.in)
	if err != nil {
		result, err := t.notPrepared(ctx, c, err)
		t.observeRefused(ctx, result)
		return a.hint(result), err
	}
	scopes, err := t.openScopes()
	if err != nil {
		return t.failed(CodeInternal, err.Error()), nil
	}
	r, err := newRun(t, c)
	if err != nil {
		return nil, noRoom(err)
	}
	e.run, r.group = r, e.group
	took, err := r.openGlobals(scopes)
	if err != nil {
		r.discard()
		return nil, noRoom(err)
	}
	c.parsing += took
	vm, err := t.service.options.Engine.NewVM(c.catalog)
	if err != nil {
		r.discard()
		return nil, unavailable(err)
	}
	r.parent = in.ToolCallID
	r.guest.put(vm)
	i := newInvocation(ctx, &t.config, in.ToolCallID)
	i.served(c.parsing)
	r.usage.Service += c.parsing
	t.share.Charge(c.parsing)
	r.attach(i)
	if !t.addRun(r) {
		r.end()
		return nil, errTurnDeleted
	}
	r.followedBy(ctx)
	span.of(r)
	r.observeStart()
	if a.changed {
		r.hint(hintChanged)
	}
	return r.drive(i, r.beginInput())
}

var errTurnDeleted = &Error{Kind: KindNotFound, Key: "turnId", Msg: "the turn has been deleted"}

// unavailable says why no guest could be had (contract A8, H5).
func unavailable(err error) error {
	if errors.Is(err, engine.ErrOverloaded) {
		return &Error{Kind: KindOverloaded, Msg: "every guest heap or thread is in use; try again shortly", RetryAfter: time.Second}
	}
	return &Error{Kind: KindUnavailable, Msg: "runtime_unavailable: the engine can't start a guest"}
}

// noRoom says whose limit on held bytes a request would exceed (contract H6).
func noRoom(err error) error {
	return &Error{Kind: KindOverloaded, Msg: err.Error() + "; let runs finish, or delete turns that are over", RetryAfter: time.Second}
}

// refused is the result of input that no guest was started for.
func (t *Turn) refused(text string) *Result { return t.failed(CodeInvalidInput, text) }

func (t *Turn) failed(code Code, text string) *Result {
	return t.failedWith(failure{code: code, text: text})
}

// failedWith is the result of a cell that no guest was started for.
func (t *Turn) failedWith(f failure) *Result {
	if t.config.ErrorCodes == config.ErrorCodesStrict {
		f.code = f.code.strict()
	}
	return &Result{Status: Failed, Error: f.text, Code: f.code, Retryable: f.again, Telemetry: t.telemetry()}
}

func (r *run) beginInput() []byte {
	c := &r.turn.config
	b := engine.Begin{
		Source: r.cell.source.Body, TypeScript: r.cell.language == script.TypeScript,
		Truncate:    c.OutputOverflow == config.OutputTruncate,
		MemoryLimit: c.MemoryLimitBytes, MaxOutput: c.MaxOutputBytes, MaxValue: c.MaxOutputBytes,
		MaxRequests: c.MaxPendingToolCalls, MaxTimers: maxTimers, Namespaces: r.globals,
	}
	if b.Truncate {
		// The host cuts by structure, and for that it needs the whole. The heap bounds that.
		b.MaxValue = c.MemoryLimitBytes
	}
	if c.Overflow == config.OverflowQueue {
		b.MaxRequests += c.MaxQueuedToolCalls
	}
	_, _ = rand.Read(b.Seed[:]) // never fails
	return b.Append(make([]byte, 0, len(r.cell.source.Body)+len(b.Namespaces)+128))
}
