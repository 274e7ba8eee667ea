package bridge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
)

func textOf(s string) engine.Output { return engine.Output{Data: []byte(s)} }
func jsonOf(s string) engine.Output { return engine.Output{JSON: true, Data: []byte(s)} }
func arrayOf(items [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}

// taken returns the items for the next result.
func taken(l *outputLog, cumulative bool) [][]byte {
	items, _ := l.take(cumulative)
	return items
}

func logWith(limit int) outputLog {
	return newOutputLog(&config.Config{MaxOutputBytes: limit, OutputOverflow: config.OutputFail})
}

func cutLogWith(limit int) outputLog {
	return newOutputLog(&config.Config{MaxOutputBytes: limit, OutputOverflow: config.OutputTruncate})
}

func TestRenderOutput(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    engine.Output
		want string
	}{
		{"D8 text as it is", textOf(`a"b`), `{"type":"text","text":"a\"b"}`},
		{"D8 json is a value", jsonOf(`{"a":[1]}`), `{"type":"json","value":{"a":[1]}}`},
		{"D10 log keeps its level", engine.Output{Level: 1, Data: []byte("x")}, `{"type":"text","text":"x","level":"log"}`},
		{"D10 info keeps its level", engine.Output{Level: 2, Data: []byte("x")}, `{"type":"text","text":"x","level":"info"}`},
		{"D10 debug keeps its level", engine.Output{Level: 3, Data: []byte("x")}, `{"type":"text","text":"x","level":"debug"}`},
		{"D10 warn keeps its level", engine.Output{Level: 4, Data: []byte("x")}, `{"type":"text","text":"x","level":"warn"}`},
		{"D10 error keeps its level", engine.Output{Level: 5, Data: []byte("x")}, `{"type":"text","text":"x","level":"error"}`},
		{"D8 empty text is an item", textOf(""), `{"type":"text","text":""}`},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, string(renderOutput(tc.o))) })
	}
}

// TestOutputBoundary holds the limit against the bytes of the array as a client counts them.
func TestOutputBoundary(t *testing.T) {
	const limit = 1024
	frame := len(`[{"type":"text","text":""}]`)
	for _, tc := range []struct {
		name string
		out  []engine.Output
		over bool
	}{
		{"exactly the limit", []engine.Output{textOf(strings.Repeat("x", limit-frame))}, false},
		{"one byte more", []engine.Output{textOf(strings.Repeat("x", limit-frame+1))}, true},
		{"characters count as UTF-8 bytes", []engine.Output{textOf(strings.Repeat("é", (limit-frame)/2))}, false},
		{"one two-byte character more", []engine.Output{textOf(strings.Repeat("é", (limit-frame)/2+1))}, true},
		{"escapes count twice", []engine.Output{textOf(strings.Repeat("\n", (limit-frame)/2))}, false},
		{"one escape more", []engine.Output{textOf(strings.Repeat("\n", (limit-frame)/2+1))}, true},
		{
			"the comma counts",
			[]engine.Output{textOf(strings.Repeat("x", 500)), textOf(strings.Repeat("x", limit-500-2*(frame-2)-2-1))},
			false,
		},
		{
			"the comma is one too many",
			[]engine.Output{textOf(strings.Repeat("x", 500)), textOf(strings.Repeat("x", limit-500-2*(frame-2)-2))},
			true,
		},
		{"the level counts", []engine.Output{{Level: 5, Data: bytes.Repeat([]byte("x"), limit-frame)}}, true},
		{"json counts with its item", []engine.Output{jsonOf(`"` + strings.Repeat("x", limit-len(`[{"type":"json","value":""}]`)) + `"`)}, false},
	} {
		t.Run("D8 "+tc.name, func(t *testing.T) {
			l := logWith(limit)
			for _, o := range tc.out {
				l.add(o)
			}
			require.Equal(t, tc.over, l.over)
			if !tc.over {
				require.Len(t, arrayOf(taken(&l, true)), l.bytes)
			}
		})
	}
}

