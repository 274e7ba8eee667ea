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
	// ofFirst says that nobody wanted it to be remembered: it is remembered since calls of mode First are asked for once. It
	// says nothing about calls that are always asked for.
	ofFirst bool
	expires time.Time
	held    int
}

// maxLessons is how many decisions are remembered for a tenant, and lessonBytes what one costs beside its texts.
const (
	maxLessons  = 1_000
	lessonBytes = 512
)

func newMemory(keep time.Duration, held *account.Account) memory {
	return memory{keep: keep, account: held, byTopic: map[subject]*list.Element{}, order: list.New()}
}

// put remembers a decision. One that somebody wanted to be remembered is not replaced by one of mode First.
func (m *memory) put(about subject, session Scope, d Decision, ofFirst bool) {
	m.expire()
	if old := m.byTopic[about]; old != nil {
		if ofFirst && !old.Value.(*lesson).ofFirst {
			return
		}
		m.remove(old)
	}
	if m.order.Len() >= maxLessons {
		m.remove(m.order.Front())
	}
	l := &lesson{
		about: about, session: session, decision: d, ofFirst: ofFirst, expires: time.Now().Add(m.keep),
		held: lessonBytes + len(about.tool) + len(d.Reason) + len(d.Who),
	}
	if m.account.Hold(l.held) != nil {
		return // it is asked for again
	}
	m.byTopic[about] = m.order.PushBack(l)
}

// get returns what is remembered for calls that are asked for by a mode.
func (m *memory) get(about subject, mode Mode) (Decision, bool) {
	e := m.byTopic[about]
	if e == nil {
		return Decision{}, false
	}
	l := e.Value.(*lesson)
	if l.ofFirst && mode != First {
		return Decision{}, false
	}
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
