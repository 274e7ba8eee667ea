package server

import (
	"context"

	"github.com/codecell/codecell/bridge"
)

// FromBridge makes a bridge service a Backend. notes are for /readyz: what
// protects the process from its guests, and what is missing; nil for none.
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

// bridgedTurn is a turn together with the service that runs its cells.
type bridgedTurn struct {
	*bridge.Turn
	service *bridge.Service
}

// Prepare makes a turn.
func (b *bridged) Prepare(ctx context.Context, tenant string, req *bridge.TurnRequest) (Turn, error) {
	t, err := b.Service.Prepare(ctx, tenant, req)
	if err != nil {
		return nil, err
	}
	return bridgedTurn{t, b.Service}, nil
}

// Turn finds a turn.
func (b *bridged) Turn(tenant, id string) (Turn, error) {
	t, err := b.Service.Turn(tenant, id)
	if err != nil {
		return nil, err
	}
	return bridgedTurn{t, b.Service}, nil
}

// Health counts what /readyz shows.
func (b *bridged) Health() Health {
	stats := b.Stats()
	return Health{
		Engine: b.EngineName(), Sandbox: b.notes(), Running: stats.Running, Queued: stats.Engine.Queued,
		Suspended: stats.Suspended, Turns: stats.Turns,
		Parked: stats.Parked, Snapshots: stats.Snapshots.Snapshots, SnapshotBytes: stats.Snapshots.Bytes,
	}
}

// Exec runs a cell in the turn.
func (t bridgedTurn) Exec(ctx context.Context, in bridge.ExecInput) (*bridge.Result, error) {
	return t.service.Exec(ctx, t.Turn, in)
}

// Wait resumes a run of the turn.
func (t bridgedTurn) Wait(ctx context.Context, in bridge.WaitInput) (*bridge.Result, error) {
	return t.service.Wait(ctx, t.Turn, in)
}

// Export takes a run of the turn out of the process.
func (t bridgedTurn) Export(ctx context.Context, runID string) (*bridge.Exported, error) {
	return t.service.Export(ctx, t.Turn, runID)
}

// Import brings a run into the turn.
func (t bridgedTurn) Import(ctx context.Context, runID string, snapshot []byte) (*bridge.Exported, error) {
	return t.service.Import(ctx, t.Turn, runID, snapshot)
}

// Deliver hands results to a run of the turn.
func (t bridgedTurn) Deliver(ctx context.Context, runID string, results []bridge.CallResult) (*bridge.Delivery, error) {
	return t.service.Deliver(ctx, t.Turn, runID, results)
}
