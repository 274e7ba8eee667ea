package catalog

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed stopwords.txt
var stopWordsText string

// stopKind is how much a word of a query says about a tool.
type stopKind uint8

const (
	telling  stopKind = iota
	silent            // nothing
	asking            // nothing, but it may mean a tool that reads
	particle          // nothing, but it may tell two names apart
)

// maxSmallTalk is the number of words of the longest phrase in stopwords.txt.
const maxSmallTalk = 5

// stops is stopwords.txt, read.
type stops struct {
	kinds  map[string]stopKind // by word
	talk   map[string]bool     // phrases, with one space between words
	begins map[string]bool     // the words with which a phrase begins
}

// stopWords is read once, by the first search.
var stopWords = sync.OnceValue(func() *stops {
	s := &stops{kinds: map[string]stopKind{}, talk: map[string]bool{}, begins: map[string]bool{}}
	for name, kind := range map[string]stopKind{"[silent]": silent, "[asking]": asking, "[particles]": particle} {
		for _, line := range section(stopWordsText, name) {
			for word := range strings.FieldsSeq(line) {
				s.kinds[word] = kind
			}
		}
	}
	for _, phrase := range section(stopWordsText, "[phrases]") {
		first, _, _ := strings.Cut(phrase, " ")
		s.talk[phrase], s.begins[first] = true, true
	}
	return s
})

// withoutSmallTalk takes the phrases that say nothing out of a query's words.
func withoutSmallTalk(words []string) []string {
	s := stopWords()
	out := words[:0:0]
next:
	for i := 0; i < len(words); {
		if s.begins[words[i]] {
			for n := min(maxSmallTalk, len(words)-i); n > 1; n-- {
				if s.talk[strings.Join(words[i:i+n], " ")] {
					i += n
					continue next
				}
			}
		}
		out = append(out, words[i])
		i++
	}
	return out
}
