package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
)

// server has the guests of a worker and answers requests for them.
type server struct {
	engine engine.Engine
	max    int      // bytes of a request
	raise  chan int // threads whose priority the parent is to raise

	controlMu sync.Mutex // writing to the control stream

	mu       sync.Mutex
	guests   map[uint64]*hostedGuest
	catalogs map[uint64][]byte
	kept     int // bytes of catalogs
}

func newServer(e engine.Engine, max int) *server {
	return &server{engine: e, max: max, raise: make(chan int, 16), guests: map[uint64]*hostedGuest{}, catalogs: map[uint64][]byte{}}
}

// hostedGuest is a guest, and what is known of it.
type hostedGuest struct {
	engine.VM
	pending int // requests that were not answered yet, timers included
}

// replay executes a step that was executed before.
func (r *hostedGuest) replay(request *stepRequest, timeout time.Duration) (*engine.Effects, error) {
	replayer, ok := r.VM.(engine.Replayer)
	if !ok {
		return nil, engine.ErrProtocol
	}
	return replayer.Replay(context.Background(), request.input, request.clock, timeout)
}

// manyPending is for guests of which it is not known: more than any can have.
const manyPending = 1 << 40

// finished counts what a step has left pending, and says whether no other step can follow: this one was ended from outside,
// or the cell has settled and waits for nothing.
func (r *hostedGuest) finished(input []byte, effects *engine.Effects, err error) bool {
	if err != nil || effects == nil {
		return true
	}
	r.pending += len(effects.Requests) - len(effects.Cancelled) - engine.Answers(input)
	return effects.Main.State != engine.Pending && r.pending <= 0
}

// serve answers on all connections until the control stream ends.
func (s *server) serve(control *frame.Conn, conns []*frame.Conn) error {
	failed := make(chan error, len(conns)+2)
	for _, conn := range conns {
		go func() { failed <- s.serveConn(conn) }()
	}
	go func() { failed <- s.serveControl(control) }()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case thread := <-s.raise:
				if err := s.say(control, controlRaise, thread); err != nil {
					failed <- err
					return
				}
			case <-over:
				return
			}
		}
	}()
	return <-failed
}

// say writes a number to the control stream.
func (s *server) say(control *frame.Conn, kind byte, number int) error {
	s.controlMu.Lock()
	defer s.controlMu.Unlock()
	return control.WriteFrame(wire.U32(control.NewFrame(kind), number))
}

// askToRaise has the parent raise a thread's priority, which no sandboxed process may. If there is too much to ask for, it is
// asked again.
func (s *server) askToRaise(thread int) {
	select {
	case s.raise <- thread:
	default:
	}
}

// serveControl reads the control stream.
func (s *server) serveControl(control *frame.Conn) error {
	for {
		kind, body, err := control.ReadFrame(maxControl)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := read(body)
		switch kind {
		case controlPing:
			s.close(r.guests())
			if err := s.say(control, controlPong, s.engine.Stats().Heaps); err != nil {
				return err
			}
		case controlInterrupt:
			if guest := s.guest(r.U64()); guest != nil {
				guest.Interrupt()
			}
		default:
			return fmt.Errorf("%w: kind %q on the control stream", frame.ErrProtocol, kind)
		}
		if err := r.err(); err != nil {
			return err
		}
	}
}

// serveConn answers the requests of one connection, one after the other.
func (s *server) serveConn(conn *frame.Conn) error {
	for {
		kind, body, err := conn.ReadFrame(s.max)
		if err != nil {
			return err
		}
		reply, closed, err := s.handle(conn, kind, body)
		if err != nil {
			return err
		}
		if err := conn.WriteFrame(reply); err != nil {
			return err
		}
		s.close(closed) // after the reply: the parent does not wait for it
	}
}

