// Package bridge runs cells: it owns turns, runs, nested tool calls, their limits, and suspension (contract B, C, G).
//
// A run is a loop: take a step in the engine, carry out what the step asked for, feed the answers into the next
// step, until the cell's promise has settled, the run must wait for somebody else, or a limit is reached.
//
//	exec ──► step ──► requests ──► dispatch ──► answers ──► step ──► … ──► completed | waiting | failed
//	                                  ▲                        │
//	wait, results ────────────────────┴── suspended run ◄──────┘
//
// One goroutine at a time drives a run: that of the exec or wait that it serves. Tool calls run on goroutines of
// their own and only add an answer to the run's mailbox. So a run may be resumed by whoever holds its claim, and
// nothing in a step can race with it.
//
// The package knows engines by their interface, tools by their catalog entries, and callers by a tenant's name.
// It knows no HTTP routes; and nothing that a cell hands over is believed before it has been looked up here.
package bridge
