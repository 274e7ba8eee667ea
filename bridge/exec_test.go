package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestExecInput(t *testing.T) {
	raw := func(s string) json.RawMessage {
		if s == "" {
			return nil
		}
		return json.RawMessage(s)
	}
	const (
		match    = "code and command must match when both are provided."
		empty    = "code or command must be a non-empty string."
		language = "language must be javascript or typescript."
	)
	for _, tc := range []struct {
		name, code, command, language string
		config                        string
		want                          string // the error; "" if the cell runs
	}{
		{name: "code alone", code: `"return 1"`},
		{name: "command alone", command: `"return 1"`},
		{name: "both the same", code: `"return 1"`, command: `"return 1"`},
		{name: "both the same, escaped differently", code: `"return 1"`, command: `"return\u00201"`},
		{name: "different", code: `"return 1"`, command: `"return 2"`, want: match},
		{name: "one of them empty is different", code: `""`, command: `"return 2"`, want: match},
		{name: "neither", want: empty},
		{name: "blank", code: `" \n\t"`, want: empty},
		{name: "code of another type counts as absent", code: `5`, want: empty},
		{name: "null counts as absent", code: `null`, command: `"return 1"`},
		{name: "both languages", code: `"return 1"`, language: `"typescript"`},
		{name: "language in another case", code: `"return 1"`, language: `"JavaScript"`, want: language},
		{name: "an empty language", code: `"return 1"`, language: `""`, want: language},
		{name: "language null", code: `"return 1"`, language: `null`, want: language},
		{name: "language of another type", code: `"return 1"`, language: `["javascript"]`, want: language},
		{name: "match comes before language", code: `"a"`, command: `"b"`, language: `5`, want: match},
		{name: "blank comes before language", code: `" "`, language: `5`, want: empty},
		{name: "language comes before disabled", code: `"a"`, language: `5`, config: `{"enabled":false}`, want: language},
		{name: "disabled", code: `"a"`, config: `{"enabled":false}`, want: "code mode is disabled."},
		{
			name: "disabled comes before the enabled languages", code: `"a"`, language: `"typescript"`,
			config: `{"enabled":false,"languages":["javascript"]}`, want: "code mode is disabled.",
		},
		{
			name: "a language that is not enabled", code: `"a"`, language: `"typescript"`,
			config: `{"enabled":true,"languages":["javascript"]}`, want: "code mode typescript input is disabled.",
		},
		{
			name: "the default language is not enabled", code: `"a"`,
			config: `{"enabled":true,"languages":["typescript"]}`, want: "code mode javascript input is disabled.",
		},
		{
			name: "enabled languages come before module access", code: `"import 'fs'"`,
			config: `{"enabled":true,"languages":["typescript"]}`, want: "code mode javascript input is disabled.",
		},
		{name: "module access", code: `"import 'fs'"`, want: "code mode module access is disabled."},
		{name: "size comes before module access", code: string(quoted("import 'fs'" + strings.Repeat(" ", 300<<10))), want: "262144"},
	} {
		t.Run("B1 "+tc.name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(returns("1")), Options{})
			turn, err := w.Prepare(context.Background(), tenant, &TurnRequest{Config: raw(tc.config), Tools: someTools()})
			require.NoError(t, err)
			if tc.config == "" {
				turn = w.turn("")
			}
			in := ExecInput{Code: raw(tc.code), Command: raw(tc.command), Language: raw(tc.language)}
			result, err := turn.Exec(context.Background(), in)
			require.NoError(t, err)
			if tc.want == "" {
				require.Equal(t, Completed, result.Status, result.Error)
				return
			}
			requireFailed(t, w.checked(result), CodeInvalidInput, tc.want)
			require.Empty(t, w.engine.VMs(), "no guest starts")
			require.Empty(t, result.SideEffects)
			require.False(t, result.Retryable)
		})
	}
	t.Run("B1 the source that a guest gets is UTF-8", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1")), Options{})
		turn := w.turn("")
		result, err := turn.Exec(context.Background(), ExecInput{Code: json.RawMessage(`"return '\ud800'"`)})
		require.NoError(t, err)
		require.Equal(t, Completed, result.Status)
		require.Equal(t, "return '\uFFFD'", w.lastInput().Begin.Source)
	})
}

