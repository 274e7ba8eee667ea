package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// maxSuggestions is how many names an unknown-id error offers.
const maxSuggestions = 3

// suggest finds visible tools that an unknown id may have meant (contract D4):
// by how much of the id and of the tool's texts they share, else, for typing
// errors, by search. It shows the name, or the id where the name alone would
// be ambiguous.
func (c *Catalog) suggest(want string) []string {
	type scored struct {
		shown string
		score int
	}
	q := newWanted(want)
	var found []scored
	for _, e := range c.visible {
		if score := q.score(e); score > 0 {
			found = append(found, scored{e.shown(), score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(b.score-a.score, strings.Compare(a.shown, b.shown))
	})
	var names []string
	for _, f := range found[:min(len(found), maxSuggestions)] {
		names = append(names, f.shown)
	}
	if len(names) == 0 {
		for _, e := range c.Search(want, maxSuggestions) {
			names = append(names, e.shown())
		}
	}
	return names
}

// shown is how an error names the tool.
func (e *Entry) shown() string {
	if e.ambiguous {
		return e.id
	}
	return e.tool.Name
}

// wanted is an unknown id taken apart once for all entries.
type wanted struct {
	text  string
	words []string // distinct
}

func newWanted(s string) wanted {
	w := wanted{text: strings.ToLower(s)}
	for _, word := range strings.FieldsFunc(w.text, func(r rune) bool { return !asciiAlnum(r) }) {
		if !slices.Contains(w.words, word) {
			w.words = append(w.words, word)
		}
	}
	return w
}

// score weighs whole names most, shared words next, and mere mentions least.
func (w wanted) score(e *Entry) int {
	name, id := strings.ToLower(e.tool.Name), strings.ToLower(e.id)
	label, docs := strings.ToLower(e.tool.Label), strings.ToLower(e.tool.Description)
	score := 0
	if strings.Contains(w.text, name) || strings.Contains(id, w.text) {
		score += 40
	}
	for _, word := range w.words {
		if word == name {
			score += 40
		}
		// The id ends in the name, so the name needs no look of its own.
		if hasWord(id, word) || hasWord(label, word) || hasWord(docs, word) {
			score += 12
		}
	}
	if strings.Contains(label, w.text) || strings.Contains(docs, w.text) {
		score += 8
	}
	return score
}

// hasWord tells whether word stands in text with no letter or digit beside it.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || !asciiAlnum(rune(text[start-1]))) && (end == len(text) || !asciiAlnum(rune(text[end]))) {
			return true
		}
		from = start + 1
	}
}
