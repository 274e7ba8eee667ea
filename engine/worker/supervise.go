package worker

import (
	"fmt"
	"slices"
	"time"
)

const (
	// Workers that fail one after the other are started ever more slowly.
	minBackoff = 50 * time.Millisecond
	maxBackoff = 5 * time.Second
	// A worker that crashes at this age does not count as one of several in a row.
	stableAge = 10 * time.Second
	// A worker is not recycled for its memory before this age.
	minRecycleAge = time.Minute
)

// supervise keeps as many workers as there should be, until the pool is closed.
func (p *pool) supervise() {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for p.stop.Err() == nil {
		for p.stop.Err() == nil && p.needsWorker() {
			p.startSpare()
		}
		select {
		case <-p.stop.Done():
		case <-p.wakeUp:
		case <-tick.C:
			p.inspect()
		}
	}
}

// wake lets the supervisor look at once.
func (p *pool) wake() {
	select {
	case p.wakeUp <- struct{}{}:
	default:
	}
}

// needsWorker says whether another worker is to be started now.
func (p *pool) needsWorker() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	missing := p.options.Workers + p.options.Spares - len(p.serving) - len(p.spare)
	if missing <= 0 {
		return false
	}
	if left := time.Until(p.nextStart); left > 0 {
		time.AfterFunc(left, p.wake)
		return false
	}
	return true
}

// startSpare starts a worker, as a spare at first.
func (p *pool) startSpare() {
	w, err := p.start()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed = err; err != nil {
		p.backOff()
		p.logger.Error("a worker could not be started", "engine", p.options.Engine, "error", err, "pause", time.Until(p.nextStart).String())
	} else {
		p.started++
		p.spare = append(p.spare, w)
		p.refresh()
		p.processes.Go(func() { p.reap(w) })
	}
	p.broadcast()
}

// startIsolated starts a worker for one quarantined guest. The caller ends it.
func (p *pool) startIsolated() (*process, error) {
	w, err := p.start()
	if err == nil {
		p.mu.Lock()
		p.started++
		w.isolated.Store(true)
		p.retired = append(p.retired, w)
		p.mu.Unlock()
		p.processes.Go(func() { p.reap(w) })
	}
	return w, err
}

// backOff puts the next start off, longer after each failure in a row. mu must be held.
func (p *pool) backOff() {
	p.nextStart = time.Now().Add(min(minBackoff<<min(p.crashes, 16), maxBackoff))
	p.crashes++
}

// reap waits until a worker has exited, and logs and counts why if that was not planned.
func (p *pool) reap(w *process) {
	<-w.exited
	if w.reason.planned {
		p.wake()
		return
	}
	p.logger.Warn("a worker is gone", "engine", p.options.Engine, "pid", w.PID(), "reason", w.reason.text,
		"guests", w.guests.Load(), "said", w.Stderr())
	p.mu.Lock()
	p.lost++
	switch {
	case time.Since(w.born) > stableAge:
		p.crashes = 0
	case w.reason.crashed:
		p.backOff()
	}
	p.mu.Unlock()
	p.wake()
}

// inspect ends workers whose heartbeat is missing, retires those that are old or have grown, and pings all.
func (p *pool) inspect() {
	p.mu.Lock()
	p.refresh()
	all := p.all()
	p.mu.Unlock()
	for _, w := range all {
		age := time.Since(w.born)
		switch {
		case w.missedHeartbeat():
			w.kill(exitReason{crashed: true, text: "it did not say that it lives"})
		case w.Threads() > maxThreads(p.hello.Conns):
			w.kill(exitReason{crashed: true, text: "it has more threads than a worker needs"})
		case w.isolated.Load(): // whoever started it ends it
		case w.retired.Load():
			w.stopIfIdle()
		case age > p.options.MaxAge:
			p.retire(w, fmt.Sprintf("it is %s old", age.Round(time.Second)))
		case age > minRecycleAge && w.Resident() > p.options.MaxBytes:
			p.retire(w, fmt.Sprintf("it has grown beyond %d bytes", p.options.MaxBytes))
		}
		w.ping()
	}
}

// maxThreads is how many threads a worker with so many connections may have: one for each step and what the runtime needs,
// with room to spare. The kernel's own limit, which package sandbox sets, is a wide one: it counts all processes of a user, and
// none of root's.
func maxThreads(conns int) int { return 4*conns + 64 }

// retire lets a worker have no more guests, and ends it as soon as no guest loses anything by that.
func (p *pool) retire(w *process, why string) {
	p.logger.Info("a worker is recycled", "engine", p.options.Engine, "pid", w.PID(), "reason", why)
	p.mu.Lock()
	w.retired.Store(true)
	isIt := func(other *process) bool { return other == w }
	p.serving, p.spare = slices.DeleteFunc(p.serving, isIt), slices.DeleteFunc(p.spare, isIt)
	p.retired = append(p.retired, w)
	p.refresh()
	p.mu.Unlock()
	w.stopIfIdle()
	p.wake()
}

// stopIfIdle ends a retired worker if no guest loses anything by that: guests at rest are rebuilt in another worker when
// they are used next, and a step that begins just now is executed there again.
func (p *process) stopIfIdle() {
	if p.running.Load() == 0 && p.pinned.Load() == 0 {
		p.kill(exitReason{planned: true, text: "it was recycled"})
	}
}
