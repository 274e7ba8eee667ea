package catalog

import (
	"strings"
	"unicode/utf8"
)

// glob is a pattern in which `*` stands for any run of characters, `?` for
// exactly one, and everything else for itself.
type glob struct {
	// parts are what stands between the stars. A name begins with the first,
	// ends with the last, and has the others between, in this order.
	parts []string
	work  int // what matching it with one tool costs at most
}

func newGlob(pattern string) glob {
	g := glob{parts: strings.Split(pattern, "*"), work: globOverhead + len(pattern)}
	for _, part := range g.parts[1:] {
		if strings.Contains(part, "?") {
			// Such a part is tried at every place of the name.
			g.work += len(part) * globOverhead
		}
	}
	return g
}

// match tells whether the pattern matches s as a whole. An earlier star can't do
// better than the shortest match it already has, so none is tried again.
func (g glob) match(s string) bool {
	n, ok := matchStart(g.parts[0], s)
	if !ok {
		return false
	}
	if len(g.parts) == 1 {
		return n == len(s)
	}
	s = s[n:]
	for _, part := range g.parts[1 : len(g.parts)-1] {
		_, end := find(part, s)
		if end < 0 {
			return false
		}
		s = s[end:]
	}
	return matchEnd(g.parts[len(g.parts)-1], s)
}

// matchStart tells whether s begins with part, and how much of s that is.
func matchStart(part, s string) (n int, ok bool) {
	for i := 0; i < len(part); i++ {
		if n == len(s) {
			return 0, false
		}
		if part[i] != '?' {
			if part[i] != s[n] {
				return 0, false
			}
			n++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	return n, true
}

// find is where part first stands in s, -1 if nowhere.
func find(part, s string) (start, end int) {
	if !strings.Contains(part, "?") {
		if start = strings.Index(s, part); start < 0 {
			return -1, -1
		}
		return start, start + len(part)
	}
	for start = 0; ; {
		if n, ok := matchStart(part, s[start:]); ok {
			return start, start + n
		}
		if start == len(s) {
			return -1, -1
		}
		_, size := utf8.DecodeRuneInString(s[start:])
		start += size
	}
}

// matchEnd tells whether s ends with part.
func matchEnd(part, s string) bool {
	// The place is known by counting characters from the end.
	at := len(s)
	for i := len(part); i > 0; i-- {
		if at == 0 {
			return false
		}
		if part[i-1] != '?' {
			if part[i-1] != s[at-1] {
				return false
			}
			at--
			continue
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return true
}
