package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/codecell/codecell/bridge/hook"
)

// What a stage of hooks has decided.
const (
	hookAllowed  = "allowed"  // it left the call as it was
	hookBlocked  = "blocked"  // the call is refused
	hookChanged  = "changed"  // the input, or the result
	hookFailed   = "failed"   // and the call with it
	hookFailOpen = "failOpen" // and the call went on
)

// Bounds of what a hook says to the cell, in bytes.
const (
	maxHookReason = 500
	maxHookError  = 4 << 10
)

func hasHooksBefore(c *call) bool {
	hooks := c.run.turn.hooksBefore
	return len(hooks) > 0 && hooks.Concern(c.entry.ID(), c.entry.Name())
}

func hasHooksAfter(c *call) bool {
	hooks := c.run.turn.hooksAfter
	return len(hooks) > 0 && hooks.Concern(c.entry.ID(), c.entry.Name())
}

// runHooksBefore asks hooks, one after the other, whether the call may happen, and with which input (contract G1). What one
// made of the input is what the next one sees, and what is validated.
func runHooksBefore(ctx context.Context, c *call) error {
	for _, h := range c.run.turn.hooksBefore {
		if !h.Concerns(c.entry.ID(), c.entry.Name()) {
			continue
		}
		verdict, err := h.AskBefore(ctx, c.told(ctx))
		if ctx.Err() != nil {
			return errRunOver
		}
		if err := c.judge(ctx, h, verdict, err); err != nil {
			return err
		}
	}
	return nil
}

// told is the call as hooks are told of it.
func (c *call) told(ctx context.Context) hook.Call {
	r := c.run
	return hook.Call{
		ID: r.id.call(c.id), ParentID: r.parentID(ctx), RunID: r.id.String(), TurnID: r.turn.id, Tenant: r.turn.tenant,
		ToolID: c.entry.ID(), Name: c.entry.Name(), Input: c.input, Context: r.turn.context,
	}
}

// judge acts on what a hook said before the call.
func (c *call) judge(ctx context.Context, h *hook.Bound, v hook.Verdict, failed error) error {
	switch {
	case failed != nil:
		return c.hookFailed(ctx, h, failed, "")
	case v.Block:
		c.heard(ctx, h, hookBlocked, v.Reason)
		return &refusalError{codeHookBlocked, reasonOrDefault(v.Reason, "a hook blocked this call")}
	case v.Input != nil:
		if err := c.run.requests.rewrite(c.request, v.Input); err != nil {
			return err
		}
		c.changedBy = fmt.Sprintf("hook %q", h.Name())
		c.heard(ctx, h, hookChanged, v.Reason)
	default:
		c.heard(ctx, h, hookAllowed, v.Reason)
	}
	return nil
}

// heard notes what a hook said.
func (c *call) heard(ctx context.Context, h *hook.Bound, outcome, reason string) {
	c.decide(outcome, reason, h.Name())
	c.run.turn.observeHook(ctx, c.run.info(), h.Name(), outcome)
}

// hookFailed refuses a call because of a hook that gave no answer, unless the operator wants it to go on then.
func (c *call) hookFailed(ctx context.Context, h *hook.Bound, failed error, consequence string) error {
	c.run.service.noteHookFailure(h, c.run.turn.tenant, failed)
	if h.FailsOpen() {
		c.heard(ctx, h, hookFailOpen, failed.Error())
		return nil
	}
	c.heard(ctx, h, hookFailed, failed.Error())
	return &refusalError{codeHookFailed, cutText(failed.Error(), maxHookReason) + consequence}
}

func reasonOrDefault(reason, otherwise string) string {
	if reason == "" {
		return otherwise
	}
	return cutText(reason, maxHookReason)
}

// runHooksAfter shows hooks what the call came to; each may replace it (contract G1). What the tool did has happened in any
// case, and is listed as that.
func runHooksAfter(ctx context.Context, c *call) error {
	switch {
	case !hasHooksAfter(c):
		return nil
	case ctx.Err() != nil && c.err != nil:
		return errRunOver // which is why the tool failed
	}
	_, c.ran = c.outcome()
	for _, h := range c.run.turn.hooksAfter {
		if !h.Concerns(c.entry.ID(), c.entry.Name()) {
			continue
		}
		if err := c.run.requests.keepResult(c); err != nil {
			return err
		}
		revision, err := h.AskAfter(ctx, c.told(ctx), c.toldOutcome())
		if ctx.Err() != nil {
			return errRunOver
		}
		if err := c.revise(ctx, h, revision, err); err != nil {
			return err
		}
	}
	return nil
}

// toldOutcome is what the call came to, as hooks are told of it.
func (c *call) toldOutcome() hook.Outcome {
	o := hook.Outcome{Result: c.result, Took: c.took}
	if c.err != nil {
		o.Code, o.Error = codeOfError(c.err), c.err.Error()
	}
	return o
}

// revise acts on what a hook said after the call.
func (c *call) revise(ctx context.Context, h *hook.Bound, revision hook.Revision, failed error) error {
	switch {
	case failed != nil:
		return c.hookFailed(ctx, h, failed, "; the tool's result is withheld")
	case revision.Error != "":
		c.result, c.err = nil, errors.New(cutText(revision.Error, maxHookError))
		c.heard(ctx, h, hookChanged, revision.Reason)
	case revision.Result != nil:
		c.result, c.err = revision.Result, nil
		c.heard(ctx, h, hookChanged, revision.Reason)
	default:
		c.heard(ctx, h, hookAllowed, revision.Reason)
	}
	return nil
}

// noteHookFailure tells the operator of a hook that does not work. Each of a cell's calls may meet it, so there is one
// warning a second, and the others are for who debugs.
func (s *Service) noteHookFailure(h *hook.Bound, tenant string, failed error) {
	level := slog.LevelDebug
	if now, last := time.Now().Unix(), s.hookWarnedAt.Load(); now != last && s.hookWarnedAt.CompareAndSwap(last, now) {
		level = slog.LevelWarn
	}
	s.options.Logger.Log(context.Background(), level, "a hook failed", "hook", h.Name(), "tenant", tenant, "error", failed)
}
