// Package engine says what a JavaScript engine is to the rest of the system: something that executes steps.
//
// A run is a journal of steps. A step is one uninterrupted stretch of guest execution: bytes in, effects out, no call
// back into the host. What the cell asks for (a tool, a timer) is an effect; the answer is part of a later step's
// input. So the engines (native, and all others that execute the same steps) are interchangeable, and between steps the
// heap is the whole of the run.
//
// The package owns the step protocol's host side (package guest describes the bytes), limits and errors. It knows no
// tool, no policy, no HTTP.
package engine
