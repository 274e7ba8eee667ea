// Command soak runs a service for minutes under everything that clients, cells and tools do to it: good cells, suspended
// runs that are resumed, abandoned and deleted, clients that hang up, hostile cells, tools that fail, workers that are
// killed, and log levels that change. It fails if an answer is wrong, if anything is left behind, or if honest cells get
// slower.
//
// Between rounds of that the service rests, and is measured beside a piece of work that does not depend on it: what counts
// is the ratio, so that a machine that others use as well is no reason to fail.
package main
