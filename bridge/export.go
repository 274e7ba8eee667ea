package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/engine"
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
func (s *Service) Export(ctx context.Context, t *Turn, runID string) (*Exported, error) {
	if s.handoffs == nil {
		return nil, noEngine(errors.New("this service has no engine whose guests can leave the process"))
	}
	end, err := s.beginLeg()
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := s.claim(ctx, t, strings.TrimSpace(runID))
	if err != nil {
		return nil, runProblem(err)
	}
	sealed, err := r.export(ctx)
	if err != nil {
		r.detach = func() bool { return true }
		if !r.park(r.expiresAt) {
			r.end()
		}
		return nil, err
	}
	exported := &Exported{RunID: r.id, ExpiresAt: r.expiresAt, Snapshot: sealed}
	r.end()
	return exported, nil
}

// runProblem says of a run that can't be had for what it is.
func runProblem(err error) error {
	kind := KindNotFound
	if errors.Is(err, errResuming) {
		kind = KindConflict
	}
	return &Error{Kind: kind, Key: "runId", Msg: err.Error()}
}

// export seals a run that the caller drives.
func (r *run) export(ctx context.Context) ([]byte, error) {
	h := r.service.handoffs
	binding, err := h.binding(r.turn, r.id)
	if err != nil {
		return nil, noEngine(err)
	}
	state, err := r.hostState()
	if err != nil {
		return nil, err
	}
	image, err := r.ownImage(ctx, binding)
	switch {
	case errors.Is(err, engine.ErrOverloaded):
		return nil, unavailable(err)
	case err != nil:
		r.service.options.Logger.Warn("a suspended run can't be exported", "run", r.id, "error", err)
		return nil, &Error{Kind: KindConflict, Key: "runId", Msg: "this run can't leave the process: it can't be rebuilt exactly. Go on with it here."}
	}
	return h.sealer.Seal(&snapshot.Snapshot{Host: state, Image: image}, binding), nil
}

// ownImage returns the image of a run that the caller drives, wherever its guest is.
func (r *run) ownImage(ctx context.Context, binding snapshot.Binding) ([]byte, error) {
	h := r.service.handoffs
	if r.stored {
		claim, err := h.store.Claim(ctx, r.id, claimLease)
		if err != nil {
			return nil, err
		}
		// Whatever becomes of the export, the run keeps its snapshot until it ends.
		if err := h.store.Release(ctx, r.id, claim.Fence); err != nil {
			return nil, err
		}
		snap, err := h.sealer.Open(claim.Record.Sealed, binding, r.turn.imageLimit())
		if err != nil {
			return nil, err
		}
		return snap.Image, nil
	}
	return engine.Image(ctx, r.vm)
}

// imageLimit is the most that a snapshot of one of the turn's runs may have, unpacked: an image holds each block of the
// heap at most once, and its number; beside it stands the host's part.
func (t *Turn) imageLimit() int { return 2*t.config.MemoryLimitBytes + (64 << 20) }

// Import brings an exported run into a turn that was prepared like its own: same tenant, same context, same limits,
// same tools. Whatever does not belong here is refused before any of it is loaded (contract H4).
func (s *Service) Import(ctx context.Context, t *Turn, runID string, sealed []byte) (*Exported, error) {
	if s.handoffs == nil {
		return nil, noEngine(errors.New("this service has no engine that restores snapshots"))
	}
	end, err := s.beginLeg()
	if err != nil {
		return nil, err
	}
	defer end()
	binding, err := s.handoffs.binding(t, runID)
	if err != nil {
		return nil, noEngine(err)
	}
	snap, err := s.handoffs.sealer.Open(sealed, binding, t.imageLimit())
	if err != nil {
		return nil, &Error{Kind: KindInvalid, Key: "snapshot", Msg: err.Error()}
	}
	var state hostState
	if err := json.Unmarshal(snap.Host, &state); err != nil {
		return nil, &Error{Kind: KindInvalid, Key: "snapshot", Msg: "the snapshot holds no exported run"}
	}
	r, err := s.revive(t, runID, &state)
	if err != nil {
		return nil, &Error{Kind: KindInvalid, Key: "snapshot", Msg: "the snapshot's run can't go on in this turn: " + err.Error()}
	}
	if err := s.importOnce(t.tenant, sealed, r.expiresAt); err != nil {
		r.cancel()
		return nil, err
	}
	if err := s.admitImport(ctx, r, snap.Image); err != nil {
		s.handoffs.imported.Return(sealed)
		r.cancel()
		return nil, err
	}
	return &Exported{RunID: r.id, ExpiresAt: r.expiresAt}, nil
}

// importOnce refuses a snapshot that was imported before (contract H6).
func (s *Service) importOnce(tenant string, sealed []byte, expires time.Time) error {
	switch err := s.handoffs.imported.Use(tenant, sealed, expires); {
	case errors.Is(err, snapshot.ErrUsed):
		return &Error{Kind: KindConflict, Key: "snapshot", Msg: "this snapshot was imported before; a snapshot is imported once."}
	case err != nil:
		return &Error{Kind: KindOverloaded, Msg: err.Error(), RetryAfter: time.Minute}
	}
	return nil
}

// admitImport gives an imported run its place, and its image one in the store.
func (s *Service) admitImport(ctx context.Context, r *run, image []byte) error {
	if !s.keep(r) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.runs[r.id] != nil {
			return &Error{Kind: KindConflict, Key: "runId", Msg: "a run of this id is here already"}
		}
		return &Error{Kind: KindOverloaded, Msg: tooManySuspended.text, RetryAfter: time.Second}
	}
	if !r.turn.addRun(r) {
		s.forget(r)
		return &Error{Kind: KindNotFound, Key: "turnId", Msg: "the turn has been deleted"}
	}
	if err := s.handoffs.put(ctx, r, image); err != nil {
		s.forget(r)
		r.turn.removeRun(r)
		return &Error{Kind: KindOverloaded, Msg: err.Error(), RetryAfter: time.Second}
	}
	r.stored = true
	r.detach = func() bool { return true }
	if !r.park(r.expiresAt) {
		r.end()
		return &Error{Kind: KindNotFound, Key: "turnId", Msg: "the turn has been deleted"}
	}
	return nil
}

// underWay returns the ids of calls whose answers will come to this process. r.mu must be held.
func (r *run) underWay() []string {
	var ids []string
	for _, it := range r.order {
		if it.kind == localItem && !it.settled {
			ids = append(ids, it.callID)
		}
	}
	return ids
}

func errUnderWay(ids []string) error {
	return &Error{
		Kind: KindConflict, Key: "runId",
		Msg: fmt.Sprintf("calls of this run are under way here: %s. Wait for them, then export it.", strings.Join(ids, ", ")),
	}
}
