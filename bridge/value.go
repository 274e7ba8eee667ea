package bridge

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// usefulValue is what callValue and the convenience functions resolve to (contract D5): details, else
// structuredContent, else the parsed JSON of a single text block, else its text, else the whole result.
func usefulValue(result json.RawMessage) json.RawMessage {
	doc := gjson.ParseBytes(result)
	if !doc.IsObject() {
		return result
	}
	for _, key := range []string{"details", "structuredContent"} {
		if v := doc.Get(key); v.Exists() && v.Type != gjson.Null {
			return json.RawMessage(v.Raw)
		}
	}
	text, ok := singleText(doc.Get("content"))
	if !ok {
		return result
	}
	if trimmed := strings.TrimSpace(text); trimmed != "" && jsontext.Valid([]byte(trimmed)) {
		return json.RawMessage(trimmed)
	}
	return jsontext.AppendString(nil, text)
}

// detailsOf is what a namespace's function resolves to (contract F2): details, else the whole result.
func detailsOf(result json.RawMessage) json.RawMessage {
	if v := gjson.GetBytes(result, "details"); v.Exists() && v.Type != gjson.Null {
		return json.RawMessage(v.Raw)
	}
	return result
}

// singleText returns the text of a content array that is one text block.
func singleText(content gjson.Result) (string, bool) {
	if !content.IsArray() {
		return "", false
	}
	blocks := content.Array()
	if len(blocks) != 1 || blocks[0].Get("type").Str != "text" {
		return "", false
	}
	text := blocks[0].Get("text")
	return text.Str, text.Type == gjson.String
}

// failureText returns what an error result says, and whether it is one.
func failureText(result json.RawMessage) (string, bool) {
	doc := gjson.ParseBytes(result)
	if !doc.IsObject() || doc.Get("isError").Type != gjson.True {
		return "", false
	}
	var parts []string
	doc.Get("content").ForEach(func(_, block gjson.Result) bool {
		if text := block.Get("text"); text.Type == gjson.String && text.Str != "" {
			parts = append(parts, text.Str)
		}
		return true
	})
	if len(parts) == 0 {
		if text := doc.Get("details.error"); text.Type == gjson.String {
			parts = append(parts, text.Str)
		}
	}
	if len(parts) == 0 {
		return "the tool reported an error without a text", true
	}
	return strings.Join(parts, "\n"), true
}
