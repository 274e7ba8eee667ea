package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/purego"
	"github.com/codecell/codecell/engine/wasi"
)

// The engine modes.
const (
	modeAuto   = "auto"
	modeNative = "native"
	modeWASI   = "wasi"
	modePureGo = "purego"
)

var engineModes = []string{modeAuto, modeNative, modeWASI, modePureGo}

// engines are what a mode runs cells on.
type engines struct {
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
func newEngines(c Config, codeMode bridge.Config, agents map[string]bridge.Config) engines {
	bytes := codeMode.MemoryLimitBytes
	for _, a := range agents {
		bytes = max(bytes, a.MemoryLimitBytes)
	}
	var e engines
	if c.Engine.Mode == modePureGo {
		p, err := purego.New(purego.Options{Threads: c.Engine.Threads, Queue: c.Engine.Queue, Heaps: c.Engine.Heaps})
		if e.err = err; err == nil {
			e.main = p
		}
		return e
	}
	heaps := restoredHeaps
	if c.Engine.Mode == modeWASI || !native.Linked {
		heaps = c.heaps(codeMode)
	}
	w, err := wasi.New(wasi.Options{
		Threads: c.Engine.Threads, Queue: c.Engine.Queue, Heaps: heaps, HeapBytes: bytes, CacheDir: c.Engine.cacheDir(),
	})
	if e.missing = err; err == nil {
		e.portable = w
	}
	if c.Engine.Mode == modeWASI || c.Engine.Mode == modeAuto && !native.Linked {
		if e.err = e.missing; e.err == nil {
			e.main = e.portable
		}
		return e
	}
	n, err := native.New(native.Options{
		Threads: c.Engine.Threads, Queue: c.Engine.Queue, Heaps: c.heaps(codeMode), HeapBytes: bytes,
	})
	if e.err = err; err == nil {
		e.main = n
	}
	return e
}

// heaps is how many guests the main engine may have: for all suspended runs that may hold one, and running ones.
func (c Config) heaps(codeMode bridge.Config) int {
	if c.Engine.Heaps > 0 {
		return c.Engine.Heaps
	}
	return max(1024, c.parkedHeaps(codeMode)+spareHeaps)
}

// parkedHeaps is how many suspended runs keep their heaps: in mode native all, unless their turns want it otherwise.
func (c Config) parkedHeaps(codeMode bridge.Config) int {
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
	notes := []string{"thread isolation: guests run inside this process"}
	if e.main != nil && e.main.Name() == modePureGo {
		notes = append(notes, "the pure Go engine can't end every builtin: not for hostile cells")
	}
	if e.missing != nil {
		notes = append(notes, fmt.Sprintf("suspended runs stay in their heaps: %v", e.missing))
	}
	if r, ok := e.portable.(interface{ Report() []string }); ok {
		notes = append(notes, r.Report()...)
	}
	return notes
}

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
