package script

import "strings"

// Unclosed returns the bracket that a text opens last and never closes, and where it stands: line and column, 1-based, the
// column in characters. open is empty if there is none.
func Unclosed(code string) (open string, line, column int) {
	type opened struct {
		mark string
		at   int
	}
	var stack []opened
	s := newScanner(code)
	for {
		t := s.next()
		if t.kind == kindEnd {
			break
		}
		text := s.text(t)
		switch {
		case t.kind == kindTemplate:
			// A piece closes the substitution before it, and may open one.
			if text[0] == '}' && len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			if len(text) > 1 && text[len(text)-1] == '{' {
				stack = append(stack, opened{"${", t.end - 2})
			}
		case t.kind != kindPunct:
		case text == "(" || text == "[" || text == "{":
			stack = append(stack, opened{text, t.start})
		case text == ")" || text == "]" || text == "}":
			if len(stack) == 0 {
				return "", 0, 0 // one too many is the mistake
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return "", 0, 0
	}
	last := stack[len(stack)-1]
	line, column = position(code, last.at)
	return last.mark, line, column
}

// Unended returns what a text opens and does not end: a comment, a template or a text in quotes, and on which line. What is
// empty if there is none.
func Unended(code string) (what string, line int) {
	s := newScanner(code)
	last := 0
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		text := s.text(t)
		switch {
		case t.kind == kindString && (len(text) == 1 || text[len(text)-1] != text[0]):
			what, last = text[:1], t.start
		case t.kind == kindTemplate && t.end == len(code) && !endsTemplate(text):
			what, last = "`", t.start
		default:
			last = t.end
			continue
		}
		line, _ = position(code, last)
		return what, line
	}
	// Behind the last token there are only blanks and comments.
	for rest := code[last:]; rest != ""; {
		switch {
		case len(rest) > 1 && rest[:2] == "/*":
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				line, _ = position(code, len(code)-len(rest))
				return "/*", line
			}
			rest = rest[end+4:]
		case len(rest) > 1 && rest[:2] == "//":
			end := strings.IndexFunc(rest, isLineEnd)
			if end < 0 {
				return "", 0
			}
			rest = rest[end:]
		default:
			rest = rest[1:]
		}
	}
	return "", 0
}

// endsTemplate says whether a piece of a template ends it, or leads to a value.
func endsTemplate(text string) bool {
	if n := len(text); n > 1 && (text[n-1] == '`' || text[n-1] == '{' && text[n-2] == '$') {
		escapes := 0
		for i := n - 2; i > 0 && text[i] == '\\'; i-- {
			escapes++
		}
		return escapes%2 == 0
	}
	return false
}
