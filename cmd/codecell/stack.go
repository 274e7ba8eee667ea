package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/server"
)

// stack is an engine with the bridge on top.
type stack struct {
	server.Backend
	engine *native.Engine // nil if it could not be loaded
}

// spareHeaps are the heaps for running cells beside those that suspended runs may hold.
const spareHeaps = 256

// newStack starts what a config describes. An engine that can't be loaded is no error here: the service says so on
// /readyz and refuses code mode, rather than being gone (contract A8).
func newStack(c Config, logger *slog.Logger) (*stack, error) {
	codeMode, err := c.codeMode()
	if err != nil {
		return nil, err
	}
	agents, err := c.agents()
	if err != nil {
		return nil, err
	}
	options := bridge.Options{
		Config: codeMode, Agents: agents, TestExecutors: c.TestExecutors, SigningKey: []byte(c.Executors.SigningKey),
		TurnTTL: time.Duration(c.Turns.TTLSeconds) * time.Second, MaxTurns: c.Turns.Max, Logger: logger,
	}
	engine, err := newEngine(c, codeMode, agents)
	if err != nil {
		logger.Error("the engine could not be loaded; code mode is refused", "error", err)
		options.EngineError = err
	} else {
		options.Engine = engine
	}
	service, err := bridge.New(options)
	if err != nil {
		return nil, err
	}
	notes := []string{"thread isolation: guests run inside this process"}
	return &stack{Backend: server.FromBridge(service, notes), engine: engine}, nil
}

// newEngine sizes the engine for what the configs allow: heaps for every run that may be suspended, each as large as
// the largest memory limit.
func newEngine(c Config, codeMode bridge.Config, agents map[string]bridge.Config) (*native.Engine, error) {
	heaps, bytes := max(1024, codeMode.MaxSuspendedRuns+spareHeaps), codeMode.MemoryLimitBytes
	for _, a := range agents {
		bytes = max(bytes, a.MemoryLimitBytes)
	}
	if c.Engine.Heaps > 0 {
		heaps = c.Engine.Heaps
	}
	return native.New(native.Options{Threads: c.Engine.Threads, Queue: c.Engine.Queue, Heaps: heaps, HeapBytes: bytes})
}

// Close ends the cells, then the engine under them.
func (s *stack) Close(ctx context.Context) error {
	err := s.Backend.Close(ctx)
	if s.engine != nil {
		err = errors.Join(err, s.engine.Close())
	}
	return err
}
