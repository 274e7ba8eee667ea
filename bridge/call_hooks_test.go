package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

type beforeFunc func(ctx context.Context, c hook.Call) (hook.Verdict, error)

func (f beforeFunc) BeforeToolCall(ctx context.Context, c hook.Call) (hook.Verdict, error) {
	return f(ctx, c)
}

type afterFunc func(ctx context.Context, c hook.Call, o hook.Outcome) (hook.Revision, error)

func (f afterFunc) AfterToolCall(ctx context.Context, c hook.Call, o hook.Outcome) (hook.Revision, error) {
	return f(ctx, c, o)
}

// verdict is a hook that is asked about nested calls only, and always says the same.
func verdict(name string, v hook.Verdict) hook.Hook {
	return hook.Hook{Name: name, Tools: []string{"*:*"}, Before: beforeFunc(func(context.Context, hook.Call) (hook.Verdict, error) { return v, nil })}
}

func inputOf(text string) hook.Verdict { return hook.Verdict{Input: json.RawMessage(text)} }

func revision(name string, r hook.Revision) hook.Hook {
	return hook.Hook{Name: name, After: afterFunc(func(context.Context, hook.Call, hook.Outcome) (hook.Revision, error) { return r, nil })}
}

// cellRejects ends the cell with an error.
func cellRejects(_ *input, out *records) error {
	out.Reject(engine.Thrown{Other: "enough"})
	return nil
}

// broken is a hook that fails before and after.
func broken(name string, open bool) hook.Hook {
	return hook.Hook{
		Name: name, FailOpen: open, Tools: []string{"*:*"},
		Before: beforeFunc(func(context.Context, hook.Call) (hook.Verdict, error) { return hook.Verdict{}, errors.New("no idea") }),
		After: afterFunc(func(context.Context, hook.Call, hook.Outcome) (hook.Revision, error) {
			return hook.Revision{}, errors.New("no idea")
		}),
	}
}

// silent is a hook that never answers.
func silent(name string, open bool) hook.Hook {
	return hook.Hook{
		Name: name, FailOpen: open, Tools: []string{"*:*"},
		Before: beforeFunc(func(ctx context.Context, _ hook.Call) (hook.Verdict, error) {
			<-ctx.Done()
			return hook.Verdict{}, ctx.Err()
		}),
	}
}

// hooked runs a cell that asks once, and returns the answer that the guest got and how long it took.
func hooked(t *testing.T, ask func(*records), tools []catalog.Tool, hooks ...hook.Hook) (got engine.Answer, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(ask), func(in *input, out *records) error {
			got = in.Answers[0]
			out.Fulfil("1", 0)
			return nil
		}), Options{Hooks: hooks})
		began := time.Now()
		require.Equal(t, Completed, w.exec(w.turn("", tools...)).Status)
		took = time.Since(began)
	})
	require.True(t, json.Valid(got.Payload), "%s", got.Payload)
	return got, took
}

