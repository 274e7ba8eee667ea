package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// execName is what the model calls a cell by.
const execName = "exec"

// announcement is an exec on its way past the hooks that are asked before calls (contract G2). They see its source under
// both of its names, so that a rule that knows only one of them holds for cells too.
type announcement struct {
	turn    *Turn
	in      ExecInput
	source  string
	changed bool
	refusal *Result // why the exec ends here

	decisions []Decision
}

// announce tells hooks of an exec; what they leave of it is run, if anything. An input that is refused without any hook is
// not announced.
func (t *Turn) announce(ctx context.Context, in ExecInput) (*announcement, error) {
	a := &announcement{turn: t, in: in}
	if len(t.hooksBefore) == 0 || !t.codeMode {
		return a, nil
	}
	var err error
	if a.source, err = pickSource(in); err != nil || len(a.source) > t.config.MaxSourceBytes {
		return a, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.life, cancel)()
	for _, h := range t.hooksBefore {
		if !h.Concerns(hook.ExecKind, execName) {
			continue
		}
		verdict, err := h.AskBefore(ctx, a.told())
		switch {
		case t.life.Err() != nil:
			return nil, errTurnDeleted
		case ctx.Err() != nil:
			a.refusal = t.failedWith(aborted)
		default:
			t.observeHook(ctx, t.info(), h.Name(), a.judge(h, verdict, err))
		}
		if a.refusal != nil {
			break
		}
	}
	return a, nil
}

// told is the exec as hooks are told of it.
func (a *announcement) told() hook.Call {
	input := jsontext.AppendString([]byte(`{"code":`), a.source)
	input = jsontext.AppendField(input, "command", a.source)
	if language, ok := jsonString(a.in.Language); ok {
		input = jsontext.AppendField(input, "language", language)
	}
	call := hook.Call{
		ID: a.in.ToolCallID, TurnID: a.turn.id, Tenant: a.turn.tenant, Name: execName, ToolKind: hook.ExecKind,
		Input: append(input, '}'), Context: a.turn.context,
	}
	if language, err := pickLanguage(a.in.Language); err == nil {
		call.ToolInputKind = string(language)
	}
	return call
}

// judge acts on what a hook said, notes it, and returns what that comes to.
func (a *announcement) judge(h *hook.Bound, v hook.Verdict, failed error) (outcome string) {
	outcome, reason := hookAllowed, v.Reason
	if failed == nil && !v.Block && v.Input != nil {
		outcome = hookChanged
		failed = a.take(h, v.Input)
	}
	switch {
	case failed != nil:
		a.turn.service.noteHookFailure(h, a.turn.tenant, failed)
		outcome, reason = hookFailOpen, failed.Error()
		if !h.FailsOpen() {
			outcome = hookFailed
			a.refusal = a.turn.failedWith(failure{
				code: CodeRuntimeUnavailable, again: true,
				text: "the cell was not run: " + cutText(failed.Error(), maxHookReason),
			})
		}
	case v.Block:
		outcome = hookBlocked
		a.refusal = a.turn.refused("the cell was not run: " + reasonOrDefault(v.Reason, "a hook blocked it"))
	}
	a.decisions = append(a.decisions, Decision{
		Stage: atHooksBefore.String(), Outcome: outcome, Reason: cutText(reason, maxDecisionReason), By: h.Name(),
	})
	return outcome
}

// take goes on with the input that a hook gave. A source that it changed under one name only is changed under the other
// too; one that it left out is unchanged.
func (a *announcement) take(h *hook.Bound, input json.RawMessage) error {
	var given struct {
		Code     json.RawMessage `json:"code"`
		Command  json.RawMessage `json:"command"`
		Language json.RawMessage `json:"language"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return fmt.Errorf("hook %q changed the input to what is no object", h.Name())
	}
	code, err := textOr(given.Code, a.source)
	command, err2 := textOr(given.Command, a.source)
	switch {
	case err != nil || err2 != nil:
		return fmt.Errorf("hook %q changed code or command to what is no text", h.Name())
	case code == a.source:
		code = command
	case command != a.source && command != code:
		a.refusal = a.turn.refused(errMustMatch.Error())
		return nil
	}
	a.changed = a.changed || code != a.source
	a.source, a.in.Code, a.in.Command = code, jsontext.AppendString(nil, code), nil
	if given.Language != nil && string(given.Language) != "null" {
		a.in.Language = given.Language
	}
	return nil
}

// textOr returns a JSON string's text, or another one where there is none.
func textOr(raw json.RawMessage, otherwise string) (string, error) {
	if raw == nil || string(raw) == "null" {
		return otherwise, nil
	}
	text, ok := jsonString(raw)
	if !ok {
		return "", fmt.Errorf("no text: %.20s", raw)
	}
	return text, nil
}

// hintChanged tells the model that what it wrote is not what was run.
const hintChanged = "A policy of this service changed the cell before it ran; errors are about the cell as it was run."

// hint adds to a result what the announcement has to tell.
func (a *announcement) hint(result *Result) *Result {
	if a.changed && result != nil {
		result.Hints = append(result.Hints, hintChanged)
	}
	return result
}
