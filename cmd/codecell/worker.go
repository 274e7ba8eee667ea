package main

import (
	"github.com/codecell/codecell/engine/worker"
)

// workerName is the command that the service starts its workers with.
const workerName = "worker"

// workerCommand is codecell worker: an engine in a sandboxed process of its own. It is not for people.
type workerCommand struct{}

// Run serves the parent until it closes the connection.
func (workerCommand) Run() error {
	return worker.Serve(openEngine)
}
