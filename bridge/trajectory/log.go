package trajectory

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/codecell/codecell/bridge/internal/account"
)

// Bounds of a turn's trajectory, in bytes, and of that of one exec. Where it is nearly full, entries lose their inputs,
// results and reasons; where it is full, they are only counted.
const (
	maxTurn = 1 << 20
	maxExec = maxTurn / 2

	fullShare     = 3 // in four: of these bytes, what entries may take that lose nothing
	groupOverhead = 256
	maxWaits      = 100 // of an exec
)

// Log is the trajectory of a turn. It is safe for concurrent use, and does nothing for long while it holds its lock.
type Log struct {
	account *account.Account

	mu      sync.Mutex
	groups  []*Group // in the order in which their execs began
	begun   int      // execs, also those that are left out
	bytes   int
	beside  int // see Hold
	omitted Omitted
	closed  bool
}

// Omitted counts what is left out of a trajectory.
type Omitted struct {
	Execs int `json:"execs,omitempty"` // with all that they did
	Calls int `json:"calls,omitempty"`
	Waits int `json:"waits,omitempty"`
	Parts int `json:"parts,omitempty"` // entries without their inputs, results and reasons
}

func (o *Omitted) add(more Omitted) {
	o.Execs, o.Calls, o.Waits, o.Parts = o.Execs+more.Execs, o.Calls+more.Calls, o.Waits+more.Waits, o.Parts+more.Parts
}

// Group is an exec with its calls and waits. A nil one keeps nothing.
type Group struct {
	log  *Log
	kind Kind // of its head
	id   string

	revived []*Entry // until Join

	// Under the log's lock. Entries don't change, and are only added.
	runID   string
	listed  bool // in the log
	head    *Entry
	calls   []*Entry // in the order in which they were over
	waits   []*Entry
	bytes   int
	omitted Omitted
}

// New returns an empty Log whose bytes are held in an account.
func New(held *account.Account) *Log { return &Log{account: held} }

// Close gives the account its bytes back. What comes later is not kept.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account.Release(l.bytes + l.beside)
	for _, g := range l.groups {
		g.listed = false
	}
	l.groups, l.bytes, l.beside, l.closed = nil, 0, 0, true
}

// Hold counts bytes that are held beside the log as long as it is, and returns false if there is no room for them.
func (l *Log) Hold(size int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.account.Hold(size) != nil {
		return false
	}
	l.beside += size
	return true
}

// Begin begins an exec, or a wait that is of no exec. id is how the caller names it; where it does not, it is given one.
func (l *Log) Begin(kind Kind, id string) *Group {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun++
	if id == "" {
		id = string(kind) + "-" + strconv.Itoa(l.begun)
	}
	g := &Group{log: l, kind: kind, id: cut(id)}
	l.list(g)
	return g
}

// list puts a group into the log, if there is room. mu must be held.
func (l *Log) list(g *Group) {
	size := groupOverhead + len(g.id)
	if g.listed = l.hold(size, maxTurn); g.listed {
		g.bytes = size
		l.groups = append(l.groups, g)
	} else {
		l.omitted.Execs++
	}
}

// hold counts bytes, if there is room for them. mu must be held.
func (l *Log) hold(size, limit int) bool {
	if l.closed || l.bytes+size > limit || l.account.Hold(size) != nil {
		return false
	}
	l.bytes += size
	return true
}

// ID is how the exec is called.
func (g *Group) ID() string {
	if g == nil {
		return ""
	}
	return g.id
}

// Add adds an entry, which is the group's from then on. A wait without an id is given one.
func (g *Group) Add(e *Entry) {
	if g == nil {
		return
	}
	g.log.mu.Lock()
	defer g.log.mu.Unlock()
	if e.RunID != "" {
		g.runID = e.RunID
	}
	if e.ID == "" {
		e.ID = g.id
		if e.Kind == Wait && g.kind == Exec {
			e.ID += "-wait-" + strconv.Itoa(len(g.waits)+g.omitted.Waits+1)
		}
	}
	if e = g.fit(e); e == nil {
		return
	}
	switch e.Kind {
	case g.kind:
		g.head = e
	case Wait:
		g.waits = append(g.waits, e)
	default:
		g.calls = append(g.calls, e)
	}
}

