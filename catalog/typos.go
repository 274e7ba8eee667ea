package catalog

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// minTypo is the shortest word, in characters, that may be misspelled.
const minTypo = 4

// shape is what two terms are compared by before their letters are: if they differ in many letters, they differ by more
// than a slip.
type shape struct {
	letters uint32 // a bit for each letter that occurs, by its last five bits
	length  uint8  // in characters
}

func shapeOf(term string) shape {
	s := shape{length: uint8(utf8.RuneCountInString(term))}
	for _, r := range term {
		s.letters |= 1 << (r & 31)
	}
	return s
}

// differs tells whether terms of these shapes are sure to be more than slips apart. One slip changes at most two bits:
// one letter goes and another comes.
func (s shape) differs(o shape, slips int) bool {
	d := int(s.length) - int(o.length)
	return d > slips || -d > slips || bits.OnesCount32(s.letters^o.letters) > 2*slips
}

// misspelled are the terms that word may be a slip of. They begin with the same letter: nearly all slips do, and it
// keeps the search short.
func (x *index) misspelled(word string, left *allowance) []relative {
	w := []rune(word)
	if len(w) < minTypo || len(w) > maxTermRunes {
		return nil
	}
	slips := 1
	if len(w) >= 8 {
		slips = 2
	}
	own, first := shapeOf(word), string(w[:1])
	from, _ := slices.BinarySearch(x.terms, first)
	var out []relative
	for i := from; i < len(x.terms) && strings.HasPrefix(x.terms[i], first) && left.terms > 0; i++ {
		left.terms--
		if x.shapes[i].length < minTypo-1 || own.differs(x.shapes[i], slips) {
			continue
		}
		if left.distances--; left.distances < 0 {
			break
		}
		if distance(w, []rune(x.terms[i]), slips) <= slips {
			out = append(out, relative{i, nearTypo, byTypo})
		}
	}
	return out
}

// distance counts the letters to add, drop, change or swap with a neighbour to make b of a, neither longer than
// maxTermRunes. It gives up with a larger number once limit is passed.
func distance(a, b []rune, limit int) int {
	var rows [3][maxTermRunes + 1]int
	before, last, now := rows[0][:len(b)+1], rows[1][:len(b)+1], rows[2][:len(b)+1]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
			best = min(best, now[j])
		}
		if best > limit {
			return best
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
