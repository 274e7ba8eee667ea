// Package storetest holds a snapshot.Store to what the interface promises (contract C5, C6, I6): claims and their fences,
// expiry, the bounds of each tenant and of all, what is counted, and all of that with many callers at once and beside a
// model. The tests of every store call Run.
package storetest
