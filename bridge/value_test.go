package bridge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

func TestUsefulValue(t *testing.T) {
	for _, tc := range []struct{ name, result, want string }{
		{"details come first", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"b":2},"details":{"a":1}}`, `{"a":1}`},
		{"details may be any value", `{"details":false}`, `false`},
		{"details that are null are none", `{"details":null,"structuredContent":[1]}`, `[1]`},
		{"structuredContent comes next", `{"content":[{"type":"text","text":"1"}],"structuredContent":{"b":2}}`, `{"b":2}`},
		{"a single text that is JSON is parsed", `{"content":[{"type":"text","text":" {\"n\":1}\n"}]}`, `{"n":1}`},
		{"a single text that is a number is one", `{"content":[{"type":"text","text":"42"}]}`, `42`},
		{"a single text that is no JSON is text", `{"content":[{"type":"text","text":"it's \"so\""}]}`, `"it's \"so\""`},
		{"an empty text is text", `{"content":[{"type":"text","text":""}]}`, `""`},
		{"blank text keeps its blanks", `{"content":[{"type":"text","text":" "}]}`, `" "`},
		{"two blocks are the whole result", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
		{"an image is the whole result", `{"content":[{"type":"image","data":"x"}]}`, `{"content":[{"type":"image","data":"x"}]}`},
		{"a text that is no string is the whole result", `{"content":[{"type":"text","text":5}]}`, `{"content":[{"type":"text","text":5}]}`},
		{"no content is the whole result", `{"ok":true}`, `{"ok":true}`},
		{"an array is the whole result", `[1,2]`, `[1,2]`},
		{"a string is the whole result", `"plain"`, `"plain"`},
		{"null is the whole result", `null`, `null`},
		{"content of another type is the whole result", `{"content":"text"}`, `{"content":"text"}`},
	} {
		t.Run("D5 "+tc.name, func(t *testing.T) { require.Equal(t, tc.want, string(usefulValue(json.RawMessage(tc.result)))) })
	}
}

func TestFailureText(t *testing.T) {
	for _, tc := range []struct {
		name, result, text string
		isError            bool
	}{
		{"isError false is none", `{"isError":false,"content":[{"type":"text","text":"x"}]}`, "", false},
		{"isError absent is none", `{"content":[]}`, "", false},
		{"only the boolean counts", `{"isError":"true"}`, "", false},
		{"an array is none", `[{"isError":true}]`, "", false},
		{"the text blocks are the message", `{"isError":true,"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`, "a\nb", true},
		{"details.error stands in", `{"isError":true,"details":{"error":"why"}}`, "why", true},
		{"nothing said is said", `{"isError":true,"content":[]}`, "the tool reported an error without a text", true},
		{"strange content does no harm", `{"isError":true,"content":{"a":[1]}}`, "the tool reported an error without a text", true},
	} {
		t.Run("D5 "+tc.name, func(t *testing.T) {
			text, isError := failureText(json.RawMessage(tc.result))
			require.Equal(t, tc.text, text)
			require.Equal(t, tc.isError, isError)
		})
	}
}

// FuzzToolResult feeds what a tool may send to everything that reads it: whatever it is, the guest gets JSON.
func FuzzToolResult(f *testing.F) {
	for _, seed := range []string{
		`{"details":{"a":1}}`, `{"content":["{\"type\":\"text\"}"]}`, `{"isError":true,"content":[[["x"]]]}`, `{"":{"":0}}`,
		`{"content":[{"type":"text","text":"[1,"}]}`, "\"\\ud800\"", `{"details":1,"details":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !jsontext.Valid(b) {
			return
		}
		require.True(t, json.Valid(usefulValue(b)), "%q", b)
		text, isError := failureText(b)
		require.Equal(t, isError, text != "")
		require.True(t, json.Valid(jsontext.AppendString(nil, text)))
	})
}
