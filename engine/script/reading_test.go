package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ask asks a reading everything that it can be asked about a place.
func ask(r *Reading, f Frame) {
	for _, native := range []string{"", "map"} {
		f.Native = native
		r.Callee(f, false)
		r.Callee(f, true)
		r.Receiver("a", false, f)
		r.Receiver("a", true, f)
		r.Unpacked(f)
		r.Iterated(f)
		r.Argument(f)
		r.PropertyRead("a", f)
		r.Resolve([]string{"a", "b"})
		if c, ok := r.CallAt(f); ok {
			r.Misuse(c)
			r.RunawayOf(c, true)
			r.Awaited(c)
		}
	}
	r.LoneReturn()
}

func TestReadingIsBounded(t *testing.T) {
	for _, shape := range []string{
		"a(", "a()", "a.a(", "a=>", "(a)=>{", "{}={}=", "[...", "...a,", "delete ", "new ", "new a(", "a[a].", "`${a}", "for(a of ", "a,", "({a:{a}}={a}),",
		"async a=>a(", "await ", "function a(){", "a?.", "if(a(", "yield*", "\n", "return\n", "a=a=", "x=>a(a).a,", ")", "}", "await a(a).a;",
	} {
		t.Run("H6 "+shape, func(t *testing.T) {
			s := &Source{Body: strings.Repeat(shape, maxRead/len(shape))}
			r := s.Read()
			require.NotNil(t, r)
			ask(r, Frame{Line: 1, Column: 1})
			ask(r, Frame{Line: 1, Column: 3})
			ask(r, Frame{})
			require.LessOrEqual(t, r.work, maxWork+len(r.tokens)+1)
		})
	}
	t.Run("H6 a larger text is not read", func(t *testing.T) {
		require.Nil(t, (&Source{Body: strings.Repeat("a", maxRead+1)}).Read())
	})
}

func FuzzReading(f *testing.F) {
	for _, seed := range []string{
		"const r = tools.fast({}); return r.a", "`${a}${b}`.x(", "a?.(1)", "({a: {b}} = c)", "for await (const [a] of b) c", "new a.b`c`", "x => y => z", "\"", "é.ü(", "/a/.b(",
	} {
		f.Add(seed, 1, 5)
	}
	f.Fuzz(func(_ *testing.T, text string, line, column int) {
		if r := (&Source{Body: text}).Read(); r != nil {
			ask(r, Frame{Line: line, Column: column})
			ask(r, Frame{})
		}
		if source, err := Prepare(text, TypeScript, Options{MaxBytes: 1 << 10}); err == nil {
			if r := source.Read(); r != nil {
				ask(r, Frame{Line: line, Column: column})
			}
		}
	})
}
