// Package differential holds the engines to each other: the same steps must hand out the same effects on the native
// engine, on the WASI engine, on its guest compiled ahead of time, and on guests that were copied out and restored in between. It has tests only.
package differential
