package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMappings(t *testing.T) {
	const places = mappings("AAAA,GACG;;GAEH,CAAC;A,gggggggG") // the last is too large to be one
	for _, c := range []struct {
		rule         string
		line, column int
		want         [2]int
		ok           bool
	}{
		{"B2 the place itself", 1, 0, [2]int{1, 0}, true},
		{"B2 the nearest place before", 1, 2, [2]int{1, 0}, true},
		{"B2 the next place", 1, 3, [2]int{2, 3}, true},
		{"B2 the last place of a line goes on to its end", 1, 1000, [2]int{2, 3}, true},
		{"B2 a line without places goes on with those before", 2, 5, [2]int{2, 3}, true},
		{"B2 columns start anew on each line", 3, 2, [2]int{2, 3}, true},
		{"B2 numbers go on over lines", 3, 3, [2]int{4, 0}, true},
		{"B2 before the first line", 0, 0, [2]int{1, 0}, false},
		{"H2 a place that is none", 4, 9, [2]int{0, 0}, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			line, column, ok := places.lookup(c.line, c.column)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, [2]int{line, column})
		})
	}
	t.Run("B2 every place of a transformed cell is one of its text", func(t *testing.T) {
		code := strings.Repeat("var a: number = `é😀${b as any}`; f(\n\t<any>a!)\n", 20)
		s, err := Prepare("{"+code+"}", TypeScript, Options{})
		require.NoError(t, err)
		line, column := position(s.Body, strings.LastIndex(s.Body, "f("))
		line, column = s.Position(line, column)
		require.Equal(t, [2]int{39, 34}, [2]int{line, column})
	})
}

// H2: whatever the other process says, positions lie inside of the text.
func FuzzMappings(f *testing.F) {
	f.Add("AAAA,GACG;;GAEH", 1, 1)
	f.Add("gggggg,////;D", 3, -5)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		const code = "const a: number = 1\nthrow '😀'"
		s := &Source{Body: "const a = 1;\nthrow '😀';\n", code: code, mappings: mappings(text), sourceShift: 1}
		line, column = s.Position(line, column)
		require.True(t, line >= 1 && line <= 2)
		require.True(t, column >= 1 && column <= 20)
	})
}
