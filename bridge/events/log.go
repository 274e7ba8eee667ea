package events

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
)

// Bounds of a log (contract H6).
const (
	MaxEvents = 1024
	MaxBytes  = 256 << 10 // of all events
	// MaxEventBytes is how many bytes the data of an event may have; an event with more is told without it.
	MaxEventBytes = 32 << 10
	// MaxListeners is how many may listen to one turn.
	MaxListeners = 32
)

// What an event and a listener take beside the data, in bytes.
const (
	eventOverhead    = 128
	listenerOverhead = 16 << 10
)

// Linger is how long a log is kept after its last listener has left.
const Linger = time.Minute

// Ended is the name of the event that is a run's last.
const Ended = "run.ended"

// Event is one thing that happened.
type Event struct {
	// ID names the event among all events of all logs; a listener gives it to go on after it.
	ID   string
	Run  string // the run's id; empty if the event is the turn's
	Name string // such as "call.started"
	Data []byte // a JSON object; not to be changed
}

// Source is a run as a log knows it. Nothing is told of one after its Ended. The zero value is ready.
type Source struct{ ended bool }

// Log keeps the newest events of a turn. It is safe for concurrent use.
type Log struct {
	hub     *Hub
	tenant  string
	id      string // of this log; begins the ids of its events
	account *account.Account
	forget  func() // the owner is to let go of the log

	mu        sync.Mutex
	kept      []kept
	first     uint64 // the number of kept[0]; events are numbered from 1
	bytes     int
	runs      map[string]int // events kept of each run
	alive     map[string]bool
	listeners int
	ended     bool          // nothing more is told
	closed    bool          // nothing is kept
	changed   chan struct{} // closed when there is more to know; nil if nobody waits
	linger    *time.Timer
}

type kept struct {
	run, name string
	data      []byte
}

func (k *kept) size() int { return len(k.data) + eventOverhead }

// Tell adds an event of a run, or of the turn if run and from are empty. data is the log's from then on.
func (l *Log) Tell(from *Source, run, name string, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || from != nil && from.ended {
		return
	}
	if from != nil {
		from.ended = name == Ended
		l.follow(run, !from.ended)
	}
	l.keep(kept{run, name, data})
	l.stir()
}

// follow has the run found by its id while it is alive, and as long as there are events of it. mu must be held.
func (l *Log) follow(run string, alive bool) {
	if !l.alive[run] && l.runs[run] == 0 {
		l.hub.put(run, l)
	}
	if alive {
		l.alive[run] = true
	} else {
		delete(l.alive, run)
	}
}

// keep adds an event, for which the oldest make room. Where the account has none, the event is lost like those. mu must be
// held.
func (l *Log) keep(k kept) {
	for len(l.kept) > 0 && (len(l.kept) >= MaxEvents || l.bytes+k.size() > MaxBytes) {
		l.evict()
	}
	for l.account.Hold(k.size()) != nil {
		if len(l.kept) == 0 {
			l.first++
			l.unfollow(k.run)
			return
		}
		l.evict()
	}
	l.kept = append(l.kept, k)
	l.bytes += k.size()
	l.runs[k.run]++
}

// evict forgets the oldest event. mu must be held.
func (l *Log) evict() {
	k := l.kept[0]
	l.kept[0] = kept{}
	l.kept = l.kept[1:]
	l.first++
	l.bytes -= k.size()
	l.account.Release(k.size())
	l.runs[k.run]--
	l.unfollow(k.run)
}

// unfollow forgets a run that is over and of which nothing is kept. mu must be held.
func (l *Log) unfollow(run string) {
	if l.runs[run] > 0 {
		return
	}
	delete(l.runs, run)
	if !l.alive[run] && run != "" {
		l.hub.remove(run, l)
	}
}

// Over says that a run is over, of which the log may not be told any more.
func (l *Log) Over(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		delete(l.alive, run)
		l.unfollow(run)
		l.stir()
	}
}

// Alive says whether the run is one that the log knows, and is not over.
func (l *Log) Alive(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alive[run]
}

// stir wakes those who wait for more. mu must be held.
func (l *Log) stir() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// End adds the turn's last event, after which nothing is told. Listeners hear what is kept; nobody else may listen.
func (l *Log) End(name string, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.keep(kept{"", name, data})
	l.ended = true
	l.stir()
	for run := range l.alive {
		l.hub.remove(run, l)
	}
	for run := range l.runs {
		l.hub.remove(run, l)
	}
	if l.listeners == 0 {
		l.close()
	}
}

// Listened says whether somebody listens.
func (l *Log) Listened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listeners > 0
}

// close gives back what the log holds. mu must be held.
func (l *Log) close() {
	if l.closed {
		return
	}
	l.closed, l.ended = true, true
	for len(l.kept) > 0 {
		l.evict()
	}
	for run := range l.alive {
		l.hub.remove(run, l)
	}
	l.alive, l.runs = nil, nil
	if l.linger != nil {
		l.linger.Stop()
	}
}

// left notes that a listener is gone. mu must be held.
func (l *Log) left() {
	l.account.Release(listenerOverhead)
	if l.listeners--; l.listeners > 0 {
		return
	}
	if l.ended {
		l.close()
		return
	}
	l.wait()
}

// wait has a log that nobody listens to closed in a while. mu must be held.
func (l *Log) wait() {
	if l.listeners == 0 && l.linger == nil {
		l.linger = time.AfterFunc(Linger, l.expire)
	}
}

// expire closes a log that nobody has come back to.
func (l *Log) expire() {
	l.mu.Lock()
	over := l.listeners == 0 && !l.closed
	if over {
		l.close()
	}
	l.mu.Unlock()
	if over {
		l.forget()
	}
}

// idOf names the event with that number.
func (l *Log) idOf(number uint64) string { return l.id + "." + strconv.FormatUint(number, 10) }

// after returns the number of the event that comes after the one with that id, and whether all between it and what is kept
// is there. mu must be held.
func (l *Log) after(id string) (next uint64, whole bool) {
	log, number, _ := strings.Cut(id, ".")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || log != l.id || n >= l.next() {
		return l.first, false
	}
	return n + 1, true
}

// next is the number of the event that comes next. mu must be held.
func (l *Log) next() uint64 { return l.first + uint64(len(l.kept)) }

func newLog(h *Hub, tenant string, held *account.Account, forget func()) *Log {
	return &Log{
		hub: h, tenant: tenant, id: rand.Text()[:10], account: held, forget: forget, first: 1,
		runs: map[string]int{}, alive: map[string]bool{},
	}
}

// search returns the index of the first event from number on that a listener to the run wants.
func (l *Log) search(run string, number uint64) int {
	at := int(number - l.first)
	if run == "" {
		return at
	}
	i := slices.IndexFunc(l.kept[at:], func(k kept) bool { return k.run == run })
	if i < 0 {
		return len(l.kept)
	}
	return at + i
}
