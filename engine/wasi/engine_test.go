package wasi

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// works holds an engine to what it is there for, and returns what it reports.
func works(t *testing.T, o Options) []string {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	guest, err := e.NewVM(nil)
	require.NoError(t, err)
	defer guest.Close()
	begin := engine.Begin{Source: "return 1 + 1", MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
	effects, err := guest.Step(t.Context(), begin.Append(nil), 20*time.Second)
	require.NoError(t, err)
	require.Equal(t, "2", string(effects.Main.Value))
	return e.Report()
}

func TestCache(t *testing.T) {
	t.Run("H1 compiled code is kept in a directory of our own", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "made", "for", "us")
		for range 2 {
			require.Empty(t, works(t, Options{CacheDir: dir}))
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
		report := works(t, Options{CacheDir: dir})
		require.Len(t, report, 1)
		require.Contains(t, report[0], "can be written by others")
		found, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, found)
	})
	t.Run("A8 a cache that can't be had is no reason to fail", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.Len(t, works(t, Options{CacheDir: filepath.Join(file, "dir")}), 1)
	})
}
