package catalog

import (
	"cmp"
	"strings"
)

// Search ranks the non-MCP tools against query and returns at most limit of them, best first (contract D3): tools that
// the query names in full, by id or name, however it is written; then by BM25 over name, owner, label, description and
// input, and over what the thesaurus knows for the words of the query. A tool of another service than the one that the
// query names counts less. Parts and misspellings of words find tools too, but only order what whole words leave equal,
// or where nothing knows the word. Equal tools stand in catalog order. A blank query lists the catalog; one that fits
// nothing, or is only small talk, finds nothing. Of a long query the first 1,024 bytes and 24 different words count, so
// the time that a search takes is bounded by the number of tools alone. The entries' JSON is shared by all results: see
// JSONSize for what a result would weigh.
func (c *Catalog) Search(query string, limit int) []*Entry {
	return c.entriesOf(c.find(strings.TrimSpace(query), limit).hits)
}

// found is what a search found, and by what.
type found struct {
	hits   []hit
	wishes []wish
}

// hit is a tool that a query found.
type hit struct {
	entry int
	named int // place among the tools that the query names, from 1; 0 for others
	score float32
}

// better orders hits: tools that the query names first, then by score, equal ones in catalog order.
func better(a, b hit) int {
	if (a.named == 0) != (b.named == 0) {
		return b.named - a.named
	}
	return cmp.Or(a.named-b.named, cmp.Compare(b.score, a.score), a.entry-b.entry)
}

// find picks the limit best tools.
func (c *Catalog) find(query string, limit int) found {
	limit = min(limit, len(c.visible))
	if limit <= 0 {
		return found{}
	}
	if query == "" {
		hits := make([]hit, limit)
		for i := range hits {
			hits[i].entry = i
		}
		return found{hits: hits}
	}
	x := c.index()
	named := x.namedTools(query, limit)
	words := readQuery(cutQuery(query))
	var wishes []wish
	var scores []float32
	if tells(words) {
		left := newAllowance()
		wishes = x.plan(words, left)
		scores = x.score(wishes, left)
	} else {
		scores = x.scoreNames(words)
	}
	best := top[hit]{limit: limit, compare: better}
	for i, place := range named {
		best.add(hit{int(i), place, scores[i]})
		scores[i] = 0
	}
	for i, score := range scores {
		if score > 0 {
			best.add(hit{entry: i, score: score})
		}
	}
	return found{best.sorted(), wishes}
}

func (c *Catalog) entriesOf(hits []hit) []*Entry {
	out := make([]*Entry, len(hits))
	for i, h := range hits {
		out[i] = c.visible[h.entry]
	}
	return out
}
