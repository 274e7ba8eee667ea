package server

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/namespaces"
)

// fakeBackend is a Backend whose answers a test sets. It notes what it was asked.
type fakeBackend struct {
	exec    func(ctx context.Context, in bridge.ExecInput) (*bridge.Result, error)
	wait    func(ctx context.Context, in bridge.WaitInput) (*bridge.Result, error)
	prepare func(req *bridge.TurnRequest) error
	ready   error
	health  Health
	close   func(ctx context.Context) error

	log *events.Log // of all turns

	mu       sync.Mutex
	turns    map[string]*fakeTurn // by tenant + "/" + id
	prepared []*bridge.TurnRequest
	dropped  []string
	aborted  []string
	declared []namespaces.Declared
	listed   []approval.Query
	decided  []approval.Decision
}

// fakeTurn is a turn of a fakeBackend.
type fakeTurn struct {
	backend   *fakeBackend
	id        string
	entries   *catalog.Catalog
	delivered []bridge.CallResult
	exported  *bridge.Exported
	imported  []byte

	trajectory string
}

var (
	completedTwo = completed("2")
	waitingRun   = &bridge.Result{
		Status: bridge.Waiting, RunID: "run-1", Reason: "yield", Pending: []bridge.PendingCall{{ID: "p1", Method: "yield"}},
	}
)

// completed is the result of a cell that returned a value.
func completed(value string) *bridge.Result {
	return &bridge.Result{Status: bridge.Completed, Value: json.RawMessage(value)}
}

// text is what goes over the wire.
func text(r *bridge.Result) string { return string(r.AppendJSON(nil)) }

// newFake has one turn, "turn-1", of the empty tenant, whose cells return 2.
func newFake() *fakeBackend {
	f := &fakeBackend{turns: map[string]*fakeTurn{}, log: events.NewHub().NewLog("", nil, func() {})}
	f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return completedTwo, nil }
	f.wait = func(context.Context, bridge.WaitInput) (*bridge.Result, error) { return completedTwo, nil }
	f.prepare = func(*bridge.TurnRequest) error { return nil }
	f.close = func(context.Context) error { return nil }
	f.health = Health{Engine: "fake"}
	f.add("", "turn-1", nil)
	return f
}

func (f *fakeBackend) add(tenant, id string, tools []catalog.Tool) *fakeTurn {
	entries, err := catalog.New(tools, catalog.Policy{})
	if err != nil {
		panic(err)
	}
	t := &fakeTurn{backend: f, id: id, entries: entries}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turns[tenant+"/"+id] = t
	return t
}

// anApproval is what a fakeBackend has.
var anApproval = approval.Approval{
	ID: "ap_1", State: approval.Pending, Mode: approval.Always, CreatedAt: time.Unix(1, 0).UTC(), ExpiresAt: time.Unix(2, 0).UTC(),
	TurnID: "turn-1", RunID: "run-1", CallID: "run-1.1", ToolID: "openclaw:lab:send", Name: "send", Input: json.RawMessage(`{"to":"x"}`),
}

func (f *fakeBackend) Approvals(_ string, q approval.Query) approval.Page {
	f.listed = append(f.listed, q)
	return approval.Page{Approvals: []approval.Approval{anApproval}, Next: 7, Bytes: anApproval.Bytes()}
}

func (f *fakeBackend) Approval(_, id string) (approval.Approval, error) {
	if id != anApproval.ID {
		return approval.Approval{}, &bridge.Error{Kind: bridge.KindNotFound, Msg: "no such approval", Key: "id"}
	}
	return anApproval, nil
}

func (f *fakeBackend) Decide(_ context.Context, tenant, id string, d approval.Decision) (approval.Approval, error) {
	a, err := f.Approval(tenant, id)
	if err != nil {
		return a, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.decided) > 0 {
		return a, &bridge.Error{Kind: bridge.KindConflict, Msg: "decided already", Key: "id"}
	}
	f.decided = append(f.decided, d)
	d.At = time.Unix(1, 0).UTC()
	a.State, a.Decision = d.State(), &d
	return a, nil
}

