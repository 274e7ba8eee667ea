// Package child starts processes of the same binary that are connected to this one by sockets and nothing else, and live
// no longer than it. What they do is up to the arguments they are started with.
//
// It owns how they are started, killed and waited for, and what is to be known of them: processor time, memory, what they
// wrote to standard error. It must not know what is said on the sockets.
package child
