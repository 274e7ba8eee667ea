package catalog

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxSuggestions is how many tools an unknown-id error offers.
	maxSuggestions = 3
	// maxSuggestionText is how much of a label or description is compared with an unknown id, in bytes: what a tool is
	// stands at its beginning.
	maxSuggestionText = 512
)

// What a tool scores for what it has in common with an unknown id.
const (
	scoreName     = 40 // the id contains its name, or a word of the id is its name
	scoreSlip     = 30 // its name is a spelling mistake away
	scoreWord     = 12 // for each word of the id that is among the tool's
	scoreMention  = 8  // its label or description contains the id
	scoreNameWord = 12 // more for a word that is one of its name
)

// suggest finds tools that a written name may have meant (contract D4): first those of the same name, whatever its case
// and separators are and wherever they are; then near ones, by how much of the name they share, else, for misspelled
// words, by search. If the name says whose tool it is, near ones are of that owner only: a tool of another system, which
// only looks alike, is no cure. The cost is proportional to the number of tools.
func (c *Catalog) suggest(asked string) []*Entry {
	c.servers() // names the callees
	w := writtenName(asked)
	s := c.suggestions()
	found := s.named(w)
	owner := s.owner(w)
	if len(found) > 0 && (owner == "" || slices.ContainsFunc(found, func(e *Entry) bool { return squeeze(e.owner()) == owner })) {
		return found
	}
	for _, i := range s.near(w, owner) {
		if e := s.texts[i].entry; len(found) < maxSuggestions && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		found = c.Search(asked, maxSuggestions) // in its own case, by which search splits identifiers
	}
	return found
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

// shown is how an unknown-id error names the tool: for tools.call, or, if it is an MCP tool, as what calls it.
func (e *Entry) shown() string {
	switch {
	case e.IsMCP():
		return e.callee
	case e.ambiguous:
		return e.id
	}
	return e.tool.Name
}

// suggestions are the texts of all tools, made ready for being compared with unknown ids.
type suggestions struct {
	texts      []suggestionText
	byWord     map[string][]int32 // the tools that have the word in id, label or description, each once
	byName     map[string][]int32 // the tools whose name the word is
	bySpelling map[string][]int32 // the tools that a squeezed name stands for, see spellings
	owners     map[string]string  // the owners of tools, by their squeezed names
}

// suggestionText is one tool's in lower case. The id includes the name.
type suggestionText struct {
	entry                 *Entry
	owner                 string // squeezed
	name, id, label, docs string
	squeezed              []rune // the name
	shape                 shape  // of it
	words                 []string
}

func newSuggestions(entries []*Entry) *suggestions {
	s := &suggestions{
		texts:  make([]suggestionText, len(entries)),
		byWord: map[string][]int32{}, byName: map[string][]int32{}, bySpelling: map[string][]int32{},
		owners: map[string]string{},
	}
	for i, e := range entries {
		t := suggestionText{
			entry: e, owner: squeeze(e.owner()),
			name: strings.ToLower(e.tool.Name), id: strings.ToLower(e.id),
			label: strings.ToLower(start(e.tool.Label)), docs: strings.ToLower(start(e.tool.Description)),
			words: identifierWords(e.tool.Name),
		}
		squeezed := squeeze(e.tool.Name)
		t.squeezed = []rune(squeezed[:min(len(squeezed), maxTermRunes)])
		t.shape = shapeOf(string(t.squeezed))
		s.texts[i] = t
		s.byName[t.name] = append(s.byName[t.name], int32(i))
		for _, word := range distinctWords(append(wordsOf(t.id+" "+t.label+" "+t.docs), t.words...)) {
			s.byWord[word] = append(s.byWord[word], int32(i))
		}
		for _, spelling := range e.spellings() {
			s.bySpelling[spelling] = append(s.bySpelling[spelling], int32(i))
		}
		for _, name := range []string{e.tool.Owner, e.owner()} {
			s.owners[squeeze(name)] = t.owner
		}
	}
	delete(s.owners, "")
	return s
}

// owner is who a tool belongs to: an MCP server, or a plugin or app.
func (e *Entry) owner() string {
	if e.IsMCP() {
		return e.tool.MCP.ServerName
	}
	return e.tool.Owner
}

// near ranks tools by what they share with a written name, those of one owner only unless that is empty.
func (s *suggestions) near(w written, owner string) []int {
	scores := make([]int, len(s.texts))
	for _, word := range w.words {
		for _, i := range s.byWord[word] {
			scores[i] += scoreWord
		}
		for _, i := range s.byName[word] {
			scores[i] += scoreName
		}
	}
	slip := newSlips(squeeze(w.last()))
	found := top[suggestion]{limit: maxSuggestions, compare: moreLikely}
	for i := range s.texts {
		t := &s.texts[i]
		if owner != "" && t.owner != owner || w.lower == "" && t.entry.IsMCP() {
			continue
		}
		score := scores[i] + t.score(w.lower)
		if slip.of(t) {
			score += scoreSlip
		}
		if score > 0 {
			score += scoreNameWord * shared(t.words, w.words)
		}
		if score > 0 || owner != "" {
			found.add(suggestion{t.entry.shown(), i, score})
		}
	}
	var near []int
	for _, f := range found.sorted() {
		near = append(near, f.entry)
	}
	return near
}

// score weighs whole names most and mere mentions least; shared words stand between the two.
func (t *suggestionText) score(want string) int {
	score := 0
	if strings.Contains(want, t.name) || strings.Contains(t.id, want) {
		score += scoreName
	}
	if strings.Contains(t.label, want) || strings.Contains(t.docs, want) {
		score += scoreMention
	}
	return score
}

// slips tells which names a squeezed one may be a spelling mistake of.
type slips struct {
	want  []rune
	shape shape
	most  int
}

func newSlips(want string) slips {
	s := slips{want: []rune(want[:min(len(want), maxTermRunes)])}
	s.shape = shapeOf(string(s.want))
	switch n := len(s.want); {
	case n >= 8:
		s.most = 2
	case n >= minTypo:
		s.most = 1
	}
	return s
}

func (s *slips) of(t *suggestionText) bool {
	return s.most > 0 && len(t.squeezed) >= minTypo && !s.shape.differs(t.shape, s.most) &&
		distance(s.want, t.squeezed, s.most) <= s.most
}

// shared counts the words that two sorted lists have in common.
func shared(a, b []string) int {
	n := 0
	for _, word := range a {
		if _, found := slices.BinarySearch(b, word); found {
			n++
		}
	}
	return n
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
	return distinctWords(strings.FieldsFunc(text, func(r rune) bool { return !asciiAlnum(r) }))
}

// distinctWords sorts a list and leaves each word in it once.
func distinctWords(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}
