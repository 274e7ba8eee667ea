package server

import (
	"context"

	"github.com/codecell/codecell/bridge"
)

// FromBridge makes a bridge service a Backend. notes are for /readyz: what protects the process from its guests, and
// what is missing; nil for none.
func FromBridge(service *bridge.Service, notes func() []string) Backend {
	if notes == nil {
		notes = func() []string { return nil }
	}
	return &bridged{Service: service, notes: notes}
}

// bridged adapts the service; methods with the same signature are promoted.
type bridged struct {
	*bridge.Service
	notes func() []string
}

// Prepare makes a turn.
func (b *bridged) Prepare(ctx context.Context, tenant string, req *bridge.TurnRequest) (Turn, error) {
	t, err := b.Service.Prepare(ctx, tenant, req)
	if err != nil {
		return nil, err // not t: a nil pointer in an interface is not nil
	}
	return t, nil
}

// Turn finds a turn.
func (b *bridged) Turn(tenant, id string) (Turn, error) {
	t, err := b.Service.Turn(tenant, id)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Health counts what /readyz shows.
func (b *bridged) Health() Health {
	stats := b.Stats()
	return Health{
		Engine: b.EngineName(), Sandbox: b.notes(), Running: stats.Running, Queued: stats.Engine.Queued,
		Suspended: stats.Suspended, Turns: stats.Turns,
		Parked: stats.Parked, Snapshots: stats.Snapshots.Snapshots, SnapshotBytes: stats.Snapshots.Bytes,
		HeldBytes: stats.HeldBytes, MemoryBytes: stats.MemoryBytes, TrajectoryBytes: stats.TrajectoryBytes,
	}
}
