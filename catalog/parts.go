package catalog

// partBytes is how long the pieces are by which terms are found that contain a text; shorter texts are not looked for.
const partBytes = 3

// parts finds the terms that contain a text without looking at all of them: it lists for every three bytes that occur
// the terms that have them.
type parts struct {
	ids   map[[partBytes]byte]int32
	start []int32 // by id: where its list begins in terms; one more than there are ids
	terms []int32 // the lists, each in ascending order
}

// newParts takes time and memory proportional to the terms' bytes.
func newParts(terms []string) *parts {
	p := &parts{ids: map[[partBytes]byte]int32{}}
	var at, counts []int32 // the ids in the order of the text, and how often each occurs
	for _, term := range terms {
		for i := 0; i+partBytes <= len(term); i++ {
			id, known := p.ids[piece(term, i)]
			if !known {
				id = int32(len(counts))
				p.ids[piece(term, i)] = id
				counts = append(counts, 0)
			}
			at = append(at, id)
			counts[id]++
		}
	}
	p.start = make([]int32, len(counts)+1)
	for id, n := range counts {
		p.start[id+1] = p.start[id] + n
	}
	p.terms = make([]int32, len(at))
	next := append([]int32(nil), p.start[:len(counts)]...)
	n := 0
	for t, term := range terms {
		for i := 0; i+partBytes <= len(term); i++ {
			id := at[n]
			p.terms[next[id]] = int32(t)
			next[id]++
			n++
		}
	}
	return p
}

func piece(s string, i int) [partBytes]byte { return [partBytes]byte{s[i], s[i+1], s[i+2]} }

// candidates are the terms that may contain word, in ascending order: those that have its rarest piece. A term in which
// the piece occurs twice stands twice in a row.
func (p *parts) candidates(word string) []int32 {
	var least []int32
	for i := 0; i+partBytes <= len(word); i++ {
		id, known := p.ids[piece(word, i)]
		if !known {
			return nil
		}
		list := p.terms[p.start[id]:p.start[id+1]]
		if i == 0 || len(list) < len(least) {
			least = list
		}
	}
	return least
}
