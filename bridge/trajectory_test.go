package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/hybrid"
)

// auditor keeps the lines that it is given.
type auditor struct {
	mu    sync.Mutex
	lines [][]byte
	full  error
}

func (a *auditor) Ready() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.full
}

func (a *auditor) Append(members []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lines = append(a.lines, append(append([]byte("{"), members...), '}'))
}

// of returns the lines of a type.
func (a *auditor) of(kind string) (found []gjson.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, line := range a.lines {
		if one := gjson.ParseBytes(line); one.Get("type").Str == kind {
			found = append(found, one)
		}
	}
	return found
}

// trajectoryOf returns the lines of a turn's trajectory.
func trajectoryOf(t testing.TB, turn *Turn, format string) (lines []gjson.Result) {
	t.Helper()
	from, err := turn.Trajectory(format)
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = from.WriteTo(&out)
	require.NoError(t, err)
	for line := range strings.Lines(out.String()) {
		require.True(t, json.Valid([]byte(line)), line)
		lines = append(lines, gjson.Parse(line))
	}
	return lines
}

func fields(lines []gjson.Result, path string) (values []string) {
	for _, one := range lines {
		values = append(values, one.Get(path).String())
	}
	return values
}

// conversation is the script of guests that ask for a batch of as many calls, and for the next one when all are answered.
func conversation(value string, batches ...batch) func(string) enginetest.Script {
	return func(string) enginetest.Script {
		left, awaited := batches, 0
		return slices.Repeat(enginetest.Script{func(in *input, out *records) error {
			awaited -= len(in.Answers)
			switch {
			case awaited > 0:
				out.Pending()
			case len(left) == 0:
				out.Fulfil(value, 0)
			default:
				left[0].ask(out)
				awaited, left = left[0].answers, left[1:]
				out.Pending()
			}
			return nil
		}}, 20)
	}
}

type batch struct {
	answers int
	ask     func(out *records)
}

