package catalog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of explanations. A query may have thousands of related terms, in as many hits as a cell asks for.
const (
	maxGrounds  = 12     // words that are explained for one hit, those that counted most
	maxReadings = 64     // readings of one word that are looked at; its own and its synonyms come first
	maxLookups  = 50_000 // readings that are looked at for all hits together
)

// Explained is a hit with why it was found.
type Explained struct {
	Entry *Entry
	// Why is JSON: {score, named?, terms: [{word, term?, via?, in, weight}]}. A term is what the tool has for the word of
	// the query, and via says how the two are related, if it is not the word itself: synonym, joined, prefix, part, typo,
	// or implied where the query has no such word. In is where it stands: name, owner, label, description, input, source.
	Why []byte
}

// Explain is Search with the reasons for each hit (contract D3).
func (c *Catalog) Explain(query string, limit int) []Explained {
	f := c.find(strings.TrimSpace(query), limit)
	out := make([]Explained, len(f.hits))
	left := maxLookups
	for i, h := range f.hits {
		out[i] = Explained{c.visible[h.entry], c.why(h, f.wishes, &left)}
	}
	return out
}

// AppendExplained adds the JSON array of hits to dst: each as Entry.JSON has it, with the key why at its end.
func AppendExplained(dst []byte, hits []Explained) []byte {
	dst = append(slices.Grow(dst, ExplainedSize(hits)), '[')
	for i, h := range hits {
		if i > 0 {
			dst = append(dst, ',')
		}
		entry := h.Entry.JSON()
		dst = append(dst, entry[:len(entry)-1]...)
		dst = append(append(dst, whyKey...), h.Why...)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

const whyKey = `,"why":`

// ExplainedSize is the number of bytes of AppendExplained, known before the entries are written.
func ExplainedSize(hits []Explained) int {
	size := len("[]") + max(0, len(hits)-1)
	for _, h := range hits {
		size += len(h.Entry.JSON()) + len(whyKey) + len(h.Why)
	}
	return size
}

// ground is what one word of the query is worth to one tool.
type ground struct {
	word   string
	by     reading
	in     place
	weight float32
}

// why writes the reasons for a hit.
func (c *Catalog) why(h hit, wishes []wish, left *int) []byte {
	dst := append([]byte(`{"score":`), number(h.score)...)
	if h.named > 0 {
		dst = append(dst, `,"named":true`...)
	}
	dst = append(dst, `,"terms":[`...)
	for i, r := range c.grounds(int32(h.entry), wishes, left) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.append(dst)
	}
	return append(dst, "]}"...)
}

// grounds are the best readings of all wishes that a tool fits, the weightiest first.
func (c *Catalog) grounds(entry int32, wishes []wish, left *int) []ground {
	var out []ground
	for _, w := range wishes {
		best := ground{word: w.typed}
		for _, r := range w.readings[:min(len(w.readings), maxReadings)] {
			if *left--; *left < 0 {
				break
			}
			p := c.index().posting(r.term, entry)
			if w.nameOnly && p.in&inName == 0 {
				continue
			}
			if weight := c.index().weight(w, r) * c.index().share(r, p); weight > best.weight {
				best = ground{w.typed, r, p.in, weight}
			}
		}
		if best.weight > 0 {
			out = append(out, best)
		}
	}
	slices.SortStableFunc(out, func(a, b ground) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), maxGrounds)]
}

func (r ground) append(dst []byte) []byte {
	via := howNames[r.by.how]
	if r.word == "" {
		via = "implied"
	}
	dst = append(dst, `{"word":`...)
	dst = appendQuoted(dst, r.word)
	if via != "" {
		dst = append(dst, `,"term":`...)
		dst = appendQuoted(dst, r.by.text)
		dst = append(dst, `,"via":`...)
		dst = appendQuoted(dst, via)
	}
	dst = append(dst, `,"in":[`...)
	first := true
	for i, name := range placeNames {
		if r.in&(1<<i) == 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendQuoted(dst, name)
	}
	dst = append(dst, `],"weight":`...)
	dst = append(dst, number(r.weight)...)
	return append(dst, '}')
}

// howNames and placeNames are in the order of the constants.
var (
	howNames   = [...]string{"", "synonym", "joined", "prefix", "part", "typo"}
	placeNames = [...]string{"name", "owner", "label", "description", "input", "source"}
)

// number writes a score with two decimals.
func number(f float32) string {
	return strconv.FormatFloat(math.Round(float64(f)*100)/100, 'f', -1, 64)
}
