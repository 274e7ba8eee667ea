package script

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPositionCountsCharacters(t *testing.T) {
	for _, c := range []struct {
		rule, code   string
		line, column int // as the engine reports them, in bytes
		want         [2]int
	}{
		{"B2 plain text", "const a = 1;\nthrow a", 2, 1, [2]int{2, 1}},
		{"B2 behind letters of two and four bytes", `const s = "é😀"; throw new Error("x")`, 1, 31, [2]int{1, 27}},
		{"B2 only the same line counts", "// 日本\nthrow 1", 2, 7, [2]int{2, 7}},
		{"B2 past the end of a line", "é", 1, 40, [2]int{1, 2}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, err := Prepare(c.code, JavaScript, Options{})
			require.NoError(t, err)
			line, column := s.Position(c.line, c.column)
			require.Equal(t, c.want, [2]int{line, column})
		})
	}
	t.Run("B2 TypeScript, behind letters of more bytes", func(t *testing.T) {
		s, err := Prepare(`const s: string = "é😀"; throw new Error("x")`, TypeScript, Options{})
		require.NoError(t, err)
		require.Equal(t, "  const s = \"é😀\";\n  throw new Error(\"x\");\n", s.Body)
		line, column := s.Position(2, 3)
		require.Equal(t, [2]int{1, 25}, [2]int{line, column})
	})
}
