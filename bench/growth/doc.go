// Package growth is for tests of contract H6: nothing that a cell or a client can size may cost more than in proportion. It
// compares what a thing costs with what one costs that is several times as large, and never looks at how fast the machine is.
//
// It must not know what is measured.
package growth
