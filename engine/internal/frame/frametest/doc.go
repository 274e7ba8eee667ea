// Package frametest has a socket in memory, for the tests of whatever reads and writes frames.
//
// It must not know frames: their own tests use it.
package frametest
