package redact

import (
	"cmp"
	"slices"
)

// span is a part of a text, from one byte to before another.
type span struct{ from, to int }

// matcher finds any of several patterns in a text, in time that is proportional to the text alone (Aho and Corasick's
// automaton). It does not change.
type matcher struct {
	pairs   [1 << 16 / 64]uint64 // the pairs of bytes that patterns begin with
	states  []state
	edges   []edge // those of a state side by side, by their bytes
	longest int    // pattern, in bytes
}

// state is what of a pattern has been read.
type state struct {
	first, count int32 // of its edges
	shorter      int32 // the state of the longest end of it that patterns begin with
	matched      int32 // length of the longest pattern that ends here; 0 for none
}

type edge struct {
	by byte
	to int32
}

// minPattern is how long a pattern must be, in bytes: shorter ones stand everywhere.
const minPattern = 2

// newMatcher returns nil for no patterns. Those that are too short are left out.
func newMatcher(patterns []string) *matcher {
	m := &matcher{}
	tree := []branch{{}}
	for _, p := range patterns {
		if len(p) < minPattern {
			continue
		}
		pair := uint(p[0])<<8 | uint(p[1])
		m.pairs[pair/64] |= 1 << (pair % 64)
		m.longest = max(m.longest, len(p))
		at := int32(0)
		for i := range len(p) {
			next := tree[at].child
			for next != 0 && tree[next].by != p[i] {
				next = tree[next].sibling
			}
			if next == 0 {
				next = int32(len(tree))
				tree = append(tree, branch{by: p[i], sibling: tree[at].child})
				tree[at].child = next
			}
			at = next
		}
		tree[at].matched = int32(len(p))
	}
	if m.longest == 0 {
		return nil
	}
	m.link(tree)
	return m
}

// branch is a state while the patterns are put in: its first child, and the next one of its parent's.
type branch struct {
	child, sibling, matched int32
	by                      byte
}

// link lays out the edges and finds the shorter states, from the root on.
func (m *matcher) link(tree []branch) {
	m.states, m.edges = make([]state, len(tree)), make([]edge, 0, len(tree))
	for at := range tree {
		first := len(m.edges)
		for c := tree[at].child; c != 0; c = tree[c].sibling {
			m.edges = append(m.edges, edge{tree[c].by, c})
		}
		slices.SortFunc(m.edges[first:], func(a, b edge) int { return cmp.Compare(a.by, b.by) })
		m.states[at] = state{first: int32(first), count: int32(len(m.edges) - first), matched: tree[at].matched}
	}
	waiting := []int32{0}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		n := m.states[at]
		for _, e := range m.edges[n.first : n.first+n.count] {
			to := &m.states[e.to]
			if at != 0 {
				to.shorter = m.next(n.shorter, e.by)
			}
			to.matched = max(to.matched, m.states[to.shorter].matched)
			waiting = append(waiting, e.to)
		}
	}
}

// next reads a byte.
func (m *matcher) next(at int32, by byte) int32 {
	for {
		n := &m.states[at]
		low, high := n.first, n.first+n.count
		for low < high {
			middle := (low + high) / 2
			switch e := m.edges[middle]; {
			case e.by == by:
				return e.to
			case e.by < by:
				low = middle + 1
			default:
				high = middle
			}
		}
		if at == 0 {
			return 0
		}
		at = n.shorter
	}
}

// find appends the parts of a text that are patterns. They may overlap.
func (m *matcher) find(text string, found []span) []span {
	if m == nil {
		return found
	}
	at := int32(0)
	for i := 0; i < len(text); i++ {
		if at == 0 {
			for ; i+1 < len(text); i++ {
				pair := uint(text[i])<<8 | uint(text[i+1])
				if m.pairs[pair/64]&(1<<(pair%64)) != 0 {
					break
				}
			}
		}
		at = m.next(at, text[i])
		if n := int(m.states[at].matched); n > 0 {
			found = append(found, span{i + 1 - n, i + 1})
		}
	}
	return found
}

// has says whether a pattern is in the text.
func (m *matcher) has(text string) bool {
	if m == nil {
		return false
	}
	at := int32(0)
	for i := range len(text) {
		if at = m.next(at, text[i]); m.states[at].matched > 0 {
			return true
		}
	}
	return false
}

// size is about how many bytes the matcher takes.
func (m *matcher) size() int {
	if m == nil {
		return 0
	}
	return len(m.pairs)*8 + len(m.states)*16 + len(m.edges)*8
}
