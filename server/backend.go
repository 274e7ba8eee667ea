package server

import (
	"context"
	"encoding/json"
	"io"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/namespaces"
)

// Backend runs turns and cells. All methods may be called from any goroutine. A refusal is a *bridge.Error; any other
// error becomes a 500 without detail. tenant is the id of the caller's key, empty when no keys are configured.
type Backend interface {
	// Prepare makes a turn (contract A1). req is the backend's to keep.
	Prepare(ctx context.Context, tenant string, req *bridge.TurnRequest) (Turn, error)
	// Turn finds a turn of this tenant.
	Turn(tenant, id string) (Turn, error)
	// FollowRun begins to listen to a run of this tenant, after the event with that id (contract I5).
	FollowRun(tenant, runID, after string) (*events.Listener, error)
	// AbortRun ends a run, DropTurn a turn, DropSession all turns of a session (contract G7); DropSession returns how
	// many.
	AbortRun(tenant, runID string) error
	DropTurn(tenant, id string) error
	DropSession(tenant, sessionID string) (int, error)
	// Approvals lists what people are asked about the tenant's calls, Approval returns one, and Decide settles one (contract G4).
	Approvals(tenant string, q approval.Query) approval.Page
	Approval(tenant, id string) (approval.Approval, error)
	Decide(ctx context.Context, tenant, id string, d approval.Decision) (approval.Approval, error)
	// DeclareNamespace adds a namespace for the tenant's turns, Namespaces lists what it has declared, ClearNamespaces removes
	// a plugin's and returns how many there were (contract F1).
	DeclareNamespace(tenant, id string, d namespaces.Declaration) error
	Namespaces(tenant string) []namespaces.Declared
	ClearNamespaces(tenant, pluginID string) int
	// Ready says why the backend can't run cells, nil if it can.
	Ready() error
	// Health reports load for /readyz.
	Health() Health
	// Close refuses new work, waits for running cells until ctx ends, then aborts them.
	Close(ctx context.Context) error
}

// Turn is one prepared turn. ctx ends when the client goes away (contract G7).
type Turn interface {
	ID() string
	// CodeMode tells whether the model's tools are exec and wait.
	CodeMode() bool
	// Catalog is what the turn's policy left of its tools.
	Catalog() *catalog.Catalog
	// Warnings are remarks on the request that did not stop it.
	Warnings() []string
	// Tools renders the model's tools in a provider's shape (contract A5).
	Tools(format string) (json.RawMessage, error)
	// Follow begins to listen to the turn's runs, after the event with that id (contract I5).
	Follow(after string) (*events.Listener, error)
	// Exec and Wait give a CodeModeResult, which is always sent with status 200 (contract B7). They attach the listener that
	// comes with ctx, if there is one, to the run.
	Exec(ctx context.Context, in bridge.ExecInput) (*bridge.Result, error)
	Wait(ctx context.Context, in bridge.WaitInput) (*bridge.Result, error)
	Deliver(ctx context.Context, runID string, results []bridge.CallResult) (*bridge.Delivery, error)
	// Export takes a suspended run out of the process, Import brings one in (contract H4).
	Export(ctx context.Context, runID string) (*bridge.Exported, error)
	Import(ctx context.Context, runID string, snapshot []byte) (*bridge.Exported, error)
	// Trajectory writes what the turn's execs did, a JSON value a line (contract G5); it refuses a format that it does not know.
	Trajectory(format string) (io.WriterTo, error)
}

// Health is the load that /readyz shows (contract H5).
type Health struct {
	// Engine names the engine in use.
	Engine string `json:"engine"`
	// Sandbox are notes for the operator on what protects the process.
	Sandbox []string `json:"sandbox"`
	// Running and Queued count cells; Suspended counts runs that wait; Turns counts live turns.
	Running   int `json:"running"`
	Queued    int `json:"queue"`
	Suspended int `json:"suspended"`
	Turns     int `json:"turns"`
	// Parked counts suspended runs that keep their heaps; Snapshots the others, whose sealed bytes are SnapshotBytes.
	Parked        int   `json:"parked"`
	Snapshots     int   `json:"snapshots"`
	SnapshotBytes int64 `json:"snapshotBytes"`
	// HeldBytes is what turns and runs make the service hold beside that, and MemoryBytes how much they may (contract H6).
	HeldBytes   int64 `json:"heldBytes"`
	MemoryBytes int64 `json:"memoryBytes"`
	// TrajectoryBytes is what trajectories hold besides, which may be an eighth of that.
	TrajectoryBytes int64 `json:"trajectoryBytes"`
}
