package script

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLeftTimer(t *testing.T) {
	for _, tc := range []struct{ rule, code, callback, want string }{
		{"output", "\nsetTimeout(() => text('a'), 9)\nreturn 1", "() => text('a')", "setTimeout"},
		{"a call of a tool", "setTimeout(async () => { await tools.x({}) }, 9)\nreturn 1", "async () => { await tools.x({}) }", "setTimeout"},
		{"by a function of the cell", "function tick() { console.log(1) }\nsetTimeout(tick, 9)", "function tick() { console.log(1) }", "setTimeout"},
		{"by one that calls another", "const say = () => { text('x') }\nsetTimeout(() => say(), 9)", "() => say()", "setTimeout"},
		{"a promise that is not awaited", "const sleep = (ms) => new Promise((r) => setTimeout(r, ms))\nsleep(9)\nreturn 1", "function r() { [native code] }", "sleep(9)"},
		{"the same, where it is made", "new Promise(r => setTimeout(r, 9))\nreturn 1", "function () { [native code] }", "new Promise(…)"},

		{"a time limit that throws", "setTimeout(() => { throw new Error('x') }, 9); return 1", "() => { throw new Error('x') }", ""},
		{"one that rejects", "new Promise((_, reject) => setTimeout(() => reject(1), 9)); return 1", "() => reject(1)", ""},
		{"a watchdog beside what is awaited", "setTimeout(() => text('slow'), 9); await work()", "() => text('slow')", ""},
		{"a race's loser", "const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); return await Promise.race([f(), sleep(9)])", "function r() { [native code] }", ""},
		{"nothing to do", "setTimeout(() => {}, 9); return 1", "() => {}", ""},
		{"a name of the cell's own", "const text = () => 1; setTimeout(() => text(), 9); return 1", "() => text()", ""},
		{"a text that is no function of the cell's", "return 1", "() => text('a')", ""},
	} {
		t.Run("B7 "+tc.rule, func(t *testing.T) {
			found, ok := (&Source{Body: tc.code}).Read().LeftTimer(tc.callback)
			require.Equal(t, tc.want != "", ok)
			require.Equal(t, tc.want, found.Text)
		})
	}
	var none *Reading
	_, ok := none.LeftTimer("() => 1")
	require.False(t, ok)
}
