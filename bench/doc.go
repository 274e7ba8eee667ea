// Package bench measures Codecell as its callers meet it: whole execs and waits, over HTTP and without.
//
// It owns a load generator that costs the machine little beside the service that it loads, and the benchmarks behind
// README's table (make bench) and soaks (make neighbours). It knows the service by its public interfaces only; what it
// finds slow is looked into beside the code, in that package's own benchmarks.
package bench