func TestOutputTake(t *testing.T) {
	t.Run("C7 incremental delivers each item once", func(t *testing.T) {
		l := logWith(1024)
		l.add(textOf("a"))
		l.add(textOf("b"))
		require.Len(t, taken(&l, false), 2)
		require.Empty(t, taken(&l, false))
		l.add(textOf("c"))
		require.Equal(t, `[{"type":"text","text":"c"}]`, string(arrayOf(taken(&l, false))))
	})
	t.Run("C7 cumulative repeats all of it", func(t *testing.T) {
		l := logWith(1024)
		l.add(textOf("a"))
		require.Len(t, taken(&l, true), 1)
		l.add(textOf("b"))
		require.Len(t, taken(&l, true), 2)
	})
	t.Run("D8 what was delivered counts on", func(t *testing.T) {
		l := logWith(1024)
		l.add(textOf(strings.Repeat("x", 800)))
		taken(&l, false)
		l.add(textOf(strings.Repeat("x", 800)))
		require.True(t, l.over)
	})
	t.Run("D8 nothing comes after what went over", func(t *testing.T) {
		l := logWith(1024)
		l.add(textOf("first"))
		l.add(textOf(strings.Repeat("x", 2000)))
		l.add(textOf("third"))
		require.True(t, l.over)
		require.Len(t, taken(&l, false), 1, "a gap in the output would mislead")
	})
}

func TestOutputTruncate(t *testing.T) {
	t.Run("D8 a text that does not fit is cut", func(t *testing.T) {
		l := cutLogWith(1024)
		l.add(textOf(strings.Repeat("é", 2000)))
		got := arrayOf(taken(&l, false))
		require.LessOrEqual(t, len(got), 1024)
		require.Greater(t, len(got), 800, "room is used")
		var items []struct{ Text string }
		require.NoError(t, json.Unmarshal(got, &items))
		require.True(t, strings.HasPrefix(strings.Repeat("é", 2000), items[0].Text), "cut between characters")
		require.False(t, l.over)
	})
	t.Run("D8 json that does not fit is cut by structure", func(t *testing.T) {
		l := cutLogWith(1024)
		l.add(jsonOf(`["` + strings.Repeat("x", 600) + `","` + strings.Repeat("y", 600) + `","z"]`))
		got := arrayOf(taken(&l, false))
		require.LessOrEqual(t, len(got), 1024)
		var items []struct{ Value []string }
		require.NoError(t, json.Unmarshal(got, &items))
		require.Equal(t, strings.Repeat("x", 600), items[0].Value[0])
		require.Regexp(t, "^y+$", items[0].Value[1])
	})
	t.Run("D8 nothing comes after what was cut", func(t *testing.T) {
		l := cutLogWith(1024)
		l.add(textOf(strings.Repeat("x", 2000)))
		before := l.omitted
		l.add(textOf("small"))
		items, omitted := l.take(false)
		require.Len(t, items, 1)
		require.Equal(t, before+int64(len(`,{"type":"text","text":"small"}`)), omitted)
	})
	t.Run("D8 the comma before a cut text is not omitted", func(t *testing.T) {
		l, all := cutLogWith(1024), logWith(1<<20)
		for _, o := range []engine.Output{textOf("first"), textOf(strings.Repeat("x", 2000))} {
			l.add(o)
			all.add(o)
		}
		items, omitted := l.take(false)
		require.Equal(t, int64(all.bytes-len(arrayOf(items))), omitted)
	})
	t.Run("D8 omitted is the difference", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			limit := rapid.IntRange(1024, 1400).Draw(t, "limit")
			outputs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.Output {
				if rapid.Bool().Draw(t, "json") {
					return jsonOf(string(quoted(rapid.StringN(0, 300, 900).Draw(t, "value"))))
				}
				return engine.Output{
					Level: rapid.ByteRange(0, 5).Draw(t, "level"), Data: []byte(rapid.StringN(0, 300, 900).Draw(t, "text")),
				}
			}), 0, 8).Draw(t, "outputs")
			l, all := cutLogWith(limit), logWith(1<<30)
			for _, o := range outputs {
				l.add(o)
				all.add(o)
			}
			items, omitted := l.take(false)
			got := arrayOf(items)
			require.LessOrEqual(t, len(got), limit)
			require.True(t, json.Valid(got))
			require.Equal(t, int64(all.bytes-len(got)), omitted)
		})
	})
}
