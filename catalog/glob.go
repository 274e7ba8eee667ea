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
	wild  []bool // which of them have a question mark
	work  int    // what matching it with one tool costs at most
}

func newGlob(pattern string) glob {
	g := glob{parts: strings.Split(pattern, "*"), work: globOverhead + len(pattern)}
	g.wild = make([]bool, len(g.parts))
	for i, part := range g.parts {
		if g.wild[i] = strings.Contains(part, "?"); g.wild[i] && i > 0 {
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
	last := len(g.parts) - 1
	for i := 1; i < last; i++ {
		end := endOf(g.parts[i], s, g.wild[i])
		if end < 0 {
			return false
		}
		s = s[end:]
	}
	return matchEnd(g.parts[last], s)
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

// endOf is where part ends at its first place in s, -1 if it has none.
func endOf(part, s string, wild bool) int {
	if !wild {
		if strings.HasPrefix(s, part) {
			return len(part) // without the cost of a search
		}
		if at := strings.Index(s, part); at >= 0 {
			return at + len(part)
		}
		return -1
	}
	for at := 0; ; {
		if n, ok := matchStart(part, s[at:]); ok {
			return at + n
		}
		if at == len(s) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
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

// Glob is a pattern of the kind that policies are made of, ready to be matched: `*` stands for any run of characters, `?` for
// one.
type Glob struct{ compiled glob }

// NewGlob makes a pattern ready. Every text is one.
func NewGlob(pattern string) Glob { return Glob{newGlob(pattern)} }

// Matches tells whether the pattern matches the name as a whole.
func (g Glob) Matches(name string) bool { return g.compiled.match(name) }

// Matches tells whether a name fits a pattern, for where it is asked once.
func Matches(pattern, name string) bool { return newGlob(pattern).match(name) }
