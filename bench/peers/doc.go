// Command peers is make bench: it measures Codecell's engines and service beside others of their kind, and writes
// report.json and index.html.
//
// The others are goja, a JavaScript engine in Go, and the npm package quickjs-wasi in Node, run as its users would: a VM
// for each run, and a worker for each run. Peers are subjects of package suite, which knows none of them. One that
// can't be had here is named in the report and left out.
package main
