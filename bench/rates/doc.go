// Command rates measures the service from outside: bin/codecell on each engine, in each isolation, and beside it a handler that does
// nothing, each in a process of its own; the client is this process. All are loaded in turns. What it prints is the table that
// the default is chosen by.
package main