func TestHooksBefore(t *testing.T) {
	ask := func(out *records) { out.Request(1, engine.MethodCallValue, "echo", `{"a":1}`) }
	strict := catalog.Tool{
		Source: "openclaw", Owner: "core", Name: "strict", Executor: json.RawMessage(`{"type":"echo"}`),
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}
	for _, tc := range []struct {
		name  string
		hooks []hook.Hook
		want  string // the input that the tool was called with
		code  string
		text  string
	}{
		{"nothing to say", []hook.Hook{verdict("a", hook.Verdict{})}, `{"a":1}`, "", ""},
		{"a call is blocked", []hook.Hook{verdict("a", hook.Verdict{Block: true, Reason: "not on a Sunday"})}, "", "hook_blocked", "not on a Sunday"},
		{"blocked without a reason", []hook.Hook{verdict("a", hook.Verdict{Block: true})}, "", "hook_blocked", "a hook blocked this call"},
		{"an input is changed, and changed again", []hook.Hook{
			verdict("a", inputOf(`{"a":2}`)),
			{Name: "b", Before: beforeFunc(func(_ context.Context, c hook.Call) (hook.Verdict, error) {
				return inputOf(`[` + string(c.Input) + `]`), nil
			}), Tools: []string{"echo"}},
		}, `[{"a":2}]`, "", ""},
		{"a block after a change", []hook.Hook{verdict("a", inputOf(`{}`)), verdict("b", hook.Verdict{Block: true, Reason: "no"})}, "", "hook_blocked", "no"},
		{"a block that has an input too", []hook.Hook{verdict("a", hook.Verdict{Block: true, Input: []byte(`{}`)})}, "", "hook_blocked", ""},
		{"an input that is no JSON", []hook.Hook{verdict("a", inputOf(`{`))}, "", "hook_failed", "not JSON"},
		{"an input that is nested too deeply", []hook.Hook{verdict("a", inputOf(strings.Repeat("[", 1e5)+strings.Repeat("]", 1e5)))}, "", "hook_failed", "too deeply"},
		{"an input that is more than the run may hold", []hook.Hook{verdict("a", inputOf(big(40<<20)))}, "", "too_many_bytes", "changed to one of"},
		{"closed by default", []hook.Hook{broken("a", false)}, "", "hook_failed", `hook "a" failed: no idea`},
		{"open, where the operator wants it", []hook.Hook{broken("a", true)}, `{"a":1}`, "", ""},
		{"one that does not answer", []hook.Hook{silent("a", false)}, "", "hook_failed", "did not answer within 5s"},
		{"the same, open", []hook.Hook{silent("a", true)}, `{"a":1}`, "", ""},
		{"other tools' hooks are not asked", []hook.Hook{{Name: "a", Tools: []string{"ech", "*:issue"}, Before: verdict("", hook.Verdict{Block: true}).Before}}, `{"a":1}`, "", ""},
		{"other tenants' hooks are not asked", []hook.Hook{{Name: "a", Tenants: []string{"other"}, Before: verdict("", hook.Verdict{Block: true}).Before}}, `{"a":1}`, "", ""},
	} {
		t.Run("G1 "+tc.name, func(t *testing.T) {
			a, _ := hooked(t, ask, nil, tc.hooks...)
			if tc.code == "" {
				require.JSONEq(t, `{"name":"echo","input":`+tc.want+`}`, string(a.Payload))
				return
			}
			e := errorOf(t, a)
			require.Equal(t, tc.code, e.Code)
			require.Contains(t, e.Message, tc.text)
			require.Equal(t, "openclaw:core:echo", e.ToolID)
		})
	}
	t.Run("G1 a changed input is validated, and the error says who changed it", func(t *testing.T) {
		a, _ := hooked(t, func(out *records) { out.Call(1, "strict", `{"n":1}`) }, []catalog.Tool{strict}, verdict("guard", inputOf(`{"n":"x"}`)))
		e := errorOf(t, a)
		require.Equal(t, "invalid_input", e.Code)
		require.Contains(t, e.Message, `the input, as hook "guard" changed it, is not valid`)
	})
	t.Run("G1 an invalid input may be mended", func(t *testing.T) {
		a, _ := hooked(t, func(out *records) { out.Call(1, "strict", `{}`) }, []catalog.Tool{strict}, verdict("a", inputOf(`{"n":3}`)))
		require.Equal(t, engine.AnswerValue, a.Kind)
	})
	t.Run("E1 hooks see the defaults of MCP tools, which are filled in again", func(t *testing.T) {
		needy := catalog.Tool{
			Source: "mcp", Owner: "hub", Name: "needy", Executor: json.RawMessage(`{"type":"echo"}`),
			Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":7}},"required":["a"]}`),
		}
		saw := ""
		sees := hook.Hook{Name: "a", Tools: []string{"mcp:*"}, Before: beforeFunc(func(_ context.Context, c hook.Call) (hook.Verdict, error) {
			saw = string(c.Input)
			return inputOf(`{"a":"y"}`), nil
		})}
		a, _ := hooked(t, func(out *records) { out.Request(1, engine.MethodNamespace, "mcp:hub:needy", `[{"a":"x"}]`) }, []catalog.Tool{needy}, sees)
		require.JSONEq(t, `{"a":"x","b":7}`, saw)
		require.Contains(t, string(a.Payload), `"details":{"name":"needy","input":{"a":"y","b":7}}`)
	})
	t.Run("G1 hooks get the context", func(t *testing.T) {
		var got []hook.Call
		sees := hook.Hook{Name: "a", Tools: []string{"*:*"}, Before: beforeFunc(func(_ context.Context, c hook.Call) (hook.Verdict, error) {
			got = append(got, c)
			return hook.Verdict{}, nil
		})}
		w := newWorld(t, enginetest.Always(calls("echo"), yields(7), returns("1")), Options{Hooks: []hook.Hook{sees}})
		turn := w.turn("")
		id := w.exec(turn).RunID
		require.Equal(t, []hook.Call{{
			ID: id + ".1", ParentID: "parent", RunID: id, TurnID: turn.ID(), Tenant: tenant, ToolID: "openclaw:core:echo", Name: "echo",
			Input: json.RawMessage(`{"i":1}`), Context: someone(),
		}}, got)
	})
	t.Run("B7 a call that was blocked is no side effect", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), cellRejects), Options{Hooks: []hook.Hook{verdict("a", hook.Verdict{Block: true})}})
		r := w.exec(w.turn(""))
		requireFailed(t, r, CodeInternal, "")
		require.Empty(t, r.SideEffects)
	})
	t.Run("G7 a call that waits in a hook ends with its run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var ended time.Duration
			began := time.Now()
			waits := silent("a", true)
			waits.Timeout = time.Minute
			inner := waits.Before
			waits.Before = beforeFunc(func(ctx context.Context, c hook.Call) (hook.Verdict, error) {
				defer func() { ended = time.Since(began) }()
				return inner.BeforeToolCall(ctx, c)
			})
			w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{Hooks: []hook.Hook{waits}})
			turn := w.turn(`{"enabled":true,"drainMs":1000}`)
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.NoError(t, w.AbortRun(tenant, r.RunID))
			synctest.Wait()
			require.Equal(t, time.Second, ended)
		})
	})
	t.Run("C10 a call of the caller's is not to be run before the hooks have spoken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := hook.Hook{Name: "a", Before: beforeFunc(func(context.Context, hook.Call) (hook.Verdict, error) {
				time.Sleep(time.Second)
				return inputOf(`{"changed":1}`), nil
			}), Tools: []string{"ask"}}
			w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{Hooks: []hook.Hook{slow}})
			turn := w.turn("")
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.JSONEq(t, `{"changed":1}`, string(r.Pending[0].Input))
			require.Equal(t, Completed, w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true}).Status)
			turn = w.turn(`{"enabled":true,"drainMs":100}`)
			r = w.exec(turn)
			require.Nil(t, r.Pending[0].Input, "the hook is still being asked")
			r = w.wait(turn, r.RunID, CallResult{ID: r.Pending[0].ID, OK: true})
			require.Equal(t, Waiting, r.Status)
			require.Contains(t, r.Hints[0], "not the caller's")
			require.NotNil(t, r.Pending[0].Input)
		})
	})
	t.Run("H6 what a changed input takes is released", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{Hooks: []hook.Hook{verdict("a", inputOf(big(1<<20)))}})
		turn := w.turn("")
		before := w.heldBeside(turn)
		require.Equal(t, Completed, w.exec(turn).Status)
		require.Equal(t, before, w.heldBeside(turn))
	})
}

