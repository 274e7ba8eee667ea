package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/hybrid"
	"github.com/codecell/codecell/engine/worker"
)

// The isolation of guests from the service.
const (
	isolationProcess = "process"
	isolationThread  = "thread"
)

var isolations = []string{isolationProcess, isolationThread}

// What is done when the kernel lacks a layer of the workers' sandbox.
const (
	sandboxReport  = "report"
	sandboxRequire = "require"
)

var sandboxes = []string{sandboxReport, sandboxRequire}

// engines are what a mode runs cells on.
type engines struct {
	isolation string

	whole   engine.Engine   // what cells run on; nil if err is not
	parts   []engine.Engine // that it is made of
	err     error           // why there is none
	missing error           // why suspended runs stay in their heaps, if they do for want of an engine
}

// Bounds of the engines' own, where the config sets none.
const (
	// Beside the heaps that suspended runs may hold, for running cells.
	spareHeaps = 256
	// Guests that are restored or rebuilt at once, where the WASI engine serves nothing else.
	restoredHeaps = 256
)

// newEngines loads what the mode needs, sized for what the configs allow: heaps as large as the largest memory limit.
// In mode auto a binary without cgo runs everything on the WASI engine, and one without the WASI guest keeps suspended
// runs in their heaps; turns that ask for more are refused (contract A8).
func newEngines(c Config, codeMode config.Config, agents map[string]config.Config, logger *slog.Logger) engines {
	bytes := codeMode.MemoryLimitBytes
	for _, a := range agents {
		bytes = max(bytes, a.MemoryLimitBytes)
	}
	e := engines{isolation: c.Engine.Isolation}
	open := opener{c: &c, heapBytes: bytes, logger: logger}
	primary := engineOf(c.Engine.Mode)
	if primary.companion == "" {
		e.whole, e.err = open.engine(primary, c.heaps(codeMode))
		e.parts = []engine.Engine{e.whole}
		return e
	}
	// The companion loads while the primary engine does.
	companion, missing := open.engine(engineOf(primary.companion), restoredHeaps)
	one, err := open.engine(primary, c.heaps(codeMode))
	switch {
	case err != nil && missing == nil:
		e.err = errors.Join(err, companion.Close())
	case err != nil:
		e.err = err
	case missing != nil:
		e.whole, e.parts, e.missing = one, []engine.Engine{one}, missing
	default:
		e.whole, e.parts = hybrid.New(one, companion.(engine.Portable)), []engine.Engine{one, companion}
	}
	return e
}

// opener opens engines as the config wants them isolated.
type opener struct {
	c         *Config
	heapBytes int
	logger    *slog.Logger
}

// engine opens an engine. A portable one may still be loading then; others can serve.
func (o *opener) engine(r *registration, heaps int) (engine.Engine, error) {
	if err := r.missing(); err != nil {
		return nil, err
	}
	s := worker.Settings{
		Engine: r.name, Steps: o.c.Engine.Threads, Heaps: heaps, HeapBytes: o.heapBytes, CacheDir: o.c.Engine.cacheDir(),
	}
	if r.outsideGo {
		s.Processors = (runtime.GOMAXPROCS(0) + 1) / 2
	}
	if o.c.Engine.Isolation == isolationThread {
		return r.open(s, o.c.Engine.Queue)
	}
	w := o.workers(s)
	if r.portable {
		return worker.Portable{Engine: w}, nil
	}
	if err := w.Ready(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (o *opener) workers(s worker.Settings) *worker.Engine {
	e := &o.c.Engine
	return worker.New(worker.Options{
		Settings: s, Command: []string{workerName}, Queue: e.Queue, Workers: e.Workers,
		MaxAge: time.Duration(e.RecycleSeconds) * time.Second, MaxBytes: e.RecycleBytes,
		RequireSandbox: e.Sandbox == sandboxRequire, Logger: o.logger,
	})
}

// heaps is how many guests the engine in which they begin may have: for all suspended runs that may hold one, and
// running ones.
func (c Config) heaps(codeMode config.Config) int {
	if c.Engine.Heaps > 0 {
		return c.Engine.Heaps
	}
	return max(1024, c.parkedHeaps(codeMode)+spareHeaps)
}

// parkedHeaps is how many suspended runs keep their heaps: all of them where guests can't leave theirs, and where an engine
// was chosen by its name that they would leave for another one, unless their turns want it otherwise.
func (c Config) parkedHeaps(codeMode config.Config) int {
	r := engineOf(c.Engine.Mode)
	stays := r.companion != "" && c.Engine.Mode == r.name
	switch {
	case stays || !r.leavesHeap():
		return c.suspendedRuns(codeMode)
	case c.Snapshot.ParkedHeaps > 0:
		return c.Snapshot.ParkedHeaps
	}
	return bridge.DefaultParkedHeaps
}

// suspendedRuns is how many runs all tenants together may have suspended.
func (c Config) suspendedRuns(codeMode config.Config) int {
	return codeMode.MaxSuspendedRuns * c.tenantCount()
}

// cacheDir is where compiled code is kept; empty: nowhere.
func (c EngineConfig) cacheDir() string {
	if c.CacheDir == "none" {
		return ""
	}
	if c.CacheDir != "" {
		return c.CacheDir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "codecell")
}

// notes are what an operator should know of the engines, for /readyz.
func (e *engines) notes() []string {
	var notes []string
	if e.isolation == isolationThread {
		notes = append(notes, "thread isolation: guests run inside this process")
		if slices.Contains(e.unenforcedLimits(), engine.LimitBuiltin) {
			notes = append(notes, fmt.Sprintf("the %s engine can't end every builtin: not for hostile cells", e.whole.Name()))
		}
	}
	notes = append(notes, engine.Reports(e.whole)...)
	if e.missing != nil {
		notes = append(notes, fmt.Sprintf("suspended runs stay in their heaps: %v", e.missing))
	}
	return notes
}

// workers counts the processes of the engines that have some, by their names.
func (e *engines) workers() map[string]func() worker.Workers {
	all := map[string]func() worker.Workers{}
	for _, one := range e.parts {
		if counted, ok := one.(interface{ Workers() worker.Workers }); ok {
			all[one.Name()] = counted.Workers
		}
	}
	return all
}

// unenforcedLimits are those that the engine in use is known not to enforce.
func (e *engines) unenforcedLimits() []string { return engine.UnenforcedLimits(e.whole) }

func (e *engines) close() error {
	if e.whole == nil {
		return nil
	}
	return e.whole.Close()
}
