package approval

import (
	"cmp"
	"slices"
)

// log has tickets in the order in which they were opened, by numbers that only grow. Adding and removing cost next to
// nothing, whichever is removed: what is gone leaves a hole, and the holes are closed when they are the half of it.
type log struct {
	entries []logEntry
	holes   int
	last    uint64
}

type logEntry struct {
	number uint64
	ticket *Ticket // nil for a hole
}

// add appends a ticket and returns its number.
func (l *log) add(k *Ticket) uint64 {
	l.last++
	l.entries = append(l.entries, logEntry{l.last, k})
	return l.last
}

// remove takes out the ticket of a number.
func (l *log) remove(number uint64) {
	at, ok := l.find(number)
	if !ok {
		return
	}
	l.entries[at].ticket = nil
	if l.holes++; l.holes > len(l.entries)/2 {
		l.entries = slices.DeleteFunc(l.entries, func(e logEntry) bool { return e.ticket == nil })
		l.holes = 0
	}
}

// after returns what stands behind a number.
func (l *log) after(number uint64) []logEntry {
	at, ok := l.find(number)
	if ok {
		at++
	}
	return l.entries[at:]
}

func (l *log) find(number uint64) (int, bool) {
	return slices.BinarySearchFunc(l.entries, number, func(e logEntry, n uint64) int { return cmp.Compare(e.number, n) })
}
