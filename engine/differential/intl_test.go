//go:build cgo

package differential

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/purego"
)

// TestIntl holds every engine to what testdata/intl.js gave in Node.
func TestIntl(t *testing.T) {
	text, err := os.ReadFile("testdata/intl.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	p := newPair(t)
	third, err := purego.New(purego.Options{})
	require.NoError(t, err)
	defer third.Close()
	for name, e := range map[string]engine.Engine{"native": p.native, "wasi": p.wasi, "purego": third} {
		t.Run("D10 "+name, func(t *testing.T) {
			for some := range slices.Chunk(lines, 40) {
				got := evaluate(t, e, some)
				for n, line := range some {
					expression, want, _ := strings.Cut(line, "\t")
					require.Equal(t, want, got[n], "%s", expression)
				}
			}
		})
	}
}

// TestLocaleHint holds every engine to telling of a locale that is written as English, and of nothing else.
func TestLocaleHint(t *testing.T) {
	p := newPair(t)
	third, err := purego.New(purego.Options{})
	require.NoError(t, err)
	defer third.Close()
	for name, e := range map[string]engine.Engine{"native": p.native, "wasi": p.wasi, "purego": third} {
		for _, tc := range []struct {
			expression string
			told       bool
		}{
			{`(1.5).toLocaleString("de-DE")`, true},
			{`5n.toLocaleString("fr")`, true},
			{`[1.5].toLocaleString("de")`, true},
			{`new Float32Array([1.5]).toLocaleString("de")`, true},
			{`new Date(0).toLocaleDateString("ja-JP")`, true},
			{`"a".localeCompare("b", "sv")`, true},
			{`new Intl.PluralRules("ru").select(3)`, true},
			{`new Intl.ListFormat(["es", "en"]).format(["a"])`, true},
			{`new Intl.Segmenter("th").segment("a").containing(0).index`, true},
			{`"i".toLocaleUpperCase("tr")`, true},
			{`"I".toLocaleLowerCase(["az"])`, true},
			{`(1.5).toLocaleString()`, false},
			{`(1.5).toLocaleString("en-GB")`, false},
			{`(1.5).toLocaleString(["en", "de"])`, false},
			{`new Date(0).toLocaleDateString("en-AU")`, false},
			{`"a".localeCompare("b")`, false},
			{`"i".toLocaleUpperCase()`, false},
			{`"i".toLocaleUpperCase("de")`, false},
		} {
			t.Run("B7 "+name+" "+tc.expression, func(t *testing.T) {
				effects := stepOnce(t, e, "return "+tc.expression)
				require.Equal(t, tc.told, effects.Main.Hints&engine.HintLocale != 0)
			})
		}
	}
}

// evaluate gives the JSON of each line's expression, of errors their text.
func evaluate(t *testing.T, e engine.Engine, lines []string) []any {
	t.Helper()
	var cell strings.Builder
	cell.WriteString("const out = [], give = (f) => { let r; try { r = f() } catch (e) { r = e.name + ': ' + e.message } out.push(JSON.stringify(r) ?? 'undefined') };\n")
	for _, line := range lines {
		expression, _, _ := strings.Cut(line, "\t")
		cell.WriteString("give(() => " + expression + ");\n")
	}
	cell.WriteString("return out")
	var got []any
	require.NoError(t, json.Unmarshal(stepOnce(t, e, cell.String()).Main.Value, &got))
	return got
}

// stepOnce gives the effects of a cell that ends in its first step.
func stepOnce(t *testing.T, e engine.Engine, source string) *engine.Effects {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	begin := engine.Begin{Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 8 << 20, MaxRequests: 1, MaxTimers: 1}
	effects, err := vm.Step(context.Background(), begin.Append(nil), longEnough)
	require.NoError(t, err)
	require.Equal(t, engine.Fulfilled, effects.Main.State, "%s", effects.Main.Thrown.Message)
	return effects
}
