package main

import (
	"github.com/codecell/codecell/engine/preparer"
	"github.com/codecell/codecell/engine/worker"
)

// The commands that the service starts its child processes with.
const (
	workerName = "worker"
	parserName = "parser"
)

// workerCommand is codecell worker: an engine in a sandboxed process of its own. It is not for people.
type workerCommand struct{}

// Run serves the parent until it closes the connection.
func (workerCommand) Run() error {
	return worker.Serve(openEngine)
}

// parserCommand is codecell parser: parsers in a sandboxed process of their own. It is not for people.
type parserCommand struct{}

// Run serves the parent until it closes the connection.
func (parserCommand) Run() error { return preparer.Serve() }
