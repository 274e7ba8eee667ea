package script

import (
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
		// What is none of that is left to the parsers.
		{"return '<code></code>'", "return '<code></code>'"},
		{"<code>return 1", "<code>return 1"},
		{"<b>return 1</b>", "<b>return 1</b>"},
		{"<code>return 1</code> and more", "<code>return 1</code> and more"},
		{"a\n</code>", "a\n</code>"},
		{"<code></code>", "<code></code>"},
		{"<code>", "<code>"},
		{"<![CDATA[]]", "<![CDATA[]]"},
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
