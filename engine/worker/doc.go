// Package worker runs an engine's guests in child processes of the same binary, each closed in a sandbox, and is itself an
// engine. A guest that crashes its engine, or can't be ended otherwise, costs its process, and its own run.
//
// Engine is the parent's side: it starts the workers, watches them and replaces them. A guest whose worker is gone is
// rebuilt in another one from its journal when it is next touched, and a step that was under way is taken again; nobody
// above notices (contract H1, H3). Serve is the child's side.
//
// The parent believes nothing of what a worker says: sizes, numbers and records are checked as if a cell had written them.
//
// The package knows no particular engine, and nothing of what cells ask for.
package worker