func (f *fakeBackend) DeclareNamespace(_, id string, d namespaces.Declaration) error {
	f.declared = append(f.declared, namespaces.Declared{ID: id, Declaration: d})
	return nil
}

func (f *fakeBackend) Namespaces(string) []namespaces.Declared { return f.declared }

func (f *fakeBackend) ClearNamespaces(string, string) int { return len(f.declared) }

func (f *fakeBackend) Prepare(_ context.Context, tenant string, req *bridge.TurnRequest) (Turn, error) {
	if err := f.prepare(req); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.prepared = append(f.prepared, req)
	f.mu.Unlock()
	return f.add(tenant, "turn-new", req.Tools), nil
}

func (f *fakeBackend) Turn(tenant, id string) (Turn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t, ok := f.turns[tenant+"/"+id]; ok {
		return t, nil
	}
	return nil, &bridge.Error{Kind: bridge.KindNotFound, Msg: "no such turn", Key: "turnId"}
}

func (f *fakeBackend) FollowRun(_, runID, after string) (*events.Listener, error) {
	if runID == "gone" {
		return nil, &bridge.Error{Kind: bridge.KindNotFound, Msg: "no such run"}
	}
	return f.log.Listen(nil, "", after)
}

func (t *fakeTurn) Follow(after string) (*events.Listener, error) {
	return t.backend.log.Listen(nil, "", after)
}

func (f *fakeBackend) AbortRun(_, runID string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if runID == "gone" {
		return &bridge.Error{Kind: bridge.KindNotFound, Msg: "no such run"}
	}
	f.aborted = append(f.aborted, runID)
	return nil
}

func (f *fakeBackend) DropTurn(tenant, id string) error {
	if _, err := f.Turn(tenant, id); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped = append(f.dropped, id)
	delete(f.turns, tenant+"/"+id)
	return nil
}

func (f *fakeBackend) DropSession(_, id string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped = append(f.dropped, id)
	return 3, nil
}

func (f *fakeBackend) Ready() error                    { return f.ready }
func (f *fakeBackend) Health() Health                  { return f.health }
func (f *fakeBackend) Close(ctx context.Context) error { return f.close(ctx) }

func (t *fakeTurn) ID() string                { return t.id }
func (t *fakeTurn) CodeMode() bool            { return true }
func (t *fakeTurn) Catalog() *catalog.Catalog { return t.entries }
func (t *fakeTurn) Warnings() []string        { return []string{"from the backend"} }

func (t *fakeTurn) Tools(format string) (json.RawMessage, error) {
	if format == "yaml" {
		return nil, &bridge.Error{Kind: bridge.KindInvalid, Key: "format", Msg: "known formats: openai"}
	}
	return json.RawMessage(`[{"name":"exec"},{"name":"wait"}]`), nil
}

func (t *fakeTurn) Exec(ctx context.Context, in bridge.ExecInput) (*bridge.Result, error) {
	return t.backend.exec(ctx, in)
}

func (t *fakeTurn) Wait(ctx context.Context, in bridge.WaitInput) (*bridge.Result, error) {
	return t.backend.wait(ctx, in)
}

func (t *fakeTurn) Trajectory(format string) (io.WriterTo, error) {
	if format == "yaml" {
		return nil, &bridge.Error{Kind: bridge.KindInvalid, Key: "format", Msg: "unknown format"}
	}
	return strings.NewReader(t.trajectory), nil
}

func (t *fakeTurn) Export(context.Context, string) (*bridge.Exported, error) { return t.exported, nil }

func (t *fakeTurn) Import(_ context.Context, id string, snapshot []byte) (*bridge.Exported, error) {
	t.imported = snapshot
	return &bridge.Exported{RunID: id}, nil
}

func (t *fakeTurn) Deliver(_ context.Context, runID string, results []bridge.CallResult) (*bridge.Delivery, error) {
	if runID == "gone" {
		return nil, &bridge.Error{Kind: bridge.KindNotFound, Msg: "no such run", Key: "runId"}
	}
	t.delivered = results
	d := &bridge.Delivery{}
	for _, r := range results {
		d.Accepted = append(d.Accepted, r.ID)
	}
	return d, nil
}

func newTestServer(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	require.NoError(t, err)
	return s
}
