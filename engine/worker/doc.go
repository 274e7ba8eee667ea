// Package worker runs an engine's guests in child processes of the same binary, each in a sandbox, and is itself an engine.
// A guest that crashes its engine, or can't be ended otherwise, ends its process, and of all runs only its own fails.
//
// Engine is the parent's side: a pool that starts the workers, watches them and replaces them. A guest whose worker has
// exited is rebuilt in another one from its journal when it is used next, and a step that was under way is executed again;
// the caller does not notice (contract H1, H3). Serve is the child's side.
//
// The parent trusts nothing that a worker says: sizes, numbers and records are checked as if a cell had written them.
//
// The package knows no particular engine, and nothing of what cells ask for.
package worker
