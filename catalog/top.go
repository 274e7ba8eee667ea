package catalog

import "slices"

// top keeps the limit best of what it is given, in time proportional to their number: it sorts twice as many at a time.
type top[T any] struct {
	limit   int
	compare func(a, b T) int // negative if a is better; never zero
	items   []T
	full    bool // the first limit items are sorted and the best so far
}

func (t *top[T]) add(item T) {
	if t.limit == 0 || t.full && t.compare(t.items[t.limit-1], item) < 0 {
		return
	}
	if t.items = append(t.items, item); len(t.items) == 2*t.limit {
		slices.SortFunc(t.items, t.compare)
		t.items, t.full = t.items[:t.limit], true
	}
}

// sorted are the best, best first. Nothing may be added afterwards.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items[:min(t.limit, len(t.items))]
}
