package bridge

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/snapshot"
)

// handoffs moves the guests of suspended runs out of their heaps, into sealed snapshots (contract C4).
//
// A suspended run's heap stays where it is, parked, because resuming it there is cheapest. It is moved when more heaps
// are parked than may be, the one that has waited longest first; and at once, though off the caller's path, where the
// config wants every wait to restore a snapshot. A guest that can't be copied out stays in its heap, the run's only copy.
type handoffs struct {
	portable engine.Portable
	store    snapshot.Store
	sealer   *snapshot.Sealer
	imported *snapshot.Ledger
	service  *Service
	limit    int // parked heaps

	mu     sync.Mutex // nothing else is locked under it
	parked *list.List // of *run, by suspension; those that can't be moved are not on it
	stuck  int        // parked heaps that can't be moved

	eager chan *run     // to be moved at once
	over  chan struct{} // too many are parked
	stop  context.Context
	end   context.CancelFunc
	done  sync.WaitGroup
	count handoffCounts
}

type handoffCounts struct{ done, diverged, kept, failed, restored atomic.Int64 }

// HandoffStats counts what became of suspended guests since the start.
type HandoffStats struct {
	Done     int64 `json:"done"`     // moved into a snapshot
	Diverged int64 `json:"diverged"` // a step was not the same step when replayed: the heap was kept
	Kept     int64 `json:"kept"`     // the guest can't leave its heap for another reason, such as too long a journal
	Failed   int64 `json:"failed"`   // the store or the engine had no room: the heap was kept
	Restored int64 `json:"restored"` // snapshots that became guests again
}

// claimLease is how long a snapshot is claimed at a time: much longer than it takes to read one.
const claimLease = 30 * time.Second

// errStale means that the run was resumed, or ended, before its guest was moved.
var errStale = errors.New("the run went on")

func (s *Service) newHandoffs(portable engine.Portable) (*handoffs, error) {
	o := &s.options
	sealer, err := snapshot.NewSealer(o.SnapshotKey)
	if err != nil {
		return nil, err
	}
	h := &handoffs{
		portable: portable, store: o.Snapshots, sealer: sealer, service: s, limit: o.ParkedHeaps,
		imported: snapshot.NewLedger(snapshot.LedgerOptions{}),
		parked:   list.New(), eager: make(chan *run, 1024), over: make(chan struct{}, 1),
	}
	if h.store == nil {
		h.store = snapshot.NewMemory(snapshot.MemoryOptions{Bounds: snapshot.Bounds{Bytes: o.SnapshotBytes}})
	}
	h.stop, h.end = context.WithCancel(context.Background())
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		h.done.Go(h.work)
	}
	return h, nil
}

func (h *handoffs) close() error {
	h.end()
	h.done.Wait()
	return h.store.Close()
}

func (h *handoffs) work() {
	for {
		select {
		case <-h.stop.Done():
			return
		case r := <-h.eager:
			_ = h.move(h.stop, r)
		case <-h.over:
			for h.stop.Err() == nil {
				r := h.oldest()
				if r == nil {
					break
				}
				_ = h.move(h.stop, r)
			}
		}
	}
}

// park notes that a run's heap is parked. r.mu must be held.
func (h *handoffs) park(r *run) {
	if r.vm == nil {
		return // the guest lies in a snapshot already
	}
	h.mu.Lock()
	r.parking = h.parked.PushBack(r)
	over := h.parked.Len()+h.stuck > h.limit
	h.mu.Unlock()
	if r.turn.config.SnapshotResume == config.ResumeRestore {
		select {
		case h.eager <- r:
		default: // the wait will see to it
		}
	}
	if over {
		select {
		case h.over <- struct{}{}:
		default:
		}
	}
}

// unpark notes that a run's heap is not parked any more. r.mu must be held.
func (h *handoffs) unpark(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case r.parking != nil:
		h.parked.Remove(r.parking)
		r.parking = nil
	case r.stuck:
		r.stuck = false
		h.stuck--
	}
}

// leave takes a run whose guest can't be moved off the list. r.mu must be held.
func (h *handoffs) leave(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.parking != nil {
		h.parked.Remove(r.parking)
		r.parking, r.stuck = nil, true
		h.stuck++
	}
}

// oldest returns the run to move next, nil while not too many are parked.
func (h *handoffs) oldest() *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.parked.Front()
	if first == nil || h.parked.Len()+h.stuck <= h.limit {
		return nil
	}
	return first.Value.(*run)
}

