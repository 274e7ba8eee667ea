package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrTooMany is why one more may not listen to a turn.
var ErrTooMany = fmt.Errorf("%d listen to this turn, and no more may", MaxListeners)

// ErrEnded is why nobody can listen to a log any more.
var ErrEnded = errors.New("the log has ended")

// MissedError says that events are lost to a listener, which may go on with those after them.
type MissedError struct {
	// Events is how many there were at least, of all runs of the turn; 0 if that is not known.
	Events uint64
}

// Error says so.
func (e *MissedError) Error() string { return "events are lost" }

// Listener is a place in a log, for one goroutine at a time. Close it when done.
type Listener struct {
	attached chan struct{} // closed once log is set

	mu     sync.Mutex // of what follows, while it is not attached
	log    *Log
	run    string // only of this run; empty for all
	next   uint64
	missed *MissedError // to be told first
	over   bool         // the run's end was told
	closed bool
}

// All stands for the id before the first event: whoever listens after it hears all that is kept.
const All = "0"

// Listen begins to listen to a run, or to all of the turn if run is empty, after the event with that id: from now on if
// after is empty. It fails with ErrEnded, ErrTooMany or an *account.FullError. from is the run, nil if it is over.
func (l *Log) Listen(from *Source, run, after string) (*Listener, error) {
	at := NewListener()
	return at, at.attach(l, from, run, after)
}

// NewListener returns a listener that hears nothing until it is attached to a log.
func NewListener() *Listener { return &Listener{attached: make(chan struct{})} }

// Attach has the listener hear of a run from now on. It may be attached once, and then fails as Listen does; a listener that
// is closed already hears nothing.
func (at *Listener) Attach(l *Log, from *Source, run string) error {
	return at.attach(l, from, run, "")
}

func (at *Listener) attach(l *Log, from *Source, run, after string) error {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.closed || at.log != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
		return ErrEnded
	case l.listeners >= MaxListeners:
		return ErrTooMany
	}
	if err := l.account.Hold(listenerOverhead); err != nil {
		l.wait()
		return err
	}
	if from != nil && !from.ended {
		l.follow(run, true)
	}
	if l.listeners++; l.linger != nil {
		l.linger.Stop()
		l.linger = nil
	}
	at.log, at.run, at.next = l, run, l.next()
	switch after {
	case "":
	case All:
		at.next = l.first
	default:
		var whole bool
		if at.next, whole = l.after(after); !whole {
			at.missed = &MissedError{}
		}
	}
	close(at.attached)
	return nil
}

// Next returns the next event. If there is none yet, it returns a channel that is closed when it is worth asking again. The
// error is io.EOF after the last event, or a *MissedError where some are lost.
func (at *Listener) Next() (Event, <-chan struct{}, error) {
	at.mu.Lock()
	l := at.log
	at.mu.Unlock()
	if l == nil {
		return Event{}, at.attached, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if missed := at.missed; missed != nil {
		at.missed = nil
		return Event{}, nil, missed
	}
	if at.over || l.closed {
		return Event{}, nil, io.EOF
	}
	if at.next < l.first {
		missed := &MissedError{l.first - at.next}
		at.next = l.first
		return Event{}, nil, missed
	}
	i := l.search(at.run, at.next)
	at.next = l.first + uint64(i)
	if i < len(l.kept) {
		k := l.kept[i]
		at.next++
		at.over = at.run != "" && k.name == Ended
		return Event{l.idOf(at.next - 1), k.run, k.name, k.data}, nil, nil
	}
	if l.ended || at.run != "" && !l.alive[at.run] {
		return Event{}, nil, io.EOF
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return Event{}, l.changed, nil
}

// At returns the id of the last event before the place where the listener is; empty before it is attached.
func (at *Listener) At() string {
	at.mu.Lock()
	l := at.log
	at.mu.Unlock()
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.idOf(at.next - 1)
}

// Close gives up the place.
func (at *Listener) Close() {
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.closed {
		return
	}
	at.closed = true
	if l := at.log; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.left()
	}
}

type listenerKey struct{}

// With returns a context for an exec or wait that attaches the listener to its run.
func With(ctx context.Context, at *Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, at)
}

// From returns the listener of a context, nil if there is none.
func From(ctx context.Context) *Listener {
	at, _ := ctx.Value(listenerKey{}).(*Listener)
	return at
}
