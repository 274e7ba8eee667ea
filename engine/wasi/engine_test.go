package wasi

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestCache(t *testing.T) {
	works := func(t *testing.T, dir string) []string {
		e := newEngine(t, Options{CacheDir: dir})
		_, effects := start(t, e, `return 1 + 1`)
		require.Equal(t, "2", string(effects.Main.Value))
		return e.Report()
	}
	t.Run("H1 compiled code is kept in a directory of our own", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "made", "for", "us")
		for range 2 {
			require.Empty(t, works(t, dir))
		}
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
		found, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.NotEmpty(t, found)
	})
	t.Run("H1 where others may write, nothing is run from", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o777))
		report := works(t, dir)
		require.Len(t, report, 1)
		require.Contains(t, report[0], "can be written by others")
		found, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, found)
	})
	t.Run("A8 a cache that can't be had is no reason to fail", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.Len(t, works(t, filepath.Join(file, "dir")), 1)
	})
}

// unresponsive are cells that are inside builtins which never look at the interrupt handler.
var unresponsive = map[string]string{
	"concat":   `return [].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`,
	"search":   `return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`,
	"join":     `return Array.prototype.join.call({length: 2 ** 40})`,
	"reverse":  `return Array.prototype.reverse.call({length: 2 ** 53 - 2})`,
	"includes": `return Array.prototype.includes.call({length: 2 ** 53 - 2}, 1)`,
	"iterator": `return [...{ [Symbol.iterator]: () => ({ next: [].at.bind([{}]) }) }]`,
}

func TestDeaf(t *testing.T) {
	e := newEngine(t, Options{})
	for name, source := range unresponsive {
		t.Run("H1 "+name, func(t *testing.T) {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			b := limits(source)
			_, err = vm.Step(context.Background(), b.Append(nil), 200*time.Millisecond)
			require.Error(t, err)
			require.NotErrorIs(t, err, engine.ErrBroken)
		})
	}
	t.Run("G7 one that is stopped from elsewhere", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		time.AfterFunc(20*time.Millisecond, vm.Interrupt)
		b := limits(unresponsive["concat"])
		_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrStopped)
	})
	t.Run("H3 a forged heap does not keep us either", func(t *testing.T) {
		guest, effects := start(t, e, keeper)
		image, err := engine.Image(t.Context(), guest)
		require.NoError(t, err)
		for at := 4; at < len(image); at += 211 {
			bad := append([]byte(nil), image...)
			bad[at] ^= 0x55
			vm, err := e.Restore(context.Background(), bad, nil)
			if err != nil {
				continue
			}
			answers := []engine.Answer{{ID: effects.Requests[0].ID, Payload: []byte("1")}}
			_, _ = vm.Step(context.Background(), engine.AppendResume(nil, answers), 100*time.Millisecond)
			vm.Close()
		}
	})
}

func TestMemoryLimit(t *testing.T) {
	e := newEngine(t, Options{HeapBytes: 32 << 20})
	for _, limit := range []int{1 << 20, 5 << 20, 32 << 20} {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		b := limits(`const a = []; for (;;) a.push(new Array(1000).fill(1))`)
		b.MemoryLimit = limit
		_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrMemory)
		require.LessOrEqual(t, vm.HeapBytes(), limit)
		vm.Close()
	}
	t.Run("H2 more than there is is refused", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		b := limits("return 1")
		_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrProtocol)
	})
	t.Run("H2 memory at every size up to one that is enough: right, or full", func(t *testing.T) {
		for limit := 200 << 10; limit < 900<<10; limit += 4 << 10 {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			b := limits(`const m = new Map(); for (let i = 0; i < 2000; i++) m.set("k" + i, {i, s: String(i)}); return m.size`)
			b.MemoryLimit = limit
			effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
			if err == nil {
				require.Equal(t, "2000", string(effects.Main.Value))
			} else {
				require.ErrorIs(t, err, engine.ErrMemory)
			}
			vm.Close()
		}
	})
}
