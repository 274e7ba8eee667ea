package wasi

import (
	"github.com/codecell/codecell/engine/internal/linear"
	"github.com/codecell/codecell/engine/internal/sizes"
)

// Options size an engine. Zero values take the defaults.
type Options struct {
	// Threads is how many steps may be executed at once. Default 32.
	Threads int
	// Queue is how many steps may wait for that before the engine says it is overloaded. Default 1024.
	Queue int
	// Heaps is how many guests there may be at once. Default 1024.
	Heaps int
	// HeapBytes is the most that a run's memory limit can be. Default 64 MiB.
	HeapBytes int
	// Spare is how many instances are kept for the next guests. Default 16.
	Spare int
	// CacheDir is where compiled code is kept between starts: machine code that is run as it is found, so nobody else
	// may write there. Empty: it is compiled at each start, which takes about a second.
	CacheDir string
}

func (o Options) withDefaults() Options {
	sizes.Defaults(&o.Threads, &o.Queue, &o.Heaps, &o.HeapBytes)
	sizes.Default(&o.Spare, 16)
	o.HeapBytes = (o.HeapBytes + linear.WasmPage - 1) &^ (linear.WasmPage - 1)
	return o
}

func (o Options) sizes() linear.Sizes {
	return linear.Sizes{Threads: o.Threads, Queue: o.Queue, Heaps: o.Heaps, HeapBytes: o.HeapBytes, Spare: o.Spare}
}
