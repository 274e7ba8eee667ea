package script

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnclosed(t *testing.T) {
	for code, want := range map[string]string{
		"return 1":                   " 0:0",
		"return [1, {a: 2}]":         " 0:0",
		"foo(":                       "( 1:4",
		"return {\n  a: [1, 2\n":     "[ 2:6",
		"return {\n  a: [1, 2]\n":    "{ 1:8",
		"const s = `a${f(`b${1}`)}`": " 0:0",
		`text("(" + '[' + /[(]/)`:    " 0:0",
		"// (\n/* [ */ f({":          "{ 2:11",
		"":                           " 0:0",
		"é(":                         "( 1:2",
	} {
		t.Run("B2 "+code, func(t *testing.T) {
			open, line, column := Unclosed(code)
			require.Equal(t, want, fmt.Sprintf("%s %d:%d", open, line, column))
		})
	}
}
