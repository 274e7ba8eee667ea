// Package logs writes what happens to runs into the log: a line for each, and more while somebody looks for a fault
// (contract I4).
//
// What cells, tools and clients have said is in no line, apart from payloads where they are asked for, redacted and cut.
package logs
