package wasi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/linear"
)

// module is the compiled guest.
type module struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	uncached error    // why compiled code could not be kept
	codes    [][]byte // of the runtime's sources, for guests that load one
}

// load compiles the guest and boots one to copy. Where the cache of compiled code is of no use, it does without.
func load(ctx context.Context, wasm []byte, o Options) (*linear.Module, *module, error) {
	guests, m, err := loadFrom(ctx, wasm, o)
	if err == nil || o.CacheDir == "" {
		return guests, m, err
	}
	o.CacheDir = ""
	guests, m, again := loadFrom(ctx, wasm, o)
	if again != nil {
		return nil, nil, again
	}
	m.uncached = err
	return guests, m, nil
}

// loadFrom is load with the options as they are. wazero's option to end a call with its context is not used: it makes
// the engine several times slower, and the guest asks often enough whether it should stop (poll).
func loadFrom(ctx context.Context, wasm []byte, o Options) (_ *linear.Module, _ *module, err error) {
	m := &module{}
	defer func() {
		if err != nil {
			_ = m.close()
		}
	}()
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(linear.Pages(o.HeapBytes)).WithCoreFeatures(api.CoreFeaturesV2)
	if o.CacheDir != "" {
		if m.cache, err = openCache(o.CacheDir); err != nil {
			return nil, nil, err
		}
		config = config.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := m.imports(ctx); err != nil {
		return nil, nil, err
	}
	if m.compiled, err = m.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, nil, fmt.Errorf("compile the guest: %w", err)
	}
	guests, err := linear.Load(wasm, o.HeapBytes, m.newMachine, func(code []byte) { m.codes = append(m.codes, code) })
	return guests, m, err
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

func (m *module) close() error {
	ctx := context.Background()
	var err error
	if m.runtime != nil {
		err = m.runtime.Close(ctx)
	}
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(ctx))
	}
	return err
}
