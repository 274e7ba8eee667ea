package script

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChat(t *testing.T) {
	const js = "```js\nreturn 7\n```"
	for name, tc := range map[string]struct{ code, body, err string }{
		"prose around a fence":        {"Here is the code:\n\n" + js + "\nIt returns seven.", "\n\n\nreturn 7\n\n", ""},
		"prose before it":             {"Sure!\n" + js, "\n\nreturn 7\n", ""},
		"prose behind it":             {js + "\nDone.", "\nreturn 7\n\n", ""},
		"code and its output":         {js + "\nprints\n```json\n7\n```\n", "\nreturn 7\n\n\n\n\n\n", ""},
		"tildes":                      {"Code:\n~~~ts\nreturn 7\n~~~\n", "\n\nreturn 7\n\n", ""},
		"two programs":                {js + "\nor\n" + js, "", "a text with 2 fenced code blocks"},
		"a command and a program":     {"First\n```bash\nnpm i\n```\nthen\n" + js, "", "a text with 2 fenced code blocks"},
		"a command":                   {"Run this:\n```bash\nnpm i\n```\n", "", "This looks like a shell command"},
		"a template that looks so":    {"const s = `\n` + ```x```;\nreturn s", "const s = `\n` + ```x```;\nreturn s", ""},
		"a fence that is not closed":  {"Text\n```js\nreturn 7", "Text\n```js\nreturn 7", ""},
		"exec's arguments":            {`{"code": "return 7"}`, "return 7", ""},
		"exec's arguments, the alias": {`{"command": "return 7", "language": "javascript"}`, "return 7", ""},
		"an object that has a code":   {`{"code": "x", "other": 1}`, `{"code": "x", "other": 1}`, ""},
		"an object of JavaScript":     {`({"code": "return 7"})`, `({"code": "return 7"})`, ""},
	} {
		t.Run("B4 "+name, func(t *testing.T) {
			s, err := Prepare(tc.code, JavaScript, Options{})
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.body, s.Body)
		})
	}
}
