// Package bridge runs cells: it owns turns, runs, nested tool calls, their limits, and suspension (contract B, C, G, H6).
//
// A gateway in Go embeds it: New makes a Service of an engine (package engine/native, or engine/hybrid with another beside it),
// Service.Prepare a Turn of tools and limits, Turn.Exec runs a cell that the model wrote, and Turn.Wait resumes one that was
// suspended, with the results of tools that are the gateway's own. Turn.Tools is what the model is shown, and Turn.Follow tells
// what happens meanwhile. The package's example is all of that in forty lines.
//
// A run is a loop: execute a step in the engine, carry out what the step asked for, feed the answers into the next step,
// until the cell's promise has settled, the run must wait for somebody else, or a limit is reached.
//
//	exec ──► step ──► requests ──► admission ──► completion ──► answers ──► step ──► … ──► completed | waiting | failed
//	                                    ▲                            │
//	wait, results ──────────────────────┴───── suspended run ◄───────┘
//
// One goroutine at a time drives a run: that of the exec or wait (the invocation) that it serves. Tool calls run on
// goroutines of their own and only post their answers. So a run may be resumed by whoever claims it, and nothing in a step
// can race with it.
//
// Where things are: run.go says what a run is made of and which part owns what; invocation.go is the loop and what it may
// spend; call.go is the stages that every nested call passes, in their order; requests.go is what a run waits for;
// guest.go and offload.go are where its guest is; state.go is the run at rest. An executor of one's own is
// Options.Executors; whoever wants to hear what happens is Options.Observer.
//
// The package knows engines by their interface, tools by their catalog entries, and callers by a tenant's name. It
// knows no HTTP routes; and nothing that a cell hands over is believed before it has been looked up here.
package bridge
