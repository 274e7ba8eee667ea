package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/engine/internal/frame"
)

// startTimeout is how long a worker may take until it serves; compiling the guest for WebAssembly is part of it.
const startTimeout = 60 * time.Second

// start starts a worker and waits until it serves.
func (p *pool) start() (*process, error) {
	w, err := p.launch()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := w.greet(&p.hello, p.options.RequireSandbox); err != nil {
		w.kill(exitReason{planned: true, text: "it did not start"})
		<-w.exited
		if said := w.Stderr(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.lastHeartbeat.Store(int64(time.Since(w.born)))
	p.processes.Go(func() { w.readControl(w.control) })
	return w, nil
}

// launch starts a worker's process.
func (p *pool) launch() (*process, error) {
	started, err := p.spawner.Start(p.options.Command, 1+p.hello.Conns)
	if err != nil {
		return nil, err
	}
	w := &process{
		Process:  started,
		maxReply: p.maxReply(), maxInput: p.hello.maxRequest() - maxCatalog,
		born: time.Now(), exited: make(chan struct{}), control: &frame.Conn{Socket: started.Sockets[0]},
	}
	all := make([]*conn, p.hello.Conns)
	for i := range all {
		all[i] = newConn(started.Sockets[1+i], p.replies)
	}
	w.conns = newConns(all)
	p.processes.Go(w.wait)
	return w, nil
}

// greet sends the worker its settings and waits until it serves.
func (p *process) greet(h *hello, requireSandbox bool) error {
	_ = p.control.SetDeadline(time.Now().Add(startTimeout))
	defer func() { _ = p.control.SetDeadline(time.Time{}) }()
	if err := sendJSON(p.control, controlHello, h); err != nil {
		return err
	}
	kind, body, err := p.control.ReadFrame(maxControl)
	if err != nil {
		return err
	}
	if kind != controlReady || json.Unmarshal(body, &p.ready) != nil {
		return fmt.Errorf("%w: no answer to hello", frame.ErrProtocol)
	}
	switch {
	case p.ready.Error != "":
		return errors.New(p.ready.Error)
	case requireSandbox && !p.ready.Sandbox.Complete():
		return fmt.Errorf("the sandbox lacks %s, and is required", strings.Join(p.ready.Sandbox.Lacks, ", "))
	}
	return nil
}
