package aot

import (
	"runtime"

	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/internal/sizes"
)

// Options size an engine. Zero values take the defaults.
type Options struct {
	// Threads is how many steps may be executed at once, each on a locked OS thread. Default 32.
	Threads int
	// Queue is how many steps may wait for that before the engine says it is overloaded. Default 1024.
	Queue int
	// Heaps is how many guests there may be at once. Default 1024.
	Heaps int
	// HeapBytes is the most that a run's memory limit can be. Default 64 MiB.
	HeapBytes int
	// Spare is how many instances are kept for the next guests. Default 64.
	Spare int
}

func (o Options) sizes() linear.Sizes {
	sizes.Defaults(&o.Threads, &o.Queue, &o.Heaps, &o.HeapBytes)
	sizes.Default(&o.Spare, max(64, 2*runtime.NumCPU()))
	o.HeapBytes = (o.HeapBytes + linear.WasmPage - 1) &^ (linear.WasmPage - 1)
	return linear.Sizes{Threads: o.Threads, Queue: o.Queue, Heaps: o.Heaps, HeapBytes: o.HeapBytes, Spare: o.Spare}
}
