package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// memoryKeeper gives back what a burst of large answers has left behind. The collector runs when about as much again
// has been allocated, which an idle service never does: it would sit on its peak for minutes.
type memoryKeeper struct {
	running func() int // cells under way
	level   uint64     // bytes of heap objects after the last time
}

const (
	// keepEvery is how often the keeper looks. A look costs microseconds.
	keepEvery = time.Second
	// keepSlack is how much above the level is left alone, in bytes; so is a quarter of the level, since the work
	// of a collection grows with what is alive.
	keepSlack = 32 << 20
)

// run keeps until ctx ends.
func (k *memoryKeeper) run(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.look()
		}
	}
}

// look collects if the service is idle and has something to give back, and reports whether it did.
func (k *memoryKeeper) look() bool {
	if k.running() > 0 || heapObjects() < k.level+max(keepSlack, k.level/4) {
		return false
	}
	debug.FreeOSMemory()
	k.level = heapObjects()
	return true
}

// heapObjects returns the bytes of objects on the heap, alive or not yet collected.
func heapObjects() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
