package catalog

import (
	"slices"
	"strings"
)

// wish is one thing that a query asks for, a word or a phrase, with what tools may call it.
type wish struct {
	typed    string // "" for what is only implied
	readings []reading
	rarity   float64 // of the word and of what stands for it
	scale    float64 // what it counts beside the others
	verb     bool    // it may say what is done
	acts     uint8   // see acts
	nameOnly bool    // only orders what others have found, by the name
}

// reading is one way to understand a wish.
type reading struct {
	term int32   // of the index; the rarest, if there are more
	also []int32 // further terms that a tool must have
	near float64 // 1 for the word itself
	text string  // what explanations show
	how  how
	verb bool // see synonym
}

// how tells why a reading was taken for a wish.
type how uint8

const (
	literally how = iota
	bySynonym
	byJoining
	byPrefix
	byPart
	byTypo
)

// What the parts of a query count beside a plain word.
const (
	scaleVerb       = 0.8
	scalePhraseWord = 0.3 // a word of a phrase that counts as a whole
	scaleAsking     = 0.4
	scaleParticle   = 0.2
)

// maxSpan is how many words a phrase may span, silent ones included.
const maxSpan = 5

// planner turns the words of a query into wishes.
type planner struct {
	x      *index
	left   *allowance
	wishes []wish
	stops  map[string]bool // the words that say little and were taken already
}

// plan reads words from left to right, the longest phrase first.
func (x *index) plan(words []queryWord, left *allowance) []wish {
	p := planner{x: x, left: left, stops: map[string]bool{}}
	for len(words) > 0 {
		n := p.phrase(words)
		if n == 0 {
			p.word(words[0])
			n = 1
		}
		words = words[n:]
	}
	if !slices.ContainsFunc(p.wishes, func(w wish) bool { return w.verb }) {
		// Things without a verb are most likely wanted to be seen.
		p.add(wish{scale: scaleAsking}, synonym{}, thesaurus().synonyms["show"])
	}
	return p.wishes
}

// phrase takes the phrase of the thesaurus with which words begin and returns how many words it spans, 0 if there is
// none. Silent words may stand within it: look it up.
func (p *planner) phrase(words []queryWord) int {
	if thesaurus().begins[words[0].term] {
		for n := min(maxPhrase, len(words)); n > 1; n-- {
			if p.take(words[:n]) {
				return n
			}
		}
	}
	if words[0].kind == silent {
		return 0
	}
	spoken, spans := words[:1:1], []int{1}
	for i, w := range words[1:min(len(words), maxSpan)] {
		if w.kind != silent && len(spoken) < maxPhrase {
			spoken, spans = append(spoken, w), append(spans, i+2)
		}
	}
	if thesaurus().begins[words[0].term] {
		for n := len(spoken); n > 1; n-- {
			if spans[n-1] > n && p.take(spoken[:n]) {
				return spans[n-1]
			}
		}
	}
	if len(spoken) > 1 {
		p.joined(spoken[0], spoken[1])
	}
	return 0
}

// take adds the wish of a phrase, if it is one.
func (p *planner) take(words []queryWord) bool {
	var typed, terms []string
	for _, w := range words {
		typed, terms = append(typed, w.typed), append(terms, w.term)
	}
	synonyms := thesaurus().synonyms[strings.Join(terms, " ")]
	if len(synonyms) == 0 {
		return false
	}
	text := strings.Join(typed, " ")
	w := wish{typed: text, scale: 1, verb: slices.ContainsFunc(synonyms, isVerb)}
	if w.verb {
		for _, s := range synonyms {
			w.acts |= thesaurus().acts[s.terms[0]]
		}
	}
	p.add(w, synonym{terms: terms, near: 1, text: text}, synonyms)
	for _, part := range words {
		if part.kind == telling {
			p.add(wish{typed: part.typed, scale: scalePhraseWord, verb: w.verb}, part.itself(), nil)
		}
	}
	return true
}

