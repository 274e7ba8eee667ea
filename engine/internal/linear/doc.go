// Package linear is what guests on WebAssembly have in common, whatever executes their code: one linear memory each, steps in
// it, fresh guests, and images, by which a guest goes on in another process of the same build.
//
// What a guest does, even one that found a bug in the engine, stays inside its linear memory: this package reads that with
// bounds and trusts none of it. It does not know how code is executed; that is a Machine's.
package linear
