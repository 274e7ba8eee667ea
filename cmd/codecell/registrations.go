package main

import (
	"fmt"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/purego"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
)

// The engine modes: each engine by its name, and auto.
const (
	modeAuto   = "auto"
	modeNative = "native"
	modeAOT    = "aot"
	modeWASI   = "wasi"
	modePureGo = "purego"
)

// registration is an engine as this command knows it.
type registration struct {
	name string // the mode that chooses it, and what its workers are told
	// missing is why this binary does not have it, nil if it does.
	missing func() error
	// open opens it in this process: the service's own, or a worker's. queue is how many steps may wait for others.
	open      func(s worker.Settings, queue int) (engine.Engine, error)
	portable  bool   // it is an engine.Portable, and may load in the background
	companion string // the portable engine into which its guests go when they leave their heaps; empty: none
	outsideGo bool   // its steps run outside of Go, so that workers leave processors to the service's Go code
	auto      bool   // mode auto may choose it; the first that this binary has is taken
}

// registrations is the one place where engines are registered.
var registrations = []registration{
	{name: modeNative, missing: nativeMissing, open: openNative, companion: modeWASI, outsideGo: true, auto: true},
	{name: modeAOT, missing: aot.Missing, open: openAOT, portable: true, outsideGo: true},
	{name: modeWASI, missing: wasiMissing, open: openWASI, portable: true, auto: true},
	{name: modePureGo, missing: func() error { return nil }, open: openPureGo},
}

var engineModes = modes()

func modes() []string {
	all := []string{modeAuto}
	for n := range registrations {
		all = append(all, registrations[n].name)
	}
	return all
}

// engineOf returns the engine that a mode chooses, nil for none that there is.
func engineOf(mode string) *registration {
	var last *registration
	for n := range registrations {
		r := &registrations[n]
		if r.name == mode {
			return r
		}
		if mode == modeAuto && r.auto {
			if last = r; r.missing() == nil {
				return r
			}
		}
	}
	return last
}

// leavesHeap says whether a suspended run's guest can leave its heap.
func (r *registration) leavesHeap() bool {
	return r.portable || r.companion != "" && engineOf(r.companion).missing() == nil
}

// openEngine opens the engine that a worker is told to be.
func openEngine(s worker.Settings) (engine.Engine, error) {
	r := engineOf(s.Engine)
	if r == nil {
		return nil, fmt.Errorf("no engine %q", s.Engine)
	}
	return r.open(s, s.Steps)
}

func nativeMissing() error {
	if !native.Linked {
		return native.ErrNotLinked
	}
	return nil
}

func openNative(s worker.Settings, queue int) (engine.Engine, error) {
	e, err := native.New(native.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	if err != nil {
		return nil, err // and no pointer that is nil
	}
	return e, nil
}

func openAOT(s worker.Settings, queue int) (engine.Engine, error) {
	e, err := aot.New(aot.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func wasiMissing() error {
	_, err := wasi.Module()
	return err
}

func openWASI(s worker.Settings, queue int) (engine.Engine, error) {
	e, err := wasi.New(wasi.Options{
		Threads: s.Steps, Queue: queue, Heaps: s.Heaps, HeapBytes: s.HeapBytes, CacheDir: s.CacheDir,
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

func openPureGo(s worker.Settings, queue int) (engine.Engine, error) {
	e, err := purego.New(purego.Options{Threads: s.Steps, Queue: queue, Heaps: s.Heaps})
	if err != nil {
		return nil, err
	}
	return e, nil
}
