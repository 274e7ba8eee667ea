package catalog

import (
	"math"
	"slices"
)

// place is a set of the texts of a tool in which a term stands.
type place uint8

const (
	inName place = 1 << iota
	inOwner
	inLabel
	inDocs
	inInput // names and descriptions of the input's properties
	inSource
)

// How much a word counts by where it stands. The name is what a model will call; the owner is the service that a query
// names. The start of a description says what the tool does, the rest how.
const (
	weightName   = 3.0
	weightOwner  = 3.0
	weightLabel  = 2.0
	weightDocs   = 1.5
	weightRest   = 0.4
	weightInput  = 0.25
	weightSource = 0.25
)

// Bounds of what is read of an input's schema, in properties and in bytes of the description of each.
const (
	maxInputKeys = 16
	maxInputDocs = 80
)

// The usual constants of BM25: how fast repetition stops counting, and how much a long text is held against a tool.
const (
	bm25K = 0.9
	bm25B = 0.6
)

// index finds tools by words (contract D3). It is read-only once built.
type index struct {
	catalog   *Catalog
	entries   []*Entry
	terms     []string    // sorted
	postings  [][]posting // by term
	shapes    []shape     // by term
	parts     *parts
	named     spellings
	nameTerms []uint8   // by tool: how many terms its name has, without those of its owner
	acts      []uint8   // by tool: what its name says that it does, see book
	rarities  []float64 // by number of tools: what a term that so many have counts
	services  []bool    // by term: it is the name of a service
}

// posting is a term's share in one tool: what BM25 would give it but for the term's rarity.
type posting struct {
	entry int32
	gain  float32
	in    place
}

// occurrences is how many there are in an ordinary tool.
const occurrences = 32

// newIndex reads every visible tool once.
func newIndex(c *Catalog) *index {
	r := reader{
		ids: map[string]int32{}, lengths: make([]float64, len(c.visible)),
		all: make([]occurrence, 0, occurrences*len(c.visible)),
	}
	total := 0.0
	for i, e := range c.visible {
		r.read(int32(i), e)
		total += r.lengths[i]
	}
	x := &index{
		catalog: c, entries: c.visible, named: newSpellings(c.visible),
		nameTerms: r.nameTerms, acts: r.acts, rarities: rarities(len(c.visible)),
	}
	x.post(r.all, x.sortTerms(r.terms))
	x.weigh(r.lengths, total/math.Max(1, float64(len(c.visible))))
	return x
}

// post makes the postings of all terms in one piece of memory. order is the place of each term.
func (x *index) post(all []occurrence, order []int32) {
	last := make([]int32, len(x.terms)) // by term: the tool that had it last, from 1
	counts := make([]int32, len(x.terms))
	total := 0
	for _, o := range all {
		if t := order[o.term]; last[t] != o.entry+1 {
			last[t] = o.entry + 1
			counts[t]++
			total++
		}
	}
	slab := make([]posting, total)
	for t, n := range counts {
		x.postings[t], slab = slab[:0:n], slab[n:]
	}
	for _, o := range all {
		list := &x.postings[order[o.term]]
		if n := len(*list); n > 0 && (*list)[n-1].entry == o.entry {
			(*list)[n-1].gain += o.weight
			(*list)[n-1].in |= o.in
			continue
		}
		*list = append(*list, posting{o.entry, o.weight, o.in})
	}
}

// weigh makes shares of the weights that were added up. lengths is by tool.
func (x *index) weigh(lengths []float64, mean float64) {
	x.services = make([]bool, len(x.terms))
	for t, list := range x.postings {
		owned := 0
		for i, p := range list {
			if p.in&inOwner != 0 {
				owned++
			}
			// A weighted count saturates: the tenth mention adds little.
			norm := 1 - bm25B + bm25B*lengths[p.entry]/mean
			list[i].gain = float32(float64(p.gain) * (bm25K + 1) / (float64(p.gain) + bm25K*norm))
		}
		// Nearly all tools that say so have it as owner.
		x.services[t] = 4*owned >= 3*len(list)
	}
}

// reader collects the terms of tools.
type reader struct {
	ids       map[string]int32
	terms     []string // by id
	all       []occurrence
	lengths   []float64 // by tool: the weight of its own texts
	nameTerms []uint8   // by tool
	acts      []uint8   // by tool
}

// occurrence is a term in a text of a tool.
type occurrence struct {
	term, entry int32
	weight      float32
	in          place
}

// read takes in one tool.
func (r *reader) read(entry int32, e *Entry) {
	add := func(term string, weight float64, in place) {
		id, known := r.ids[term]
		if !known {
			id = int32(len(r.terms))
			r.ids[term] = id
			r.terms = append(r.terms, term)
		}
		r.all = append(r.all, occurrence{id, entry, float32(weight), in})
		if in&(inName|inLabel|inDocs) != 0 {
			r.lengths[entry] += weight
		}
	}
	t := e.tool
	first := len(r.all)
	words(t.Owner, func(term string) { add(term, weightOwner, inOwner) })
	owner := r.all[first:len(r.all):len(r.all)]
	own, does := uint8(0), uint8(0)
	words(t.Name, func(term string) {
		// In jira_create_issue, jira says whose tool it is and not what it does.
		if id, known := r.ids[term]; known && slices.ContainsFunc(owner, func(o occurrence) bool { return o.term == id }) {
			return
		}
		add(term, weightName, inName)
		own = uint8(min(int(own)+1, math.MaxUint8))
		does |= thesaurus().acts[term]
	})
	r.nameTerms, r.acts = append(r.nameTerms, own), append(r.acts, does)
	words(t.Source, func(term string) { add(term, weightSource, inSource) })
	words(t.Label, func(term string) { add(term, weightLabel, inLabel) })
	head, rest := firstSentence(t.Description)
	words(head, func(term string) { add(term, weightDocs, inDocs) })
	words(rest, func(term string) { add(term, weightRest, inDocs) })
	for _, p := range e.schema().properties[:min(maxInputKeys, len(e.schema().properties))] {
		words(p.name[:min(len(p.name), maxInputDocs)], func(term string) { add(term, weightInput, inInput) })
		words(p.view.docs[:min(len(p.view.docs), maxInputDocs)], func(term string) { add(term, weightInput, inInput) })
	}
}

// firstSentence splits a description after its first sentence or line.
func firstSentence(s string) (head, rest string) {
	for i := range len(s) {
		if s[i] == '\n' || s[i] == '.' && i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\n') {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// sortTerms puts the terms in order and returns the place of each.
func (x *index) sortTerms(terms []string) []int32 {
	x.terms = slices.Clone(terms)
	slices.Sort(x.terms)
	x.postings = make([][]posting, len(terms))
	x.shapes = make([]shape, len(terms))
	for i, t := range x.terms {
		x.shapes[i] = shapeOf(t)
	}
	x.parts = newParts(x.terms)
	order := make([]int32, len(terms))
	for i, t := range terms {
		at, _ := slices.BinarySearch(x.terms, t)
		order[i] = int32(at)
	}
	return order
}

// rarities are BM25's weights of terms that occur in 0 to n of n tools, always positive.
func rarities(n int) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = math.Log(1 + (float64(n-i)+0.5)/(float64(i)+0.5))
	}
	return out
}

// rarity is the weight of a term.
func (x *index) rarity(term int32) float64 { return x.rarities[len(x.postings[term])] }
