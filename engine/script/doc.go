// Package script turns the text that a model wrote into the body that a guest compiles (contract B1 from the source's
// size on, B2 lines, B3, B4, B5).
//
// It owns what can be known about a cell without running it: its size, the Markdown fence around it, whether it is a
// shell command, whether it reaches for modules, and what its TypeScript means as JavaScript.
//
// It must not know catalogs, runs, engines or the network, and it starts no guest: all of it is text in, text out.
package script
