package worker

import (
	"context"

	"github.com/codecell/codecell/engine"
)

// workerEngine is one worker as an engine whose guests see one catalog. A journal rebuilds its guest in it.
type workerEngine struct {
	*process
	catalog catalog
}

var _ engine.Portable = workerEngine{}

// Name implements engine.Engine.
func (e workerEngine) Name() string { return e.ready.Name }

// Build implements engine.Portable.
func (e workerEngine) Build() (string, error) { return e.ready.Build, nil }

// NewVM implements engine.Engine. The catalog is the engine's own.
func (e workerEngine) NewVM([]byte) (engine.VM, error) { return e.newSession(e.catalog), nil }

// Restore implements engine.Portable. The catalog is the engine's own.
func (e workerEngine) Restore(_ context.Context, image, _ []byte) (engine.VM, error) {
	s := e.newSession(e.catalog)
	if err := s.restore(image); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Stats implements engine.Engine.
func (e workerEngine) Stats() engine.Stats { return engine.Stats{InUse: int(e.guests.Load())} }

// Close implements engine.Engine. It does nothing: the pool ends workers.
func (e workerEngine) Close() error { return nil }
