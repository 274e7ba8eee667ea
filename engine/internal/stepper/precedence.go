package stepper

import (
	"sync"
	"time"

	"github.com/codecell/codecell/engine/internal/limiter"
)

// Yielding is a Heap whose steps can let others have the processor first.
type Yielding interface {
	Heap

	// BeginLast is called before a step that is to let others have the processor first from its beginning.
	BeginLast()
	// GiveWay is called again and again while a step goes on that has taken long; yes says that others have little to do
	// and want to be served. It must not block.
	GiveWay(yes bool)
}

// Threads are what the guests of an engine execute their steps on: so many at once, the short steps first. It is safe for
// concurrent use.
type Threads struct {
	*limiter.Limiter
	precedence precedence
}

// NewThreads returns threads for so many steps at once, and so many more in the queue for them.
func NewThreads(steps, queue int) *Threads { return &Threads{Limiter: limiter.New(steps, queue)} }

const (
	// tick is how often the steps under way are looked at.
	tick = time.Millisecond
	// longTicks is how many looks make a step a long one.
	longTicks = 2
	// wantedTicks is for how many looks after a short step others are expected to follow.
	wantedTicks = 1000
	// idleTicks is how many looks without a step are the last ones.
	idleTicks = 100
)

// precedence knows the steps under way, and makes the long ones give way while there are short ones.
type precedence struct {
	mu       sync.Mutex
	watched  bool // a goroutine looks
	now      int  // looks so far
	idle     int  // of them, the last ones without a step
	short    int  // look after which the last short step ended
	underWay []*place
}

// place is where a step is among those under way.
type place struct {
	heap  Yielding
	index int
	since int // look
}

// begin notes that a step begins, of a long run or not.
func (p *precedence) begin(at *place, h Heap, long bool) {
	yielding, ok := h.(Yielding)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at.heap, at.index, at.since = yielding, len(p.underWay), p.now
	p.underWay = append(p.underWay, at)
	if long {
		at.since -= longTicks // it is a long step already
		if p.wanted() {
			yielding.BeginLast()
		}
	}
	if !p.watched {
		p.watched, p.idle = true, 0
		go p.watch()
	}
}

// end notes that it has ended.
func (p *precedence) end(at *place) {
	if at.heap == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now-at.since < longTicks {
		p.short = max(p.now, 1)
	}
	last := len(p.underWay) - 1
	p.underWay[at.index] = p.underWay[last]
	p.underWay[at.index].index = at.index
	p.underWay[last], p.underWay = nil, p.underWay[:last]
	at.heap = nil
}

// watch looks at the steps under way until there are none for a while.
func (p *precedence) watch() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for range ticker.C {
		if !p.look() {
			return
		}
	}
}

// look tells the long steps whether to give way, and says whether to look again.
func (p *precedence) look() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now++
	if p.idle++; len(p.underWay) > 0 {
		p.idle = 0
	}
	wanted := p.wanted()
	for _, at := range p.underWay {
		if p.now-at.since >= longTicks {
			at.heap.GiveWay(wanted)
		}
	}
	p.watched = p.idle < idleTicks
	return p.watched
}

// wanted says whether short steps come and go. mu must be held.
func (p *precedence) wanted() bool { return p.short > 0 && p.now-p.short <= wantedTicks }
