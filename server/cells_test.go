package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestExec(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       bridge.ExecInput
	}{
		{
			"everything", `{"turnId":"turn-1","toolCallId":"call-1","code":"a","command":"b","language":"typescript"}`,
			bridge.ExecInput{ToolCallID: "call-1", Code: json.RawMessage(`"a"`), Command: json.RawMessage(`"b"`), Language: json.RawMessage(`"typescript"`)},
		},
		{"nothing: the bridge judges", `{"turnId":"turn-1"}`, bridge.ExecInput{}},
		{
			"wrong types: the bridge judges", `{"turnId":"turn-1","code":5,"command":null,"language":{"a":[1]}}`,
			bridge.ExecInput{Code: json.RawMessage(`5`), Command: json.RawMessage(`null`), Language: json.RawMessage(`{"a":[1]}`)},
		},
		{"unknown keys are ignored", `{"turnId":"turn-1","code":"a","extra":1,"__proto__":{"code":"b"}}`, bridge.ExecInput{Code: json.RawMessage(`"a"`)}},
		{"names are compared exactly", `{"turnId":"turn-1","Code":"a","CODE":"b","code":"c"}`, bridge.ExecInput{Code: json.RawMessage(`"c"`)}},
		{"names may be escaped", `{"turnId":"turn-1","c\u006fde":"a"}`, bridge.ExecInput{Code: json.RawMessage(`"a"`)}},
		{"escapes reach the bridge as they are", `{"turnId":"turn-1","code":"\u0000\ud83d\ude00\""}`, bridge.ExecInput{Code: json.RawMessage(`"\u0000\ud83d\ude00\""`)}},
		{"null toolCallId counts as absent", `{"turnId":"turn-1","toolCallId":null}`, bridge.ExecInput{}},
		{"null turn counts as absent", `{"turnId":"turn-1","turn":null}`, bridge.ExecInput{}},
	} {
		t.Run("B1 "+tc.name, func(t *testing.T) {
			f := newFake()
			var got bridge.ExecInput
			f.exec = func(_ context.Context, in bridge.ExecInput) (*bridge.Result, error) {
				got = in
				return completedTwo, nil
			}
			rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", tc.body))
			require.Equal(t, 200, rec.Code)
			require.Equal(t, tc.want, got)
			require.Equal(t, text(completedTwo), rec.Body.String(), "B7 the result goes out as it is")
			require.Equal(t, "application/json", rec.Header().Get("Content-Type"))
		})
	}
	t.Run("D5a a key that looks like a slip is warned of", func(t *testing.T) {
		f := newFake()
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return completedTwo, nil }
		rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", `{"turnId":"turn-1","Code":"a","extra":1}`))
		warned := `{"warnings":["unknown key \"Code\" was ignored; did you mean \"code\"?"],`
		require.Equal(t, warned+text(completedTwo)[1:], rec.Body.String())
	})
}

func TestExecRefused(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for _, tc := range []struct {
		name, body string
		status     int
		key, says  string
	}{
		{"no turn", `{"code":"return 1"}`, 400, "turnId", "turnId is missing"},
		{"empty turnId", `{"turnId":"","code":"return 1"}`, 400, "turnId", "turnId is missing"},
		{"turnId of another type", `{"turnId":5,"code":"return 1"}`, 400, "turnId", "must be a string, not a number"},
		{"toolCallId of another type", `{"turnId":"turn-1","toolCallId":["x"]}`, 400, "toolCallId", "must be a string, not an array"},
		{"turn of another type", `{"turn":"turn-1"}`, 400, "turn", "must be an object, not a string"},
		{"turn and turnId", `{"turnId":"turn-1","turn":{}}`, 400, "turn", "not both"},
		{"turnId twice", `{"turnId":"turn-1","turnId":"turn-2"}`, 400, "turnId", "given twice"},
		{"code twice", `{"turnId":"turn-1","code":"a","code":"b"}`, 400, "code", "given twice"},
		{"code twice, once escaped", `{"turnId":"turn-1","code":"a","\u0063ode":"b"}`, 400, "code", "given twice"},
		{"unknown turn", `{"turnId":"no-such-turn","code":"return 1"}`, 404, "turnId", "no such turn"},
		{"unknown turn with a hostile id", `{"turnId":"../turn-1\u0000","code":"return 1"}`, 404, "turnId", "no such turn"},
		{"mistake within the turn", `{"turn":{"tools":[{},{"name":5}]}}`, 400, "turn.tools[1].name", "must be a string"},
	} {
		t.Run("I3 "+tc.name, func(t *testing.T) {
			rec := do(t, s, post("/v1/exec", tc.body))
			require.Equal(t, tc.status, rec.Code)
			doc := problemOf(t, rec)
			require.Equal(t, tc.key, doc.Key)
			require.Contains(t, doc.Detail, tc.says)
		})
	}
}

