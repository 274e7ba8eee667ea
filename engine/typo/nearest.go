package typo

import "strings"

const (
	maxKey    = 64 // bytes of a key that is compared
	maxEdits  = 2
	minPrefix = 4 // bytes of a key that may stand for one that begins with it
)

// Nearest returns the known key that key most likely was meant to be, or "". Letter case, hyphens and underscores make no
// difference; else up to two slips do, one in a short key, and a long key may be cut short ("lang" for "language").
func Nearest(key string, known []string) string {
	if len(key) > maxKey {
		return ""
	}
	plain := fold(key)
	best, fewest := "", min(maxEdits, len(plain)/3)+1
	for _, k := range known {
		other := fold(k)
		edits := distance(plain, other)
		if len(plain) >= minPrefix && strings.HasPrefix(other, plain) {
			edits = min(edits, 1)
		}
		if edits < fewest {
			best, fewest = k, edits
		}
	}
	return best
}

func fold(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// distance counts the single byte insertions, deletions and replacements, and the swaps of neighbours, that turn a into b.
func distance(a, b string) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
