// Package sandbox takes from a process all that a worker does not need, for good: files, sockets, other processes, new
// privileges. It changes the process that calls it, so only a worker may.
//
// It owns the list of system calls that a worker may make. It knows neither engines nor the socket to the parent.
package sandbox
