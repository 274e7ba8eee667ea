package script

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// isLineEnd says whether r ends a line of JavaScript.
func isLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}

// identifierLen returns the length in bytes of the identifier at from, Unicode escapes included, or zero if none starts
// there.
func (s *scanner) identifierLen(from int) int {
	at := from
	for at < len(s.src) {
		c := s.src[at]
		if isLetter(c) || c == '_' || c == '$' || isDigit(c) && at > from {
			at++
			continue
		}
		n := 0
		if c == '\\' {
			_, n = decodeEscape(s.src[at:])
		} else if c >= utf8.RuneSelf {
			n = identifierRuneLen(s.src[at:], at == from)
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at - from
}

// identifierRuneLen returns the length of the non-ASCII character that text starts with if an identifier may hold it
// there, else zero.
func identifierRuneLen(text string, first bool) int {
	r, n := utf8.DecodeRuneInString(text)
	if unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start) {
		return n
	}
	if !first && (r == '\u200C' || r == '\u200D' || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
		return n
	}
	return 0
}

// decodeEscape reads the \uXXXX or \u{X…} that text starts with and returns its character and length, or a length of
// zero if it is none.
func decodeEscape(text string) (rune, int) {
	if !strings.HasPrefix(text, `\u`) {
		return 0, 0
	}
	digits, size := "", 6
	if strings.HasPrefix(text, `\u{`) {
		// Leading zeros are legal without end; beyond a few, nobody means a name.
		end := strings.IndexByte(text[:min(len(text), 32)], '}')
		if end < 0 {
			return 0, 0
		}
		digits, size = text[3:end], end+1
	} else if len(text) >= size {
		digits = text[2:size]
	}
	r, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || r > unicode.MaxRune {
		return 0, 0
	}
	return rune(r), size
}

// decodeEscapes returns text with every Unicode escape replaced by what it stands for.
func decodeEscapes(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		at := strings.Index(text, `\u`)
		if at < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		r, n := decodeEscape(text)
		if n == 0 {
			r, n = '\\', 1
		}
		b.WriteRune(r)
		text = text[n:]
	}
	return b.String()
}
