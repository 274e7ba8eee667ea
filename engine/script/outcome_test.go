package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		rule, code string
		lang       Language
	}{
		{"B1 a cell as it was", "ls = 1", JavaScript},
		{"B5 a transformed cell", "type A = 1\nlet a: A = 1; throw a as any", TypeScript},
		{"B5 a cell with a helper before it", "@a class A {}", TypeScript},
		{"B3 a refused cell", "await import('x')", JavaScript},
		{"B5 a cell that does not parse", "let a: = 1", TypeScript},
	} {
		t.Run(c.rule+" comes as it was sent", func(t *testing.T) {
			source, err := Prepare(c.code, c.lang, Options{})
			got, gotErr := ReadOutcome(c.code, c.lang, AppendOutcome(nil, source, err))
			require.Equal(t, err, gotErr)
			require.Equal(t, source, got)
		})
	}
	t.Run("H6 what becomes too large is refused", func(t *testing.T) {
		source := &Source{Body: strings.Repeat("a", MaxOutcome), code: "a"}
		_, err := ReadOutcome("a", TypeScript, AppendOutcome(nil, source, nil))
		var refusal *Error
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, TooLarge, refusal.Reason)
	})
	for rule, b := range map[string][]byte{
		"nothing":                           {},
		"a kind that is none":               {9},
		"a JavaScript cell, which it isn't": {outcomeSource},
		"more than an outcome":              AppendOutcome(nil, &Source{Body: "a", code: "b"}, nil)[:4],
		"a shift that is none":              {outcomePrinted, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"an error without a text":           {outcomeError, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"a reason that is none":             append(AppendOutcome([]byte{}, nil, &Error{Text: "x", Reason: 7}), 0)[:15],
	} {
		t.Run("H2 no outcome of a TypeScript cell: "+rule, func(t *testing.T) {
			_, err := ReadOutcome("let a", TypeScript, b)
			require.ErrorIs(t, err, ErrOutcome)
		})
	}
	t.Run("H2 a transformed JavaScript cell is no outcome", func(t *testing.T) {
		_, err := ReadOutcome("a", JavaScript, AppendOutcome(nil, &Source{Body: "a", code: "b"}, nil))
		require.ErrorIs(t, err, ErrOutcome)
	})
}

func FuzzReadOutcome(f *testing.F) {
	source, _ := Prepare("let a: number = 1", TypeScript, Options{})
	f.Add(AppendOutcome(nil, source, nil))
	f.Add(AppendOutcome(nil, nil, &Error{Text: "no", Line: 1, Column: 2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		source, err := ReadOutcome("let a: number = 1", TypeScript, b)
		if err != nil {
			require.Nil(t, source)
			return
		}
		require.LessOrEqual(t, source.Bytes(), len(b)+len("let a: number = 1"))
		source.Position(1, 5)
		source.Locate("a", false, 1, 1)
	})
}
