// Package snapshot turns the image of a suspended run's guest into bytes that may be stored or leave the process, and
// stores them (contract C4, C6, H4).
//
// It owns the sealed format and the stores: what bounds them, how long they keep a snapshot, and that one is handed out
// once. It does not know what an image means, what a run is, or who asks.
package snapshot
