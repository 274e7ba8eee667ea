package native

import "errors"

// ErrNotLinked means that this binary does not have the engine.
var ErrNotLinked = errors.New("this binary was built without cgo, and the native engine needs it: build with a C compiler and CGO_ENABLED=1")

// Options size an engine. Zero values take the defaults.
type Options struct {
	// Threads is how many steps may be executed at once, each on a locked OS thread. More than there are cores, since a
	// cell that computes must not keep the others waiting: the system shares the cores out. Default 32.
	Threads int
	// Queue is how many steps may wait for a thread before the engine says it is overloaded. Default 1024.
	Queue int
	// Heaps is how many runs may have a heap at once, running or waiting. Default 1024.
	Heaps int
	// HeapBytes is the address range of a heap, the most that a run's memory limit can be. Default 64 MiB.
	HeapBytes int
	// Warm is how many heaps are made at once. Default: the number of cores.
	Warm int
}
