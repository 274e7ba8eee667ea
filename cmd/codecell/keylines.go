package main

import (
	"bytes"
	"fmt"
)

// keyLines says on which lines of a text the keys of its objects are, by their paths. The text must be JSON5.
func keyLines(text []byte) map[string]int {
	s := lineScanner{text: text, lines: map[string]int{}}
	s.value("")
	return s.lines
}

// lineScanner reads JSON5 that is known to be well formed, and looks at nothing but where keys are.
type lineScanner struct {
	text  []byte
	at    int
	lines map[string]int
}

// line is the one where the scanner is.
func (s *lineScanner) line() int { return 1 + bytes.Count(s.text[:s.at], []byte{'\n'}) }

// peek returns the next byte behind space and comments, 0 at the end.
func (s *lineScanner) peek() byte {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			s.skip(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			s.skip(rest, "*/")
		case rest[0] <= ' ':
			s.at++
		case bytes.HasPrefix(rest, []byte("\u00a0")):
			s.at += len("\u00a0")
		case bytes.HasPrefix(rest, []byte("\ufeff")):
			s.at += len("\ufeff")
		default:
			return rest[0]
		}
	}
	return 0
}

// skip goes behind an ending.
func (s *lineScanner) skip(rest []byte, ending string) {
	n := bytes.Index(rest, []byte(ending))
	if n < 0 {
		s.at = len(s.text)
		return
	}
	s.at += n + len(ending)
}

func (s *lineScanner) value(path string) {
	switch s.peek() {
	case '{':
		s.at++
		s.members(path)
	case '[':
		s.at++
		s.items(path)
	default:
		s.token(",]}")
	}
}

func (s *lineScanner) members(path string) {
	for {
		switch s.peek() {
		case 0:
			return
		case '}':
			s.at++
			return
		case ',':
			s.at++
			continue
		}
		line := s.line()
		at := inside(path, s.token(":"))
		s.lines[at] = line
		if s.peek() == ':' {
			s.at++
		}
		s.value(at)
	}
}

func (s *lineScanner) items(path string) {
	for n := 0; ; {
		switch s.peek() {
		case 0:
			return
		case ']':
			s.at++
			return
		case ',':
			s.at++
			n++
			continue
		}
		at := fmt.Sprintf("%s[%d]", path, n)
		s.lines[at] = s.line()
		s.value(at)
	}
}

// token reads a text in quotes, or anything else up to a byte of ends or a space. It returns what is in the quotes, as it is
// written.
func (s *lineScanner) token(ends string) string {
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		from := s.at
		for s.at < len(s.text) && s.text[s.at] > ' ' && bytes.IndexByte([]byte(ends), s.text[s.at]) < 0 {
			s.at++
		}
		if s.at == from {
			s.at++ // never without going on
		}
		return string(s.text[from:min(s.at, len(s.text))])
	}
	from := s.at + 1
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	text := string(s.text[min(from, len(s.text)):min(s.at, len(s.text))])
	s.at++
	return text
}
