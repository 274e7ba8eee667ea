// Package audit appends lines to a file, each with the hash of the line before, and finds out whether somebody has changed such
// a file since.
//
// A line is written soon after it was handed over, and whoever hands it over never waits for the disk. A batch of lines is
// flushed to the disk before the next one is written. Where the disk is too slow, full or gone, lines are held in memory up to a
// bound, and Ready says that nothing should happen now that must be audited.
//
// The hashes are no signatures: who may write the file may write another one that is sound. To know that it is the same one,
// keep the hash of its last line elsewhere.
//
// It does not know what lines are about.
package audit
