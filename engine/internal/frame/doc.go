// Package frame divides what goes over a socket between two processes into frames: u32 length, u8 kind, and length bytes.
// The reader allocates little more than what has arrived, so that a forged length costs no memory.
//
// It must not know what the frames say.
package frame
