package script

import (
	"regexp"
	"strings"
)

// Locate returns where the model's text first uses a name at or after a position: as a property (.name, ["name"], or
// taken out by destructuring), or else as an identifier. The engine knows the position of calls, but not that of the
// commonest mistakes, reading a property of undefined or a name that is not there; the text does. ok is false if there
// is no such place.
func (s *Source) Locate(name string, property bool, line, column int) (atLine, atColumn int, ok bool) {
	text := s.Body
	if s.transformed() {
		text = s.code
	}
	if name == "" || len(name) > maxLocatedName {
		return 0, 0, false
	}
	from := offsetOf(text, line, column)
	if makesError.MatchString(text[from:]) {
		return 0, 0, false // the cell made this error itself, and that place is known
	}
	for sc, before := newScanner(text), (token{}); ; {
		t := sc.next()
		if t.kind == kindEnd {
			return 0, 0, false
		}
		if t.start >= from && uses(sc, before, t, name, property) {
			atLine, atColumn = position(text, t.start)
			return atLine, atColumn, true
		}
		before = t
	}
}

var makesError = regexp.MustCompile(`^(new\s+)?[\w$]*Error\b`)

// maxLocatedName bounds the names that are looked for: they come out of error texts, which cells can make.
const maxLocatedName = 256

// uses says whether a token is the use that is looked for. A bare word counts as a property too where a pattern may
// take it out of an object: after "{" or ",".
func uses(sc *scanner, before, t token, name string, property bool) bool {
	switch t.kind {
	case kindWord:
		if decodeEscapes(sc.text(t)) != name {
			return false
		}
		if !property {
			return !t.property
		}
		lead := sc.text(before)
		return t.property || before.kind == kindPunct && (lead == "{" || lead == ",")
	case kindPrivate:
		lead := sc.text(before)
		return property && sc.text(t) == name && (lead == "." || lead == "?.")
	case kindString, kindNumber:
		return property && before.kind == kindPunct && sc.text(before) == "[" && strings.Trim(sc.text(t), `"'`) == name
	}
	return false
}

// offsetOf is the inverse of position: the byte offset of a 1-based line and column.
func offsetOf(text string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return len(text)
		}
		offset += next + 1
	}
	rest := lineOf(text[offset:], 1)
	for at := range rest {
		if column <= 1 {
			return offset + at
		}
		column--
	}
	return offset + len(rest)
}