func TestExecWithTurn(t *testing.T) {
	const body = `{"turn":{"context":{"agentId":"a"},"config":{"enabled":true}},"code":"return 1"}`
	t.Run("J turn and cell together", func(t *testing.T) {
		f := newFake()
		rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", body))
		require.Equal(t, text(completedTwo), rec.Body.String())
		require.Equal(t, "a", f.prepared[0].Context.AgentID)
		require.Equal(t, []string{"turn-new"}, f.dropped, "nobody else knows the turn")
	})
	t.Run("J a cell that waits keeps its turn and says its id", func(t *testing.T) {
		f := newFake()
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return waitingRun, nil }
		rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", body))
		require.Empty(t, f.dropped)
		require.Equal(t, `{"turnId":"turn-new",`+text(waitingRun)[1:], rec.Body.String())
	})
	t.Run("J a refused cell leaves no turn", func(t *testing.T) {
		f := newFake()
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			return nil, &bridge.Error{Kind: bridge.KindOverloaded, Msg: "busy"}
		}
		require.Equal(t, 503, do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", body)).Code)
		require.Equal(t, []string{"turn-new"}, f.dropped)
	})
	t.Run("A8 a refused turn runs nothing", func(t *testing.T) {
		f := newFake()
		f.prepare = func(*bridge.TurnRequest) error { return &bridge.Error{Kind: bridge.KindUnavailable, Msg: "no engine"} }
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { panic("must not run") }
		require.Equal(t, 503, do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", body)).Code)
	})
}

func TestExecSize(t *testing.T) {
	f := newFake()
	s := newTestServer(t, Options{Backend: f, MaxSourceBytes: 1 << 10})
	pad := func(n int) string { return strings.Repeat("x", n) }
	t.Run("I3 an exec may hold the largest source, escaped at worst", func(t *testing.T) {
		require.Equal(t, 200, do(t, s, post("/v1/exec", `{"turnId":"turn-1","code":"`+strings.Repeat(`\u0000`, 1<<10)+`"}`)).Code)
	})
	t.Run("I3 a cell over the limit of exec", func(t *testing.T) {
		rec := do(t, s, post("/v1/exec", `{"turnId":"turn-1","code":"`+pad(2<<20)+`"}`))
		require.Equal(t, 413, rec.Code)
		require.Contains(t, problemOf(t, rec).Detail, "1054720 bytes")
	})
	t.Run("J a turn that comes along may be as large as a turn", func(t *testing.T) {
		rec := do(t, s, post("/v1/exec", `{"code":"1","turn":{"tools":[{"source":"client","name":"a","description":"`+pad(2<<20)+`"}]}}`))
		require.Equal(t, 200, rec.Code)
	})
	t.Run("I3 nothing is over 16 MiB", func(t *testing.T) {
		rec := do(t, s, post("/v1/exec", `{"turn":{"x":"`+pad(16<<20)+`"}}`))
		require.Equal(t, 413, rec.Code)
	})
}
