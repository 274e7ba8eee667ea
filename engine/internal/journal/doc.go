// Package journal records the steps of a guest, so that the guest can be rebuilt in another engine by replaying them.
//
// It owns the comparison: a replayed step counts as the same step only if it hands out the same effects and reads the
// clock as often. It does not know what the effects mean, and it keeps no guest.
package journal
