package script

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner splits JavaScript or TypeScript into tokens. It is for questions that must have an answer even where no
// parser has one: texts with syntax errors, texts too deep to be parsed safely, TypeScript before it is transformed. It
// never fails, always makes progress and takes time linear in the text.
//
// Whether "/" divides or begins a regular expression depends on the grammar; the scanner decides by the token before
// and by what the brackets were opened for, which is right for all but contrived texts.
type scanner struct {
	src     string
	pos     int
	stack   []bracket
	last    token
	word    string // text of last, if it is a word that is no property name
	operand bool   // the token before can end an expression
}

func newScanner(src string) *scanner { return &scanner{src: src} }

// text returns a token's source.
func (s *scanner) text(t token) string { return s.src[t.start:t.end] }

// next returns the next token, of kindEnd at the end of the text.
func (s *scanner) next() token {
	newline := s.skipBlank()
	t := token{start: s.pos, newline: newline, afterOperand: s.operand}
	if s.pos < len(s.src) {
		s.scan(&t)
	}
	t.end = s.pos
	s.word = ""
	if t.kind == kindWord && !t.property {
		s.word = s.text(t)
	}
	s.last = t
	return t
}

// scan reads one token from the current position, which is not the end.
func (s *scanner) scan(t *token) {
	c := s.src[s.pos]
	switch {
	case c == '"' || c == '\'':
		t.kind, s.operand = kindString, true
		s.skipString(c)
	case c == '`':
		s.template(t)
	case isDigit(c) || c == '.' && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1]):
		t.kind, s.operand = kindNumber, true
		s.skipNumber()
	case c == '#' && s.identifierLen(s.pos+1) > 0:
		t.kind, s.operand = kindPrivate, true
		s.pos += 1 + s.identifierLen(s.pos+1)
	case c == '/' && !s.operand:
		t.kind, s.operand = kindRegexp, true
		s.skipRegexp()
	default:
		if n := s.identifierLen(s.pos); n > 0 {
			s.scanWord(t, n)
			return
		}
		s.punct(t, c)
	}
}

// scanWord reads an identifier or keyword of n bytes.
func (s *scanner) scanWord(t *token, n int) {
	t.kind = kindWord
	t.property = s.last.kind == kindPunct && (s.text(s.last) == "." || s.text(s.last) == "?.")
	word := s.src[s.pos : s.pos+n]
	s.pos += n
	s.operand = t.property || !operatorWords[word]
}

// punct reads an operator or a bracket and keeps the stack of open brackets.
func (s *scanner) punct(t *token, c byte) {
	t.kind = kindPunct
	switch c {
	case '(', '[', '{':
		s.open(c)
	case ')', ']', '}':
		s.close(t, c)
	default:
		n := s.punctLen()
		op := s.src[s.pos : s.pos+n]
		s.pos += n
		// A postfix ++ leaves the operand an operand, a prefix one awaits its own.
		s.operand = s.operand && (op == "++" || op == "--")
	}
}

func (s *scanner) punctLen() int {
	rest := s.src[s.pos:]
	if rest[0] >= utf8.RuneSelf {
		_, n := utf8.DecodeRuneInString(rest)
		return n
	}
	for _, p := range punctuators[rest[0]] {
		if !strings.HasPrefix(rest, p) {
			continue
		}
		// "a?.5:b" is a conditional with a number in it, no optional chain.
		if p == "?." && len(rest) > 2 && isDigit(rest[2]) {
			continue
		}
		return len(p)
	}
	return 1
}

func (s *scanner) open(c byte) {
	b := bracket{open: c}
	switch c {
	case '(':
		b.control = controlWords[s.word]
	case '{':
		b.block = s.opensBlock()
	}
	s.stack = append(s.stack, b)
	s.pos++
	s.operand = false
}

