package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// Whatever is redacted comes out as bounded JSON in which the known secret is not.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `{"a"`, `{"a":`, `{"a":1,`, `[`, `[1,`, `"`, `"\`, `"\u00`, `tru`, `-`, `[]]`, `{"a":1}}`, `[,]`, `{"password":"x"}`, `"{\"a\":[\"\\u0041\"]}"`,
		`{"value":1,"name":"token"}`, `["--secret",{}]`, "\"\x80\xff\"", `"\ud800"`, `"password\u003d\u0022a"`, `"https://a:b@c"`, `"%7B%22secret%22:1"`, "\"-----BEGIN PRIVATE KEY-----\"",
	} {
		f.Add([]byte(seed), 100, 3)
	}
	r := New(Options{Values: []string{known}})
	secret := quote(known)
	f.Fuzz(func(t *testing.T, text []byte, limit, at int) {
		limit = 1 + limit&0xfff
		shown, omitted := r.JSON(text, limit)
		require.True(t, json.Valid(shown), "%s", shown)
		require.LessOrEqual(t, len(shown), 7*limit+4096)
		require.GreaterOrEqual(t, omitted, 0)
		if jsontext.Valid(text) && len(text) <= limit && gjson.ParseBytes(text).Type != gjson.String {
			require.Equal(t, gjson.ParseBytes(text).Type, gjson.ParseBytes(shown).Type, "%s", shown)
		}
		if len(text) > 0 && utf8.Valid(text) && !strings.Contains(string(text), known[:2]) {
			at = int(uint(at) % uint(len(text)+1))
			for _, piece := range []string{known, secret[1 : len(secret)-1], secret} {
				with := string(text[:at]) + piece + string(text[at:])
				if !utf8.ValidString(with) || strings.Contains(with[max(0, at-6):at], `\`) {
					continue // it was put into a character
				}
				shown, _ = r.JSON([]byte(with), limit)
				require.True(t, json.Valid(shown), "%s", shown)
				require.NotContains(t, string(shown), known[2:16], "%s", with)
			}
		}
	})
}

// aTree draws JSON with secrets under names of secrets and as values, and what is no secret beside them.
func aTree(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Just[any]("visible"), rapid.Just[any](known), rapid.Just[any]("x "+known+" y"), rapid.Just[any](nil), rapid.Just[any](12.5))
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return rapid.SliceOfN(aTree(depth-1), 0, 4).Draw(t, "list")
		case 2:
			inner, _ := json.Marshal(aTree(depth-1).Draw(t, "inner"))
			return string(inner)
		}
		object := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.SampledFrom([]string{"a", "b", "password", "apiKey", "__proto__", "x-auth-token"}).Draw(t, "name")
			if New(Options{}).secrecyOf(name) != public {
				object[name] = "hidden-by-its-name"
				continue
			}
			object[name] = aTree(depth-1).Draw(t, "value")
		}
		return object
	})
}

func TestNothingLeaks(t *testing.T) {
	t.Run("G5 in texts of texts, in a list in texts of texts", func(t *testing.T) {
		list := "[" + quote(quote(quote(known))) + "]"
		shown, _ := New(Options{Values: []string{known}}).JSON([]byte(quote(quote(list))), 200)
		require.True(t, json.Valid(shown), "%s", shown)
		require.Contains(t, string(shown), Mark)
		require.NotContains(t, string(shown), "s3rvice")
	})
	t.Run("G5 whatever the shape is, in whatever size", func(t *testing.T) {
		r := New(Options{Values: []string{known}})
		rapid.Check(t, func(t *rapid.T) {
			text, err := json.Marshal(aTree(5).Draw(t, "tree"))
			require.NoError(t, err)
			shown, _ := r.JSON(text, rapid.SampledFrom([]int{20, 200, 100000}).Draw(t, "limit"))
			require.True(t, json.Valid(shown), "%s", shown)
			require.NotContains(t, string(shown), "hidden-by-its-name")
			require.NotContains(t, string(shown), "s3rvice")
		})
	})
}
