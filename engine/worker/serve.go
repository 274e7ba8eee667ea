package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/wire"
	"github.com/codecell/codecell/engine/worker/sandbox"
)

// Settings are what a worker is told when it starts.
type Settings struct {
	Engine    string `json:"engine"`    // which engine to open
	Steps     int    `json:"steps"`     // at once
	Heaps     int    `json:"heaps"`     // at once
	HeapBytes int    `json:"heapBytes"` // of each
	CacheDir  string `json:"cacheDir"`
	// Processors is on how many the worker's Go code may run at once; zero for all. Where steps are taken in C, which runs
	// beside it, half of them is faster: the service needs the rest.
	Processors int `json:"processors"`
}

// hello is Settings with what concerns the connection.
type hello struct {
	Settings
	Lanes int `json:"lanes"`
}

// ready is a worker's answer to hello.
type ready struct {
	Error      string         `json:"error,omitempty"` // why it can't serve
	Name       string         `json:"name"`            // of the engine
	Build      string         `json:"build,omitempty"` // of a portable engine
	Sandbox    sandbox.Report `json:"sandbox"`
	Notes      []string       `json:"notes,omitempty"`      // of the engine, for the operator
	Unenforced []string       `json:"unenforced,omitempty"` // see engine.LimitReporter
}

// Opener opens the engine that the settings name. It runs before the sandbox closes.
type Opener func(Settings) (engine.Engine, error)

// Where a worker finds its connections: they are all that it inherits beside standard error.
const (
	controlDescriptor = 3
	firstLane         = 4
)

// errNotByHand is for a person who tries.
var errNotByHand = errors.New("a worker is started by codecell itself, which is not at the other end")

// What the sandbox leaves room for beside the connections: standard streams, epoll, the runtime's own.
const spareDescriptors = 16

// maxControl bounds the frames of the control stream, in bytes.
const maxControl = 1 << 20

// Serve is a worker's life: it returns when the parent closes the connection. It closes the sandbox around the process, so
// nothing else can be done afterwards but to exit.
func Serve(open Opener) error {
	control, err := inherited(controlDescriptor)
	if err != nil {
		return err
	}
	kind, body, err := control.read(maxControl)
	var h hello
	if err != nil || kind != sayHello || json.Unmarshal(body, &h) != nil {
		return errNotByHand
	}
	lanes := make([]*stream, h.Lanes)
	for i := range lanes {
		if lanes[i], err = inherited(firstLane + i); err != nil {
			return err
		}
	}
	if h.Processors > 0 {
		runtime.GOMAXPROCS(h.Processors)
	}
	r := ready{}
	e, err := open(h.Settings)
	if err == nil {
		r.Name = e.Name()
		if p, ok := e.(engine.Portable); ok {
			r.Build, err = p.Build()
		}
	}
	if err != nil {
		r.Error = err.Error()
		return errors.Join(err, say(control, sayReady, &r))
	}
	r.Notes, r.Unenforced = engine.Reports(e), engine.UnenforcedLimits(e)
	r.Sandbox = sandbox.Enter(uint64(firstLane + h.Lanes + spareDescriptors))
	if err := say(control, sayReady, &r); err != nil {
		return err
	}
	return (&server{engine: e, guests: map[uint64]*resident{}, catalogs: map[uint64][]byte{}, most: h.mostAsked()}).serve(control, lanes)
}

// inherited makes a stream of a descriptor that the parent left open.
func inherited(descriptor int) (*stream, error) {
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return nil, fmt.Errorf("%w (descriptor %d: %w)", errNotByHand, descriptor, err)
	}
	syscall.CloseOnExec(descriptor)
	return &stream{socket: os.NewFile(uintptr(descriptor), "parent")}, nil
}

func say(control *stream, kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return control.send(append(control.frame(kind), text...))
}

// server is the guests of a worker.
type server struct {
	engine engine.Engine
	most   int // bytes of a frame

	mu       sync.Mutex
	guests   map[uint64]*resident
	catalogs map[uint64][]byte
	kept     int // bytes of catalogs
}

// resident is a guest that lives here.
type resident struct {
	engine.VM
	pending int // requests that have no answer yet, timers among them
}

// replay executes a step that was executed before.
func (r *resident) replay(ask *step, timeout time.Duration) (*engine.Effects, error) {
	replayer, ok := r.VM.(engine.Replayer)
	if !ok {
		return nil, engine.ErrProtocol
	}
	return replayer.Replay(context.Background(), ask.input, ask.clock, timeout)
}

// unknown is more than any guest can have pending.
const unknown = 1 << 40

// took notes a step and says whether no other can be taken: it was ended, or the cell has settled and waits for nothing.
func (r *resident) took(input []byte, effects *engine.Effects, err error) bool {
	if err != nil || effects == nil {
		return true
	}
	r.pending += len(effects.Requests) - len(effects.Cancelled) - engine.Answers(input)
	return effects.Main.State != engine.Pending && r.pending <= 0
}

// serve answers on all streams until the control stream ends.
func (s *server) serve(control *stream, lanes []*stream) error {
	failed := make(chan error, len(lanes)+1)
	for _, lane := range lanes {
		go func() { failed <- s.answer(lane) }()
	}
	go func() { failed <- s.obey(control) }()
	return <-failed
}

// obey does what the control stream says.
func (s *server) obey(control *stream) error {
	for {
		kind, body, err := control.read(maxControl)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := read(body)
		switch kind {
		case sayAlive:
			s.close(r.guests())
			if err := control.send(wire.U32(control.frame(sayLiving), s.engine.Stats().Heaps)); err != nil {
				return err
			}
		case sayInterrupt:
			if guest := s.guest(r.U64()); guest != nil {
				guest.Interrupt()
			}
		default:
			return fmt.Errorf("%w: kind %q on the control stream", errFrame, kind)
		}
		if err := r.err(); err != nil {
			return err
		}
	}
}

