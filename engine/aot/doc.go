// Package aot executes steps in the guest that was compiled to WebAssembly, and from that, ahead of time, to the machine's code
// (package code below it). Guests are as fast as native ones, nearly, and what they can do to the service's process is what
// WebAssembly lets them: nothing beside their own memory. They are portable: their images are those of the WASI engine.
//
// It owns the engine, and how guests are made to stop; memory, calls and faults are in engine/guest (sandbox.c), fresh guests and images
// in engine/internal/linear.
//
// A binary has it if `make guest` made the object before the binary was built, for Linux on amd64. Others say so (Missing).
package aot
