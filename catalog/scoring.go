package catalog

import (
	"slices"
	"sort"
)

// What a tool's score is multiplied with if it belongs to another service than the one that the query names, and if its
// name says that it does something else.
const (
	otherService = 0.5
	otherAct     = 0.7
)

// scoring adds up what the wishes of a query are worth to each tool.
type scoring struct {
	x      *index
	left   *allowance
	scores []float32
	once   []float32 // worth of one wish, all zero between wishes
	marks  []mark
	acts   uint8 // of the query
	served bool  // the query names a service
	things bool  // it names more than what is done
}

// mark is what was found about one tool.
type mark uint8

const (
	solid  mark = 1 << iota // it shares more with the query than a synonym of a verb
	served                  // it belongs to the service that the query names
)

// score is what a query is worth to each tool, 0 for those that it doesn't find.
func (x *index) score(wishes []wish, left *allowance) []float32 {
	n := len(x.entries)
	s := scoring{x: x, left: left, scores: make([]float32, n), once: make([]float32, n), marks: make([]mark, n)}
	for _, w := range wishes {
		if !w.nameOnly {
			s.add(w)
		}
	}
	for _, w := range wishes {
		if w.nameOnly {
			s.tell(w)
		}
	}
	s.judge()
	return s.scores
}

// add takes a wish in. A tool gets the worth of the best reading alone, so that one with many related words isn't taken
// for a better match.
func (s *scoring) add(w wish) {
	s.acts |= w.acts
	verb := w.verb
	read := 0
	for _, r := range w.readings {
		verb = verb && (r.verb || r.how == literally)
		// Each further term of a phrase is looked up in every tool that has the first.
		if s.left.postings -= (1 + len(r.also)) * len(s.x.postings[r.term]); s.left.postings < 0 && r.how != literally {
			break
		}
		s.read(w, r)
		read++
	}
	s.things = s.things || !verb && w.typed != ""
	for _, r := range w.readings[:read] {
		for i := range s.x.postings[r.term] {
			e := s.x.postings[r.term][i].entry
			s.scores[e] += s.once[e]
			s.once[e] = 0
		}
	}
}

// read notes what a reading is worth to each tool that has its terms.
func (s *scoring) read(w wish, r reading) {
	weight := s.x.weight(w, r)
	found := solid
	if r.verb {
		found = 0
	}
	ofService := r.near >= nearSynonym && len(r.also) == 0 && s.x.services[r.term]
	s.served = s.served || ofService
	for i := range s.x.postings[r.term] {
		p := &s.x.postings[r.term][i]
		g := p.gain
		if len(r.also) > 0 {
			g = s.x.share(r, *p)
		}
		if g == 0 {
			continue
		}
		s.once[p.entry] = max(s.once[p.entry], weight*g)
		s.marks[p.entry] |= found
		if ofService && p.in&inOwner != 0 {
			s.marks[p.entry] |= served
		}
	}
}

// tell adds the worth of a word that says little.
func (s *scoring) tell(w wish) {
	for _, r := range w.readings {
		weight := s.x.weight(w, r)
		for _, p := range s.x.postings[r.term] {
			if p.in&inName != 0 && s.scores[p.entry] > 0 {
				s.scores[p.entry] += weight * p.gain
			}
		}
	}
}

// judge lowers tools of other services and other acts, and drops those that share nothing but synonyms of verbs with a
// query that names things.
func (s *scoring) judge() {
	for i := range s.scores {
		if s.served && s.marks[i]&served == 0 {
			s.scores[i] *= otherService
		}
		if acts := s.x.acts[i]; s.acts != 0 && acts != 0 && s.acts&acts == 0 {
			s.scores[i] *= otherAct
		}
		if s.things && s.marks[i]&solid == 0 {
			s.scores[i] = 0
		}
	}
}

// weight is what a reading of a wish is worth to a tool with a share of 1.
func (x *index) weight(w wish, r reading) float32 {
	return float32(w.scale * r.near * min(w.rarity, x.rarity(r.term)))
}

// share is the share of a reading in a tool that has its first term: the least of its terms, 0 if one is not there.
func (x *index) share(r reading, p posting) float32 {
	share := p.gain
	for _, t := range r.also {
		share = min(share, x.posting(t, p.entry).gain)
	}
	return share
}

// posting is the one of a term in a tool, without gain if the tool does not have the term.
func (x *index) posting(term, entry int32) posting {
	list := x.postings[term]
	i := sort.Search(len(list), func(i int) bool { return list[i].entry >= entry })
	if i == len(list) || list[i].entry != entry {
		return posting{}
	}
	return list[i]
}

// scoreNames is for a query that says nothing, such as a greeting: a tool is found if its name has all words of the
// query, or the query all of its name.
func (x *index) scoreNames(query []queryWord) []float32 {
	scores := make([]float32, len(x.entries))
	found := make([]uint8, len(x.entries))
	var terms []string
	for _, w := range query {
		if !slices.Contains(terms, w.term) {
			terms = append(terms, w.term)
		}
	}
	for _, t := range terms {
		id, known := x.term(t)
		if !known {
			continue
		}
		for _, p := range x.postings[id] {
			if p.in&inName != 0 {
				found[p.entry]++
				scores[p.entry] += p.gain
			}
		}
	}
	for i, n := range found {
		if n == 0 || int(n) < len(terms) && n < x.nameTerms[i] {
			scores[i] = 0
		}
	}
	return scores
}
