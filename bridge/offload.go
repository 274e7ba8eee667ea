package bridge

import (
	"container/list"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/snapshot"
)

// offloader moves the guests of suspended runs out of their heaps, into sealed snapshots (contract C4).
//
// A suspended run's heap stays where it is, parked, because resuming it there is cheapest. It is moved when more heaps are
// parked than may be, the one that has waited longest first; and at once, though off the caller's path, where the config
// wants every wait to restore a snapshot. A guest that can't be copied out (engine.ErrPinned) keeps its heap, which is then
// the run's only copy.
type offloader struct {
	engine   engine.Portable
	store    snapshot.Store
	sealer   *snapshot.Sealer
	imported *snapshot.Ledger
	service  *Service
	limit    int // parked heaps

	mu     sync.Mutex // nothing else is locked under it
	parked *list.List // of *run, by suspension; those that are pinned are not on it
	pinned int        // parked heaps that can't be moved

	loaded chan struct{} // closed once the engine is, or can't be
	eager  chan *run     // to be moved at once
	full   chan struct{} // too many are parked
	stop   context.Context
	end    context.CancelFunc
	done   sync.WaitGroup
	count  offloadCounts
}

// parking is a run's place among the parked heaps. The offloader's lock guards it, apart from moving, which lets one mover
// in.
type parking struct {
	moving sync.Mutex
	place  *list.Element
	pinned bool
}

type offloadCounts struct{ done, diverged, kept, failed, restored atomic.Int64 }

// OffloadStats counts what became of suspended guests since the start.
type OffloadStats struct {
	Done     int64 `json:"done"`     // moved into a snapshot
	Diverged int64 `json:"diverged"` // a step was not the same step when replayed: the heap was kept
	Kept     int64 `json:"kept"`     // the guest can't leave its heap for another reason, such as too long a journal
	Failed   int64 `json:"failed"`   // the store or the engine had no room: the heap was kept
	Restored int64 `json:"restored"` // snapshots that became guests again
}

// claimLease is how long a snapshot is claimed at a time: much longer than it takes to make a guest of it.
const claimLease = 30 * time.Second

// errStale means that the run was resumed, or ended, before its guest was moved.
var errStale = errors.New("the run went on")

func newOffloader(s *Service, portable engine.Portable) (*offloader, error) {
	sealer, err := snapshot.NewSealer(s.options.SnapshotKey)
	if err != nil {
		return nil, err
	}
	o := &offloader{
		engine: portable, store: s.options.Snapshots, sealer: sealer, service: s, limit: s.options.ParkedHeaps,
		imported: snapshot.NewLedger(snapshot.LedgerOptions{}),
		parked:   list.New(), loaded: make(chan struct{}), eager: make(chan *run, 1024), full: make(chan struct{}, 1),
	}
	if o.store == nil {
		o.store = snapshot.NewMemory(snapshot.MemoryOptions{
			Bounds: snapshot.Bounds{Bytes: s.options.SnapshotBytes, TenantBytes: s.options.SnapshotTenantBytes},
		})
	}
	o.stop, o.end = context.WithCancel(context.Background())
	go func() { // which ends with the engine, if not before
		defer close(o.loaded)
		_, _ = portable.Build()
	}()
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		o.done.Go(o.work)
	}
	return o, nil
}

func (o *offloader) close() error {
	o.end()
	o.done.Wait()
	return o.store.Close()
}

// work moves runs. Those that are suspended while the engine is still being loaded stay parked until then: an attempt would
// fail, and a heap that could not be left once is kept.
func (o *offloader) work() {
	select {
	case <-o.stop.Done():
		return
	case <-o.loaded:
	}
	for {
		select {
		case <-o.stop.Done():
			return
		case r := <-o.eager:
			_ = o.move(o.stop, r)
		case <-o.full:
			for o.stop.Err() == nil {
				r := o.oldest()
				if r == nil {
					break
				}
				_ = o.move(o.stop, r)
			}
		}
	}
}

// park notes that a run's heap is parked.
func (o *offloader) park(r *run) {
	o.mu.Lock()
	r.parking.place = o.parked.PushBack(r)
	full := o.parked.Len()+o.pinned > o.limit
	o.mu.Unlock()
	if r.restores() {
		select {
		case o.eager <- r:
		default: // the wait will see to it
		}
	}
	if full {
		select {
		case o.full <- struct{}{}:
		default:
		}
	}
}

// unpark notes that a run's heap is not parked any more.
func (o *offloader) unpark(r *run) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := &r.parking
	switch {
	case p.place != nil:
		o.parked.Remove(p.place)
		p.place = nil
	case p.pinned:
		p.pinned = false
		o.pinned--
	}
}

// place returns where a run stands on the list, nil if it does not. Each time that it is parked that is another one.
func (o *offloader) place(r *run) *list.Element {
	o.mu.Lock()
	defer o.mu.Unlock()
	return r.parking.place
}

// leave takes a run off the list, unless it has left that place already.
func (o *offloader) leave(r *run, place *list.Element) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.leaveLocked(r, place)
}

func (o *offloader) leaveLocked(r *run, place *list.Element) bool {
	if place == nil || r.parking.place != place {
		return false
	}
	o.parked.Remove(place)
	r.parking.place = nil
	return true
}

// pin takes a run whose guest can't be moved off the list, unless it has left that place already.
func (o *offloader) pin(r *run, place *list.Element) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.leaveLocked(r, place) {
		r.parking.pinned = true
		o.pinned++
	}
}

