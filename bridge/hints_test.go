package bridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestHints(t *testing.T) {
	for _, tc := range []struct {
		name string
		step func(out *records)
		want []string // a part of each hint
	}{
		{"a plain value has none", func(out *records) { out.Fulfil("1", 0) }, nil},
		{"a promise in the value", func(out *records) { out.Fulfil(`[{}]`, engine.HintPromise) }, []string{"await"}},
		{"a Map in the value", func(out *records) { out.Fulfil(`{}`, engine.HintMapOrSet) }, []string{"Object.fromEntries"}},
		{"a function returned", func(out *records) { out.Fulfil(`null`, engine.HintFunction) }, []string{"function"}},
		{"a function inside the value is nothing to say", func(out *records) { out.Fulfil(`{"a":1}`, engine.HintFunction) }, nil},
		{"nothing returned and nothing put out", func(out *records) { out.Fulfil(`null`, engine.HintUndefined) }, []string{"return"}},
		{"nothing returned but something put out", func(out *records) { out.Text("x").Fulfil(`null`, engine.HintUndefined) }, nil},
		{"functions alone", func(out *records) { out.Fulfil(`{}`, engine.HintFunction|engine.HintFunctions) }, []string{"functions"}},
		{"bytes", func(out *records) { out.Fulfil(`{"0":1}`, engine.HintBytes) }, []string{"typed array"}},
		{"a regular expression", func(out *records) { out.Fulfil(`{}`, engine.HintOpaque) }, []string{"String(regexp)"}},
		{"no number", func(out *records) { out.Fulfil(`null`, engine.HintNumber) }, []string{"NaN"}},
		{"a locale that is not English", func(out *records) { out.Fulfil(`"1,5"`, engine.HintLocale) }, []string{"English"}},
		{
			"several", func(out *records) { out.Fulfil(`[{},{}]`, engine.HintPromise|engine.HintMapOrSet) },
			[]string{"await", "Object.fromEntries"},
		},
		{
			"C8 a rejection that nobody handled", func(out *records) {
				out.Unhandled(engine.Thrown{IsError: true, Name: "Error", Message: "it broke"}).Fulfil("1", 0)
			},
			[]string{"Error: it broke"},
		},
	} {
		t.Run("B7 "+tc.name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
				tc.step(out)
				return nil
			}), Options{})
			r := w.exec(w.turn(""))
			require.Equal(t, Completed, r.Status)
			require.Len(t, r.Hints, len(tc.want), "%q", r.Hints)
			for i, part := range tc.want {
				require.Contains(t, r.Hints[i], part)
			}
		})
	}
	t.Run("B7 no more than the cap", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			for range 100 {
				out.Unhandled(engine.Thrown{Other: "x"})
			}
			out.Fulfil("1", engine.HintPromise)
			return nil
		}), Options{})
		require.Len(t, w.exec(w.turn("")).Hints, maxHints)
	})
	t.Run("B7 each hint is told once", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			out.Unhandled(engine.Thrown{Other: "early"}).Yield(1, "null").Pending()
			return nil
		}, returns("1")), Options{})
		turn := w.turn("")
		r := w.exec(turn)
		require.Len(t, r.Hints, 1)
		require.Empty(t, w.wait(turn, r.RunID).Hints)
	})
	t.Run("B7 a failed result has the hints of its leg", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			out.Unhandled(engine.Thrown{Other: strings.Repeat("y", 10)})
			return engine.ErrTimeout
		}), Options{})
		require.Len(t, w.exec(w.turn("")).Hints, 1)
	})
}
