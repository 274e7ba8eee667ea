package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/limiter"
)

const (
	// acquireTimeout is how long a guest that needs a worker waits for one.
	acquireTimeout = 10 * time.Second
	// spareConns are a worker's connections for requests that are no steps.
	spareConns = 4
)

// pool keeps workers: those that serve, and spares that take their place at once. It is safe for concurrent use.
type pool struct {
	options Options
	hello   hello
	spawner *child.Spawner
	logger  *slog.Logger
	replies *replyBudget

	mu        sync.Mutex
	serving   []*process
	spare     []*process
	retired   []*process    // they get no new guests, and end when those that they have are gone
	changed   chan struct{} // closed and replaced when the lists have changed
	failed    error         // why the last start failed
	crashes   int           // in a row
	nextStart time.Time     // no worker is started before
	lost      int64
	started   int64

	wakeUp chan struct{} // the supervisor
	stop   context.Context
	end    context.CancelFunc
	done   sync.WaitGroup

	processes sync.WaitGroup // goroutines of workers
}

func newPool(o Options) *pool {
	p := &pool{
		options: o, spawner: child.NewSpawner(), replies: newReplyBudget(), logger: o.Logger, changed: make(chan struct{}), wakeUp: make(chan struct{}, 1),
		hello: hello{Settings: o.Settings, Conns: o.Steps + limiter.Extra(o.Steps) + spareConns},
	}
	// Guests that are closed keep their heaps for a moment.
	p.hello.Heaps += 2 * maxClosing
	p.hello.Settings.Steps = p.hello.Conns
	p.stop, p.end = context.WithCancel(context.Background())
	p.done.Go(p.supervise)
	return p
}

// maxReply bounds a reply, in bytes: effects and images lie in a heap before they are sent.
func (p *pool) maxReply() int { return 2*p.hello.HeapBytes + (1 << 20) }

func (p *pool) close() {
	p.end()
	p.done.Wait()
	p.mu.Lock()
	all := p.all()
	p.serving, p.spare, p.retired = nil, nil, nil
	p.mu.Unlock()
	for _, w := range all {
		w.kill(exitReason{planned: true, text: "the service stops"})
	}
	p.processes.Wait()
	p.spawner.Close()
}

// all returns every worker. mu must be held.
func (p *pool) all() []*process { return slices.Concat(p.serving, p.spare, p.retired) }

// refresh takes workers that have exited off the lists, and lets spares serve in their place. mu must be held.
func (p *pool) refresh() {
	p.serving, p.spare, p.retired = withoutExited(p.serving), withoutExited(p.spare), withoutExited(p.retired)
	for len(p.serving) < p.options.Workers && len(p.spare) > 0 {
		p.serving = append(p.serving, p.spare[0])
		p.spare = p.spare[1:]
	}
}

func withoutExited(all []*process) []*process { return slices.DeleteFunc(all, (*process).hasExited) }

// broadcast wakes all that wait for a worker. mu must be held.
func (p *pool) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// leastLoaded returns the serving worker with the least to do, nil if there is none.
func (p *pool) leastLoaded() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.findLeastLoaded()
}

// findLeastLoaded is leastLoaded for callers that hold mu.
func (p *pool) findLeastLoaded() *process {
	var least *process
	for range 2 { // if all have exited, once more with the spares
		for _, w := range p.serving {
			if w.hasExited() {
				continue
			}
			if least == nil || w.running.Load() < least.running.Load() ||
				w.running.Load() == least.running.Load() && w.guests.Load() < least.guests.Load() {
				least = w
			}
		}
		if least != nil {
			break
		}
		p.refresh()
	}
	return least
}

// waitLeastLoaded is leastLoaded, but waits for a worker while there is none. The error is engine.ErrOverloaded if none
// comes in time.
func (p *pool) waitLeastLoaded(ctx context.Context) (*process, error) {
	var timeout <-chan time.Time
	for {
		p.mu.Lock()
		least, changed, failed := p.findLeastLoaded(), p.changed, p.failed
		p.mu.Unlock()
		if least != nil {
			return least, nil
		}
		p.wake()
		if timeout == nil {
			timer := time.NewTimer(acquireTimeout)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, engine.ErrStopped
		case <-p.stop.Done():
			return nil, engine.ErrClosed
		case <-timeout:
			if failed != nil {
				return nil, fmt.Errorf("%w: no worker: %w", engine.ErrOverloaded, failed)
			}
			return nil, fmt.Errorf("%w: no worker in %s", engine.ErrOverloaded, acquireTimeout)
		}
	}
}

// waitFirst returns a worker once there is one, or why the first one did not start.
func (p *pool) waitFirst() (*process, error) {
	for {
		p.mu.Lock()
		least, changed, failed := p.findLeastLoaded(), p.changed, p.failed
		p.mu.Unlock()
		if least != nil || failed != nil {
			return least, failed
		}
		select {
		case <-changed:
		case <-p.stop.Done():
			return nil, engine.ErrClosed
		}
	}
}
