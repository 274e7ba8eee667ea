package hook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type beforeFunc func(ctx context.Context, c Call) (Verdict, error)

func (f beforeFunc) BeforeToolCall(ctx context.Context, c Call) (Verdict, error) { return f(ctx, c) }

type afterFunc func(ctx context.Context, c Call, o Outcome) (Revision, error)

func (f afterFunc) AfterToolCall(ctx context.Context, c Call, o Outcome) (Revision, error) {
	return f(ctx, c, o)
}

var (
	anyBefore = beforeFunc(func(context.Context, Call) (Verdict, error) { return Verdict{}, nil })
	anyAfter  = afterFunc(func(context.Context, Call, Outcome) (Revision, error) { return Revision{}, nil })
)

func names(l List) (names []string) {
	for _, b := range l {
		names = append(names, b.Name())
	}
	return names
}

func TestSet(t *testing.T) {
	for says, hooks := range map[string][]Hook{
		"[0].name must be":    {{Before: anyBefore}},
		"[0].name must be a ": {{Name: strings.Repeat("x", 65), Before: anyBefore}},
		"[1].name is that of another hook already: \"a\"": {{Name: "a", Before: anyBefore}, {Name: "a", After: anyAfter}},
		"[0] is asked at no event":                        {{Name: "a"}},
		"[0].timeout must be at most 1m0s":                {{Name: "a", Before: anyBefore, Timeout: time.Hour}},
		"[0].tools[1] must be a glob":                     {{Name: "a", Before: anyBefore, Tools: []string{"x", ""}}},
		"[0].tools must have at most":                     {{Name: "a", Before: anyBefore, Tools: make([]string, maxTools+1)}},
		" must have at most 64 entries":                   make([]Hook, maxHooks+1),
	} {
		t.Run("G1 refused:"+says, func(t *testing.T) {
			_, err := NewSet(hooks)
			require.ErrorContains(t, err, says)
		})
	}
	t.Run("G1 each tenant has those that concern it, in their order", func(t *testing.T) {
		s, err := NewSet([]Hook{
			{Name: "all", Before: anyBefore, After: anyAfter},
			{Name: "some", After: anyAfter, Tenants: []string{"a", "b"}},
			{Name: "other", Before: anyBefore, Tenants: []string{"b"}},
		})
		require.NoError(t, err)
		for tenant, want := range map[string][2][]string{
			"a": {{"all"}, {"all", "some"}}, "b": {{"all", "other"}, {"all", "some"}}, "": {{"all"}, {"all"}},
		} {
			before, after := s.Of(tenant)
			require.Equal(t, want, [2][]string{names(before), names(after)}, tenant)
		}
		before, after := (*Set)(nil).Of("a")
		require.Empty(t, before)
		require.Empty(t, after)
	})
	t.Run("G1 globs match ids and names", func(t *testing.T) {
		s, err := NewSet([]Hook{{Name: "a", Before: anyBefore, Tools: []string{"openclaw:mail:*", "exec"}}})
		require.NoError(t, err)
		before, _ := s.Of("")
		for _, tool := range [][2]string{{"openclaw:mail:send", "send"}, {"openclaw:core:exec", "exec"}, {ExecKind, "exec"}} {
			require.True(t, before.Concern(tool[0], tool[1]), tool)
		}
		require.False(t, before.Concern("openclaw:core:read", "read"))
	})
}

// only is the one hook of a set.
func only(t *testing.T, h Hook) *Bound {
	t.Helper()
	h.Name = "guard"
	s, err := NewSet([]Hook{h})
	require.NoError(t, err)
	return s.hooks[0]
}

func TestAsk(t *testing.T) {
	says := func(v Verdict, err error) *Bound {
		return only(t, Hook{Before: beforeFunc(func(context.Context, Call) (Verdict, error) { return v, err })})
	}
	for _, tc := range []struct {
		name string
		hook *Bound
		says string
	}{
		{"it fails", says(Verdict{}, errors.New("no idea")), `hook "guard" failed: no idea`},
		{"its input is no JSON", says(Verdict{Input: json.RawMessage("{")}, nil), `hook "guard" failed: it changed the input to what is not JSON`},
		{"its input is no text", says(Verdict{Input: json.RawMessage("\"\xff\"")}, nil), `not JSON`},
		{"it breaks", only(t, Hook{Before: beforeFunc(func(context.Context, Call) (Verdict, error) { panic("x") })}), `hook "guard" failed: it broke`},
	} {
		t.Run("G1 "+tc.name, func(t *testing.T) {
			_, err := tc.hook.AskBefore(t.Context(), Call{})
			require.ErrorContains(t, err, tc.says)
			var failed *FailedError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, "guard", failed.Hook)
		})
	}
	waits := func(timeout time.Duration) *Bound {
		return only(t, Hook{Timeout: timeout, Before: beforeFunc(func(ctx context.Context, _ Call) (Verdict, error) {
			<-ctx.Done()
			return Verdict{}, ctx.Err()
		})})
	}
	t.Run("G1 it is not waited for longer than it may take", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for timeout, says := range map[time.Duration]string{0: "within 5s", time.Second: "within 1s"} {
				began := time.Now()
				_, err := waits(timeout).AskBefore(t.Context(), Call{})
				require.ErrorContains(t, err, says)
				require.LessOrEqual(t, time.Since(began), DefaultTimeout)
			}
		})
	})
	t.Run("G7 nor longer than the call lives", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			_, err := waits(0).AskBefore(ctx, Call{})
			require.Error(t, err)
			require.Equal(t, time.Second, time.Since(began))
		})
	})
}
