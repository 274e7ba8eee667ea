package catalog

import (
	"slices"
	"strings"
)

// How near a known term is to a word of the query that is not that term.
// Above all, a relative never counts as much as the word itself.
const (
	nearPrefix = 0.5  // begins with it
	nearInside = 0.25 // contains it
	nearTypo   = 0.2  // differs by a letter or two
	// tieBreak scales all of these down where the word itself is known, so
	// that relatives only order what the word leaves equal.
	tieBreak = 0.02
)

// minPart is the shortest word, in bytes, that is looked for inside others;
// minTypo the shortest that may be misspelled.
const (
	minPart = 3
	minTypo = 4
)

// relative is a term of the index that stands in for a word of a query.
type relative struct {
	term int
	near float64
}

// relatives are the terms that begin with or contain word; if there are none,
// those it may be a misspelling of.
func (x *index) relatives(word string) []relative {
	var out []relative
	if len(word) < minPart {
		return nil
	}
	for from := 0; ; {
		hit := strings.Index(x.joined[from:], word)
		if hit < 0 {
			break
		}
		hit += from
		i, exact := slices.BinarySearch(x.offsets, hit)
		if !exact {
			i--
		}
		switch {
		case x.terms[i] == word:
		case hit == x.offsets[i]:
			out = append(out, relative{i, nearPrefix})
		default:
			out = append(out, relative{i, nearInside})
		}
		// On to the next term: one hit in each is enough.
		from = x.offsets[i] + len(x.terms[i])
	}
	return out
}

// misspelled are the terms that word may be a slip of. They begin with the
// same letter: nearly all slips do, and it keeps the search short.
func (x *index) misspelled(word string) []relative {
	w := []rune(word)
	if len(w) < minTypo {
		return nil
	}
	allowed := 1
	if len(w) >= 8 {
		allowed = 2
	}
	first := string(w[:1])
	from, _ := slices.BinarySearch(x.terms, first)
	var out []relative
	for i := from; i < len(x.terms) && strings.HasPrefix(x.terms[i], first); i++ {
		term := []rune(x.terms[i])
		if d := len(term) - len(w); d > allowed || -d > allowed || len(term) < minTypo-1 {
			continue
		}
		if distance(w, term, allowed) <= allowed {
			out = append(out, relative{i, nearTypo})
		}
	}
	return out
}

// distance counts the letters to add, drop, change or swap with a neighbour to
// make b of a. It gives up with a larger number once most is passed.
func distance(a, b []rune, most int) int {
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	now := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
			least = min(least, now[j])
		}
		if least > most {
			return least
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
