// Package fuel rewrites a WebAssembly module so that no loop in it runs for ever unasked.
//
// At the start of every iteration of every loop a counter goes down; when it is used up, a function that the module
// exports is called, and the counter starts anew. That function may ask the host whether to go on, and trap. Recursion
// needs no such thing: it ends where the stack does.
//
// It reads exactly the instructions that the guest's compiler emits, and refuses any other. It knows nothing of the
// guest.
package fuel
