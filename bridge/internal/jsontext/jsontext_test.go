package jsontext

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAppendString(t *testing.T) {
	t.Run("D8 escapes as JSON.stringify does", func(t *testing.T) {
		for c := range 0x80 {
			want := string(rune(c))
			switch {
			case c == '\b':
				want = `\b`
			case c == '\f':
				want = `\f`
			case c == '\n':
				want = `\n`
			case c == '\r':
				want = `\r`
			case c == '\t':
				want = `\t`
			case c == '"', c == '\\':
				want = `\` + want
			case c < 0x20:
				want = fmt.Sprintf(`\u%04x`, c)
			}
			require.Equal(t, `"a`+want+`b"`, string(AppendString(nil, "a"+string(rune(c))+"b")))
		}
	})
	for _, tc := range []struct{ name, in, want string }{
		{"D8 leaves line separators, DEL and HTML alone", "\u2028\u2029\x7f<>&'/", "\"\u2028\u2029\x7f<>&'/\""},
		{"D8 leaves characters outside the first plane alone", "😀é", `"😀é"`},
		{"B6 keeps NUL", "a\x00b", `"a\u0000b"`},
		{"B6 an invalid byte becomes U+FFFD", "a\xffb", "\"a\uFFFDb\""},
		{"B6 an encoded surrogate becomes U+FFFD", "\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
		{"B6 a cut character becomes U+FFFD", "a\xf0\x9f\x98", "\"a\uFFFD\uFFFD\uFFFD\""},
		{"B6 a real U+FFFD stays", "\uFFFD", "\"\uFFFD\""},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, string(AppendString(nil, tc.in))) })
	}
	t.Run("D8 round-trips, with no byte more than it needs", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
			got := AppendString([]byte("x"), s)[1:]
			require.True(t, utf8.Valid(got))
			var back string
			require.NoError(t, json.Unmarshal(got, &back))
			quoted, err := json.Marshal(s)
			require.NoError(t, err)
			var want string
			require.NoError(t, json.Unmarshal(quoted, &want))
			require.Equal(t, want, back)
		})
	})
}

func TestValid(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"an object", `{"a":[1,2,{"b":null}]}`, true},
		{"a bare string", `"x"`, true},
		{"white space around", " \n1\t", true},
		{"nothing", ``, false},
		{"two values", `1 2`, false},
		{"a trailing comma", `[1,]`, false},
		{"a control character in a string", "\"\x01\"", false},
		{"NaN", `NaN`, false},
		{"a leading zero", `01`, false},
		{"the deepest that is allowed", nested(MaxDepth), true},
		{"one level deeper", nested(MaxDepth + 1), false},
		{"a million brackets", nested(1 << 20), false},
		{"brackets in strings are no depth", `"` + strings.Repeat("[", 5000) + `"`, true},
		{"an escaped quote does not end a string", `"\"` + strings.Repeat("[", 5000) + `"`, true},
		{"an escaped backslash does", `["\\",` + nested(MaxDepth) + `]`, false},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) { require.Equal(t, tc.want, Valid([]byte(tc.text))) })
	}
}

func FuzzValid(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `[1e5,-0.1]`, `"\ud800"`, `"\x"`, `-`, `1e`, `{"a"}`, "\"\x7f\"", ` {} `, `{"a":1,}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if nesting(b) <= MaxDepth {
			require.Equal(t, json.Valid(b), Valid(b), "%q", b)
		}
	})
}
