//go:build cgo

package differential

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// TestIntl holds every engine to what testdata/intl.js gave in Node.
func TestIntl(t *testing.T) { requireAll(t, "testdata/intl.txt") }

// TestDates holds every engine to what testdata/dates.js gave in Node.
func TestDates(t *testing.T) { requireAll(t, "testdata/dates.txt") }

// TestLocaleHint holds every engine to telling of a locale that is written as English, and of nothing else.
func TestLocaleHint(t *testing.T) {
	for name, e := range everyEngine(t) {
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
