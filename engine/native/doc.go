// Package native executes steps in QuickJS linked into this process, on locked OS threads: the fastest engine.
//
// It owns heaps and threads. Each heap is one address range; a run keeps its heap from its first step to its last and
// holds a thread only while a step is taken. A fresh guest is a copy of the heap's own image.
//
// It knows no tool and no protocol beyond bytes. Where hostile cells must not share the gateway's process, the same
// heaps run in worker processes; this package does not know either.
package native
