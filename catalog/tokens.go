package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxTermRunes is the longest term; the rest of a longer word is not searched.
const maxTermRunes = 64

// words cuts a text into search terms, the stems of its pieces, and hands each to yield.
func words(s string, yield func(term string)) {
	pieces(s, func(piece string) { yield(stem(piece)) })
}

// pieces cuts a text into runs of letters and digits, taken apart where an identifier changes case (createIssue,
// HTTPServer), in lower case. Scripts written without spaces give every character and every pair of neighbours, so that
// 日本 is found in 日本語.
func pieces(s string, yield func(piece string)) {
	runes := []rune(s)
	if !ascii(s) {
		// One form for what looks the same: full-width letters, composed accents.
		runes = unaccent([]rune(norm.NFKC.String(s)))
	}
	start := -1
	flush := func(end int) {
		if start >= 0 && start < end {
			yield(strings.ToLower(string(runes[start:min(end, start+maxTermRunes)])))
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case spaceless(r):
			flush(i)
			yield(string(r))
			if i+1 < len(runes) && spaceless(runes[i+1]) {
				yield(string(runes[i : i+2]))
			}
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
			flush(i)
		default:
			if start >= 0 && hump(runes, i) {
				flush(i)
			}
			if start < 0 {
				start = i
			}
		}
	}
	flush(len(runes))
}

// unaccent makes plain letters of Latin ones with accents, which people leave out when they search. Other scripts keep
// theirs: there they make words.
func unaccent(runes []rune) []rune {
	for i, r := range runes {
		if r >= 0xC0 && r < 0x250 {
			for _, base := range norm.NFD.String(string(r)) {
				runes[i] = base
				break
			}
		}
	}
	return runes
}

// hump tells whether a new word begins at i inside a run of letters: at a capital after a small letter or digit, and at
// the last capital of an abbreviation that a small letter follows.
func hump(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	if i+1 == len(runes) || !unicode.IsLower(runes[i+1]) {
		return false
	}
	// The s of URLs is a plural, not the rest of a word.
	plural := runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
	return !plural
}

// spaceless holds for scripts that don't put spaces between words.
func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// stem takes the commonest English endings off, so that files finds file and creating finds create. It is meant to be
// predictable, not clever: plural -s, then -ing, -ed or the -ion of -tion, then a final e.
func stem(w string) string {
	if len(w) < 4 || !ascii(w) {
		return w
	}
	w = singular(w)
	for _, ending := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(w, ending)
		if !ok || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") || strings.HasSuffix(base, "e") {
			continue
		}
		w = undouble(base)
		break
	}
	if len(w) > 7 && strings.HasSuffix(w, "tion") {
		w = w[:len(w)-len("ion")]
	}
	if len(w) >= 4 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// singular takes the plural ending off.
func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "zes"),
		strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// undouble makes run of runn; call, pass and buzz keep theirs.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
