// Package snapshot turns the image of a suspended run's guest into bytes that may be stored or leave the process, and
// stores them (contract C4, C6, H4, H6).
//
// It owns the sealed format, the store of suspended runs (what bounds it for each tenant and in sum, how long it keeps a
// record, and that one holder at a time has it), and the ledger of the exported snapshots that were imported. It does
// not know what an image means, what a run is, or who asks.
package snapshot
