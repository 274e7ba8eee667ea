package approval

// Query says which approvals are listed. What is empty does not matter.
type Query struct {
	State     State
	TurnID    string
	RunID     string
	Tool      string // id or name
	SessionID string
	After     uint64 // the number that the page before ended with
	Limit     int    // how many at most; zero means DefaultLimit, and more than MaxLimit is that
}

// Bounds of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 200
	// maxPageBytes is where a page ends that is not full yet.
	maxPageBytes = 1 << 20
)

// Page is a part of a list, in the order in which the approvals were asked for.
type Page struct {
	Approvals []Approval
	Next      uint64 // where the next page begins; zero if this is the last one
	Bytes     int    // about how many they have as JSON
}

func (q *Query) matches(a *Approval) bool {
	return (q.State == "" || q.State == a.State) &&
		(q.TurnID == "" || q.TurnID == a.TurnID) && (q.RunID == "" || q.RunID == a.RunID) &&
		(q.Tool == "" || q.Tool == a.ToolID || q.Tool == a.Name) &&
		(q.SessionID == "" || q.SessionID == a.Context.SessionID)
}

// List returns a page of the approvals that match.
func (t *Tenant) List(q Query) Page {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	l := lister{query: q, limit: min(q.Limit, MaxLimit), page: Page{Approvals: []Approval{}}, last: q.After}
	for !l.done {
		t.mu.Lock()
		l.look(t.log.after(l.last))
		t.mu.Unlock()
	}
	return l.page
}

// lister fills a page.
type lister struct {
	query Query
	limit int
	page  Page
	last  uint64 // number that was looked at
	ended uint64 // number of the page's last approval
	done  bool
}

// looksAtOnce is how many approvals are looked at under the lock.
const looksAtOnce = 1 << 12

// look looks at the next approvals.
func (l *lister) look(entries []logEntry) {
	l.done = len(entries) <= looksAtOnce
	for _, e := range entries[:min(len(entries), looksAtOnce)] {
		l.last = e.number
		if e.ticket == nil || !l.query.matches(&e.ticket.view) {
			continue
		}
		if len(l.page.Approvals) == l.limit || l.page.Bytes > maxPageBytes {
			l.page.Next, l.done = l.ended, true
			return
		}
		view := e.ticket.view.brief()
		l.page.Bytes += view.Bytes()
		l.page.Approvals = append(l.page.Approvals, view)
		l.ended = e.number
	}
}
