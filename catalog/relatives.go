package catalog

import (
	"slices"
	"strings"
)

// How near a known term is to a word of the query that is not that term. Above all, a relative never counts as much as
// the word itself.
const (
	nearPrefix = 0.5  // begins with it
	nearInside = 0.25 // contains it
	nearTypo   = 0.6  // differs by a letter or two, and nothing else fits
	// tieBreak scales all of these down where the word itself is known, so that relatives only order what the word
	// leaves equal.
	tieBreak = 0.02
)

// allowance is what one query may still spend on the relatives of its words. The vocabulary is as large as a client
// likes, and a cell asks as often as it likes; what is left when the allowance is spent is not looked at.
type allowance struct {
	terms     int // terms looked at
	distances int // terms compared letter by letter
	postings  int // tools given a relative's worth
}

// newAllowance is more than ordinary queries need on a thousand tools, and keeps the worst one well under a
// millisecond.
func newAllowance() *allowance {
	return &allowance{terms: 50_000, distances: 300, postings: 20_000}
}

// relative is a term of the index that stands in for a word of a query.
type relative struct {
	term int
	near float64
	how  how
}

// relatives are the terms that begin with or contain word: as far as the allowance goes, those that begin with it
// first.
func (x *index) relatives(word string, left *allowance) []relative {
	if len(word) < partBytes {
		return nil
	}
	candidates := x.parts.candidates(word)
	if len(candidates) == 0 {
		return nil
	}
	var out []relative
	from, known := slices.BinarySearch(x.terms, word)
	if known {
		from++
	}
	to := from
	for ; to < len(x.terms) && left.terms > 0 && strings.HasPrefix(x.terms[to], word); to++ {
		left.terms--
		out = append(out, relative{to, nearPrefix, byPrefix})
	}
	last := -1
	for _, c := range candidates {
		i := int(c)
		if left.terms--; left.terms < 0 {
			break
		}
		if i == last || strings.HasPrefix(x.terms[i], word) {
			continue
		}
		if strings.Contains(x.terms[i], word) {
			last = i
			out = append(out, relative{i, nearInside, byPart})
		}
	}
	return out
}

// halves are the two terms of which word is made: webpage.
func (x *index) halves(word string) []relative {
	for i := partBytes; i+partBytes <= len(word); i++ {
		a, first := x.term(stem(word[:i]))
		b, second := x.term(word[i:])
		if first && second {
			return []relative{{int(a), nearPrefix, byJoining}, {int(b), nearPrefix, byJoining}}
		}
	}
	return nil
}
