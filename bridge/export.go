package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
	"github.com/codecell/codecell/snapshot"
)

// Exported is a suspended run that has left this process.
type Exported struct {
	RunID     string    `json:"runId"`
	ExpiresAt time.Time `json:"expiresAt"`
	Snapshot  []byte    `json:"snapshot"` // sealed
}

// Export takes a suspended run out of this process: afterwards it is not known here, and Import brings it back, here or
// in another process of the same build and with the same snapshot key. A run with calls under way stays: their answers
// would come here.
func (t *Turn) Export(ctx context.Context, runID string) (*Exported, error) {
	s := t.service
	if s.offloader == nil {
		return nil, noEngine(errors.New("this service has no engine whose guests can leave the process"))
	}
	end, err := s.beginInvocation(t.of)
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := t.claim(ctx, strings.TrimSpace(runID))
	if err != nil {
		return nil, runProblem(err)
	}
	r.invocation = unattended(ctx)
	resume, decided := r.pauseApprovals()
	sealed, err := s.offloader.export(ctx, r, decided)
	if err != nil {
		resume()
		if !r.park(r.lifecycle.expires()) {
			r.end()
		}
		return nil, err
	}
	exported := &Exported{RunID: r.id.String(), ExpiresAt: r.lifecycle.expires(), Snapshot: sealed}
	r.exported, r.ended.Cause = true, CauseExported
	r.end()
	return exported, nil
}

// unattended is the invocation of a run that no client waits for.
func unattended(ctx context.Context) *invocation {
	return &invocation{ctx: ctx, detach: func() bool { return true }}
}

// runProblem says of a run that can't be had for what it is.
func runProblem(err error) error {
	kind := KindNotFound
	if errors.Is(err, errResuming) {
		kind = KindConflict
	}
	return &Error{Kind: kind, Key: "runId", Msg: err.Error()}
}

// export seals a run that the caller drives, unless calls are under way: those that have been decided, or others.
func (o *offloader) export(ctx context.Context, r *run, decided []uint32) ([]byte, error) {
	if _, err := o.engine.Build(); err != nil {
		return nil, noEngine(err)
	}
	if ids := append(decided, r.requests.underWay()...); len(ids) > 0 {
		return nil, errUnderWay(r, ids)
	}
	image, err := o.ownImage(ctx, r)
	switch {
	case errors.Is(err, engine.ErrOverloaded):
		return nil, unavailable(err)
	case err != nil:
		o.service.options.Logger.Warn("a suspended run can't be exported", "run", r.id.String(), "error", err)
		return nil, &Error{Kind: KindConflict, Key: "runId", Msg: "this run can't leave the process: it can't be rebuilt exactly. Go on with it here."}
	}
	host := r.hostState()
	sealed, err := o.seal(r, host.encode(), image)
	if err == nil && len(sealed) > maxExported {
		return nil, &Error{
			Kind: KindConflict, Key: "runId",
			Msg: fmt.Sprintf("this run can't leave the process: its snapshot has %d bytes, and %d may be. Go on with it here.", len(sealed), maxExported),
		}
	}
	return sealed, err
}

// maxExported is how many bytes an exported snapshot may have: as text in a request it must be within what a server reads.
const maxExported = 11 << 20

// ownImage returns the image of a run that the caller drives, wherever its guest is.
func (o *offloader) ownImage(ctx context.Context, r *run) ([]byte, error) {
	if r.guest.inHeap() {
		return engine.Image(ctx, r.guest.vm)
	}
	image, fence, err := o.claim(ctx, r)
	if err != nil {
		return nil, err
	}
	// Whatever becomes of the export, the run keeps its snapshot until it ends.
	return image, o.store.Release(ctx, r.id.String(), fence)
}

// imageLimit is how many bytes a snapshot of one of the turn's runs may have, unpacked: an image holds each block of the
// heap at most once, and its number; beside it stands the host's part.
func (t *Turn) imageLimit() int { return 2*t.config.MemoryLimitBytes + (64 << 20) }

// Import brings an exported run into a turn that was prepared like its own: same tenant, same context, same limits,
// same tools. Whatever does not belong here is refused before any of it is loaded (contract H4).
func (t *Turn) Import(ctx context.Context, runID string, sealed []byte) (*Exported, error) {
	o := t.service.offloader
	if o == nil {
		return nil, noEngine(errors.New("this service has no engine that restores snapshots"))
	}
	end, err := t.service.beginInvocation(t.of)
	if err != nil {
		return nil, err
	}
	defer end()
	binding, err := o.binding(t, runID)
	if err != nil {
		return nil, noEngine(err)
	}
	snap, err := o.sealer.Open(sealed, binding, t.imageLimit())
	if err != nil {
		return nil, invalidSnapshot(err.Error())
	}
	var state hostState
	if err := json.Unmarshal(snap.Host, &state); err != nil {
		return nil, invalidSnapshot("the snapshot holds no exported run")
	}
	r, err := t.revive(ctx, runID, &state)
	if errors.Is(err, script.ErrBusy) || errors.Is(err, script.ErrUnavailable) {
		_, err := t.notPrepared(ctx, cell{}, err)
		return nil, err
	}
	var full *account.FullError
	if errors.As(err, &full) {
		return nil, noRoom(err)
	}
	if refusal := (*Error)(nil); errors.As(err, &refusal) {
		return nil, err
	}
	if err != nil {
		return nil, invalidSnapshot("the snapshot's run can't go on in this turn: " + err.Error())
	}
	expires := r.lifecycle.expires()
	if err := o.importOnce(t.tenant, sealed, expires); err != nil {
		r.discard()
		return nil, err
	}
	if err := o.admitImport(ctx, r, snap); err != nil {
		o.imported.Return(sealed)
		return nil, err
	}
	return &Exported{RunID: runID, ExpiresAt: expires}, nil
}

func invalidSnapshot(msg string) error { return &Error{Kind: KindInvalid, Key: "snapshot", Msg: msg} }

// importOnce refuses a snapshot that was imported before (contract H6).
func (o *offloader) importOnce(tenant string, sealed []byte, expires time.Time) error {
	switch err := o.imported.Use(tenant, sealed, expires); {
	case errors.Is(err, snapshot.ErrUsed):
		return &Error{Kind: KindConflict, Key: "snapshot", Msg: "this snapshot was imported before; a snapshot is imported once."}
	case err != nil:
		return &Error{Kind: KindOverloaded, Msg: err.Error(), RetryAfter: time.Minute}
	}
	return nil
}

// admitImport gives an imported run its place, and its image one in the store.
func (o *offloader) admitImport(ctx context.Context, r *run, snap *snapshot.Snapshot) error {
	s, id := o.service, r.id.String()
	if !s.register(r) {
		r.discard()
		if s.run(id) != nil {
			return &Error{Kind: KindConflict, Key: "runId", Msg: "a run of this id is here already"}
		}
		return &Error{Kind: KindOverloaded, Msg: tooManySuspended.text, RetryAfter: time.Second}
	}
	r.invocation = unattended(ctx)
	if !r.turn.addRun(r) {
		r.end()
		return errTurnDeleted
	}
	if err := o.put(ctx, r, snap.Host, snap.Image); err != nil {
		r.end()
		return &Error{Kind: KindOverloaded, Msg: err.Error(), RetryAfter: time.Second}
	}
	r.guest.putInStore(o.engine.Name())
	r.group.Join()
	r.imported = true
	r.observeStart()
	gated := r.requests.gated()
	if !r.park(r.lifecycle.expires()) {
		r.end()
		return errTurnDeleted
	}
	for _, c := range gated {
		c.asked.Open()
	}
	return nil
}
