package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
)

const (
	// Workers that fail one after the other are started ever more slowly.
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
	// A worker that lived so long was none of those.
	stable = 10 * time.Second
	// How long whoever needs a worker waits for one.
	patience = 10 * time.Second
	// A worker is not recycled for its memory before that.
	settling = time.Minute
)

// fleet keeps workers: those that serve, and spares that are ready to. It is safe for concurrent use.
type fleet struct {
	options Options
	hello   hello
	nursery *nursery
	logger  *slog.Logger

	mu      sync.Mutex
	serving []*process
	spare   []*process
	leaving []*process    // for no other guests than they have
	changed chan struct{} // closed and replaced when there are other workers than before
	failed  error         // why the last one did not start
	crashes int           // one after the other
	resume  time.Time     // before that none is started
	lost    int64
	started int64

	kick chan struct{}
	stop context.Context
	end  context.CancelFunc
	done sync.WaitGroup

	lives sync.WaitGroup // of workers
}

func newFleet(o Options) *fleet {
	f := &fleet{
		options: o, nursery: newNursery(), logger: o.Logger, changed: make(chan struct{}), kick: make(chan struct{}, 1),
		hello: hello{Settings: o.Settings, Lanes: o.Steps + spareLanes},
	}
	// Guests that are over stay for a moment.
	f.hello.Heaps += 2 * closeAtMost
	f.hello.Settings.Steps = f.hello.Lanes
	f.stop, f.end = context.WithCancel(context.Background())
	f.done.Go(f.work)
	return f
}

// spareLanes are for what is no step.
const spareLanes = 4

// mostAnswered bounds an answer, in bytes: effects and images lie in a heap before they are sent.
func (f *fleet) mostAnswered() int { return 2*f.hello.HeapBytes + (1 << 20) }

func (f *fleet) close() {
	f.end()
	f.done.Wait()
	f.mu.Lock()
	all := f.all()
	f.serving, f.spare, f.leaving = nil, nil, nil
	f.mu.Unlock()
	for _, p := range all {
		p.kill(death{planned: true, why: "the service stops"})
	}
	f.lives.Wait()
	f.nursery.close()
}

// all returns every worker. mu must be held.
func (f *fleet) all() []*process {
	all := append([]*process(nil), f.serving...)
	return append(append(all, f.spare...), f.leaving...)
}

// work keeps as many workers as there should be.
func (f *fleet) work() {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for f.stop.Err() == nil {
		for f.stop.Err() == nil && f.short() {
			f.startOne()
		}
		select {
		case <-f.stop.Done():
		case <-f.kick:
		case <-tick.C:
			f.inspect()
		}
	}
}

func (f *fleet) wake() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// short says whether another worker is to be started now.
func (f *fleet) short() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sort()
	missing := f.options.Workers + f.options.Spares - len(f.serving) - len(f.spare)
	if missing <= 0 {
		return false
	}
	if left := time.Until(f.resume); left > 0 {
		time.AfterFunc(left, f.wake)
		return false
	}
	return true
}

// sort takes the workers that are gone off the lists, and lets spares serve in their place. mu must be held.
func (f *fleet) sort() {
	f.serving, f.spare, f.leaving = f.living(f.serving), f.living(f.spare), f.living(f.leaving)
	for len(f.serving) < f.options.Workers && len(f.spare) > 0 {
		f.serving = append(f.serving, f.spare[0])
		f.spare = f.spare[1:]
	}
}

func (f *fleet) living(all []*process) []*process {
	living := all[:0]
	for _, p := range all {
		if !p.isGone() {
			living = append(living, p)
		}
	}
	clear(all[len(living):])
	return living
}

// startOne starts a worker, as a spare at first.
func (f *fleet) startOne() {
	p, err := f.start()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed = err; err != nil {
		f.pause()
		f.logger.Error("a worker could not be started", "engine", f.options.Engine, "error", err, "pause", time.Until(f.resume).String())
	} else {
		f.started++
		f.spare = append(f.spare, p)
		f.sort()
		f.lives.Go(func() { f.mourn(p) })
	}
	f.announce()
}

// announce wakes whoever waits for a worker. mu must be held.
func (f *fleet) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// pause puts the next start off, longer after each failure in a row. mu must be held.
func (f *fleet) pause() {
	f.resume = time.Now().Add(min(firstPause<<min(f.crashes, 16), lastPause))
	f.crashes++
}

