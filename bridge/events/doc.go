// Package events keeps what happened to the runs of a turn for those who listen (contract I5).
//
// A turn that somebody listens to has a Log: the newest events of all its runs, bounded in number and bytes and charged to
// the turn's tenant. A Listener is a place in it, so that listeners cost next to nothing and nobody waits for one that is
// slow: it finds that the log has gone on without it. A log is kept for a while when the last listener has left, so that
// one who lost its connection can go on where it was; then it is forgotten, and nothing is noted any more.
//
// The package knows neither runs nor HTTP.
package events
