// Package hybrid makes one engine of two: a primary one, in which guests begin, and a portable one, into which they go
// when they leave their heaps. So a service that computes on the fastest engine can still store its suspended runs.
//
// It owns the way from the one to the other: the steps of a primary guest are recorded, and copying it out means that
// they are replayed in the portable engine, compared step by step, and that the guest is copied out there. A guest that
// can't be rebuilt exactly, or only at too high a cost, stays where it is (engine.ErrPinned).
//
// It knows no particular engine, and not when or why guests are to leave their heaps.
package hybrid
