package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTags(t *testing.T) {
	for _, tc := range []struct{ code, body string }{
		{"<code>return 1</code>", "      return 1"},
		{"\n<code>\nreturn 1\n</code>\n", "\n      \nreturn 1\n"},
		{`<script type="module">return 1</script>`, "                      return 1"},
		{`<parameter name="code">return 1</parameter>`, "                       return 1"},
		{"<pre><code>return 1</code></pre>", "           return 1"},
		{"<code><![CDATA[return '<a>']]></code>", "               return '<a>'"},
		{"<code>\n```js\nreturn 1\n```\n</code>", "\n\nreturn 1\n\n"},
		{"<tool_call>return 1</tool_call>", "           return 1"},
		{"<x:call name=\"exec\"><x:arg>return 1</x:arg></x:call>", strings.Repeat(" ", 27) + "return 1"},
		{"<function=exec><parameter=code>return 1</parameter></function>", strings.Repeat(" ", 31) + "return 1"},
		{"<tool_call>\n{\"name\": \"exec\", \"arguments\": {\"code\": \"return 1\"}}\n</tool_call>", "return 1"},
		{`<tool_call>{"name": "exec", "arguments": "{\"code\": \"return 1\"}"}</tool_call>`, "return 1"},
		{`{"tool": "exec", "input": {"code": "return 1", "language": "javascript"}}`, "return 1"},
		{"```json\n{\"code\": \"return 1\"}\n```", "return 1"},
		{"<think>maybe\nso</think>\nreturn 1", "\n\nreturn 1"},
		{"<thinking>\nUse `x`.\n</thinking>\n```js\nreturn 1\n```", "\n\n\n\nreturn 1\n"},
		{"<|python_tag|>return 1", "              return 1"},
		{"<|im_start|>assistant\nreturn 1<|im_end|>", strings.Repeat(" ", 21) + "\nreturn 1"},
		{"javascript\nreturn 1", "\nreturn 1"},
		{"<code>const a = '</code>'; return a</code>", "      const a = '</code>'; return a"},
		{"<code>return '<code>x</code>'</code>", "      return '<code>x</code>'"},
		// What is none of that is left to the parsers.
		{"return '<code></code>'", "return '<code></code>'"},
		{"<code>return 1", "<code>return 1"},
		{"<b>return 1</b>", "<b>return 1</b>"},
		{"<code>return 1</code> and more", "<code>return 1</code> and more"},
		{"<code>a</code> and <code>b</code>", "<code>a</code> and <code>b</code>"},
		{"a\n</code>", "a\n</code>"},
		{"<code></code>", "<code></code>"},
		{"<code>", "<code>"},
		{"<![CDATA[]]", "<![CDATA[]]"},
		{"<|a|>", "<|a|>"},
		{"js\n.x()", "js\n.x()"},
		{"js", "js"},
		{`{"name": "read", "arguments": {"code": "x"}}`, `{"name": "read", "arguments": {"code": "x"}}`},
		{"const s = `\n~~~js\nreturn 1\n~~~\n`;\nreturn s", "const s = `\n~~~js\nreturn 1\n~~~\n`;\nreturn s"},
		{"/* how:\n```js\nf()\n```\n*/\nreturn 1", "/* how:\n```js\nf()\n```\n*/\nreturn 1"},
	} {
		t.Run("B4 "+tc.code, func(t *testing.T) {
			s, err := Prepare(tc.code, JavaScript, Options{})
			require.NoError(t, err)
			require.Equal(t, tc.body, s.Body)
		})
	}
	t.Run("B4 a type assertion is no tag", func(t *testing.T) {
		s, err := Prepare("<any>1; return 2", TypeScript, Options{})
		require.NoError(t, err)
		require.Contains(t, s.Body, "return 2")
	})
}
