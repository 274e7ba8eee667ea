package bridge

import (
	"container/heap"
	"math"
	"time"

	"github.com/tidwall/gjson"
)

// maxTimers is how many timers of a cell may be pending at once.
const maxTimers = 1000

// timerHeap holds the pending timers, the one that is due first on top; those that are due at the same time in the order
// of their calls. The guest numbers its requests in that order.
type timerHeap struct{ items timerItems }

func (h *timerHeap) push(q *request) { heap.Push(&h.items, q) }

func (h *timerHeap) remove(q *request) { heap.Remove(&h.items, q.timerIndex) }

// due returns the first timer whose time has come, nil if there is none. It stays in the heap.
func (h *timerHeap) due(now time.Time) *request {
	if len(h.items) == 0 || h.items[0].due.After(now) {
		return nil
	}
	return h.items[0]
}

// next returns when the first timer is due, zero if there is none.
func (h *timerHeap) next() time.Time {
	if len(h.items) == 0 {
		return time.Time{}
	}
	return h.items[0].due
}

// timerItems implements heap.Interface.
type timerItems []*request

func (t timerItems) Len() int { return len(t) }

func (t timerItems) Less(i, j int) bool {
	if c := t[i].due.Compare(t[j].due); c != 0 {
		return c < 0
	}
	return t[i].id < t[j].id
}

func (t timerItems) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].timerIndex, t[j].timerIndex = i, j
}

func (t *timerItems) Push(x any) {
	q := x.(*request)
	q.timerIndex = len(*t)
	*t = append(*t, q)
}

func (t *timerItems) Pop() any {
	last := len(*t) - 1
	q := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	return q
}

// maxDelay keeps a timer's due time within the range of time.Duration; a run expires long before.
const maxDelay = 365 * 24 * time.Hour

// timerDelay reads the milliseconds that a cell gave. What is no number means at once.
func timerDelay(payload []byte) time.Duration {
	ms := gjson.ParseBytes(payload).Float()
	if math.IsNaN(ms) || ms < 0 {
		return 0
	}
	return time.Duration(min(ms, float64(maxDelay/time.Millisecond)) * float64(time.Millisecond))
}
