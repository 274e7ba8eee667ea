package bridge

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

// limitsOfREADME returns the first column of the README's table of JavaScript that is not there.
func limitsOfREADME(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## JavaScript that is not there")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var column strings.Builder
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			column.WriteString(cells[1] + "\n")
		}
	}
	return column.String()
}

// The names that README lists are not there, and of what cells may expect nothing else is missing.
func TestREADMELimits(t *testing.T) {
	column := limitsOfREADME(t)
	absent := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:[A-Z]\\w+|set\\w+)(?:\\.[A-Za-z]\\w+)?)`").FindAllStringSubmatch(column, -1) {
		absent[m[1]] = true
	}
	delete(absent, "RegExp.lastMatch") // it throws
	require.Greater(t, len(absent), 12)
	const expected = `AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date
		DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
		Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set ShadowRealm SharedArrayBuffer String
		SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet
		decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt unescape
		AbortController Blob DOMException EventTarget ReadableStream TextDecoder TextEncoder URL URLSearchParams WebAssembly Worker atob btoa
		clearTimeout console crypto performance queueMicrotask setImmediate setInterval setTimeout structuredClone
		Intl.Collator Intl.DateTimeFormat Intl.DisplayNames Intl.DurationFormat Intl.ListFormat Intl.Locale Intl.NumberFormat Intl.PluralRules
		Intl.RelativeTimeFormat Intl.Segmenter Intl.getCanonicalLocales Intl.supportedValuesOf
		Array.fromAsync Promise.try Promise.withResolvers Object.groupBy Map.groupBy Iterator.from Iterator.concat Math.f16round Math.sumPrecise
		RegExp.escape Error.isError JSON.rawJSON JSON.isRawJSON Uint8Array.fromBase64 Uint8Array.fromHex Symbol.dispose`
	onEngines(t, func(t *testing.T, c cells) {
		lacking := map[string]bool{} // the pure Go engine's own list is in its package
		if c.turn.service.options.Engine.Name() == "purego" {
			for _, name := range strings.Fields("DisposableStack AsyncDisposableStack SuppressedError") {
				lacking[name] = true
			}
		}
		names := strings.Fields(expected)
		for name := range absent {
			names = append(names, name)
		}
		list, err := json.Marshal(names)
		require.NoError(t, err)
		r := c.exec(t, script.JavaScript, "return "+string(list)+".filter((name) => name.split('.').reduce((o, key) => o?.[key], globalThis) === undefined)")
		require.Equal(t, Completed, r.Status, r.Error)
		var missing []string
		require.NoError(t, json.Unmarshal(r.Value, &missing))
		isMissing := map[string]bool{}
		for _, name := range missing {
			isMissing[name] = true
			require.True(t, absent[name] || lacking[name], "README does not say that %s is not there", name)
			delete(lacking, name)
		}
		for name := range absent {
			require.True(t, isMissing[name], "README says that %s is not there", name)
		}
		require.Empty(t, lacking, "these are there now")
		if c.turn.service.options.Engine.Name() == "purego" {
			return
		}
		for what, code := range map[string]string{
			"RegExp.$1":                 `try { RegExp.$1; return false } catch (e) { return true }`,
			"RegExp.lastMatch":          `try { RegExp.lastMatch; return false } catch (e) { return true }`,
			"properties of strings":     `try { new RegExp("\\p{RGI_Emoji}", "v"); return false } catch (e) { return true }`,
			"a back reference in (?i:)": `try { new RegExp("(?i:(a)\\1)"); return false } catch (e) { return true }`,
			"accessor fields":           `try { eval("class A { accessor x }"); return false } catch (e) { return true }`,
			"decorators":                `try { eval("@d class A {}"); return false } catch (e) { return true }`,
			"a text that is spread":     `return Object.keys({..."ab"}).length === 0`,
			"only English":              `return (1.5).toLocaleString("de-DE") === "1.5"`,
			"no digits but 0 to 9":      `return new Intl.NumberFormat("ar-EG").format(1) === "1"`,
			"no calendar but Gregory's": `return new Intl.DateTimeFormat("en-u-ca-buddhist", {timeZone: "UTC", year: "numeric"}).format(0) === "1970"`,
		} {
			r := c.exec(t, script.JavaScript, code)
			require.Equal(t, "true", string(r.Value), "README says of %s what is no longer so: %s", what, r.Error)
		}
	})
}
