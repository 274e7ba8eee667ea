package catalog

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClip(t *testing.T) {
	require.Equal(t, "abc", clip("abc", 3))
	require.Equal(t, "ab…", clip("abc", 2))
	require.Equal(t, "日…", clip("日本", 4))
	require.Equal(t, "…", clip("日本", 2))
}

func TestOneLine(t *testing.T) {
	cases := map[string]string{
		"": "", "plain": "plain", " a  b\tc\r\nd ": "a b c d", "x*/y": "x* /y", "*\x00/": "* /", "**//": "** //",
		"a\u2028b\u2029c\u0085d": "a b c d", "日本": "日本",
	}
	for in, want := range cases {
		require.Equal(t, want, oneLine(in), "E3 %q", in)
	}
	rapid.Check(t, func(t *rapid.T) {
		got := oneLine(rapid.StringOf(rapid.SampledFrom([]rune("a*/ \n\u2028\x00"))).Draw(t, "text"))
		require.NotContains(t, got, "*/")
		require.NotContains(t, got, "\n")
		require.Equal(t, strings.TrimSpace(got), got)
	})
}

func TestQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		var back string
		require.NoError(t, json.Unmarshal([]byte(quote(s)), &back))
		require.Equal(t, strings.ToValidUTF8(s, "\uFFFD"), back)
		require.True(t, utf8.ValidString(quote(s)))
		require.NoError(t, json.Unmarshal([]byte(literal(s)), &back), "a literal reads as the same text")
		require.Equal(t, strings.ToValidUTF8(s, "\uFFFD"), back)
	})
}

func TestDepth(t *testing.T) {
	require.Equal(t, 2, depth([]byte(`"[{"`)), "few brackets are only counted")
	many := strings.Repeat(`{"[[\"":1},`, 60)
	require.Equal(t, 2, depth([]byte("["+many+"]")), "brackets in strings don't nest")
	require.Equal(t, 100, depth([]byte(strings.Repeat("[", 100))))
	require.Equal(t, 0, depth([]byte(strings.Repeat("]", 100))))
}