func TestExecBegin(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{})
	t.Run("B2 limits go to the guest", func(t *testing.T) {
		turn := w.turn(`{"enabled":true,"memoryLimitBytes":2000000,"maxOutputBytes":2000,"maxPendingToolCalls":3,"maxQueuedToolCalls":4}`)
		require.Equal(t, Completed, w.exec(turn).Status)
		got := *w.lastInput().Begin
		require.NotEqual(t, [32]byte{}, got.Seed)
		got.Seed = [32]byte{}
		require.Equal(t, engine.Begin{
			Source: "return 1", MemoryLimit: 2_000_000, MaxOutput: 2000, MaxValue: 2000, MaxRequests: 7, MaxTimers: maxTimers,
		}, got)
	})
	t.Run("D6 reject leaves no room for a queue", func(t *testing.T) {
		w.exec(w.turn(`{"enabled":true,"overflow":"reject","maxPendingToolCalls":3}`))
		require.Equal(t, 3, w.lastInput().Begin.MaxRequests)
	})
	t.Run("D8 truncate gives the host more to cut", func(t *testing.T) {
		w.exec(w.turn(`{"enabled":true,"outputOverflow":"truncate","maxOutputBytes":2000}`))
		require.True(t, w.lastInput().Begin.Truncate)
		require.Greater(t, w.lastInput().Begin.MaxValue, 2000)
	})
	t.Run("B5 the guest knows TypeScript", func(t *testing.T) {
		_, err := w.turn("").Exec(context.Background(), ExecInput{Code: quoted("return 1 as number"), Language: quoted("typescript")})
		require.NoError(t, err)
		require.True(t, w.lastInput().Begin.TypeScript)
		require.NotContains(t, w.lastInput().Begin.Source, "number")
	})
	t.Run("H1 the first step may take all of the time", func(t *testing.T) {
		w.exec(w.turn(`{"enabled":true,"timeoutMs":1500}`))
		vms := w.engine.VMs()
		require.Equal(t, []time.Duration{1500 * time.Millisecond}, vms[len(vms)-1].Timeouts())
	})
	t.Run("B2 seeds differ", func(t *testing.T) {
		turn := w.turn("")
		w.exec(turn)
		first := w.lastInput().Begin.Seed
		w.exec(turn)
		require.NotEqual(t, first, w.lastInput().Begin.Seed)
	})
}

func TestGuestCatalog(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{})
	turn := w.turn("")
	require.NotEqual(t, turn.guest(), turn.guestBrief())
	for _, tc := range []struct {
		code  string
		files bool
	}{
		{"return 1", false},
		{"return tools.echo({})", false},
		{"return API.list()", true},
		{`return globalThis["A"+"PI"].list()`, true},
		{`return this["A"+"PI"]`, true},
		{`return eval("A"+"PI")`, true},
		{`return new Function("return A"+"PI")()`, true},
		{`return \u0041PI.list()`, true},
	} {
		t.Run("E3 "+tc.code, func(t *testing.T) {
			require.Equal(t, Completed, w.execText(turn, tc.code).Status)
			want := turn.guestBrief()
			if tc.files {
				want = turn.guest()
			}
			vms := w.engine.VMs()
			require.Equal(t, string(want), string(vms[len(vms)-1].Catalog))
		})
	}
}

func TestExecUnavailable(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{})
	turn := w.turn("")
	exec := func() error {
		result, err := turn.Exec(context.Background(), ExecInput{Code: quoted("return 1")})
		require.Nil(t, result)
		return err
	}
	t.Run("H5 no heap is free", func(t *testing.T) {
		w.engine.Fill(true)
		defer w.engine.Fill(false)
		err := exec()
		requireKind(t, err, KindOverloaded)
		var refusal *Error
		require.ErrorAs(t, err, &refusal)
		require.Positive(t, refusal.RetryAfter)
	})
	t.Run("A8 the engine can't load", func(t *testing.T) {
		w.engine.Break(errors.New("open /usr/lib/secret.so: no such file"))
		defer w.engine.Break(nil)
		err := exec()
		requireKind(t, err, KindUnavailable)
		require.Contains(t, err.Error(), "runtime_unavailable")
		require.NotContains(t, err.Error(), "secret")
	})
	t.Run("A7 a turn that was dropped meanwhile", func(t *testing.T) {
		dropped := w.turn("")
		require.NoError(t, w.DropTurn(tenant, dropped.ID()))
		_, err := dropped.Exec(context.Background(), ExecInput{Code: quoted("return 1")})
		requireKind(t, err, KindNotFound)
	})
	t.Run("H5 no thread is free for the first step", func(t *testing.T) {
		busy := newWorld(t, enginetest.Always(stops(engine.ErrOverloaded)), Options{})
		_, err := busy.turn("").Exec(context.Background(), ExecInput{Code: quoted("return 1")})
		requireKind(t, err, KindOverloaded)
		require.Zero(t, busy.engine.Stats().InUse)
	})
	require.Equal(t, Completed, w.exec(turn).Status, "and afterwards all is well")
}