// oldest returns the run to move next, nil while not too many are parked.
func (o *offloader) oldest() *run {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.parked.Front()
	if first == nil || o.parked.Len()+o.pinned <= o.limit {
		return nil
	}
	return first.Value.(*run)
}

// restores says whether every wait of the run restores a snapshot.
func (r *run) restores() bool { return r.turn.config.SnapshotResume == config.ResumeRestore }

// move puts a suspended run's guest into the store and gives up its heap. If the run is resumed meanwhile, that goes ahead.
// An error means that the heap, if there is one, is kept.
func (o *offloader) move(ctx context.Context, r *run) error {
	r.parking.moving.Lock()
	defer r.parking.moving.Unlock()
	place := o.place(r)
	var host hostState
	capture, generation, err := r.guest.capture(func() { host = r.hostState() })
	if err == nil && capture == nil {
		return nil // it lies in the store already, or is not suspended
	}
	var image []byte
	if err == nil {
		image, err = capture(ctx)
	}
	if err == nil {
		err = o.put(ctx, r, host.encode(), image)
	}
	if err != nil {
		if !r.guest.current(generation) {
			return errStale
		}
		if ctx.Err() == nil {
			o.pin(r, place)
		}
		o.note(r, err)
		return err
	}
	heap, ok := r.guest.moved(generation, &r.account)
	if !ok {
		_ = o.store.Delete(context.Background(), r.id.String())
		return errStale
	}
	o.leave(r, place)
	heap.Close()
	o.count.done.Add(1)
	return nil
}

// put seals a run, complete with what the host knows of it, and stores it for as long as it has left.
func (o *offloader) put(ctx context.Context, r *run, host, image []byte) error {
	sealed, err := o.seal(r, host, image)
	if err != nil {
		return err
	}
	return o.store.Put(ctx, r.id.String(), snapshot.Record{Tenant: r.turn.tenant, Sealed: sealed}, time.Until(r.lifecycle.expires()))
}

func (o *offloader) seal(r *run, host, image []byte) ([]byte, error) {
	binding, err := o.binding(r.turn, r.id.String())
	if err != nil {
		return nil, err
	}
	return o.sealer.Seal(&snapshot.Snapshot{Host: host, Image: image}, binding), nil
}

// note counts and logs why a guest was not moved.
func (o *offloader) note(r *run, err error) {
	logger := o.service.options.Logger
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, engine.ErrDiverged):
		o.count.diverged.Add(1)
		logger.Warn("a suspended run stays in its heap: replayed, it went otherwise", "run", r.id.String(), "error", err)
	case errors.Is(err, engine.ErrPinned):
		o.count.kept.Add(1)
		logger.Debug("a suspended run stays in its heap", "run", r.id.String(), "error", err)
	default:
		o.count.failed.Add(1)
		logger.Error("a suspended run stays in its heap", "run", r.id.String(), "error", err)
	}
}

// restore makes a guest of the run's snapshot. The run is being driven by the caller. When the engine has no room
// (engine.ErrOverloaded) the snapshot is kept.
func (o *offloader) restore(r *run) error {
	ctx := context.Background()
	image, fence, err := o.claim(ctx, r)
	if err != nil {
		return err
	}
	waiting, stop := context.WithTimeout(r.ctx, r.invocation.limit)
	defer stop()
	vm, err := o.engine.Restore(waiting, image, r.cell.catalog)
	if err != nil && waiting.Err() != nil && r.ctx.Err() == nil {
		err = engine.ErrOverloaded // it would have had to wait for longer than a wait may
	}
	if errors.Is(err, engine.ErrOverloaded) {
		return errors.Join(err, o.store.Release(ctx, r.id.String(), fence))
	}
	if err != nil {
		return err
	}
	if err := o.store.Ack(ctx, r.id.String(), fence); err != nil {
		vm.Close() // somebody else may have the run by now
		return err
	}
	o.count.restored.Add(1)
	r.guest.put(vm)
	r.holdGuest()
	if r.ctx.Err() != nil {
		vm.Interrupt()
	}
	return nil
}

// claim claims the snapshot of a run that the caller drives, and opens it.
func (o *offloader) claim(ctx context.Context, r *run) (image []byte, _ snapshot.Fence, err error) {
	binding, err := o.binding(r.turn, r.id.String())
	if err != nil {
		return nil, 0, err
	}
	claim, err := o.store.Claim(ctx, r.id.String(), claimLease)
	if err != nil {
		return nil, 0, err
	}
	snap, err := o.sealer.Open(claim.Record.Sealed, binding, r.turn.imageLimit())
	if err != nil {
		return nil, 0, errors.Join(err, o.store.Release(ctx, r.id.String(), claim.Fence))
	}
	return snap.Image, claim.Fence, nil
}

// binding is what a run's snapshot belongs to (contract H4).
func (o *offloader) binding(t *Turn, runID string) (snapshot.Binding, error) {
	build, err := o.engine.Build()
	if err != nil {
		return snapshot.Binding{}, err
	}
	return snapshot.Binding{Tenant: t.tenant, Session: owner(t.context), Turn: t.fingerprint(), Build: build, Run: runID}, nil
}

func (o *offloader) stats() OffloadStats {
	return OffloadStats{
		Done: o.count.done.Load(), Diverged: o.count.diverged.Load(), Kept: o.count.kept.Load(),
		Failed: o.count.failed.Load(), Restored: o.count.restored.Load(),
	}
}

func (o *offloader) parkedHeaps() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.parked.Len() + o.pinned
}
