// Package stepper is what the guests of all engines in this process have in common: one step at a time, on a thread of
// its own, measured, and ended when the guest is interrupted.
//
// It does not know what a heap is, or how a guest is made to stop.
package stepper
