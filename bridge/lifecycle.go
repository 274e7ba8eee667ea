package bridge

import (
	"context"
	"sync"
	"time"
)

// phase is who may touch a run.
type phase int

const (
	running   phase = iota // an exec or wait drives it
	suspended              // whoever claims, aborts or expires it next
	ended                  // nobody
)

// lifecycle is a run's phase, and when a suspended run expires (contract C6). It owns its lock.
type lifecycle struct {
	mu        sync.Mutex
	phase     phase
	expiresAt time.Time
	expiry    *time.Timer
}

// claim makes the caller the one that drives the run.
func (l *lifecycle) claim() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.phase == ended || l.phase == suspended && !time.Now().Before(l.expiresAt):
		return errNoRun
	case l.phase == running:
		return errResuming
	}
	l.phase = running
	l.expiry.Stop()
	return nil
}

// keepUntil says when the run is to expire once it is suspended. Whoever offloads it wants to know before that.
func (l *lifecycle) keepUntil(expiresAt time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expiresAt = expiresAt
}

// suspend hands the run over to whoever comes next, until it expires. It fails when ctx, which is the run's, has ended.
func (l *lifecycle) suspend(ctx context.Context, expire func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	l.phase = suspended
	left := max(time.Until(l.expiresAt), 0)
	if l.expiry == nil {
		l.expiry = time.AfterFunc(left, expire)
	} else {
		l.expiry.Reset(left)
	}
	return true
}

// expired says whether the run is suspended and its time is over. The timer may fire while the run is being resumed, or
// late, after it was suspended anew; only the run's own expiry counts.
func (l *lifecycle) expired() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == suspended && !time.Now().Before(l.expiresAt)
}

// expires returns when the run expires, once it was suspended.
func (l *lifecycle) expires() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expiresAt
}

// isOver says whether the time of a run that is being resumed is over.
func (l *lifecycle) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !time.Now().Before(l.expiresAt)
}

// endSuspended ends the run if nobody drives it, and says whether it did.
func (l *lifecycle) endSuspended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase != suspended {
		return false
	}
	l.phase = ended
	return true
}

// end is for whoever drives the run.
func (l *lifecycle) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase = ended
	if l.expiry != nil {
		l.expiry.Stop()
	}
}
