package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

func sourceOf(t testing.TB, language script.Language, code string) *run {
	t.Helper()
	r := aRun(t, `true`)
	source, err := script.Prepare(code, language, script.Options{})
	require.NoError(t, err)
	r.cell.source, r.cell.language = source, language
	return r
}

// someLines are longer and more than any position in the tests.
var someLines = strings.Repeat("call(1, 2, 3, 4, 5)\n", 12)

func TestOwnFrames(t *testing.T) {
	for _, tc := range []struct {
		name, stack, want string
		line, column      int
	}{
		{
			"the cell's frames stay", "    at f (cell.js:2:7)\n    at <anonymous> (cell.js:5:3)\n",
			"    at f (cell.js:2:7)\n    at <anonymous> (cell.js:5:3)", 2, 7,
		},
		{
			"frames of the guest's own library go", "    at call (guest.js:10:2)\n    at f (cell.js:2:7)\n    at run (guest.js:1:1)\n",
			"    at f (cell.js:2:7)", 2, 7,
		},
		{
			"builtins between the cell's frames stay", "    at g (cell.js:3:1)\n    at map (native)\n    at f (cell.js:2:7)\n",
			"    at g (cell.js:3:1)\n    at map (native)\n    at f (cell.js:2:7)", 3, 1,
		},
		{"what called the cell goes", "    at f (cell.js:2:7)\n    at then (native)\n    at run (native)\n", "    at f (cell.js:2:7)", 2, 7},
		{"builtins alone are nobody's", "    at then (native)\n", "", 0, 0},
		{"a builtin without a name goes", "    at <anonymous> (native)\n    at f (cell.js:2:7)\n", "    at f (cell.js:2:7)", 2, 7},
		{"no stack, no frames", "", "", 0, 0},
		{"text that is no frame goes", "cell.js:9:9\nat x (cell.js:9:9)\nError: boo\n    at f (cell.js:2:7)\nroot:x:0:0\n", "    at f (cell.js:2:7)", 2, 7},
		{"a carriage return starts no line", "    at f (cell.js:2:7)", "    at f (cell.js:2:7)", 2, 7},
		{"a frame without a position stays", "    at f (cell.js)\n    at g (cell.js:2:7)\n", "    at f (cell.js)\n    at g (cell.js:2:7)", 0, 0},
		{"a frame of the language's other file name", "    at f (cell.ts:2:7)\n", "    at f (cell.ts:2:7)", 2, 7},
	} {
		t.Run("B9 "+tc.name, func(t *testing.T) {
			frames, line, column := sourceOf(t, script.JavaScript, someLines).ownFrames(stackOf(tc.stack))
			require.Equal(t, tc.want, frames)
			require.Equal(t, []int{tc.line, tc.column}, []int{line, column})
		})
	}
	t.Run("B9 no more than the cap", func(t *testing.T) {
		frames, _, _ := sourceOf(t, script.JavaScript, someLines).ownFrames(stackOf(strings.Repeat("    at f (cell.js:1:1)\n", 10_000)))
		require.Equal(t, maxFrames, strings.Count(frames, "\n")+1)
	})
	t.Run("B2 TypeScript positions are the model's", func(t *testing.T) {
		code := "interface A {\n  a: number\n}\nconst a: A = {a: 1}\nthrow new Error(String(a.a as number))\n"
		r := sourceOf(t, script.TypeScript, code)
		printed := strings.Split(r.cell.source.Body, "\n")
		at := 0
		for i, l := range printed {
			if strings.Contains(l, "throw") {
				at = i + 1
			}
		}
		require.NotZero(t, at)
		require.NotEqual(t, 5, at, "the transform moves the line, or this test shows nothing")
		column := strings.Index(printed[at-1], "throw") + 1
		frames, line, _ := r.ownFrames(stackOf(fmt.Sprintf("    at <anonymous> (cell.ts:%d:%d)\n", at, column)))
		require.Equal(t, 5, line)
		require.Contains(t, frames, "cell.ts:5:")
	})
}

func stackOf(stack string) *engine.Thrown { return &engine.Thrown{IsError: true, Stack: stack} }

