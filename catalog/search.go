package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a query. What lies beyond is not read: a cell may pass megabytes.
const (
	maxQueryBytes = 1024 // without white space in front
	maxQueryWords = 24   // distinct ones, after identifiers are taken apart
)

// Search ranks the non-MCP tools against query and returns at most limit of them, best first (contract D3): a tool
// whose id or name is the query itself, then by BM25 over name, label, description and owner. Parts and misspellings of
// words find tools too, but only order what whole words leave equal, or where nothing knows the word. Equal tools stand
// in catalog order. A blank query lists the catalog; one that fits nothing finds nothing. Of a long query the first
// 1,024 bytes and 24 different words count, so the time that a search takes is bounded by the number of tools alone.
// The entries' JSON is shared by all results: see JSONSize for what a result would weigh.
func (c *Catalog) Search(query string, limit int) []*Entry {
	query = strings.TrimSpace(query)
	if limit <= 0 || len(c.visible) == 0 {
		return nil
	}
	if query == "" {
		return slices.Clone(c.visible[:min(limit, len(c.visible))])
	}
	x := c.index()
	return x.best(x.score(queryWords(query)), c.exact(query), limit)
}

// exact are the tools that the query names: by id, else by name, else by name in other case.
func (c *Catalog) exact(query string) func(*Entry) bool {
	if len(query) > maxIDBytes {
		return func(*Entry) bool { return false }
	}
	if e := c.byID[query]; e != nil && !e.IsMCP() {
		return func(o *Entry) bool { return o == e }
	}
	if c.byName[query] != nil {
		return func(o *Entry) bool { return o.tool.Name == query }
	}
	return func(o *Entry) bool { return len(o.tool.Name) == len(query) && strings.EqualFold(o.tool.Name, query) }
}

// queryWords are the distinct terms of a query, without words that say nothing unless it has no others.
func queryWords(query string) []string {
	if len(query) > maxQueryBytes {
		query = query[:maxQueryBytes]
		for !utf8.ValidString(query) && len(query) > maxQueryBytes-utf8.UTFMax {
			query = query[:len(query)-1]
		}
	}
	var all, telling []string
	words(query, func(term string) {
		if len(all) >= maxQueryWords || slices.Contains(all, term) {
			return
		}
		all = append(all, term)
		if !filler(term) {
			telling = append(telling, term)
		}
	})
	if len(telling) > 0 {
		return telling
	}
	return all
}

// score adds up what each word of the query is worth to each tool.
func (x *index) score(query []string) []float64 {
	scores := make([]float64, len(x.entries))
	once := make([]float64, len(x.entries))
	left := newAllowance()
	for _, word := range query {
		i, known := slices.BinarySearch(x.terms, word)
		scale := 1.0
		near := x.relatives(word, left)
		if known {
			weight := x.rarity(len(x.postings[i]))
			for _, p := range x.postings[i] {
				scores[p.entry] += weight * float64(p.gain)
			}
			scale = tieBreak
		} else if len(near) == 0 {
			near = x.misspelled(word, left)
		}
		x.addRelatives(scores, once, near, scale, left)
	}
	return scores
}

// addRelatives gives each tool the worth of its best relative of one word, so that a tool with many related words isn't
// taken for a better match. once is scratch space, all zero before and after.
func (x *index) addRelatives(scores, once []float64, near []relative, scale float64, left *allowance) {
	for n, r := range near {
		if left.postings -= len(x.postings[r.term]); left.postings < 0 {
			near = near[:n]
			break
		}
		weight := scale * r.near * x.rarity(len(x.postings[r.term]))
		for _, p := range x.postings[r.term] {
			once[p.entry] = max(once[p.entry], weight*float64(p.gain))
		}
	}
	for _, r := range near {
		for _, p := range x.postings[r.term] {
			scores[p.entry] += once[p.entry]
			once[p.entry] = 0
		}
	}
}

// hit is a tool that a query found.
type hit struct {
	entry int
	exact bool
	score float64
}

// better orders hits: tools that the query names first, then by score, equal ones in catalog order.
func better(a, b hit) int {
	if a.exact != b.exact {
		if a.exact {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.score, a.score), a.entry-b.entry)
}

// best picks the limit best tools.
func (x *index) best(scores []float64, exact func(*Entry) bool, limit int) []*Entry {
	hits := top[hit]{limit: min(limit, len(x.entries)), compare: better}
	for i, e := range x.entries {
		if h := (hit{i, exact(e), scores[i]}); h.exact || h.score > 0 {
			hits.add(h)
		}
	}
	found := hits.sorted()
	out := make([]*Entry, len(found))
	for i, h := range found {
		out[i] = x.entries[h.entry]
	}
	return out
}
