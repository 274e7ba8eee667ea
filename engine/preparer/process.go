package preparer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/script"
)

const (
	// How long a process may take until it serves.
	startTime = 30 * time.Second
	// How long the process may live on after its connection broke.
	exitGrace = time.Second
	// A process that has worked for so long in all is replaced: whatever is wrong with it does not last.
	maxWork = 10 * time.Second
)

// process is a child that parses one text at a time.
type process struct {
	*child.Process
	conn  frame.Conn
	ready ready
}

// start starts a process and waits until it serves.
func start(spawner *child.Spawner, args []string, requireSandbox bool) (*process, error) {
	c, err := spawner.Start(args, 1)
	if err != nil {
		return nil, err
	}
	p := &process{Process: c, conn: frame.Conn{Socket: c.Sockets[0]}}
	if err := p.greet(requireSandbox); err != nil {
		p.Kill()
		<-p.Exited()
		if said := p.Stderr(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return nil, err
	}
	return p, nil
}

// greet waits until the process serves.
func (p *process) greet(requireSandbox bool) error {
	_ = p.conn.SetDeadline(time.Now().Add(startTime))
	if err := p.conn.WriteFrame(p.conn.NewFrame(sayHello)); err != nil {
		return err
	}
	kind, body, err := p.conn.ReadFrame(maxReady)
	switch {
	case err != nil:
		return err
	case kind != sayReady || json.Unmarshal(body, &p.ready) != nil:
		return fmt.Errorf("%w: it is not ready", frame.ErrProtocol)
	case p.ready.Error != "":
		return errors.New(p.ready.Error)
	case requireSandbox && !p.ready.Sandbox.Complete():
		return fmt.Errorf("the sandbox lacks %s, and is required", strings.Join(p.ready.Sandbox.Lacks, ", "))
	}
	return nil
}

// verdict is what became of a text.
type verdict struct {
	source *script.Source
	err    error         // *script.Error, errKilled, errBroken, or of the context
	cpu    time.Duration // that the process used
	crash  string        // how the process ended by itself, if it did
}

var (
	// errKilled means that somebody else has killed the process.
	errKilled = errors.New("the process was killed")
	// errBroken means that the process has said what no process of ours says.
	errBroken = errors.New("the process does not keep to the protocol")
)

// parse has a text parsed. Unless the verdict is that of the parser, the process has ended.
func (p *process) parse(ctx context.Context, q *question, limit time.Duration) (v verdict) {
	before := p.CPU()
	started := time.Now()
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	_ = p.conn.SetDeadline(started.Add(limit))
	body, err := p.exchange(q)
	if err == nil {
		v.source, err = script.ReadOutcome(q.text, q.language, body)
	}
	var refused *script.Error
	if err == nil || errors.As(err, &refused) {
		v.err, v.cpu = err, p.CPU()-before
		return v
	}
	slow := errors.Is(err, os.ErrDeadlineExceeded)
	if slow || errors.Is(err, frame.ErrProtocol) || errors.Is(err, script.ErrOutcome) {
		p.Kill()
	}
	p.awaitExit()
	v.cpu = p.CPU() - before
	switch {
	case ctx.Err() != nil:
		v.err = ctx.Err()
	case slow:
		v.err = tooSlow(limit, v.cpu)
	case errors.Is(err, frame.ErrProtocol), errors.Is(err, script.ErrOutcome):
		v.err = fmt.Errorf("%w: %w", errBroken, err)
	case p.WasKilled():
		v.err = errKilled
	default:
		v.err, v.crash = tooLarge(), fmt.Sprintf("%s: %s", p.State(), p.Stderr())
	}
	return v
}

// exchange sends the text and returns the answer, valid until the next exchange.
func (p *process) exchange(q *question) ([]byte, error) {
	if err := p.conn.WriteFrame(q.append(p.conn.NewFrame(askParse))); err != nil {
		return nil, err
	}
	kind, body, err := p.conn.ReadFrame(script.MaxOutcome + 1<<10)
	switch {
	case err != nil:
		return nil, err
	case kind != tellResult || !p.conn.Idle():
		return nil, fmt.Errorf("%w: kind %q", frame.ErrProtocol, kind)
	}
	return body, nil
}

// awaitExit waits for the end of a process whose connection is broken, and sees to it that it comes.
func (p *process) awaitExit() {
	select {
	case <-p.Exited():
	case <-time.After(exitGrace):
		p.Kill()
		<-p.Exited()
	}
}

// usable says whether the process can be asked again.
func (p *process) usable() bool {
	select {
	case <-p.Exited():
		return false
	default:
		return p.CPU() < maxWork
	}
}

// tooSlow refuses a cell that was not parsed in time. A parser that had a processor for most of its time has worked too
// much; one that had not was kept from it by others.
func tooSlow(limit, cpu time.Duration) error {
	if cpu < limit/2 {
		return &script.Error{Reason: script.TooSlow, Text: fmt.Sprintf(
			"code mode timeout exceeded: %d ms have passed on the wall clock, in which the code could be parsed for only %d ms, "+
				"since the machine is busy. Run it again.", limit.Milliseconds(), cpu.Milliseconds())}
	}
	return &script.Error{Reason: script.TooSlow, Text: fmt.Sprintf(
		"code mode timeout exceeded: the code takes more than %d ms to parse. Split the work into several cells, "+
			"and read large data with a tool instead of writing it into the source.", limit.Milliseconds())}
}

// tooLarge refuses a cell whose parser has ended its process, which it does for want of memory.
func tooLarge() error {
	return &script.Error{Reason: script.TooLarge, Text: "memory limit exceeded: the code takes too much memory to parse. " +
		"Split the work into several cells, and read large data with a tool instead of writing it into the source."}
}