// FuzzOwnFrames feeds stacks that a cell made up.
func FuzzOwnFrames(f *testing.F) {
	for _, seed := range []string{
		"    at f (cell.ts:99999999999999999999:1)\n", "    at f (cell.ts:0:0)\n", "    at /etc/passwd (native)\n    at cell.js:1:1",
		"    at f (cell.ts:9223372036854775807:9223372036854775807)\n", "    at (<null>:1:1) cell.ts:1:1", "\r\n    at \xff (cell.ts:2:2)",
	} {
		f.Add(seed)
	}
	r := sourceOf(f, script.TypeScript, "const a: number = 1\n\nthrow a as any")
	f.Fuzz(func(t *testing.T, stack string) {
		frames, line, column := r.ownFrames(stackOf(stack))
		if frames == "" {
			require.Zero(t, line)
		}
		if line != 0 {
			require.LessOrEqual(t, line, 3, "inside the model's text")
			require.Positive(t, column)
		}
		for frame := range strings.Lines(frames) {
			require.True(t, strings.HasPrefix(frame, "    at "))
		}
	})
}

func TestMistakeAt(t *testing.T) {
	thrown := func(message, stack string) *engine.Thrown {
		return &engine.Thrown{IsError: true, Name: "TypeError", Message: message, Stack: stack}
	}
	for _, tc := range []struct {
		name, code   string
		thrown       *engine.Thrown
		line, column int
	}{
		{
			"a property of undefined, without a position", "const a = undefined\nconst b = a.missing\n",
			thrown("cannot read property 'missing' of undefined", "    at <anonymous> (cell.js)\n"), 2, 13,
		},
		{
			"a name that is not defined, from the frame on", "const nope2 = 1\nconst b = nope + 1\n",
			thrown("nope is not defined", "    at <anonymous> (cell.js:1:1)\n"), 2, 11,
		},
		{
			"a message of the cell's own moves nothing", "x()\nthrow new Error('no')\n",
			thrown("no", "    at <anonymous> (cell.js:2:7)\n"), 2, 7,
		},
		{
			"a name that the text does not have moves nothing", "x()\ny()\n",
			thrown("cannot read property '.*' of undefined", "    at <anonymous> (cell.js:2:1)\n"), 2, 1,
		},
	} {
		t.Run("B2 "+tc.name, func(t *testing.T) {
			_, line, column := sourceOf(t, script.JavaScript, tc.code).ownFrames(tc.thrown)
			require.Equal(t, []int{tc.line, tc.column}, []int{line, column})
		})
	}
}

func TestGuestFailure(t *testing.T) {
	thrown := func(name, message, stack string) *engine.Thrown {
		return &engine.Thrown{IsError: true, Name: name, Message: message, Stack: stack}
	}
	for _, tc := range []struct {
		name   string
		thrown *engine.Thrown
		text   string
		detail Detail
	}{
		{
			"name and message, then the frames", thrown("TypeError", "not a function", "    at f (cell.js:1:2)\n"),
			"TypeError: not a function\n    at f (cell.js:1:2)",
			Detail{Name: "TypeError", Message: "not a function", Line: 1, Column: 2, Stack: "    at f (cell.js:1:2)"},
		},
		{"no message", thrown("Error", "", ""), "Error", Detail{Name: "Error"}},
		{"no name", thrown("", "just this", ""), "just this", Detail{Message: "just this"}},
		{"neither", thrown("", "", ""), "", Detail{}},
		{"a value that is no error", &engine.Thrown{Other: "[object Object]"}, "[object Object]", Detail{Message: "[object Object]"}},
		{
			"a stack that names the host is not passed on", thrown("E", "m", "    at x (/usr/lib/host.js:1:1)\n    at y (file:///root/a.go:2)\n"),
			"E: m",
			Detail{Name: "E", Message: "m"},
		},
	} {
		t.Run("B9 "+tc.name, func(t *testing.T) {
			f := guestFailure(sourceOf(t, script.JavaScript, someLines), tc.thrown)
			require.Equal(t, CodeInternal, f.code)
			require.Equal(t, tc.text, f.text)
			require.Equal(t, &tc.detail, f.detail)
			require.False(t, f.again, "the same cell throws the same again")
		})
	}
}
