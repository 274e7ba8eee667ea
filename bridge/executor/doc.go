// Package executor carries out nested tool calls (contract G3): over HTTP, by the test executor, or by an executor of the
// embedder's own. A tool names its executor by type; Registry binds the two when a turn is prepared.
//
// Binding.Execute bounds what all executors do: the time of a call, calls of a tool at once, and whether one that failed is
// made again. What is HTTP's own (answers, streams, hosts that fail) is httpExecutor's.
//
// It knows no runs and no guests: a call comes in with all that it needs, and goes out as JSON or as an error that a cell
// may see. What an executor returns is checked here, before anybody else reads it.
package executor
