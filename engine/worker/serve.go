package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/worker/sandbox"
)

// Settings are what a worker is told when it starts.
type Settings struct {
	Engine    string `json:"engine"`    // which engine to open
	Steps     int    `json:"steps"`     // at once
	Heaps     int    `json:"heaps"`     // at once
	HeapBytes int    `json:"heapBytes"` // of each
	CacheDir  string `json:"cacheDir"`
	// Processors is on how many the worker's Go code may run at once; zero for all. Where steps run in C, beside the Go
	// code, half of them is faster: the service needs the rest.
	Processors int `json:"processors"`
}

// hello is what the parent sends first: Settings, and the number of connections.
type hello struct {
	Settings
	Conns int `json:"conns"`
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

// Opener opens the engine that the settings name. It is called before the sandbox is entered.
type Opener func(Settings) (engine.Engine, error)

// The numbers of a worker's connections: they are all that it inherits beside standard error.
const (
	controlConn = 0
	firstConn   = 1
)

// errNotByHand is what a person sees who starts a worker.
var errNotByHand = errors.New("a worker is started by codecell itself, which is not at the other end")

// spareDescriptors are left for standard streams, epoll and the runtime, beside the connections.
const spareDescriptors = 16

// maxControl bounds the frames of the control stream, in bytes.
const maxControl = 1 << 20

// Serve is what a worker does from beginning to end: it returns when the parent closes the connection. It puts the process
// into the sandbox, so that nothing can be done afterwards but to exit.
func Serve(open Opener) error {
	control, err := inherited(controlConn)
	if err != nil {
		return err
	}
	kind, body, err := control.ReadFrame(maxControl)
	var h hello
	if err != nil || kind != controlHello || json.Unmarshal(body, &h) != nil {
		return errNotByHand
	}
	conns := make([]*frame.Conn, h.Conns)
	for i := range conns {
		if conns[i], err = inherited(firstConn + i); err != nil {
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
		return errors.Join(err, sendJSON(control, controlReady, &r))
	}
	r.Notes, r.Unenforced = engine.Reports(e), engine.UnenforcedLimits(e)
	r.Sandbox = sandbox.Enter(uint64(child.FirstSocket + firstConn + h.Conns + spareDescriptors))
	if err := sendJSON(control, controlReady, &r); err != nil {
		return err
	}
	s := newServer(e, h.maxRequest())
	if y, ok := e.(engine.Yielder); ok {
		y.RaiseBy(s.askToRaise)
	}
	return s.serve(control, conns)
}

// inherited returns one of the connections that the parent passed on.
func inherited(number int) (*frame.Conn, error) {
	socket, err := child.Inherited(number)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotByHand, err)
	}
	return &frame.Conn{Socket: socket}, nil
}

func sendJSON(control *frame.Conn, kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return control.WriteFrame(append(control.NewFrame(kind), text...))
}

// maxRequest bounds a request, in bytes: no engine takes more into a heap, and a catalog may come along.
func (h *hello) maxRequest() int { return 2*h.HeapBytes + (16 << 20) + maxCatalog }
