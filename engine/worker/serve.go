package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/codecell/codecell/engine"
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

// Where a worker finds its connections: they are all that it inherits beside standard error.
const (
	controlDescriptor = 3
	firstConn         = 4
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
	control, err := inherited(controlDescriptor)
	if err != nil {
		return err
	}
	kind, body, err := control.read(maxControl)
	var h hello
	if err != nil || kind != controlHello || json.Unmarshal(body, &h) != nil {
		return errNotByHand
	}
	conns := make([]*stream, h.Conns)
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
	r.Sandbox = sandbox.Enter(uint64(firstConn + h.Conns + spareDescriptors))
	if err := sendJSON(control, controlReady, &r); err != nil {
		return err
	}
	return newServer(e, h.maxRequest()).serve(control, conns)
}

// inherited returns the stream of a descriptor that the parent passed on.
func inherited(descriptor int) (*stream, error) {
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return nil, fmt.Errorf("%w (descriptor %d: %w)", errNotByHand, descriptor, err)
	}
	syscall.CloseOnExec(descriptor)
	return &stream{socket: os.NewFile(uintptr(descriptor), "parent")}, nil
}

func sendJSON(control *stream, kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return control.send(append(control.frame(kind), text...))
}

// maxRequest bounds a request, in bytes: no engine takes more into a heap, and a catalog may come along.
func (h *hello) maxRequest() int { return 2*h.HeapBytes + (16 << 20) + maxCatalog }