func TestTrajectory(t *testing.T) {
	t.Run("G5 each call with what was decided, also those that were refused", func(t *testing.T) {
		a := &auditor{}
		w := newWorld(t, enginetest.New(conversation("1", batch{5, func(out *records) {
			out.Call(1, "echo", `{"a":1,"apiKey":"hunter2"}`)
			out.Call(2, "nobody", `{}`)
			out.Call(3, "fail", `{}`)
			out.Request(4, 5, "mcp:hub:issue", `[{},{}]`)
			out.Call(5, "flaky", `{}`)
		}})), Options{
			Audit: a, Hooks: []hook.Hook{{Name: "guard", Tools: []string{"fail", hook.ExecKind}, Before: beforeFunc(func(_ context.Context, c hook.Call) (hook.Verdict, error) {
				return hook.Verdict{Block: c.Name == "fail", Reason: "because of " + c.Name}, nil
			})}},
			Executors: map[string]executor.Executor{"flaky": executorFunc(func(_ context.Context, c executor.Call) (json.RawMessage, error) {
				if c.Attempt < 3 {
					return nil, &executor.TransientError{Err: errors.New("not yet"), After: 1}
				}
				return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"it is not so"}]}`), nil
			})},
		})
		turn := w.turn("", catalog.Tool{Source: "openclaw", Owner: "core", Name: "flaky", Executor: json.RawMessage(`{"type":"flaky"}`), Annotations: catalog.Annotations{Idempotent: true}})
		require.Equal(t, Completed, w.exec(turn).Status)
		lines := trajectoryOf(t, turn, "")
		require.Equal(t, []string{"exec", "call", "call", "call", "call", "call"}, fields(lines, "type"))
		require.Equal(t, []string{"completed", "completed", "refused", "refused", "refused", "failed"}, fields(lines, "outcome"))
		require.Equal(t, []string{"exec", "echo", "nobody", "fail", "issue", "flaky"}, fields(lines, "name"))
		require.Equal(t, []string{"", "", "unknown_tool", "hook_blocked", "invalid_input", "tool_error"}, fields(lines, "code"))
		require.Equal(t, []string{"", "parent", "parent", "parent", "parent", "parent"}, fields(lines, "parentCallId"))
		require.Equal(t, []string{"", "1", "", "", "", "3"}, fields(lines, "attempts"))
		require.Equal(t, "parent", lines[0].Get("callId").Str)
		require.Equal(t, `{"code":"return 1"}`, lines[0].Get("input").Raw)
		require.JSONEq(t, `[{"stage":"before","outcome":"allowed","reason":"because of exec","by":"guard"}]`, lines[0].Get("decisions").Raw)
		require.JSONEq(t, `[{"stage":"policy","outcome":"allowed"},{"stage":"before","outcome":"blocked","reason":"because of fail","by":"guard"}]`, lines[3].Get("decisions").Raw)
		require.JSONEq(t, `{"a":1,"apiKey":"[redacted]"}`, lines[1].Get("input").Raw)
		require.Equal(t, "it is not so", lines[5].Get("error").Str)
		run := lines[0].Get("runId").Str
		require.Equal(t, run+".1", lines[1].Get("callId").Str)

		require.Len(t, a.of("call"), 5)
		one := a.of("exec")[0]
		require.Equal(t, tenant, one.Get("tenant").Str)
		require.Equal(t, turn.ID(), one.Get("turnId").Str)
		require.Equal(t, "session", one.Get("context.sessionId").Str)
	})
	t.Run("G5 execs that were refused, and one that was not called anything", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("7")), Options{})
		turn := w.turn("")
		w.execText(turn, `import "fs"`)
		_, err := turn.Exec(t.Context(), ExecInput{Code: quoted("return 1"), Language: quoted("typescript")})
		require.NoError(t, err)
		_, err = turn.Wait(t.Context(), WaitInput{RunID: quoted("nobody")})
		require.NoError(t, err)
		lines := trajectoryOf(t, turn, "jsonl")
		require.Equal(t, []string{"exec", "exec", "wait"}, fields(lines, "type"))
		require.Equal(t, []string{"parent", "exec-2", "wait-3"}, fields(lines, "callId"))
		require.Equal(t, []string{"failed", "completed", "failed"}, fields(lines, "outcome"))
		require.Equal(t, `{"code":"return 1","language":"typescript"}`, lines[1].Get("input").Raw)
		messages := trajectoryOf(t, turn, "transcript")
		require.Equal(t, `{"status":"completed","value":7,"output":[]}`, messages[3].Get("content.0.text").Str)
	})
	t.Run("G5 an unknown format", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(), Options{})
		_, err := w.turn("").Trajectory("xml")
		var refused *Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "format", refused.Key)
	})
	t.Run("G5 what is configured is secret, and so are the headers of the turn's tools", func(t *testing.T) {
		w := newWorld(t, enginetest.New(conversation(`"the-tools-own"`, batch{1, func(out *records) {
			out.Call(1, "echo", `{"a":"the-operators-own the-tools-own ignored"}`)
		}})), Options{Redactor: redact.New(redact.Options{Values: []string{"the-operators-own"}})})
		turn := w.turn("", catalog.Tool{
			Source: "openclaw", Owner: "core", Name: "http",
			Executor: json.RawMessage(`{"type":"http","url":"https://tools.example.com/","headers":{"Authorization":"Bearer the-tools-own","Accept":"ignored"}}`),
		})
		w.exec(turn)
		for _, format := range []string{"jsonl", "transcript"} {
			all := ""
			for _, line := range trajectoryOf(t, turn, format) {
				all += line.Raw
			}
			require.NotContains(t, all, "the-")
			require.Contains(t, all, "[redacted] [redacted] ignored")
		}
		require.NoError(t, w.DropTurn(tenant, turn.ID()))
		require.Zero(t, w.Stats().TrajectoryBytes)
	})
	t.Run("G5 a turn whose own secrets there is no room for shows nothing of what may be one", func(t *testing.T) {
		w := newWorld(t, enginetest.New(conversation("1", batch{1, func(out *records) { out.Call(1, "echo", `{"a":"b"}`) }})), Options{TenantBytes: 200_000})
		turn := w.turn("", catalog.Tool{
			Source: "openclaw", Owner: "core", Name: "http",
			Executor: json.RawMessage(`{"type":"http","url":"https://tools.example.com/","headers":{"Authorization":"` + strings.Repeat("0123456789", 200) + `"}}`),
		})
		w.exec(turn)
		lines := trajectoryOf(t, turn, "")
		require.Equal(t, `"[redacted]"`, lines[1].Get("input").Raw)
	})
}

func TestTrajectoryOfARun(t *testing.T) {
	world := func(t *testing.T) *world {
		script := conversation("1", batch{2, func(out *records) {
			out.Call(1, "echo", `{}`)
			out.Call(2, "ask", `{}`)
		}}, batch{1, func(out *records) { out.Call(3, "echo", `{}`) }})
		main, portable := enginetest.New(script), enginetest.NewPortable("build", script)
		return newWorldOn(t, hybrid.New(main, portable), main, Options{SnapshotKey: []byte("0123456789abcdef")})
	}
	t.Run("G5 the same ids before and after it is resumed, and where it has moved to", func(t *testing.T) {
		here, there := world(t), world(t)
		turn, other := here.turn(""), there.turn("")
		waiting := here.exec(turn)
		require.Equal(t, Waiting, waiting.Status)
		before := trajectoryOf(t, turn, "")
		require.Equal(t, []string{"parent", waiting.RunID + ".1", waiting.RunID + ".2"}, fields(before, "callId"))
		require.Equal(t, []string{"waiting", "completed", "pending"}, fields(before, "outcome"))
		require.JSONEq(t, `[{"stage":"policy","outcome":"allowed"}]`, before[2].Get("decisions").Raw)

		exported, err := turn.Export(t.Context(), waiting.RunID)
		require.NoError(t, err)
		require.Equal(t, before[:2], trajectoryOf(t, turn, ""), "the call is not here any more")
		_, err = other.Import(t.Context(), waiting.RunID, exported.Snapshot)
		require.NoError(t, err)
		require.Equal(t, before, trajectoryOf(t, other, ""))
		_, err = other.Import(t.Context(), waiting.RunID, exported.Snapshot)
		require.Error(t, err)
		require.Equal(t, before, trajectoryOf(t, other, ""), "what is refused changes nothing")
		result, err := other.Wait(t.Context(), WaitInput{
			ToolCallID: "call-2", RunID: quoted(waiting.RunID), Results: []CallResult{{ID: waiting.RunID + ".2", Error: quoted("it broke")}},
		})
		require.NoError(t, err)
		require.Equal(t, Completed, result.Status)
		after := trajectoryOf(t, other, "")
		require.Equal(t, []string{"parent", waiting.RunID + ".1", waiting.RunID + ".2", waiting.RunID + ".3", "call-2"}, fields(after, "callId"))
		require.Equal(t, []string{"waiting", "completed", "failed", "completed", "completed"}, fields(after, "outcome"))
		require.Equal(t, []string{"", "parent", "parent", "parent", ""}, fields(after, "parentCallId"))
		require.Positive(t, after[2].Get("startedAt").Time().Unix())
	})
	t.Run("G5 what its end cancels", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			out.Call(1, "slow", `{}`)
			out.Call(2, "ask", `{}`)
		})), Options{})
		turn := w.turn(`{"enabled":true,"drainMs":1}`)
		waiting := w.exec(turn)
		require.Equal(t, Waiting, waiting.Status)
		require.Equal(t, []string{"waiting", "pending", "pending"}, fields(trajectoryOf(t, turn, ""), "outcome"))
		require.Len(t, trajectoryOf(t, turn, "transcript"), 2)
		require.NoError(t, w.AbortRun(tenant, waiting.RunID))
		require.Eventually(t, func() bool { return len(trajectoryOf(t, turn, "transcript")) == 6 }, time.Minute, time.Millisecond)
		require.Equal(t, []string{"waiting", "cancelled", "cancelled"}, fields(trajectoryOf(t, turn, ""), "outcome"))
	})
}

func TestAudit(t *testing.T) {
	t.Run("G5 no tool is called while it could not be audited", func(t *testing.T) {
		a := &auditor{full: errors.New("the disk is full")}
		w := newWorld(t, enginetest.New(conversation("1", batch{2, func(out *records) {
			out.Call(1, "echo", `{}`)
			out.Call(2, "ask", `{}`)
		}})), Options{Audit: a})
		require.Error(t, w.Ready())
		turn := w.turn("")
		require.Equal(t, Completed, w.exec(turn).Status)
		lines := trajectoryOf(t, turn, "")
		require.Equal(t, []string{"completed", "refused", "refused"}, fields(lines, "outcome"))
		require.Equal(t, []string{"", "audit_unavailable", "audit_unavailable"}, fields(lines, "code"))
		require.Contains(t, lines[1].Get("error").Str, "the disk is full")
		require.Len(t, a.of("call"), 2)
		a.mu.Lock()
		a.full = nil
		a.mu.Unlock()
		require.NoError(t, w.Ready())
	})
}
