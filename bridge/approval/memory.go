package approval

import (
	"container/list"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
)

// memory is what the sessions of a tenant have decided about tools for good. What there is no room for is forgotten, the
// oldest first, and asked for again. It has no lock.
type memory struct {
	keep    time.Duration
	account *account.Account
	byTopic map[subject]*list.Element
	order   *list.List // of *lesson, the oldest first, which expires first too
}

// lesson is one decision that is remembered.
type lesson struct {
	about    subject
	session  Scope // the hash of the session's id
	decision Decision
	expires  time.Time
	held     int
}

// maxLessons is how many decisions are remembered for a tenant, and lessonBytes what one costs beside its texts.
const (
	maxLessons  = 1_000
	lessonBytes = 512
)

func newMemory(keep time.Duration, held *account.Account) memory {
	return memory{keep: keep, account: held, byTopic: map[subject]*list.Element{}, order: list.New()}
}

// put remembers a decision.
func (m *memory) put(about subject, session Scope, d Decision) {
	if old := m.byTopic[about]; old != nil {
		m.remove(old)
	}
	m.expire()
	if m.order.Len() >= maxLessons {
		m.remove(m.order.Front())
	}
	l := &lesson{about, session, d, time.Now().Add(m.keep), lessonBytes + len(about.tool) + len(d.Reason) + len(d.Who)}
	if m.account.Hold(l.held) != nil {
		return // it is asked for again
	}
	m.byTopic[about] = m.order.PushBack(l)
}

// get returns what is remembered.
func (m *memory) get(about subject) (Decision, bool) {
	e := m.byTopic[about]
	if e == nil {
		return Decision{}, false
	}
	l := e.Value.(*lesson)
	if !time.Now().Before(l.expires) {
		m.expire()
		return Decision{}, false
	}
	return l.decision, true
}

// expire forgets what has been remembered for long enough.
func (m *memory) expire() {
	now := time.Now()
	for e := m.order.Front(); e != nil && !now.Before(e.Value.(*lesson).expires); e = m.order.Front() {
		m.remove(e)
	}
}

// forget forgets what matches.
func (m *memory) forget(match func(*lesson) bool) {
	for e := m.order.Front(); e != nil; {
		next := e.Next()
		if match(e.Value.(*lesson)) {
			m.remove(e)
		}
		e = next
	}
}

func (m *memory) remove(e *list.Element) {
	l := e.Value.(*lesson)
	m.order.Remove(e)
	delete(m.byTopic, l.about)
	m.account.Release(l.held)
}
