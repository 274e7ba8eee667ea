// Package journal remembers what a guest was given, so that the guest can be rebuilt in another engine by taking the
// same steps again.
//
// It owns the comparison: a step taken again counts as the same step only if it hands out the same effects and reads the
// clock as often. It does not know what the effects mean, and it keeps no guest.
package journal