// mourn waits for a worker's end and says what it was.
func (f *fleet) mourn(p *process) {
	<-p.gone
	if p.death.planned {
		f.wake()
		return
	}
	f.logger.Warn("a worker is gone", "engine", f.options.Engine, "pid", p.pid, "reason", p.death.why,
		"guests", p.guests.Load(), "said", p.stderr.String())
	f.mu.Lock()
	f.lost++
	switch {
	case time.Since(p.born) > stable:
		f.crashes = 0
	case p.death.crashed:
		f.pause()
	}
	f.mu.Unlock()
	f.wake()
}

// inspect ends workers that say nothing, and retires those that are old or have grown.
func (f *fleet) inspect() {
	f.mu.Lock()
	f.sort()
	all := f.all()
	f.mu.Unlock()
	for _, p := range all {
		age := time.Since(p.born)
		switch {
		case p.silent():
			p.kill(death{crashed: true, why: "it did not say that it lives"})
		case p.retired.Load():
			f.dismiss(p)
		case age > f.options.MaxAge:
			f.retire(p, fmt.Sprintf("it is %s old", age.Round(time.Second)))
		case age > settling && p.resident() > f.options.MaxBytes:
			f.retire(p, fmt.Sprintf("it has grown beyond %d bytes", f.options.MaxBytes))
		}
		p.alive()
	}
}

// retire lets a worker have no more guests; it goes when it can.
func (f *fleet) retire(p *process, why string) {
	f.logger.Info("a worker is recycled", "engine", f.options.Engine, "pid", p.pid, "reason", why)
	f.mu.Lock()
	p.retired.Store(true)
	keep := func(all []*process) []*process {
		rest := all[:0]
		for _, one := range all {
			if one != p {
				rest = append(rest, one)
			}
		}
		return rest
	}
	f.serving, f.spare = keep(f.serving), keep(f.spare)
	f.leaving = append(f.leaving, p)
	f.sort()
	f.mu.Unlock()
	f.dismiss(p)
	f.wake()
}

// dismiss ends a retired worker if nobody loses by it: guests at rest are rebuilt elsewhere when they are touched, and a
// step that begins just now is taken again.
func (f *fleet) dismiss(p *process) {
	if p.running.Load() == 0 && p.pinned.Load() == 0 {
		p.kill(death{planned: true, why: "it was recycled"})
	}
}

// pick returns the worker with the least to do, and waits for one if there is none. It is engine.ErrOverloaded if none
// comes.
func (f *fleet) pick(ctx context.Context) (*process, error) {
	var timeout <-chan time.Time
	for {
		f.mu.Lock()
		best, changed, failed := f.best(), f.changed, f.failed
		f.mu.Unlock()
		if best != nil {
			return best, nil
		}
		f.wake()
		if timeout == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, engine.ErrStopped
		case <-f.stop.Done():
			return nil, engine.ErrClosed
		case <-timeout:
			if failed != nil {
				return nil, fmt.Errorf("%w: no worker: %w", engine.ErrOverloaded, failed)
			}
			return nil, fmt.Errorf("%w: no worker in %s", engine.ErrOverloaded, patience)
		}
	}
}

// least returns the worker with the least to do, nil if there is none.
func (f *fleet) least() *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.best()
}

// best returns the serving worker with the least to do, nil if there is none. mu must be held.
func (f *fleet) best() *process {
	var best *process
	for range 2 {
		for _, p := range f.serving {
			if p.isGone() {
				continue
			}
			if best == nil || p.running.Load() < best.running.Load() ||
				p.running.Load() == best.running.Load() && p.guests.Load() < best.guests.Load() {
				best = p
			}
		}
		if best != nil {
			break
		}
		f.sort()
	}
	return best
}

// alone starts a worker for one suspect. Whoever has it ends it.
func (f *fleet) alone() (*process, error) {
	p, err := f.start()
	if err == nil {
		f.mu.Lock()
		f.started++
		f.leaving = append(f.leaving, p)
		f.mu.Unlock()
		f.lives.Go(func() { f.mourn(p) })
	}
	return p, err
}

// first returns a worker once there is one, or why the first one did not start.
func (f *fleet) first() (*process, error) {
	for {
		f.mu.Lock()
		best, changed, failed := f.best(), f.changed, f.failed
		f.mu.Unlock()
		if best != nil || failed != nil {
			return best, failed
		}
		select {
		case <-changed:
		case <-f.stop.Done():
			return nil, engine.ErrClosed
		}
	}
}
