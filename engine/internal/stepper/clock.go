package stepper

import "github.com/codecell/codecell/engine"

// Reads are the clock reads of a step that is replayed, in their order.
type Reads struct {
	runs []engine.ClockRun
	used uint32 // of the first run
}

// ReadsOf returns the reads that were recorded. It keeps runs.
func ReadsOf(runs []engine.ClockRun) *Reads { return &Reads{runs: runs} }

// Runs returns all of them. Once Next was called it must not be.
func (r *Reads) Runs() []engine.ClockRun { return r.runs }

// Next returns the next read, in milliseconds; false if there were no more.
func (r *Reads) Next() (int64, bool) {
	for len(r.runs) > 0 && r.used == r.runs[0].Count {
		r.runs, r.used = r.runs[1:], 0
	}
	if len(r.runs) == 0 {
		return 0, false
	}
	r.used++
	return r.runs[0].Millis, true
}