// answer answers what is asked on a lane.
func (s *server) answer(lane *stream) error {
	for {
		kind, body, err := lane.read(s.most)
		if err != nil {
			return err
		}
		reply, closed, err := s.do(lane, kind, body)
		if err != nil {
			return err
		}
		if err := lane.send(reply); err != nil {
			return err
		}
		s.close(closed) // only now: nobody waits for that
	}
}

// do does what is asked and returns the answer, and which guests are to be closed.
func (s *server) do(lane *stream, kind byte, body []byte) ([]byte, []uint64, error) {
	switch kind {
	case askStep:
		var ask step
		if err := ask.parse(body); err != nil {
			return nil, nil, err
		}
		reply, over, err := s.step(lane, &ask)
		if over {
			return reply, append(ask.closed, ask.guest), err
		}
		return reply, ask.closed, err
	case askRestore:
		var ask restore
		if err := ask.parse(body); err != nil {
			return nil, nil, err
		}
		reply, err := s.restore(lane, &ask)
		return reply, nil, err
	case askImage, askFootprint:
		r := read(body)
		guest := s.guest(r.U64())
		if err := r.err(); err != nil {
			return nil, nil, err
		}
		if kind == askImage {
			return imageOf(lane, guest), nil, nil
		}
		return footprintOf(lane, guest), nil, nil
	}
	return nil, nil, fmt.Errorf("%w: kind %q on a lane", errFrame, kind)
}

// step takes a step and says whether the guest is to be closed afterwards.
func (s *server) step(lane *stream, ask *step) ([]byte, bool, error) {
	guest := s.guest(ask.guest)
	if guest == nil && ask.fresh {
		text, known := s.catalog(&ask.catalog)
		if !known {
			return lane.frame(tellCatalog), false, nil
		}
		vm, err := s.engine.NewVM(text)
		if err != nil {
			return (&stepped{err: err, over: true}).append(lane.frame(tellStep)), false, nil
		}
		if guest, err = s.keep(ask.guest, vm); err != nil {
			return nil, false, err
		}
	}
	if guest == nil {
		return (&stepped{err: engine.ErrClosed, over: true}).append(lane.frame(tellStep)), false, nil
	}
	var effects *engine.Effects
	told, left := stepped{}, max(ask.until-monotonic(), 0)
	if ask.replayed {
		effects, told.err = guest.replay(ask, left)
	} else {
		effects, told.err = guest.Step(context.Background(), ask.input, left)
	}
	told.heap, told.over = guest.HeapBytes(), guest.took(ask.input, effects, told.err)
	if effects != nil {
		told.wall, told.cpu, told.raw = effects.Took, effects.CPU, effects.Raw()
		if told.raw == nil {
			told.raw = []byte{}
		}
	}
	return told.append(lane.frame(tellStep)), told.over, nil
}

func (s *server) restore(lane *stream, ask *restore) ([]byte, error) {
	text, known := s.catalog(&ask.catalog)
	if !known {
		return lane.frame(tellCatalog), nil
	}
	p, ok := s.engine.(engine.Portable)
	if !ok {
		return appendOutcome(lane.frame(tellRestored), engine.ErrImage), nil
	}
	vm, err := p.Restore(ask.image, text)
	if err == nil {
		guest, err := s.keep(ask.guest, vm)
		if err != nil {
			return nil, err
		}
		guest.pending = unknown
	}
	return appendOutcome(lane.frame(tellRestored), err), nil
}

func imageOf(lane *stream, guest *resident) []byte {
	if guest == nil {
		return appendOutcome(lane.frame(tellImage), engine.ErrClosed)
	}
	image, err := engine.Image(context.Background(), guest.VM)
	return append(appendOutcome(lane.frame(tellImage), err), image...)
}

func footprintOf(lane *stream, guest *resident) []byte {
	size, err := 0, engine.ErrClosed
	if guest != nil {
		size, err = guest.Footprint()
	}
	return wire.U64(appendOutcome(lane.frame(tellFootprint), err), uint64(size))
}

func (s *server) guest(id uint64) *resident {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guests[id]
}

func (s *server) keep(id uint64, vm engine.VM) (*resident, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guests[id] != nil {
		vm.Close()
		return nil, fmt.Errorf("%w: guest %d is there already", errFrame, id)
	}
	s.guests[id] = &resident{VM: vm}
	return s.guests[id], nil
}

func (s *server) close(guests []uint64) {
	for _, id := range guests {
		s.mu.Lock()
		guest := s.guests[id]
		delete(s.guests, id)
		s.mu.Unlock()
		if guest != nil {
			guest.Close()
		}
	}
}

const (
	// How many bytes of catalogs a worker keeps. Beyond that it forgets all, and is told again.
	maxCatalogs = 16 << 20
	// How many bytes one catalog may have.
	maxCatalog = 64 << 20
)

// catalog returns a catalog's text, false if it was not sent along and is not known. It is copied: the frame that it came
// in is not its to keep.
func (s *server) catalog(c *catalog) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.known {
		text, ok := s.catalogs[c.id]
		return text, ok
	}
	text := append([]byte{}, c.text...)
	if s.kept+len(text) > maxCatalogs {
		s.catalogs, s.kept = map[uint64][]byte{}, 0
	}
	if _, ok := s.catalogs[c.id]; !ok {
		s.catalogs[c.id] = text
		s.kept += len(text)
	}
	return text, true
}

// mostAsked bounds what a worker is asked at once, in bytes: no engine takes more into a heap, and a catalog comes along.
func (h *hello) mostAsked() int { return 2*h.HeapBytes + (16 << 20) + maxCatalog }
