package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/server"
)

// stack is an engine with the bridge on top.
type stack struct {
	server.Backend
	engine *native.Engine
}

// spareHeaps are the heaps for running cells beside those that suspended runs may hold.
const spareHeaps = 256

// newStack starts what a config describes.
func newStack(c Config, logger *slog.Logger) (*stack, error) {
	codeMode, err := c.codeMode()
	if err != nil {
		return nil, err
	}
	heaps := c.Engine.Heaps
	if heaps == 0 {
		heaps = max(1024, codeMode.MaxSuspendedRuns+spareHeaps)
	}
	engine, err := native.New(native.Options{
		Threads: c.Engine.Threads, Queue: c.Engine.Queue, Heaps: heaps, HeapBytes: codeMode.MemoryLimitBytes,
	})
	if err != nil {
		return nil, fmt.Errorf("the engine can't start: %w", err)
	}
	service, err := bridge.New(bridge.Options{
		Engine: engine, Config: codeMode, TestExecutors: c.TestExecutors, SigningKey: []byte(c.Executors.SigningKey),
		TurnTTL: time.Duration(c.Turns.TTLSeconds) * time.Second, MaxTurns: c.Turns.Max, Logger: logger,
	})
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	notes := []string{"thread isolation: guests run inside this process"}
	return &stack{Backend: server.FromBridge(service, notes), engine: engine}, nil
}

// Close ends the cells, then the engine under them.
func (s *stack) Close(ctx context.Context) error {
	return errors.Join(s.Backend.Close(ctx), s.engine.Close())
}
