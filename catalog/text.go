package catalog

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// quote is s as a JSON string, which is also a TypeScript literal. Unlike json.Marshal it leaves <, > and & as they
// are: the readers are models.
func quote(s string) string { return string(appendQuoted(nil, s)) }

func appendQuoted(dst []byte, s string) []byte {
	if plain(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string can't fail to encode; invalid UTF-8 becomes U+FFFD.
	_ = enc.Encode(s)
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// plain holds for the strings that need no escape at all, nearly all of them.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c > 0x7E || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendJSON adds raw, made compact and valid UTF-8. raw has been validated.
func appendJSON(dst, raw []byte) []byte {
	b := bytes.NewBuffer(dst)
	// New refused what Compact would refuse.
	_ = json.Compact(b, bytes.ToValidUTF8(raw, []byte("\uFFFD")))
	return b.Bytes()
}

// oneLine makes s safe inside a comment or a list line: every run of white space and control characters becomes one
// space, and nothing in it can end a block comment.
func oneLine(s string) string {
	if plain(s) && !strings.Contains(s, "*/") && !strings.Contains(s, "  ") {
		return strings.TrimSpace(s)
	}
	fields := strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
	return strings.ReplaceAll(strings.Join(fields, " "), "*/", "* /")
}
