package script

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocate(t *testing.T) {
	for _, c := range []struct {
		rule, code, name string
		property         bool
		line, column     int // from
		atLine, atColumn int // 0: nowhere
	}{
		{"B2 a property in a declaration", "const o={};\nconst x = o.a.b;", "b", true, 1, 1, 2, 15},
		{"B2 the first one from there on", "x.b;\ny.b;\nz.b;", "b", true, 2, 1, 2, 3},
		{"B2 not one before", "x.b;\nf();\n", "b", true, 2, 1, 0, 0},
		{"B2 behind ?.", "a?.b", "b", true, 1, 1, 1, 4},
		{"B2 in brackets", "a['b c']", "b c", true, 1, 1, 1, 3},
		{"B2 an index", "a[3].x", "3", true, 1, 1, 1, 3},
		{"B2 taken out by destructuring", "const {\n  b} = u", "b", true, 1, 1, 2, 3},
		{"B2 a private field, not its declaration", "class A{#p;f(o){return o.#p}}", "#p", true, 1, 1, 1, 26},
		{"B2 an identifier", "return missing", "missing", false, 1, 1, 1, 8},
		{"B2 no property of that name for an identifier", "o.missing; missing", "missing", false, 1, 1, 1, 12},
		{"B2 no identifier of that name for a property", "b; o.b", "b", true, 1, 1, 1, 6},
		{"B2 not in a string", `"a.b"; a.b`, "b", true, 1, 1, 1, 10},
		{"B2 not in a comment", "/* a.b */ // a.b\na.b", "b", true, 1, 1, 2, 3},
		{"B2 not in a template's text", "`a.b ${a.b}`", "b", true, 1, 1, 1, 10},
		{"B2 not in a regular expression", "/a.b/; a.b", "b", true, 1, 1, 1, 10},
		{"B2 columns count characters", "'日本'; a.b", "b", true, 1, 1, 1, 9},
		{"B2 an escaped name", "a.\\u0062", "b", true, 1, 1, 1, 3},
		{"B2 an error that the cell makes is where it is made", "throw new TypeError('x')\no.b", "b", true, 1, 7, 0, 0},
		{"B2 that too, without new", "throw MyError('x')\no.b", "b", true, 1, 7, 0, 0},
		{"a position past the end", "a.b", "b", true, 9, 1, 0, 0},
		{"a column past the end", "a.b\nc.b", "b", true, 1, 99, 2, 3},
		{"an empty name", "a.b", "", true, 1, 1, 0, 0},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, err := Prepare(c.code, JavaScript, Options{})
			require.NoError(t, err)
			line, column, ok := s.Locate(c.name, c.property, c.line, c.column)
			require.Equal(t, c.atLine != 0, ok)
			require.Equal(t, [2]int{c.atLine, c.atColumn}, [2]int{line, column})
		})
	}
	t.Run("B2 TypeScript is searched as the model wrote it", func(t *testing.T) {
		s, err := Prepare("interface A { b: number }\nconst o: any = {};\nreturn o.a.b", TypeScript, Options{})
		require.NoError(t, err)
		line, column, ok := s.Locate("b", true, 3, 1)
		require.True(t, ok)
		require.Equal(t, [2]int{3, 12}, [2]int{line, column})
	})
}

func FuzzLocate(f *testing.F) {
	f.Add("const o={};\nconst x = o.a.b;", "b", true, 1, 1)
	f.Add("`${`", "b", false, -3, 1<<30)
	f.Add("日本.\\u{62}", "b", true, 1, 2)
	f.Fuzz(func(t *testing.T, code, name string, property bool, line, column int) {
		s := &Source{Body: code}
		atLine, atColumn, ok := s.Locate(name, property, min(line, 1000), column)
		if ok {
			require.GreaterOrEqual(t, atLine, 1)
			require.GreaterOrEqual(t, atColumn, 1)
			require.Less(t, offsetOf(code, atLine, atColumn), len(code))
		}
	})
}
