package catalog

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed thesaurus.txt
var thesaurusText string

// How near the entries of the thesaurus are to the word that a query has.
const (
	nearSure    = 0.95 // another name for it
	nearSynonym = 0.8  // stands for it
	nearHint    = 0.6  // may be meant
)

// maxPhrase is the number of words of the longest entry of the thesaurus.
const maxPhrase = 3

// synonym is what a tool may say for a word or phrase of a query.
type synonym struct {
	terms []string // as the index has them; a tool must have each
	near  float64
	text  string // as thesaurus.txt has it
	verb  bool   // it says what is done, and not to what: it finds no tool alone
}

func isVerb(s synonym) bool { return s.verb }

// book is thesaurus.txt, read. Keys are terms; those of a phrase are joined by one space.
type book struct {
	synonyms map[string][]synonym
	begins   map[string]bool  // the terms with which a phrase begins
	acts     map[string]uint8 // what a verb does to its object: a bit for each line of the section
}

// thesaurus is read once, by the first search.
var thesaurus = sync.OnceValue(func() *book {
	b := &book{synonyms: map[string][]synonym{}, begins: map[string]bool{}, acts: map[string]uint8{}}
	for i, line := range section(thesaurusText, "[acts]") {
		_, verbs, _ := strings.Cut(line, ":")
		for _, verb := range entries(verbs, ",") {
			b.acts[verb.terms[0]] |= 1 << i
		}
	}
	for _, name := range []string{"[verbs]", "[nouns]", "[services]"} {
		for _, line := range section(thesaurusText, name) {
			b.read(line, name == "[verbs]")
		}
	}
	return b
})

// section are the lines of one section of a file that are no comments.
func section(text, name string) []string {
	var lines []string
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			in = line == name
		case in:
			lines = append(lines, line)
		}
	}
	return lines
}

// entries are those of a list.
func entries(list, separator string) []synonym {
	var out []synonym
	for text := range strings.SplitSeq(list, separator) {
		s := synonym{text: strings.TrimSpace(text)}
		words(text, func(term string) { s.terms = append(s.terms, term) })
		out = append(out, s)
	}
	return out
}

// read takes in one line.
func (b *book) read(line string, verb bool) {
	near := nearSynonym
	if rest, sure := strings.CutPrefix(line, "! "); sure {
		line, near = rest, nearSure
	}
	from := entries(line, "=")
	to := from
	if said, meant, oneWay := strings.Cut(line, " > "); oneWay {
		from, to, near = entries(said, ","), entries(meant, ","), nearHint
	}
	for _, f := range from {
		for _, t := range to {
			t.near, t.verb = near, verb
			b.relate(f.terms, t)
		}
	}
}

// relate adds a synonym, or makes the one that is there nearer.
func (b *book) relate(from []string, to synonym) {
	key := strings.Join(from, " ")
	if slices.Equal(from, to.terms) {
		return
	}
	if len(from) > 1 {
		b.begins[from[0]] = true
	}
	list := b.synonyms[key]
	i := slices.IndexFunc(list, func(s synonym) bool { return slices.Equal(s.terms, to.terms) })
	if i < 0 {
		b.synonyms[key] = append(list, to)
		return
	}
	list[i].near, list[i].verb = max(list[i].near, to.near), list[i].verb && to.verb
}