// opensBlock tells a block's brace from an object literal's by what stands
// before it.
func (s *scanner) opensBlock() bool {
	if s.operand {
		return true // class A {, if (x) {, f() {
	}
	if s.last.kind == kindWord {
		return s.word == "do" || s.word == "else"
	}
	if s.last.kind != kindPunct {
		return true // the text's start
	}
	switch s.text(s.last) {
	case ";", "{", "}", "=>":
		return true
	case ":":
		// A label's or a case's block; inside an object literal, a property.
		return len(s.stack) == 0 || s.stack[len(s.stack)-1].block
	}
	return false
}

// close pops the bracket that c closes. A stray one, or one that closes another
// kind, is a syntax error that the guest reports; here it changes nothing. The
// brace that ends a substitution goes on with the template's text.
func (s *scanner) close(t *token, c byte) {
	if c == '}' && s.inside('$') {
		s.stack = s.stack[:len(s.stack)-1]
		s.template(t)
		return
	}
	s.pos++
	s.operand = true
	if !s.inside(opening(c)) {
		return
	}
	b := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	s.operand = !b.control && !b.block
}

// inside says whether the innermost open bracket is c.
func (s *scanner) inside(c byte) bool {
	return len(s.stack) > 0 && s.stack[len(s.stack)-1].open == c
}

// opening returns the bracket that c closes.
func opening(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	default:
		return '{'
	}
}

// template reads a piece of a template, from the backquote or brace before it to
// the next substitution or the end.
func (s *scanner) template(t *token) {
	t.kind = kindTemplate
	s.pos++
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case '`':
			s.pos++
			s.operand = true
			return
		case '$':
			if s.pos+1 < len(s.src) && s.src[s.pos+1] == '{' {
				s.pos += 2
				s.stack = append(s.stack, bracket{open: '$'})
				s.operand = false
				return
			}
		}
		s.pos++
	}
	s.pos = len(s.src)
	s.operand = true
}

// skipBlank passes white space and comments and says whether a line ended.
func (s *scanner) skipBlank() (newline bool) {
	lineStart := s.pos == 0
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch c := rest[0]; {
		case c == '\n' || c == '\r':
			newline = true
			s.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.pos++
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "<!--"),
			(newline || lineStart) && strings.HasPrefix(rest, "-->"):
			// Scripts, unlike modules, still know HTML's comment marks.
			s.skipLine()
		case strings.HasPrefix(rest, "/*"):
			newline = s.skipComment() || newline
		case c < utf8.RuneSelf:
			return newline
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if isLineEnd(r) {
				newline = true
			} else if r != '\uFEFF' && !unicode.Is(unicode.Zs, r) {
				return newline
			}
			s.pos += n
		}
	}
	return newline
}

func (s *scanner) skipLine() {
	n := strings.IndexFunc(s.src[s.pos:], isLineEnd)
	if n < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += n
}

func (s *scanner) skipComment() (newline bool) {
	body := s.src[s.pos+2:]
	n := strings.Index(body, "*/")
	if n < 0 {
		n = len(body)
		s.pos = len(s.src)
	} else {
		s.pos += n + 4
	}
	return strings.IndexFunc(body[:n], isLineEnd) >= 0
}

func (s *scanner) skipString(quote byte) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case '\n':
			return // never closed
		case quote:
			s.pos++
			return
		}
	}
	s.pos = len(s.src)
}

// skipNumber passes digits, letters, points and the sign of an exponent; whether they make a number is the parser's
// business.
func (s *scanner) skipNumber() {
	hex := strings.HasPrefix(s.src[s.pos:], "0x") || strings.HasPrefix(s.src[s.pos:], "0X")
	for s.pos++; s.pos < len(s.src); s.pos++ {
		c := s.src[s.pos]
		sign := (c == '+' || c == '-') && !hex && s.src[s.pos-1]|0x20 == 'e'
		if !sign && c != '.' && c != '_' && !isDigit(c) && !isLetter(c) {
			return
		}
	}
}

func (s *scanner) skipRegexp() {
	class := false
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case '\n':
			return // never closed
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.pos++
				s.pos += s.identifierLen(s.pos) // flags
				return
			}
		}
	}
	s.pos = len(s.src)
}
