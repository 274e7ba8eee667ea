package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine"
)

// guest is where the run's guest is: in a heap (vm), in a snapshot (stored), or nowhere any more.
//
// The goroutine that drives the run executes steps. While the run is suspended the guest rests, and others may capture it;
// whoever resumes or closes the guest waits for a capture that is under way, which is short. Each time that it comes to rest
// or leaves it is another generation, so that an image that was made meanwhile is known to be out of date.
type guest struct {
	capturing sync.Mutex // held while somebody else than the driving goroutine uses vm

	mu         sync.Mutex
	vm         engine.VM
	engine     string // where the guest is, or was last
	stored     bool
	held       int // bytes in the run's account, beside the heap
	resting    bool
	generation int
}

// put makes a VM the guest's heap.
func (g *guest) put(vm engine.VM) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.vm, g.stored, g.engine = vm, false, vm.EngineName()
}

// putInStore says that the guest lies in a snapshot.
func (g *guest) putInStore(engine string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.vm, g.stored, g.engine = nil, true, engine
}

func (g *guest) step(ctx context.Context, input []byte, timeout time.Duration) (*engine.Effects, error) {
	return g.vm.Step(ctx, input, timeout)
}

func (g *guest) footprint() (int, error) { return g.vm.Footprint() }

func (g *guest) heapBytes() int { return g.vm.HeapBytes() }

// setHeld notes how many bytes the run's account holds for the guest beside its heap, and returns how many it was.
func (g *guest) setHeld(n int) (before int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before, g.held = g.held, n
	return before
}

// engineName returns the name of the engine that the guest is in, or was in last.
func (g *guest) engineName() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine
}

// inHeap says whether the guest has a heap.
func (g *guest) inHeap() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.vm != nil
}

// interrupt ends the step under way, if any.
func (g *guest) interrupt() {
	g.mu.Lock()
	vm := g.vm
	g.mu.Unlock()
	if vm != nil {
		vm.Interrupt()
	}
}

// rest lets others capture the guest. It says whether there is a heap.
func (g *guest) rest() (inHeap bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resting = true
	g.generation++
	return g.vm != nil
}

// wake ends that: the guest is the driving goroutine's alone.
func (g *guest) wake() {
	g.capturing.Lock()
	defer g.capturing.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resting = false
	g.generation++
}

// capture captures a guest that rests in a heap, and says which generation that is. The capture is nil if there is none.
// Beside it, while the run can't be resumed, what else there is of the run is noted.
func (g *guest) capture(beside func()) (engine.Capture, int, error) {
	g.capturing.Lock()
	defer g.capturing.Unlock()
	g.mu.Lock()
	vm, generation, resting := g.vm, g.generation, g.resting
	g.mu.Unlock()
	if vm == nil || !resting {
		return nil, generation, nil
	}
	imager, ok := vm.(engine.Imager)
	if !ok {
		return nil, generation, engine.ErrPinned
	}
	capture, err := imager.Capture()
	if err == nil {
		beside()
	}
	return capture, generation, err
}

// moved says that a snapshot of that generation is stored now. If the guest has not changed since, its heap is returned, to
// be closed; else the snapshot is out of date.
func (g *guest) moved(generation int, held *account.Account) (engine.VM, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.resting || g.generation != generation {
		return nil, false
	}
	vm := g.vm
	g.vm, g.stored = nil, true
	held.Release(g.held) // under the lock: the account is closed after the guest
	g.held = 0
	return vm, true
}

// current says whether the guest still rests as it did in that generation.
func (g *guest) current(generation int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.resting && g.generation == generation
}

// close gives the heap up, and says whether there is a snapshot to delete.
func (g *guest) close() (stored bool) {
	g.capturing.Lock()
	g.mu.Lock()
	vm, stored := g.vm, g.stored
	g.vm, g.stored, g.resting = nil, false, false
	g.generation++
	g.mu.Unlock()
	g.capturing.Unlock()
	if vm != nil {
		vm.Close()
	}
	return stored
}
