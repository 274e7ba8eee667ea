package bridge

import (
	"slices"
	"time"
)

// dueTimers returns the timers whose time has come, earliest first and in the order of their calls where that is
// equal, and when the next one comes. r.mu must be held.
func (r *run) dueTimers(now time.Time) (due []*item, next time.Time) {
	for _, it := range r.order {
		switch {
		case it.kind != timerItem || it.settled:
		case !it.due.After(now):
			due = append(due, it)
		case next.IsZero() || it.due.Before(next):
			next = it.due
		}
	}
	slices.SortStableFunc(due, func(a, b *item) int { return a.due.Compare(b.due) })
	return due, next
}
