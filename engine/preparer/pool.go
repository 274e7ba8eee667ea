package preparer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/script"
)

// Options configure a Pool. Zero values mean the default in parentheses.
type Options struct {
	Command        []string      // arguments with which this binary calls Serve
	Processes      int           // at once (two for each processor, 4 to 16)
	Idle           int           // processes that are kept for the next text (2)
	Queue          int           // texts that may wait for others (256)
	QueueTime      time.Duration // that a text waits at most (10 s)
	CacheBytes     int           // of prepared cells (32 MiB), an eighth of it for each tenant
	RequireSandbox bool          // refuse processes that lack a layer of it
	Logger         *slog.Logger  // (none)
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.Processes, min(max(2*runtime.GOMAXPROCS(0), 4), 16)},
		{&o.Idle, 2},
		{&o.Queue, 256},
		{&o.CacheBytes, 32 << 20},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if o.QueueTime <= 0 {
		o.QueueTime = 10 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Pool prepares cells. It is safe for concurrent use.
type Pool struct {
	options Options
	spawner *child.Spawner
	small   *queue // for texts that are parsed in this process
	large   *queue // for the others
	cache   *cache

	mu     sync.Mutex
	idle   []*process // the last was used last
	held   []string   // layers of the sandbox around the last process that was started
	lacks  []string
	failed error // why the last process did not start
	closed bool
	lives  sync.WaitGroup // of processes
}

var _ script.Preparer = (*Pool)(nil)

// New returns a pool. Its processes are started when they are needed.
func New(o Options) *Pool {
	o = o.withDefaults()
	return &Pool{
		options: o, spawner: child.NewSpawner(),
		// A tenant alone gets half of the places, which still is more than there are processors.
		small: newQueue(4*runtime.GOMAXPROCS(0), o.Queue), large: newQueue(o.Processes, o.Queue),
		cache: newCache(o.CacheBytes, o.CacheBytes/8),
	}
}

// Prepare implements script.Preparer.
func (p *Pool) Prepare(ctx context.Context, r script.Request) (*script.Source, time.Duration, error) {
	text, source, err := script.Check(r.Code, r.Language, r.Options)
	if err != nil || source != nil {
		return source, 0, err
	}
	return p.parse(ctx, r, text)
}

// parse does what needs a parser, unless it was done before.
func (p *Pool) parse(ctx context.Context, r script.Request, text string) (*script.Source, time.Duration, error) {
	k := keyOf(&r, text)
	if source := p.cache.get(k); source != nil {
		return source, 0, nil
	}
	prepare := p.inProcess
	if len(text) > script.MaxInProcess {
		prepare = p.inChild
	}
	v := prepare(ctx, &r, text)
	if v.err != nil {
		return nil, v.cpu, v.err
	}
	p.cache.put(k, v.source)
	return v.source, v.cpu, nil
}

// maxCharge bounds what a text that is parsed in this process is charged: the clock on the wall is all there is to go by,
// and no text of that size takes a processor for longer.
const maxCharge = 50 * time.Millisecond

// inProcess parses a text that is too small to do harm.
func (p *Pool) inProcess(ctx context.Context, r *script.Request, text string) (v verdict) {
	if v.err = p.small.acquire(ctx, r.Tenant, p.options.QueueTime); v.err != nil {
		return v
	}
	defer p.small.release(r.Tenant)
	start := time.Now()
	v.source, v.err = script.Parse(text, r.Language, r.Options)
	v.cpu = min(time.Since(start), maxCharge)
	return v
}

// inChild has a text parsed by a process.
func (p *Pool) inChild(ctx context.Context, r *script.Request, text string) (v verdict) {
	if v.err = p.large.acquire(ctx, r.Tenant, p.options.QueueTime); v.err != nil {
		return v
	}
	defer p.large.release(r.Tenant)
	q := question{text: text, language: r.Language, shellTool: r.Options.ShellTool}
	for range 2 {
		one, err := p.take()
		if err != nil {
			return verdict{cpu: v.cpu, err: fmt.Errorf("%w: %w", script.ErrUnavailable, err)}
		}
		before := v.cpu
		v = one.parse(ctx, &q, r.Limit)
		v.cpu += before
		p.giveBack(one)
		if !errors.Is(v.err, errKilled) {
			break
		}
	}
	switch {
	case v.crash != "":
		p.options.Logger.Warn("a process that parses cells has ended", "tenant", r.Tenant, "reason", v.crash)
	case errors.Is(v.err, errKilled):
		// Twice in a row: it was the kernel, and for the text's sake.
		v.err = tooLarge()
	case errors.Is(v.err, errBroken):
		p.options.Logger.Error("a process that parses cells does not keep to the protocol", "error", v.err)
		v.err = fmt.Errorf("%w: %w", script.ErrUnavailable, v.err)
	}
	return v
}

// take returns a process that is ready: the one that was used last, or a new one.
func (p *Pool) take() (*process, error) {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 || p.closed {
			p.mu.Unlock()
			return p.start()
		}
		one := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if one.usable() {
			return one, nil
		}
		one.Kill()
	}
}

// giveBack keeps a process for the next text, or ends it.
func (p *Pool) giveBack(one *process) {
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < p.options.Idle && one.usable()
	if keep {
		p.idle = append(p.idle, one)
	}
	p.mu.Unlock()
	if !keep {
		one.Kill()
	}
}

// start starts a process and notes how that went.
func (p *Pool) start() (*process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, child.ErrClosed
	}
	p.lives.Add(1)
	p.mu.Unlock()
	one, err := start(p.spawner, p.options.Command, p.options.RequireSandbox)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil && err != nil {
		p.options.Logger.Error("no process that parses cells can be started", "error", err)
	}
	if p.failed = err; err != nil {
		p.lives.Done()
		return nil, err
	}
	go func() {
		<-one.Exited()
		p.lives.Done()
	}()
	p.held, p.lacks = one.ready.Sandbox.Holds, one.ready.Sandbox.Lacks
	return one, nil
}

// Ready starts the first process, if none was, and says why it can't be. Cells up to script.MaxInProcess do without.
func (p *Pool) Ready() error {
	one, err := p.take()
	if err != nil {
		return fmt.Errorf("process that parses cells: %w", err)
	}
	p.giveBack(one)
	return nil
}

// Report returns what an operator should know, without waiting.
func (p *Pool) Report() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.failed != nil:
		return []string{fmt.Sprintf("cells of more than %d bytes that must be parsed are refused: %v", script.MaxInProcess, p.failed)}
	}
	notes := []string{fmt.Sprintf("cells of more than %d bytes are parsed in up to %d processes of their own", script.MaxInProcess, p.options.Processes)}
	if p.held != nil { // some were needed already
		notes[0] += ", held by " + strings.Join(p.held, ", ")
	}
	if len(p.lacks) > 0 {
		notes = append(notes, "the sandbox of processes that parse cells lacks "+strings.Join(p.lacks, ", "))
	}
	return notes
}

// Stats counts what is going on.
type Stats struct {
	Parsing, Waiting int // texts
	Idle             int // processes
	CachedBytes      int
}

// Stats counts.
func (p *Pool) Stats() Stats {
	var s Stats
	s.Parsing, s.Waiting = p.large.counts()
	p.mu.Lock()
	s.Idle = len(p.idle)
	p.mu.Unlock()
	p.cache.mu.Lock()
	s.CachedBytes = p.cache.bytes
	p.cache.mu.Unlock()
	return s
}

// Close ends all processes. Texts that are being parsed are lost.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, one := range idle {
		one.Kill()
	}
	p.spawner.Close() // the kernel ends those that are at work
	p.lives.Wait()
}
