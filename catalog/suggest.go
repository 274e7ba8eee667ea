package catalog

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxSuggestions is how many names an unknown-id error offers.
	maxSuggestions = 3
	// maxSuggestionText is how much of a label or description is compared with an unknown id, in bytes: what a tool is
	// stands at its beginning.
	maxSuggestionText = 512
)

// suggest finds visible tools that an unknown id may have meant (contract D4): by how much of the id and of the tool's
// texts they share, else, for typing errors, by search. It shows the name, or the id where the name alone would be
// ambiguous. It is at most maxNameBytes long, and the cost is proportional to the number of tools.
func (c *Catalog) suggest(asked string) []string {
	want := strings.ToLower(asked)
	s := c.suggestions()
	scores := make([]int, len(c.visible))
	for _, word := range wordsOf(want) {
		for _, i := range s.byWord[word] {
			scores[i] += 12
		}
		for _, i := range s.byName[word] {
			scores[i] += 40
		}
	}
	found := top[suggestion]{limit: maxSuggestions, compare: moreLikely}
	for i, t := range s.texts {
		if score := scores[i] + t.score(want); score > 0 {
			found.add(suggestion{c.visible[i].shown(), i, score})
		}
	}
	var names []string
	for _, f := range found.sorted() {
		names = append(names, f.shown)
	}
	if len(names) == 0 {
		// In its own case, by which search splits identifiers.
		for _, e := range c.Search(asked, maxSuggestions) {
			names = append(names, e.shown())
		}
	}
	return names
}

// suggestion is a tool that may have been meant.
type suggestion struct {
	shown string
	entry int
	score int
}

func moreLikely(a, b suggestion) int {
	return cmp.Or(b.score-a.score, strings.Compare(a.shown, b.shown), a.entry-b.entry)
}

// shown is how an error names the tool.
func (e *Entry) shown() string {
	if e.ambiguous {
		return e.id
	}
	return e.tool.Name
}

// suggestions are the texts of all visible tools, made ready for being compared with unknown ids.
type suggestions struct {
	texts  []suggestionText
	byWord map[string][]int32 // the tools that have the word in id, label or description, each once
	byName map[string][]int32 // the tools whose name the word is
}

// suggestionText is one tool's in lower case. The id includes the name.
type suggestionText struct{ name, id, label, docs string }

func newSuggestions(entries []*Entry) *suggestions {
	s := &suggestions{
		texts:  make([]suggestionText, len(entries)),
		byWord: map[string][]int32{}, byName: map[string][]int32{},
	}
	for i, e := range entries {
		t := suggestionText{
			name: strings.ToLower(e.tool.Name), id: strings.ToLower(e.id),
			label: strings.ToLower(start(e.tool.Label)), docs: strings.ToLower(start(e.tool.Description)),
		}
		s.texts[i] = t
		s.byName[t.name] = append(s.byName[t.name], int32(i))
		for _, word := range wordsOf(t.id + " " + t.label + " " + t.docs) {
			s.byWord[word] = append(s.byWord[word], int32(i))
		}
	}
	return s
}

// start is the beginning of a text that is compared, up to a whole word.
func start(s string) string {
	if len(s) <= maxSuggestionText {
		return s
	}
	s = s[:maxSuggestionText]
	return s[:strings.LastIndexFunc(s, func(r rune) bool { return !asciiAlnum(r) })+1]
}

// wordsOf are the distinct runs of ASCII letters and digits in a text.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !asciiAlnum(r) })
	slices.Sort(words)
	return slices.Compact(words)
}

// score weighs whole names most and mere mentions least; shared words stand between the two.
func (t suggestionText) score(want string) int {
	score := 0
	if strings.Contains(want, t.name) || strings.Contains(t.id, want) {
		score += 40
	}
	if strings.Contains(t.label, want) || strings.Contains(t.docs, want) {
		score += 8
	}
	return score
}
