package catalog

import "unicode/utf8"

// matchGlob tells whether s as a whole matches pattern: `*` stands for any run
// of characters, `?` for exactly one, everything else for itself. Only the
// last `*` is ever tried again, because an earlier one can't do better than
// the shortest match it already has; so the cost is at most
// len(pattern) × len(s), never exponential.
func matchGlob(pattern, s string) bool {
	p, i := 0, 0
	star, from := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(s[i:])
			p, i = p+1, i+n
		case p < len(pattern) && pattern[p] == s[i]:
			p, i = p+1, i+1
		case star >= 0:
			_, n := utf8.DecodeRuneInString(s[from:])
			from += n
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
