package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// aValue draws any JSON value that a cell may return.
func aValue() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just(any(nil)),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
		rapid.Map(rapid.StringN(0, 40, -1), func(s string) any { return s }),
	)
	return rapid.Custom(func(t *rapid.T) any { return drawValue(t, leaf, 4) })
}

func drawValue(t *rapid.T, leaf *rapid.Generator[any], depth int) any {
	kind := rapid.IntRange(0, 2).Draw(t, "kind")
	if depth == 0 || kind == 0 {
		return leaf.Draw(t, "leaf")
	}
	n := rapid.IntRange(0, 6).Draw(t, "size")
	if kind == 1 {
		list := []any{}
		for range n {
			list = append(list, drawValue(t, leaf, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range n {
		object[rapid.StringN(0, 8, -1).Draw(t, "key")] = drawValue(t, leaf, depth-1)
	}
	return object
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}

// isPrefix says whether cut is what remains of whole when ends are cut off: items and members from the end of arrays
// and objects, characters from the end of strings; null stands for anything.
func isPrefix(cut, whole any) bool {
	switch cut := cut.(type) {
	case nil:
		return true
	case string:
		w, ok := whole.(string)
		return ok && strings.HasPrefix(w, cut)
	case []any:
		w, ok := whole.([]any)
		if !ok || len(cut) > len(w) {
			return false
		}
		for i := range cut {
			if !isPrefix(cut[i], w[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		w, ok := whole.(map[string]any)
		for k, v := range cut {
			inner, has := w[k]
			if ok = ok && has && isPrefix(v, inner); !ok {
				return false
			}
		}
		return ok
	}
	return cut == whole
}

func checkTruncated(t require.TestingT, value []byte, limit int) {
	got, omitted := truncateJSON(value, limit)
	require.True(t, json.Valid(got), "%s", got)
	require.LessOrEqual(t, len(got), max(limit, len("null")))
	require.Equal(t, int64(len(value)-len(got)), omitted)
	if len(value) <= limit {
		require.Equal(t, value, got)
	}
	var cut, whole any
	require.NoError(t, json.Unmarshal(got, &cut))
	require.NoError(t, json.Unmarshal(value, &whole))
	require.True(t, isPrefix(cut, whole), "%s of %s", got, value)
}

func TestTruncateProperty(t *testing.T) {
	t.Run("D8 valid, within the limit, a prefix, and counted", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			value := encode(aValue().Draw(t, "value"))
			checkTruncated(t, value, rapid.IntRange(4, len(value)+6).Draw(t, "limit"))
		})
	})
}

func TestTruncate(t *testing.T) {
	for _, tc := range []struct {
		name, value string
		limit       int
		want        string
	}{
		{"fits", `[1,2]`, 5, `[1,2]`},
		{"one byte short cuts the last item", `["aaaa","bbbb","cccc"]`, 21, `["aaaa","bbbb","ccc"]`},
		{"no room for a name and its value", `{"a":1,"long name":22}`, 20, `{"a":1}`},
		{"a name is not cut", `{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1}`, 12, `{}`},
		{"a string keeps its beginning", `"` + strings.Repeat("a", 100) + `"`, 12, `"aaaaaaaaaa"`},
		{"objects keep their first members", `{"a":1,"b":[1,2,3,4,5,6,7,8,9,10]}`, 12, `{"a":1}`},
		{"a number can't be cut", `1234567890`, 5, `null`},
	} {
		t.Run("D8 "+tc.name, func(t *testing.T) {
			got, omitted := truncateJSON([]byte(tc.value), tc.limit)
			require.Equal(t, tc.want, string(got))
			require.Equal(t, int64(len(tc.value)-len(got)), omitted)
		})
	}
	t.Run("D8 a long list of numbers is cut, not lost", func(t *testing.T) {
		// Whatever the place where the limit falls among the items: all that fit stay.
		var value []byte
		for i := range 400 {
			value = fmt.Appendf(append(value, ','), "0.%017d", i)
		}
		value[0] = '['
		value = append(value, ']')
		for limit := 1024; limit < 1064; limit++ {
			got, _ := truncateJSON(value, limit)
			require.Greater(t, len(got), limit-64, "limit %d", limit)
			checkTruncated(t, value, limit)
		}
	})
	t.Run("D8 deep nesting costs no more than a moment", func(t *testing.T) {
		const depth = 500 // as deep as the guest's adapter goes
		value := []byte(strings.Repeat("[", depth) + strings.Repeat("1,", 1<<16) + "1" + strings.Repeat("]", depth))
		clock := startClock()
		got, _ := truncateJSON(value, 64<<10)
		took := clock.lap()
		clock.stop()
		require.Less(t, took, 2*time.Second)
		require.Greater(t, len(got), 64<<10-2*depth)
	})
}

func FuzzTruncate(f *testing.F) {
	for _, seed := range []string{
		`[1,2,3]`, `{"a":{"b":[true,null,"x"]},"c":"é😀"}`, `"\n\"\\"`, `[[[[[[[[1]]]]]]]]`, `[0.12345678901234567,0.12345678901234567]`,
	} {
		f.Add([]byte(seed), 4)
		f.Add([]byte(seed), 17)
	}
	f.Fuzz(func(t *testing.T, value []byte, limit int) {
		var compact bytes.Buffer
		// The guest's JSON is compact, valid UTF-8 and has no key twice.
		var v any
		if json.Unmarshal(value, &v) != nil || json.Compact(&compact, encode(v)) != nil {
			return
		}
		checkTruncated(t, compact.Bytes(), min(max(limit, 4), 1<<16))
	})
}

func BenchmarkTruncate(b *testing.B) {
	value := []byte(`[` + strings.Repeat(`{"id":123,"title":"something to read","done":false},`, 20_000) + `null]`)
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		truncateJSON(value, 64<<10)
	}
}
