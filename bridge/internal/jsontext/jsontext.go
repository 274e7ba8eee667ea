package jsontext

import (
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with the escapes that JSON.stringify uses and no others: output is limited in
// bytes of that form (contract D8).
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size - 1
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		from = i + 1
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '"', '\\':
		return append(dst, '\\', c)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendField appends `,"key":` and a string, or nothing for an empty one.
func AppendField(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, ',', '"'), key...), '"', ':')
	return AppendString(dst, value)
}

// MaxDepth bounds the nesting of JSON that comes from tools: parsers recurse, and a megabyte of brackets must not cost
// a gigabyte of stack. The guest's own parser gives up far sooner than a document of any use reaches it.
const MaxDepth = 2000

// Valid says whether b is one JSON value of a depth that is safe to parse.
func Valid(b []byte) bool { return nesting(b) <= MaxDepth && gjson.ValidBytes(b) }

// nesting returns how deep the brackets of b go, outside of strings.
func nesting(b []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
