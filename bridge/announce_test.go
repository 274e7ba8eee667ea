package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestAnnounce(t *testing.T) {
	// execWith runs a cell past hooks that each say something about it, and returns the source that the guest got, or none.
	execWith := func(t *testing.T, in ExecInput, hooks ...hook.Hook) (r *Result, ran string, language string) {
		t.Helper()
		w := newWorld(t, enginetest.Always(func(in *input, out *records) error {
			ran, language = strings.Trim(string(in.Begin.Source), " ;\n"), fmt.Sprint(in.Begin.TypeScript)
			out.Fulfil("1", 0)
			return nil
		}), Options{Hooks: hooks})
		r, err := w.turn("").Exec(t.Context(), in)
		require.NoError(t, err)
		return w.checked(r), ran, language
	}
	says := func(input string) hook.Hook {
		return hook.Hook{Name: "says", Before: beforeFunc(func(context.Context, hook.Call) (hook.Verdict, error) {
			return inputOf(input), nil
		})}
	}
	var told []hook.Call
	sees := hook.Hook{Name: "sees", Before: beforeFunc(func(_ context.Context, c hook.Call) (hook.Verdict, error) {
		told = append(told, c)
		return hook.Verdict{}, nil
	})}
	cell := ExecInput{ToolCallID: "parent", Code: quoted("return 1")}
	for _, tc := range []struct {
		name, kind, input string
		in                ExecInput
	}{
		{"code", "javascript", `{"code":"return 1","command":"return 1"}`, cell},
		{"command", "javascript", `{"code":"return 1","command":"return 1"}`, ExecInput{Command: quoted("return 1")}},
		{"command is null", "javascript", `{"code":"return 1","command":"return 1"}`, ExecInput{Code: quoted("return 1"), Command: []byte("null")}},
		{"both", "typescript", `{"code":"return 1","command":"return 1","language":"typescript"}`, ExecInput{Code: quoted("return 1"), Command: quoted("return 1"), Language: quoted("typescript")}},
		{"an unknown language", "", `{"code":"return 1","command":"return 1","language":"bash"}`, ExecInput{Code: quoted("return 1"), Language: quoted("bash")}},
	} {
		t.Run("G2 both names are filled: "+tc.name, func(t *testing.T) {
			told = nil
			execWith(t, tc.in, sees)
			require.Len(t, told, 1)
			c := told[0]
			require.Equal(t, []string{"exec", "code_mode_exec", tc.kind, "", "", tc.in.ToolCallID}, []string{c.Name, c.ToolKind, c.ToolInputKind, c.ToolID, c.RunID, c.ID})
			require.JSONEq(t, tc.input, string(c.Input))
			require.Equal(t, someone(), c.Context)
		})
	}
	for name, in := range map[string]ExecInput{
		"they differ": {Code: quoted("return 1"), Command: quoted("return 2")}, "blank": {Code: quoted(" ")}, "no text": {Code: []byte("5")},
		"too large": {Code: quoted(strings.Repeat("x", 1<<20))},
	} {
		t.Run("B1 an input that is refused anyway is not announced: "+name, func(t *testing.T) {
			told = nil
			r, _, _ := execWith(t, in, sees)
			requireFailed(t, r, CodeInvalidInput, "")
			require.Empty(t, told)
		})
	}
	for _, tc := range []struct{ name, rewrite, ran, language string }{
		{"code alone", `{"code":"return 2","command":"return 1"}`, "return 2", "false"},
		{"command alone", `{"code":"return 1","command":"return 2"}`, "return 2", "false"},
		{"code, and command is left out", `{"code":"return 2"}`, "return 2", "false"},
		{"command, and code is left out", `{"command":"return 2"}`, "return 2", "false"},
		{"both alike", `{"code":"return 2","command":"return 2"}`, "return 2", "false"},
		{"neither", `{"code":"return 1","command":"return 1","language":null}`, "return 1", "false"},
		{"the language", `{"language":"typescript"}`, "return 1", "true"},
		{"nothing", `{}`, "return 1", "false"},
	} {
		t.Run("G2 a rewrite of one name holds for both: "+tc.name, func(t *testing.T) {
			told = nil
			r, ran, language := execWith(t, cell, says(tc.rewrite), sees)
			require.Equal(t, Completed, r.Status)
			require.Equal(t, []string{tc.ran, tc.language}, []string{ran, language})
			var input struct{ Code, Command string }
			require.NoError(t, json.Unmarshal(told[0].Input, &input))
			require.Equal(t, []string{tc.ran, tc.ran}, []string{input.Code, input.Command}, "the next hook sees it")
			require.Equal(t, tc.ran != "return 1", strings.Contains(strings.Join(r.Hints, ""), hintChanged))
		})
	}
	for _, tc := range []struct {
		name string
		hook hook.Hook
		code Code
		text string
	}{
		{"names that say different things", says(`{"code":"return 2","command":"return 3"}`), CodeInvalidInput, "code and command must match when both are provided."},
		{"a blank cell", says(`{"code":""}`), CodeInvalidInput, "code or command must be a non-empty string."},
		{"an unknown language", says(`{"language":"bash"}`), CodeInvalidInput, "language must be javascript or typescript."},
		{"no text", says(`{"code":5}`), CodeRuntimeUnavailable, "changed code or command to what is no text"},
		{"no object", says(`[]`), CodeRuntimeUnavailable, "changed the input to what is no object"},
		{"no JSON", says(`{`), CodeRuntimeUnavailable, "not JSON"},
		{"larger than a cell may be", says(`{"code":"` + strings.Repeat("x", 1<<20) + `"}`), CodeInvalidInput, "bytes"},
		{"with a mistake", says(`{"code":"import 'x'"}`), CodeInvalidInput, "module access"},
		{"blocked", hook.Hook{Name: "a", Tools: []string{"exec"}, Before: verdict("", hook.Verdict{Block: true, Reason: "no cells today"}).Before}, CodeInvalidInput, "the cell was not run: no cells today"},
		{"blocked, by its kind", hook.Hook{Name: "a", Tools: []string{"code_mode_exec"}, Before: verdict("", hook.Verdict{Block: true}).Before}, CodeInvalidInput, "the cell was not run: a hook blocked it"},
		{"failed", hook.Hook{Name: "a", Before: broken("", false).Before}, CodeRuntimeUnavailable, `the cell was not run: hook "a" failed: no idea`},
	} {
		t.Run("G2 a cell that is not run: "+tc.name, func(t *testing.T) {
			r, ran, _ := execWith(t, cell, tc.hook)
			requireFailed(t, r, tc.code, tc.text)
			require.Equal(t, tc.code == CodeRuntimeUnavailable, r.Retryable)
			require.Empty(t, ran)
		})
	}
	t.Run("G2 a hook that may fail lets the cell run", func(t *testing.T) {
		r, ran, _ := execWith(t, cell, hook.Hook{Name: "a", FailOpen: true, Before: broken("", false).Before})
		require.Equal(t, Completed, r.Status)
		require.Equal(t, "return 1", ran)
	})
	t.Run("G1 hooks of tools are not asked about cells", func(t *testing.T) {
		r, _, _ := execWith(t, cell, verdict("a", hook.Verdict{Block: true}))
		require.Equal(t, Completed, r.Status)
	})
	waiting := hook.Hook{Name: "a", Timeout: time.Minute, Before: silent("", false).Before}
	t.Run("G7 a cell that waits in a hook ends with its client", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(), Options{Hooks: []hook.Hook{waiting}})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			began := time.Now()
			r, err := w.turn("").Exec(ctx, cell)
			require.NoError(t, err)
			requireFailed(t, r, CodeAborted, "aborted")
			require.Equal(t, time.Second, time.Since(began))
		})
	})
	t.Run("G7 and with its turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(), Options{Hooks: []hook.Hook{waiting}})
			turn := w.turn("")
			time.AfterFunc(time.Second, func() { _ = w.DropTurn(tenant, turn.ID()) })
			began := time.Now()
			_, err := turn.Exec(t.Context(), cell)
			requireKind(t, err, KindNotFound)
			require.Equal(t, time.Second, time.Since(began))
		})
	})
	t.Run("H1 the self-test asks no hooks", func(t *testing.T) {
		told = nil
		w := newWorld(t, enginetest.Always(returns("1")), Options{Hooks: []hook.Hook{sees}})
		_, _ = w.SelfTest(t.Context())
		require.Empty(t, told)
	})
}
