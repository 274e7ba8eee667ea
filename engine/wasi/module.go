package wasi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/codecell/codecell/engine/guest"
)

const (
	wasmPage = 64 << 10
	// inputBytes bounds the input of one step, catalog included.
	inputBytes = 256 << 20
)

// module is the compiled guest and what a fresh one looks like.
type module struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	heap     int   // bytes
	uncached error // why compiled code could not be kept
	build    string
	template template
	codes    [][]byte // of the runtime's sources, for guests that load one
}

// load compiles the guest and boots one to copy. Where the cache of compiled code is of no use, it does without.
func load(ctx context.Context, wasm []byte, o Options) (*module, error) {
	m, err := loadFrom(ctx, wasm, o)
	if err == nil || o.CacheDir == "" {
		return m, err
	}
	o.CacheDir = ""
	m, again := loadFrom(ctx, wasm, o)
	if again != nil {
		return nil, again
	}
	m.uncached = err
	return m, nil
}

// loadFrom is load with the options as they are. wazero's option to end a call with its context is not used: it makes
// the engine several times slower, and the guest asks often enough whether it should stop (poll).
func loadFrom(ctx context.Context, wasm []byte, o Options) (_ *module, err error) {
	m := &module{heap: o.HeapBytes}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	// The memory: stack and data (at most 4 MiB), heap, input.
	pages := (4<<20 + o.HeapBytes + inputBytes) / wasmPage
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(pages)).WithCoreFeatures(api.CoreFeaturesV2)
	if o.CacheDir != "" {
		if m.cache, err = openCache(o.CacheDir); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := m.imports(ctx); err != nil {
		return nil, err
	}
	if m.compiled, err = m.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, fmt.Errorf("compile the guest: %w", err)
	}
	m.build = buildOf(wasm)
	m.template, err = m.boot(ctx)
	return m, err
}

// buildOf identifies a guest build by all that its images depend on.
func buildOf(wasm []byte) string {
	h := sha256.New()
	for _, part := range slices.Concat([]string{string(wasm)}, guest.Sources(), guest.FixedTables()) {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// imports gives the guest the functions that it may call.
func (m *module) imports(ctx context.Context) error {
	_, err := m.runtime.NewHostModuleBuilder("codecell").
		NewFunctionBuilder().WithGoFunction(api.GoFunc(poll), nil, []api.ValueType{api.ValueTypeI32}).Export("poll").
		NewFunctionBuilder().WithGoFunction(api.GoFunc(clock), nil, []api.ValueType{api.ValueTypeI64}).Export("clock").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(m.code), integers(3), integers(1)).Export("code").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(table), integers(5), integers(1)).Export("table").
		Instantiate(ctx)
	return err
}

// codeRoom is for the code of a short source, in bytes; a long one's is shorter than four times its text.
const codeRoom = 16 << 10

func integers(n int) []api.ValueType { return slices.Repeat([]api.ValueType{api.ValueTypeI32}, n) }

// code copies the code of one of the runtime's sources into a guest (see wasi.c).
func (m *module) code(_ context.Context, guest api.Module, stack []uint64) {
	index := api.DecodeU32(stack[0])
	if uint64(index) >= uint64(len(m.codes)) {
		stack[0] = api.EncodeI32(-1)
		return
	}
	give(guest, stack, m.codes[index], stack[1], stack[2])
}

// table copies a row of a table of constants into a guest (see wasi.c).
func table(_ context.Context, g api.Module, stack []uint64) {
	name, ok := g.Memory().Read(api.DecodeU32(stack[1]), api.DecodeU32(stack[2]))
	row := ""
	if ok {
		row, ok = guest.Row(int(api.DecodeI32(stack[0])), string(name))
	}
	if !ok {
		stack[0] = api.EncodeI32(-1)
		return
	}
	give(g, stack, []byte(row), stack[3], stack[4])
}

// give copies as much as there is room for, and returns how much there is. Where a guest says that it has room is its own
// memory, or nothing is copied.
func give(g api.Module, stack []uint64, b []byte, to, room uint64) {
	g.Memory().Write(api.DecodeU32(to), b[:min(uint64(len(b)), uint64(api.DecodeU32(room)))])
	stack[0] = api.EncodeI32(int32(len(b)))
}

// boot makes the template: what the first guest's memory holds once the runtime's sources have run.
func (m *module) boot(ctx context.Context) (template, error) {
	i, err := m.instantiate(ctx)
	if err != nil {
		return template{}, err
	}
	defer i.close()
	sources := guest.Sources()
	for n, source := range sources {
		if err := i.write(i.inputAt, source); err != nil {
			return template{}, err
		}
		to := (i.inputAt + uint32(len(source)) + 16) &^ 15
		room := uint32(codeRoom + 4*len(source))
		if err := i.room(int(to-i.inputAt) + int(room)); err != nil {
			return template{}, err
		}
		size, err := i.call("compile", uint64(n), uint64(i.inputAt), uint64(len(source)), uint64(to), uint64(room))
		if err != nil || size == 0 {
			return template{}, fmt.Errorf("compile the guest's own source %d: %w", n, errors.Join(err, i.fault()))
		}
		m.codes = append(m.codes, bytes.Clone(i.all()[to:][:size]))
	}
	if failed, err := i.call("boot", uint64(guest.Eager)); err != nil || failed != 0 {
		return template{}, fmt.Errorf("boot a guest: source %d: %w", int32(failed), errors.Join(err, i.fault()))
	}
	if err := i.wipe(); err != nil {
		return template{}, fmt.Errorf("boot a guest: %w", err)
	}
	return i.copyOut()
}

func (m *module) close() {
	ctx := context.Background()
	if m.runtime != nil {
		_ = m.runtime.Close(ctx)
	}
	if m.cache != nil {
		_ = m.cache.Close(ctx)
	}
}
