package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/codecell/codecell/bridge/events"
)

// Follow begins to listen to the runs of a turn, after the event with that id: from now on if after is empty (contract I5).
// The error is an *Error. A turn that somebody listens to does not expire.
func (t *Turn) Follow(after string) (*events.Listener, error) { return t.listen(nil, "", after) }

// FollowRun begins to listen to a run that is suspended or being resumed, or of which events are kept. The error is an *Error.
func (s *Service) FollowRun(tenant, id, after string) (*events.Listener, error) {
	if r := s.run(id); r != nil && r.turn.tenant == tenant {
		return r.follow(after)
	}
	log := s.logs.Find(tenant, id)
	if log == nil || after == "" && !log.Alive(id) {
		return nil, runProblem(errNoRun)
	}
	at, err := log.Listen(nil, id, after)
	if errors.Is(err, events.ErrEnded) {
		return nil, runProblem(errNoRun)
	}
	return at, listenProblem(err)
}

func (r *run) follow(after string) (*events.Listener, error) {
	id := r.id.String()
	at, err := r.turn.listen(&r.told, id, after)
	if err != nil || !r.over.Load() {
		return at, err
	}
	// It may have ended before there was a log to tell.
	if log := r.turn.log.Load(); log != nil {
		log.Over(id)
	}
	if after == "" {
		at.Close()
		return nil, runProblem(errNoRun)
	}
	return at, nil
}

// followedBy has the request that is now served hear of the run, if it asks for that. A request that may not listen is served
// all the same: it has its result.
func (r *run) followedBy(ctx context.Context) {
	if at := events.From(ctx); at != nil {
		_ = r.turn.attach(func(l *events.Log) error { return at.Attach(l, &r.told, r.id.String()) })
	}
}

// listen makes a listener to the turn, or to a run of it.
func (t *Turn) listen(from *events.Source, run, after string) (at *events.Listener, err error) {
	err = t.attach(func(l *events.Log) error {
		at, err = l.Listen(from, run, after)
		return err
	})
	return at, listenProblem(err)
}

// attach passes the turn's log on to somebody who begins to listen to it; if there is none, one is made.
func (t *Turn) attach(to func(*events.Log) error) error {
	for {
		log := t.openLog()
		err := to(log)
		t.endLogIfOver()
		if !errors.Is(err, events.ErrEnded) {
			return err
		}
		if t.isOver() {
			return errTurnDeleted
		}
		t.log.CompareAndSwap(log, nil) // nobody has listened to it for too long
	}
}

func (t *Turn) openLog() *events.Log {
	for {
		if log := t.log.Load(); log != nil {
			return log
		}
		var fresh *events.Log
		fresh = t.service.logs.NewLog(t.tenant, t.account, func() { t.log.CompareAndSwap(fresh, nil) })
		t.log.CompareAndSwap(nil, fresh)
	}
}

// isOver says whether the turn has been dropped and its last run has ended.
func (t *Turn) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped && len(t.runs) == 0
}

// endLogIfOver tells those who listen that a turn is over.
func (t *Turn) endLogIfOver() {
	if log := t.log.Load(); log != nil && t.isOver() {
		log.End(eventTurnEnded, appendTurnEnded(nil, t.id))
	}
}

// listened says whether somebody listens to the turn.
func (t *Turn) listened() bool {
	log := t.log.Load()
	return log != nil && log.Listened()
}

func listenProblem(err error) error {
	var known *Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, events.ErrTooMany):
		return &Error{Kind: KindOverloaded, Msg: err.Error() + "; close one first", RetryAfter: time.Minute}
	}
	return noRoom(err)
}
