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
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/purego"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
)

// The engine modes.
const (
	modeAuto   = "auto"
	modeNative = "native"
	modeWASI   = "wasi"
	modePureGo = "purego"
)

var engineModes = []string{modeAuto, modeNative, modeWASI, modePureGo}

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

	main     engine.Engine   // nil if err is not
	portable engine.Portable // nil if nothing leaves its heap; may be main
	err      error           // why there is no main engine
	missing  error           // why there is no portable one, where there should be
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
	if c.Engine.Mode == modePureGo {
		e.main, e.err = open.engine(modePureGo, c.heaps(codeMode))
		return e
	}
	heaps := restoredHeaps
	if c.Engine.Mode == modeWASI || !native.Linked {
		heaps = c.heaps(codeMode)
	}
	e.portable, e.missing = open.portable(heaps)
	if c.Engine.Mode == modeWASI || c.Engine.Mode == modeAuto && !native.Linked {
		if e.err = e.missing; e.err == nil {
			e.main = e.portable
		}
		return e
	}
	e.main, e.err = open.engine(modeNative, c.heaps(codeMode))
	return e
}

// opener opens engines as the config wants them isolated.
type opener struct {
	c         *Config
	heapBytes int
	logger    *slog.Logger
}

func (o *opener) settings(name string, heaps int) worker.Settings {
	s := worker.Settings{
		Engine: name, Steps: o.c.Engine.Threads, Heaps: heaps, HeapBytes: o.heapBytes, CacheDir: o.c.Engine.cacheDir(),
	}
	if name == modeNative {
		s.Processors = (runtime.GOMAXPROCS(0) + 1) / 2
	}
	return s
}

func (o *opener) workers(s worker.Settings) *worker.Engine {
	e := &o.c.Engine
	return worker.New(worker.Options{
		Settings: s, Command: []string{workerName}, Queue: e.Queue, Workers: e.Workers,
		MaxAge: time.Duration(e.RecycleSeconds) * time.Second, MaxBytes: e.RecycleBytes,
		RequireSandbox: e.Sandbox == sandboxRequire, Logger: o.logger,
	})
}

// engine opens an engine and waits until it can serve.
func (o *opener) engine(name string, heaps int) (engine.Engine, error) {
	s := o.settings(name, heaps)
	if o.c.Engine.Isolation == isolationThread {
		return openEngine(s, o.c.Engine.Queue)
	}
	w := o.workers(s)
	if err := w.Ready(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// portable opens the engine for what leaves its heap. It is loaded in the background.
func (o *opener) portable(heaps int) (engine.Portable, error) {
	if _, err := wasi.Module(); err != nil {
		return nil, err
	}
	s := o.settings(modeWASI, heaps)
	if o.c.Engine.Isolation == isolationThread {
		return wasi.New(wasiOptions(s, o.c.Engine.Queue))
	}
	return worker.Portable{Engine: o.workers(s)}, nil
}

// openEngine opens an engine in this process: the service's own, or a worker's.
func openEngine(s worker.Settings, queue int) (engine.Engine, error) {
	switch s.Engine {
	case modeNative:
		n, err := native.New(native.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
		if err != nil {
			return nil, err // and no pointer that is nil
		}
		return n, nil
	case modeWASI:
		w, err := wasi.New(wasiOptions(s, queue))
		if err != nil {
			return nil, err
		}
		return w, nil
	case modePureGo:
		p, err := purego.New(purego.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps})
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	return nil, fmt.Errorf("no engine %q", s.Engine)
}

func wasiOptions(s worker.Settings, queue int) wasi.Options {
	return wasi.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps, HeapBytes: s.HeapBytes, CacheDir: s.CacheDir}
}

// heaps is how many guests the main engine may have: for all suspended runs that may hold one, and running ones.
func (c Config) heaps(codeMode config.Config) int {
	if c.Engine.Heaps > 0 {
		return c.Engine.Heaps
	}
	return max(1024, c.parkedHeaps(codeMode)+spareHeaps)
}

// parkedHeaps is how many suspended runs keep their heaps: in mode native all, unless their turns want it otherwise.
func (c Config) parkedHeaps(codeMode config.Config) int {
	_, noGuest := wasi.Module()
	switch {
	case c.Engine.Mode == modeNative || noGuest != nil:
		return codeMode.MaxSuspendedRuns
	case c.Snapshot.ParkedHeaps > 0:
		return c.Snapshot.ParkedHeaps
	}
	return bridge.DefaultParkedHeaps
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
			notes = append(notes, fmt.Sprintf("the %s engine can't end every builtin: not for hostile cells", e.main.Name()))
		}
	}
	all := []engine.Engine{e.main}
	if e.portable != nil && e.portable != e.main {
		all = append(all, e.portable)
	}
	for _, one := range all {
		notes = append(notes, engine.Reports(one)...)
	}
	if e.missing != nil {
		notes = append(notes, fmt.Sprintf("suspended runs stay in their heaps: %v", e.missing))
	}
	return notes
}

// unenforcedLimits are those that the engine in use is known not to enforce.
func (e *engines) unenforcedLimits() []string { return engine.UnenforcedLimits(e.main) }

func (e *engines) close() error {
	var err error
	if e.main != nil {
		err = e.main.Close()
	}
	if e.portable != nil && e.portable != e.main {
		err = errors.Join(err, e.portable.Close())
	}
	return err
}
