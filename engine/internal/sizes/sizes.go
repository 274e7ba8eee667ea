// Package sizes has the defaults that the engines' options share.
package sizes

// The defaults.
const (
	Threads   = 32   // steps at once: more than there are cores, so that a cell that computes keeps no other waiting
	Queue     = 1024 // steps that may wait for others
	Heaps     = 1024 // guests at once
	HeapBytes = 64 << 20
)

// Default sets a field that was left out, or makes no sense.
func Default(field *int, value int) {
	if *field <= 0 {
		*field = value
	}
}

// Defaults sets the four that most engines have.
func Defaults(threads, queue, heaps, heapBytes *int) {
	Default(threads, Threads)
	Default(queue, Queue)
	Default(heaps, Heaps)
	Default(heapBytes, HeapBytes)
}
