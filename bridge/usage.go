package bridge

import "time"

// Usage is what a run has used so far, over all of its invocations (contract G6). It belongs to the goroutine that drives
// the run.
type Usage struct {
	Steps   int           `json:"steps"`
	Heap    int           `json:"heap"`    // bytes, after the last step
	Guest   time.Duration `json:"guest"`   // in steps, by the wall clock
	CPU     time.Duration `json:"cpu"`     // of which the guest had a processor
	Service time.Duration `json:"service"` // processor time of the service for what the guest asked for
	Waited  time.Duration `json:"waited"`  // between steps
}

// sound says whether the numbers can be those of a run: they may come from outside.
func (u *Usage) sound() bool {
	return u.Steps >= 0 && u.Heap >= 0 && u.Guest >= 0 && u.CPU >= 0 && u.Service >= 0 && u.Waited >= 0
}
