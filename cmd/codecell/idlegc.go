package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// idleGC collects garbage while the service is idle, so that memory of a burst of large answers is returned to the system.
// By itself the collector runs when about as much again has been allocated, which an idle service never does.
type idleGC struct {
	running func() int // cells under way
	limit   softLimit
	level   uint64 // bytes of heap objects after the last collection
}

const (
	// idleGCInterval is how often it looks, which takes microseconds.
	idleGCInterval = 250 * time.Millisecond
	// idleGCSlack is how much above the level is left alone, in bytes; so is a quarter of the level, since the work of
	// a collection grows with what is alive.
	idleGCSlack = 32 << 20
)

// run looks again and again until ctx ends.
func (g *idleGC) run(ctx context.Context) {
	tick := time.NewTicker(idleGCInterval)
	defer tick.Stop()
	g.limit.adjust(heapAlive())
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.look()
			g.limit.adjust(heapAlive())
		}
	}
}

// look collects if the service is idle and has enough to collect, and reports whether it did.
func (g *idleGC) look() bool {
	if g.running() > 0 || heapObjects() < g.level+max(idleGCSlack, g.level/4) {
		return false
	}
	debug.FreeOSMemory()
	g.level = heapObjects()
	return true
}

// heapObjects returns the bytes of objects on the heap, alive or not yet collected.
func heapObjects() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
