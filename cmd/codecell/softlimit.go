package main

import (
	"runtime/debug"
	"runtime/metrics"
)

// softLimit makes the collector work earlier than by default, which is when as much again has been allocated as is alive:
// a burst of large requests would take twice the memory that it needs, and keep it from the rest of the machine. Below
// the limit nothing is different. It rises with what is alive, so that the collector never works for nothing.
type softLimit struct {
	set int64 // bytes
}

// minSoftLimit is the limit of a service that has little alive, in bytes.
const minSoftLimit = 128 << 20

// adjust sets the limit that suits what is alive now.
func (l *softLimit) adjust(alive uint64) {
	want := max(minSoftLimit, int64(alive)/2*3)
	if l.set != 0 && want > l.set-l.set/16 && want < l.set+l.set/16 {
		return // each change stops the program for a moment
	}
	l.set = want
	debug.SetMemoryLimit(want)
}

// heapAlive returns the bytes of objects that the last collection found alive.
func heapAlive() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
