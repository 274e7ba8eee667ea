package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/redact"
)

var aRun = bridge.RunInfo{
	Tenant: "acme", TurnID: "turn-1", RunID: "cm_1", Context: bridge.Context{AgentID: "agent", SessionID: strings.Repeat("s", 2*maxText)},
}

// logger returns a log, and what reads its lines so far.
func logger() (*slog.Logger, func() []gjson.Result) {
	var text bytes.Buffer
	return slog.New(slog.NewJSONHandler(&text, nil)), func() []gjson.Result {
		var lines []gjson.Result
		for line := range strings.Lines(text.String()) {
			lines = append(lines, gjson.Parse(line))
		}
		text.Reset()
		return lines
	}
}

func TestRuns(t *testing.T) {
	t.Run("I4 one line a run, whatever came of it", func(t *testing.T) {
		log, lines := logger()
		runs := NewRuns(log, All)
		runs.Observe(t.Context(), aRun, bridge.RunStarted{})
		runs.Observe(t.Context(), aRun, bridge.StepEnded{})
		runs.Observe(t.Context(), aRun, bridge.RunEnded{
			Status: bridge.Failed, Code: bridge.CodeTimeout, Wall: 1500 * time.Microsecond,
			Usage: bridge.Usage{Steps: 2, CPU: time.Millisecond, Heap: 1 << 20},
		})
		all := lines()
		require.Len(t, all, 1)
		line := all[0]
		require.Equal(t, "run", line.Get("msg").Str)
		for key, want := range map[string]any{
			"level": "INFO", "outcome": "failed", "code": "timeout", "tenant": "acme", "turn": "turn-1", "run": "cm_1", "agent": "agent",
			"session": strings.Repeat("s", maxText), "steps": 2.0, "wallMs": 1.5, "guestMs": 1.0, "heapBytes": float64(1 << 20),
		} {
			require.Equal(t, want, line.Get(key).Value(), key)
		}
		runs.Observe(t.Context(), aRun, bridge.RunEnded{Cause: bridge.CauseExpired})
		runs.Observe(t.Context(), bridge.RunInfo{}, bridge.CellRefused{Code: bridge.CodeInvalidInput})
		all = lines()
		require.Equal(t, "expired", all[0].Get("outcome").Str)
		require.Equal(t, "refused", all[1].Get("outcome").Str)
		require.False(t, all[1].Get("tenant").Exists())
	})
	t.Run("I4 or only those that did not complete", func(t *testing.T) {
		log, lines := logger()
		runs := NewRuns(log, Failed)
		runs.Observe(t.Context(), aRun, bridge.RunEnded{Status: bridge.Completed})
		runs.Observe(t.Context(), aRun, bridge.RunEnded{Status: bridge.Failed})
		runs.Observe(t.Context(), aRun, bridge.CellRefused{})
		require.Len(t, lines(), 2)
	})
}

func TestDebug(t *testing.T) {
	debug := func(d *Debug) func() []gjson.Result {
		var lines func() []gjson.Result
		d.Logger, lines = logger()
		d.Redactor = redact.New(redact.Options{Values: []string{"hunter2hunter2"}})
		return lines
	}
	t.Run("I4 CODECELL_DEBUG_CODE_MODE shows each step, call and decision", func(t *testing.T) {
		d := &Debug{CodeMode: true}
		lines := debug(d)
		for _, e := range []bridge.Event{
			bridge.RunStarted{},
			bridge.StepEnded{},
			bridge.CallStarted{},
			bridge.CallWaits{For: "caller"},
			bridge.CallEnded{
				CallID: "cm_1.1", ToolID: "mcp:hub:issue", State: "refused", Code: "hook_blocked",
				Decisions: []bridge.Decision{{Stage: "before", Outcome: "blocked", Reason: "it has hunter2hunter2 in it", By: "policy"}},
			},
			bridge.HookAnswered{},
			bridge.RunSuspended{},
			bridge.RunResumed{},
			bridge.RunEnded{},
			bridge.CellRefused{},
		} {
			d.Observe(t.Context(), aRun, e)
		}
		all := lines()
		require.Len(t, all, 10)
		call := all[4]
		require.Equal(t, "debug: call ended", call.Get("msg").Str)
		require.Equal(t, "mcp:hub:issue", call.Get("tool").Str)
		require.Equal(t, "policy", call.Get("decisions.0.by").Str)
		require.NotContains(t, call.Raw, "hunter2")
	})
	t.Run("I4 otherwise nothing is written", func(t *testing.T) {
		d := &Debug{}
		lines := debug(d)
		d.Observe(t.Context(), aRun, bridge.RunStarted{})
		d.Payload("acme", "turn", []byte(`[]`))
		require.Empty(t, lines())
		require.False(t, d.On())
	})
	t.Run("A6 CODECELL_DEBUG_PAYLOAD=tools shows which tools the model is shown", func(t *testing.T) {
		d := &Debug{Payloads: PayloadTools}
		lines := debug(d)
		d.Payload("acme", "check", []byte(`{"messages":[{"content":"private"}],"tools":[{"name":"exec"},{"name":"wait"}]}`))
		d.Payload("acme", "turn", []byte(`[{"name":"exec"},{"name":"shell"}]`))
		d.Payload("acme", "check", []byte(`{"tools":"none"}`))
		all := lines()
		require.Equal(t, `["exec","wait"]`, all[0].Get("tools").Raw)
		require.True(t, all[0].Get("codeMode").Bool())
		require.NotContains(t, all[0].Raw, "private")
		require.Equal(t, `["exec","shell"]`, all[1].Get("tools").Raw)
		require.False(t, all[1].Get("codeMode").Bool())
		require.False(t, all[2].Get("codeMode").Bool())
		require.NotEmpty(t, all[2].Get("problem").Str)
	})
	t.Run("G5 full-redacted shows a payload without its secrets, cut", func(t *testing.T) {
		d := &Debug{Payloads: PayloadFull}
		lines := debug(d)
		payload, err := json.Marshal(map[string]any{
			"apiKey": "k", "tools": []any{}, "messages": []string{"say hunter2hunter2", strings.Repeat("x", 10*maxPayload)},
		})
		require.NoError(t, err)
		d.Payload("acme", "check", payload)
		line := lines()[0]
		require.NotContains(t, line.Raw, "hunter2")
		require.NotEqual(t, "k", line.Get("payload.apiKey").Str)
		require.Contains(t, line.Get("payload.messages.0").Str, "say ")
		require.Less(t, len(line.Raw), 2*maxPayload)
		require.Positive(t, line.Get("omittedBytes").Int())
	})
	t.Run("H6 a bounded number of lines a second, and how many were left out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &Debug{CodeMode: true}
			lines := debug(d)
			for range maxLines + 7 {
				d.Observe(t.Context(), aRun, bridge.StepEnded{})
			}
			require.Len(t, lines(), maxLines)
			time.Sleep(time.Second)
			d.Observe(t.Context(), aRun, bridge.StepEnded{})
			all := lines()
			require.Len(t, all, 2)
			require.Equal(t, "7", fmt.Sprint(all[0].Get("lines").Int()))
		})
	})
}