// handle answers a request. The guests that it returns are to be closed afterwards.
func (s *server) handle(conn *frame.Conn, kind byte, body []byte) ([]byte, []uint64, error) {
	switch kind {
	case requestStep:
		var request stepRequest
		if err := request.parse(body); err != nil {
			return nil, nil, err
		}
		reply, finished, err := s.step(conn, &request)
		if finished {
			return reply, append(request.closed, request.guest), err
		}
		return reply, request.closed, err
	case requestRestore:
		var request restoreRequest
		if err := request.parse(body); err != nil {
			return nil, nil, err
		}
		reply, err := s.restore(conn, &request)
		return reply, nil, err
	case requestImage, requestFootprint:
		r := read(body)
		guest := s.guest(r.U64())
		if err := r.err(); err != nil {
			return nil, nil, err
		}
		if kind == requestImage {
			return imageOf(conn, guest), nil, nil
		}
		return footprintOf(conn, guest), nil, nil
	}
	return nil, nil, fmt.Errorf("%w: kind %q on a connection for requests", frame.ErrProtocol, kind)
}

// step executes a step, and says whether the guest is to be closed afterwards.
func (s *server) step(conn *frame.Conn, request *stepRequest) ([]byte, bool, error) {
	guest := s.guest(request.guest)
	if guest == nil && request.fresh {
		text, known := s.catalog(&request.catalog)
		if !known {
			return conn.NewFrame(replyCatalog), false, nil
		}
		vm, err := s.engine.NewVM(text)
		if err != nil {
			return (&stepReply{err: err, closed: true}).append(conn.NewFrame(replyStep)), false, nil
		}
		if guest, err = s.addGuest(request.guest, vm); err != nil {
			return nil, false, err
		}
	}
	if guest == nil {
		return (&stepReply{err: engine.ErrClosed, closed: true}).append(conn.NewFrame(replyStep)), false, nil
	}
	var effects *engine.Effects
	reply, left := stepReply{}, max(request.until-monotonic(), 0)
	if request.replayed {
		effects, reply.err = guest.replay(request, left)
	} else {
		ctx := engine.WithClaim(context.Background(), &engine.Claim{Long: request.long})
		effects, reply.err = guest.Step(ctx, request.input, left)
	}
	reply.heap, reply.closed = guest.HeapBytes(), guest.finished(request.input, effects, reply.err)
	if effects != nil {
		reply.wall, reply.cpu, reply.raw = effects.Took, effects.CPU, effects.Raw()
		if reply.raw == nil {
			reply.raw = []byte{}
		}
	}
	return reply.append(conn.NewFrame(replyStep)), reply.closed, nil
}

func (s *server) restore(conn *frame.Conn, request *restoreRequest) ([]byte, error) {
	text, known := s.catalog(&request.catalog)
	if !known {
		return conn.NewFrame(replyCatalog), nil
	}
	p, ok := s.engine.(engine.Portable)
	if !ok {
		return appendOutcome(conn.NewFrame(replyRestored), engine.ErrImage), nil
	}
	vm, err := p.Restore(context.Background(), request.image, text)
	if err == nil {
		guest, err := s.addGuest(request.guest, vm)
		if err != nil {
			return nil, err
		}
		guest.pending = manyPending
	}
	return appendOutcome(conn.NewFrame(replyRestored), err), nil
}

func imageOf(conn *frame.Conn, guest *hostedGuest) []byte {
	if guest == nil {
		return appendOutcome(conn.NewFrame(replyImage), engine.ErrClosed)
	}
	image, err := engine.Image(context.Background(), guest.VM)
	return append(appendOutcome(conn.NewFrame(replyImage), err), image...)
}

func footprintOf(conn *frame.Conn, guest *hostedGuest) []byte {
	size, err := 0, engine.ErrClosed
	if guest != nil {
		size, err = guest.Footprint()
	}
	return wire.U64(appendOutcome(conn.NewFrame(replyFootprint), err), uint64(size))
}

func (s *server) guest(id uint64) *hostedGuest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guests[id]
}

func (s *server) addGuest(id uint64, vm engine.VM) (*hostedGuest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guests[id] != nil {
		vm.Close()
		return nil, fmt.Errorf("%w: guest %d is there already", frame.ErrProtocol, id)
	}
	s.guests[id] = &hostedGuest{VM: vm}
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
	// How many bytes of catalogs a worker keeps. Beyond that it forgets all, and is sent them again.
	maxCatalogs = 16 << 20
	// How many bytes one catalog may have.
	maxCatalog = 64 << 20
)

// catalog returns the text of a request's catalog; false if it was left out and is not known. What is kept is a copy, since
// the request lies in the connection's buffer.
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