// fit returns what there is room for of an entry; nil if for nothing. mu must be held.
func (g *Group) fit(e *Entry) *Entry {
	full := g.bytes+overhead > maxExec || g.log.bytes+overhead > maxTurn
	if e.Kind == Wait && len(g.waits) == maxWaits || !g.listed || full {
		g.leaveOut(e)
		return nil
	}
	size := e.size()
	if g.bytes+size <= maxExec/4*fullShare && g.log.hold(size, maxTurn/4*fullShare) {
		g.bytes += size
		return e
	}
	e = e.bare()
	size = e.size()
	if g.bytes+size > maxExec || !g.log.hold(size, maxTurn) {
		g.leaveOut(e)
		return nil
	}
	g.bytes += size
	g.omitted.Parts++
	return e
}

func (g *Group) leaveOut(e *Entry) {
	switch {
	case !g.listed: // the exec is counted
	case e.Kind == Wait:
		g.omitted.Waits++
	case e.Kind == Call:
		g.omitted.Calls++
	}
}

// State is a group at rest.
type State struct {
	ID      string   `json:"id"`
	Head    *Entry   `json:"head,omitempty"`
	Calls   []*Entry `json:"calls,omitempty"`
	Waits   []*Entry `json:"waits,omitempty"`
	Omitted Omitted  `json:"omitted,omitzero"`
}

// State describes the group. It shares the entries.
func (g *Group) State() State {
	if g == nil {
		return State{}
	}
	g.log.mu.Lock()
	defer g.log.mu.Unlock()
	return g.state()
}

func (g *Group) state() State {
	return State{g.id, g.head, slices.Clip(g.calls), slices.Clip(g.waits), g.omitted}
}

// Revive returns the group of a run that began elsewhere. It is in the log once it has joined.
func (l *Log) Revive(runID string, s *State) (*Group, error) {
	if s.ID == "" || len(s.ID) > maxName+4 {
		return nil, errors.New("its exec has no name")
	}
	if o := s.Omitted; min(o.Execs, o.Calls, o.Waits, o.Parts) < 0 {
		return nil, errors.New("what is left out is miscounted")
	}
	all := slices.Concat(s.Calls, s.Waits)
	if s.Head != nil {
		all = append(all, s.Head)
	}
	for _, e := range all {
		if e == nil {
			return nil, errors.New("an entry is missing")
		}
		if err := e.sound(runID); err != nil {
			return nil, err
		}
	}
	return &Group{log: l, kind: Exec, id: s.ID, runID: runID, omitted: s.Omitted, revived: all}, nil
}

// Join puts a revived group into the log, in place of what the log has of its run.
func (g *Group) Join() {
	l := g.log
	l.mu.Lock()
	l.forget(g.runID)
	l.list(g)
	l.mu.Unlock()
	for _, e := range g.revived {
		g.Add(e)
	}
	g.revived = nil
}

// forget takes the group of a run out. mu must be held.
func (l *Log) forget(runID string) {
	l.groups = slices.DeleteFunc(l.groups, func(g *Group) bool {
		if g.runID != runID {
			return false
		}
		l.account.Release(g.bytes)
		l.bytes -= g.bytes
		g.listed = false
		return true
	})
}

// shown is a group as it is shown.
type shown struct {
	State
	group *Group
}

// view returns what the log has now.
func (l *Log) view() (groups []shown, omitted Omitted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	omitted = l.omitted
	for _, g := range l.groups {
		if g.head != nil || g.kind == Exec {
			groups = append(groups, shown{g.state(), g})
		}
		omitted.add(g.omitted)
	}
	return groups, omitted
}
