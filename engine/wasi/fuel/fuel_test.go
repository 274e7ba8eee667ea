package fuel

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// spin is a module with an import env.ask, a function tick that calls it, and a function spin of one argument that loops
// that many times, twice nested, or for ever if it is zero.
func spin() []byte {
	section := func(id byte, body ...byte) []byte { return append([]byte{id, byte(len(body))}, body...) }
	code := func(body ...byte) []byte { return append([]byte{byte(len(body))}, body...) }
	tick := code(0, opCall, 0, opEnd)
	spin := code(
		0, opLoop, blockEmpty, opLoop, blockEmpty, // (loop (loop
		0x20, 0, opI32Const, 1, opI32Sub, 0x22, 0, // local.get 0; 1; sub; local.tee 0
		0x0D, 0, // br_if 0
		opEnd, opEnd, opEnd)
	return bytes.Join([][]byte{
		[]byte(header),
		section(1, 2, 0x60, 0, 0, 0x60, 1, 0x7F, 0),                         // () -> (), (i32) -> ()
		section(sectionImport, 1, 3, 'e', 'n', 'v', 3, 'a', 's', 'k', 0, 0), // env.ask
		section(3, 2, 0, 1),
		section(sectionGlobal, 1, 0x7F, 0, opI32Const, 7, opEnd),
		section(sectionExport, 2, 4, 't', 'i', 'c', 'k', 0, 1, 4, 's', 'p', 'i', 'n', 0, 2),
		section(sectionCode, append(append([]byte{2}, tick...), spin...)...),
	}, nil)
}

// asked runs spin n and returns how often it asked; it is stopped at the hundredth time.
func asked(t *testing.T, wasm []byte, n uint64) (int, error) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	times := 0
	_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) {
		if times++; times == 100 {
			panic("enough")
		}
	}), nil, nil).Export("ask").Instantiate(ctx)
	require.NoError(t, err)
	m, err := r.Instantiate(ctx, wasm)
	require.NoError(t, err)
	_, err = m.ExportedFunction("spin").Call(ctx, n)
	return times, err
}

func TestAdd(t *testing.T) {
	wasm, err := Add(spin(), Options{Tick: "tick", Amount: 1000})
	require.NoError(t, err)
	t.Run("H1 a loop asks every so many iterations", func(t *testing.T) {
		for _, c := range []struct{ n, times int }{{1, 0}, {998, 0}, {1000, 1}, {5500, 5}} {
			times, err := asked(t, wasm, uint64(c.n))
			require.NoError(t, err)
			require.Equal(t, c.times, times, "%d iterations", c.n)
		}
	})
	t.Run("H1 a loop that never ends can be ended", func(t *testing.T) {
		times, err := asked(t, wasm, 0)
		require.ErrorContains(t, err, "enough")
		require.Equal(t, 100, times)
	})
	t.Run("C4 the same module every time", func(t *testing.T) {
		again, err := Add(spin(), Options{Tick: "tick", Amount: 1000})
		require.NoError(t, err)
		require.Equal(t, wasm, again)
	})
	t.Run("H1 instructions that copy or fill memory take no fuel: there are no more than are known", func(t *testing.T) {
		for _, instruction := range [][]byte{{opPrefix, 8, 0, 0}, {opPrefix, 10, 0, 0}, {opPrefix, 11, 0}} {
			body := append(bytes.Repeat([]byte{opI32Const, 1}, 3), instruction...)
			_, found, err := rewriteFunction(append(append([]byte{0}, body...), append(body, opEnd)...), nil)
			require.NoError(t, err)
			require.Equal(t, 2, found)
			code := append([]byte{1, byte(len(body) + 2), 0}, append(body, opEnd)...)
			_, err = rewriteCode(code, nil, 1)
			require.NoError(t, err)
			_, err = rewriteCode(code, nil, 0)
			require.ErrorContains(t, err, "1 instructions that copy or fill memory, over 0")
		}
	})
	t.Run("H4 what is no module, or lacks something, is refused", func(t *testing.T) {
		for what, bad := range map[string][]byte{
			"not a WebAssembly":   []byte("\x7fELF\x01\x00\x00\x00"),
			"the module ends":     spin()[:len(spin())-1],
			"unknown instruction": bytes.Replace(spin(), []byte{opI32Const, 1, opI32Sub}, []byte{0xFD, 1, opI32Sub}, 1),
			"two sections":        append(spin(), sectionGlobal, 1, 0),
			"without globals":     []byte(header),
			"longer than it may":  append(spin()[:len(header)], 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF),
		} {
			_, err := Add(bad, Options{Tick: "tick", Amount: 1})
			require.ErrorContains(t, err, what)
		}
		_, err := Add(spin(), Options{Tick: "tock", Amount: 1})
		require.ErrorContains(t, err, `no function "tock"`)
	})
}

func FuzzAdd(f *testing.F) {
	f.Add(spin())
	if guest, err := os.ReadFile("../guest/guest.wasm"); err == nil {
		f.Add(guest[:4096])
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		out, err := Add(wasm, Options{Tick: "tick", Amount: 1000})
		if err == nil {
			require.Greater(t, len(out), len(wasm)-16)
		}
	})
}