// move puts a suspended run's guest into the store and gives up its heap. If the run is resumed meanwhile, that goes
// ahead. An error means that the heap, if there is one, is kept.
func (h *handoffs) move(ctx context.Context, r *run) error {
	r.moving.Lock()
	defer r.moving.Unlock()
	image, was, err := h.image(ctx, r)
	if err == nil && image == nil {
		return nil // it lies in the store already
	}
	if err == nil {
		err = h.put(ctx, r, image)
	}
	r.mu.Lock()
	if r.state != suspended || r.suspensions != was {
		r.mu.Unlock()
		if err == nil {
			_ = h.store.Delete(context.Background(), r.id)
		}
		return errStale
	}
	if err != nil {
		if ctx.Err() == nil {
			h.leave(r)
		}
		r.mu.Unlock()
		h.note(r, err)
		return err
	}
	vm := r.vm
	r.vm, r.stored = nil, true
	h.unpark(r)
	r.mu.Unlock()
	vm.Close()
	h.count.done.Add(1)
	return nil
}

// image returns the image of a suspended run's guest, and which of its suspensions that is. It is nil if there is no
// heap to take one of.
func (h *handoffs) image(ctx context.Context, r *run) ([]byte, int, error) {
	capture, was, err := r.capture()
	if capture == nil || err != nil {
		return nil, was, err
	}
	// The heap itself is not touched: whoever resumes or ends the run meanwhile need not wait.
	image, err := capture(ctx)
	return image, was, err
}

// capture captures a suspended run's guest, and says in which of the run's suspensions. It is nil if there is no heap.
func (r *run) capture() (engine.Capture, int, error) {
	r.atRest.Lock()
	defer r.atRest.Unlock()
	r.mu.Lock()
	vm, was := r.vm, r.suspensions
	if r.state != suspended {
		vm = nil
	}
	r.mu.Unlock()
	if vm == nil {
		return nil, was, nil
	}
	guest, ok := vm.(engine.Imager)
	if !ok {
		return nil, was, fmt.Errorf("%w: engine %s copies none out", engine.ErrPinned, vm.EngineName())
	}
	capture, err := guest.Capture()
	return capture, was, err
}

// put seals an image and stores it for as long as the run has left.
func (h *handoffs) put(ctx context.Context, r *run, image []byte) error {
	binding, err := h.binding(r.turn, r.id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	left := time.Until(r.expiresAt)
	r.mu.Unlock()
	record := snapshot.Record{Tenant: r.turn.tenant, Sealed: h.sealer.Seal(&snapshot.Snapshot{Image: image}, binding)}
	return h.store.Put(ctx, r.id, record, left)
}

// note counts and logs why a guest was not moved.
func (h *handoffs) note(r *run, err error) {
	logger := h.service.options.Logger
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, engine.ErrDiverged):
		h.count.diverged.Add(1)
		logger.Warn("a suspended run stays in its heap: replayed, it went otherwise", "run", r.id, "error", err)
	case errors.Is(err, engine.ErrPinned):
		h.count.kept.Add(1)
		logger.Debug("a suspended run stays in its heap", "run", r.id, "error", err)
	default:
		h.count.failed.Add(1)
		logger.Error("a suspended run stays in its heap", "run", r.id, "error", err)
	}
}

// restore makes a guest of the run's snapshot. The run is being driven by the caller. When the engine has no room
// (engine.ErrOverloaded) the snapshot is kept.
func (h *handoffs) restore(r *run) error {
	ctx := context.Background()
	binding, err := h.binding(r.turn, r.id)
	if err != nil {
		return err
	}
	claim, err := h.store.Claim(ctx, r.id, claimLease)
	if err != nil {
		return err
	}
	snap, err := h.sealer.Open(claim.Record.Sealed, binding, r.turn.imageLimit())
	if err != nil {
		return err
	}
	vm, err := h.portable.Restore(snap.Image, r.catalog)
	if errors.Is(err, engine.ErrOverloaded) {
		return errors.Join(err, h.store.Release(ctx, r.id, claim.Fence))
	}
	if err != nil {
		return err
	}
	if err := h.store.Ack(ctx, r.id, claim.Fence); err != nil {
		vm.Close() // somebody else may have the run by now
		return err
	}
	h.count.restored.Add(1)
	r.mu.Lock()
	r.vm, r.stored = vm, false
	gone := r.ctx.Err() != nil
	r.mu.Unlock()
	r.engine = vm.EngineName()
	if gone {
		vm.Interrupt()
	}
	return nil
}

// binding is what a run's snapshot belongs to.
func (h *handoffs) binding(t *Turn, runID string) (snapshot.Binding, error) {
	build, err := h.portable.Build()
	if err != nil {
		return snapshot.Binding{}, err
	}
	return snapshot.Binding{
		Tenant: t.tenant, Session: owner(t.context), Turn: t.fingerprint(), Build: build, Run: runID,
	}, nil
}

func (h *handoffs) stats() HandoffStats {
	return HandoffStats{
		Done: h.count.done.Load(), Diverged: h.count.diverged.Load(), Kept: h.count.kept.Load(),
		Failed: h.count.failed.Load(), Restored: h.count.restored.Load(),
	}
}

func (h *handoffs) parkedHeaps() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.parked.Len() + h.stuck
}
