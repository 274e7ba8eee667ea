package catalog

import (
	"math"
	"slices"
)

// How much a word counts by where it stands. The name is what a model will call; the id's other parts (source, owner)
// say least that is the tool's own.
const (
	weightName  = 4.0
	weightLabel = 2.0
	weightDocs  = 1.0
	weightID    = 0.7
)

// The usual constants of BM25: how fast repetition stops counting, and how much a long text is held against a tool.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// index finds tools by words (contract D3). It is read-only once built.
type index struct {
	entries  []*Entry
	terms    []string    // sorted
	postings [][]posting // by term
	shapes   []shape     // by term
	parts    *parts
}

// posting is a term's share in one tool: what BM25 would give it but for the term's rarity.
type posting struct {
	entry int32
	gain  float32
}

// newIndex reads every visible tool once.
func newIndex(entries []*Entry) *index {
	ids := map[string]int32{}
	var terms []string
	type occurrence struct {
		term   int32
		entry  int32
		weight float32
	}
	var all []occurrence
	lengths := make([]float64, len(entries))
	total := 0.0
	for i, e := range entries {
		for _, f := range fields(e) {
			words(f.text, func(term string) {
				id, ok := ids[term]
				if !ok {
					id = int32(len(terms))
					ids[term] = id
					terms = append(terms, term)
				}
				all = append(all, occurrence{id, int32(i), float32(f.weight)})
				lengths[i] += f.weight
			})
		}
		total += lengths[i]
	}
	x := &index{entries: entries}
	order := x.sortTerms(terms)
	mean := total / math.Max(1, float64(len(entries)))
	for _, o := range all {
		list := &x.postings[order[o.term]]
		if n := len(*list); n > 0 && (*list)[n-1].entry == o.entry {
			(*list)[n-1].gain += o.weight
			continue
		}
		*list = append(*list, posting{o.entry, o.weight})
	}
	for _, list := range x.postings {
		for i, p := range list {
			// A weighted count saturates: the tenth mention adds little.
			norm := 1 - bm25B + bm25B*lengths[p.entry]/mean
			list[i].gain = float32(float64(p.gain) * (bm25K + 1) / (float64(p.gain) + bm25K*norm))
		}
	}
	return x
}

type field struct {
	text   string
	weight float64
}

// fields are the texts of a tool that are searched. Schemas are left out: keys such as id or name are in nearly all of
// them.
func fields(e *Entry) [4]field {
	t := e.tool
	return [4]field{
		{t.Name, weightName},
		{t.Source + " " + t.Owner, weightID},
		{t.Label, weightLabel},
		{t.Description, weightDocs},
	}
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

// rarity is BM25's weight of a term that occurs in n tools, always positive.
func (x *index) rarity(n int) float64 {
	return math.Log(1 + (float64(len(x.entries)-n)+0.5)/(float64(n)+0.5))
}