// joined takes two words that tools write as one: screen shot.
func (p *planner) joined(a, b queryWord) {
	id, known := p.x.term(stem(a.typed + b.typed))
	if !known {
		return
	}
	r := reading{term: id, near: nearSure, text: p.x.terms[id], how: byJoining}
	p.wishes = append(p.wishes, wish{
		typed: a.typed + " " + b.typed, readings: []reading{r}, rarity: p.x.rarity(id), scale: 1,
	})
}

// itself is a word as a reading of it.
func (w queryWord) itself() synonym { return synonym{terms: []string{w.term}, near: 1, text: w.typed} }

// word takes one word.
func (p *planner) word(w queryWord) {
	synonyms := thesaurus().synonyms[w.term]
	if w.kind == telling {
		verb, scale := slices.ContainsFunc(synonyms, isVerb), 1.0
		if verb && !slices.ContainsFunc(synonyms, func(s synonym) bool { return !s.verb }) {
			scale = scaleVerb
		}
		at := p.add(wish{typed: w.typed, scale: scale, verb: verb, acts: thesaurus().acts[w.term]}, w.itself(), synonyms)
		p.alike(at, w.term)
		return
	}
	if w.kind == silent || p.stops[w.term] {
		return
	}
	p.stops[w.term] = true
	switch {
	case w.kind == particle:
		p.add(wish{typed: w.typed, scale: scaleParticle, nameOnly: true}, w.itself(), nil)
	case len(synonyms) > 0:
		p.add(wish{typed: w.typed, scale: scaleAsking, verb: true}, synonym{}, synonyms)
	}
}

// add completes a wish with what the index knows of its own words and their synonyms, and returns its place. A rare
// word shares its rarity with what is sure to mean the same: a tool that says bug is hardly more right than those that
// say issue.
func (p *planner) add(w wish, own synonym, synonyms []synonym) int {
	most := 0
	take := func(s synonym, how how) {
		first, also, found := p.x.known(s.terms)
		if !found {
			return
		}
		if s.near >= nearSynonym {
			most = max(most, len(p.x.postings[first]))
		}
		w.readings = append(w.readings, reading{first, also, s.near, s.text, how, s.verb})
	}
	w.readings = make([]reading, 0, 1+len(synonyms))
	take(own, literally)
	for _, s := range synonyms {
		take(s, bySynonym)
	}
	w.rarity = p.x.rarities[most]
	p.wishes = append(p.wishes, w)
	return len(p.wishes) - 1
}

// alike adds terms that look like the word.
func (p *planner) alike(at int, term string) {
	w := &p.wishes[at]
	_, known := p.x.term(term)
	near := p.x.relatives(term, p.left)
	scale := 1.0
	switch {
	case known:
		scale = tieBreak
	case len(near) == 0 && len(w.readings) == 0:
		if near = p.x.halves(term); len(near) == 0 {
			near = p.x.misspelled(term, p.left)
		}
	}
	w.readings = slices.Grow(w.readings, len(near))
	for _, r := range near {
		w.readings = append(w.readings, reading{
			term: int32(r.term), near: scale * r.near, text: p.x.terms[r.term], how: r.how,
		})
	}
}

// known are the ids of terms, the rarest and the others, if the index has them all.
func (x *index) known(terms []string) (rarest int32, also []int32, found bool) {
	for i, t := range terms {
		id, known := x.term(t)
		if !known {
			return 0, nil, false
		}
		switch {
		case i == 0:
			rarest = id
		case len(x.postings[id]) < len(x.postings[rarest]):
			also, rarest = append(also, rarest), id
		default:
			also = append(also, id)
		}
	}
	return rarest, also, len(terms) > 0
}

// term is the id of a term.
func (x *index) term(t string) (int32, bool) {
	i, known := slices.BinarySearch(x.terms, t)
	return int32(i), known
}