func TestHooksAfter(t *testing.T) {
	ask := func(out *records) { out.Request(1, engine.MethodCallValue, "echo", `{"a":1}`) }
	fails := func(out *records) { out.Request(1, engine.MethodCallValue, "fail", `{}`) }
	result := hook.Revision{Result: json.RawMessage(`{"details":{"secret":"***"}}`)}
	for _, tc := range []struct {
		name  string
		ask   func(*records)
		hooks []hook.Hook
		want  string
		code  string
		text  string
	}{
		{"nothing to say", ask, []hook.Hook{revision("a", hook.Revision{})}, `{"name":"echo","input":{"a":1}}`, "", ""},
		{"a result is replaced", ask, []hook.Hook{revision("a", result)}, `{"secret":"***"}`, "", ""},
		{"a result becomes an error", ask, []hook.Hook{revision("a", hook.Revision{Error: "nothing for you"})}, "", "tool_error", "nothing for you"},
		{"an error becomes a result", fails, []hook.Hook{revision("a", result)}, `{"secret":"***"}`, "", ""},
		{"an error is left", fails, []hook.Hook{revision("a", hook.Revision{})}, "", "tool_error", "it broke"},
		{"a later one sees what an earlier one left", ask, []hook.Hook{
			revision("a", result),
			{Name: "b", After: afterFunc(func(_ context.Context, _ hook.Call, o hook.Outcome) (hook.Revision, error) {
				return hook.Revision{Result: json.RawMessage(`{"details":[` + string(o.Result) + `]}`)}, nil
			})},
		}, `[{"details":{"secret":"***"}}]`, "", ""},
		{"closed by default: the result is withheld", ask, []hook.Hook{{Name: "a", After: broken("", false).After}}, "", "hook_failed", "the tool's result is withheld"},
		{"open, where the operator wants it", ask, []hook.Hook{{Name: "a", FailOpen: true, After: broken("", false).After}}, `{"name":"echo","input":{"a":1}}`, "", ""},
		{"no JSON", ask, []hook.Hook{revision("a", hook.Revision{Result: []byte("{")})}, "", "hook_failed", "not JSON"},
		{"a result and an error", ask, []hook.Hook{revision("a", hook.Revision{Result: []byte("{}"), Error: "x"})}, "", "hook_failed", "both"},
		{"more than the run may hold", ask, []hook.Hook{revision("a", hook.Revision{Result: []byte(big(40 << 20))})}, "", "too_many_bytes", ""},
		{"a refused call is none", func(out *records) { out.Call(1, "nope", `{}`) }, []hook.Hook{revision("a", result)}, "", "unknown_tool", ""},
	} {
		t.Run("G1 "+tc.name, func(t *testing.T) {
			a, _ := hooked(t, tc.ask, nil, tc.hooks...)
			if tc.code == "" {
				require.JSONEq(t, tc.want, string(a.Payload))
				return
			}
			e := errorOf(t, a)
			require.Equal(t, tc.code, e.Code)
			require.Contains(t, e.Message, tc.text)
		})
	}
	t.Run("G1 hooks are told what the call came to", func(t *testing.T) {
		var got []string
		sees := hook.Hook{Name: "a", After: afterFunc(func(_ context.Context, c hook.Call, o hook.Outcome) (hook.Revision, error) {
			got = append(got, fmt.Sprintf("%s %s %s %s %v", c.ToolID, o.Result, o.Code, o.Error, o.Took))
			return hook.Revision{}, nil
		})}
		slow := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "late", Executor: json.RawMessage(`{"type":"echo","delayMs":5000,"timeoutMs":1000}`)}
		a, _ := hooked(t, func(out *records) { out.Call(1, "late", `{}`) }, []catalog.Tool{slow}, sees)
		require.Equal(t, "tool_timeout", errorOf(t, a).Code)
		require.Equal(t, []string{"openclaw:lab:late  tool_timeout tool openclaw:lab:late did not answer within 1s 1s"}, got)
	})
	t.Run("C10 what the caller delivers goes through them", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{Hooks: []hook.Hook{revision("a", result)}})
		turn := w.turn("")
		r := w.exec(turn)
		d, err := turn.Deliver(t.Context(), r.RunID, []CallResult{{ID: r.Pending[0].ID, OK: true, Value: []byte(`{"secret":1}`)}})
		require.NoError(t, err)
		require.Len(t, d.Accepted, 1)
		d, err = turn.Deliver(t.Context(), r.RunID, []CallResult{{ID: r.Pending[0].ID, OK: true}})
		require.NoError(t, err)
		require.Contains(t, d.Refused[0].Reason, "already")
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		require.Contains(t, string(w.lastInput().Answers[0].Payload), `"secret":"***"`)
	})
	t.Run("B7 the tool has run, whatever becomes of its result", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), cellRejects), Options{Hooks: []hook.Hook{{Name: "a", After: broken("", false).After}}})
		r := w.exec(w.turn(""))
		requireFailed(t, r, CodeInternal, "")
		require.Equal(t, stateCompleted, r.SideEffects[0].State)
	})
	t.Run("G7 a result that waits in a hook ends with its run, and is listed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stuck := hook.Hook{Name: "a", Timeout: time.Minute, After: afterFunc(func(ctx context.Context, _ hook.Call, _ hook.Outcome) (hook.Revision, error) {
				<-ctx.Done()
				return hook.Revision{}, ctx.Err()
			})}
			var observed []string
			w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{Hooks: []hook.Hook{stuck}, Observer: endsOfCalls(func(e CallEnded) {
				observed = append(observed, e.State)
			})})
			turn := w.turn(`{"enabled":true,"drainMs":1000}`)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second/2, cancel)
			r, err := turn.Exec(ctx, ExecInput{ToolCallID: "parent", Code: quoted("1")})
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "")
			require.Equal(t, stateCompleted, r.SideEffects[0].State)
			synctest.Wait()
			require.Equal(t, []string{stateCancelled}, observed)
		})
	})
}

// endsOfCalls is an observer that is told how calls ended.
type endsOfCalls func(CallEnded)

func (f endsOfCalls) Observe(_ context.Context, _ RunInfo, e Event) {
	if ended, ok := e.(CallEnded); ok {
		f(ended)
	}
}
