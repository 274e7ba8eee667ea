package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForAwait(t *testing.T) {
	for _, c := range []struct {
		rule, code string
		lowered    bool
	}{
		{"B2 a loop", "for await (const x of it) use(x)", true},
		{"B2 comments and lines between", "for /* every */ // one\n await\t(const x of it) use(x)", true},
		{"B2 a loop in a function", "const f = async () => { for await (x of it); }\nreturn f", true},
		{"B2 no loop", "const before = await x", false},
		{"B2 another loop", "for (const x of await y) use(x)", false},
		{"B2 a text that does not parse stays", "for await (const x of) use(x)", false},
		{"B2 nothing leaves the cell", "}; async () => { for await (const x of y) z(x)", false},
		{"B2 a text that is nested too deeply stays", "for await (const x of y) z(x)\n" + strings.Repeat("[", 2000) + strings.Repeat("]", 2000), false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, err := Prepare(c.code, JavaScript, Options{})
			require.NoError(t, err)
			require.Equal(t, c.lowered, s.Body != c.code, "%s", s.Body)
			require.Equal(t, c.lowered, s.transformed())
		})
	}
	t.Run("B5 a loop in TypeScript", func(t *testing.T) {
		s, err := Prepare("for await (const x of it as any) use(x)", TypeScript, Options{})
		require.NoError(t, err)
		require.NotContains(t, s.Body, "for await")
	})
	t.Run("B2 positions are those of the model's text", func(t *testing.T) {
		code := "const a = 1\nfor await (const x of it) {\n  if (a) throw new Error(x)\n}"
		s, err := Prepare(code, JavaScript, Options{})
		require.NoError(t, err)
		for n, line := range strings.Split(s.Body, "\n") {
			if at := strings.Index(line, "new Error"); at >= 0 {
				line, column := s.Position(n+1, at+1)
				require.Equal(t, []int{3, 16}, []int{line, column})
				return
			}
		}
		require.Fail(t, "the loop's body is not there", s.Body)
	})
	t.Run("H6 many openings of a loop are found in linear time", func(t *testing.T) {
		require.False(t, forAwait.MatchString(strings.Repeat("for /*", 50_000)))
	})
}
