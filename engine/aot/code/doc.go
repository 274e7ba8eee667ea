// Package code is the guest on WebAssembly, compiled ahead of time: an object that build.sh makes of guest.wasm, and that the Go
// tool links where it is there. It has no Go code.
package code
