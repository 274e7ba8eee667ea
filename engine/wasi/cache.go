package wasi

import (
	"fmt"
	"os"

	"github.com/tetratelabs/wazero"
)

// openCache opens the directory of compiled code, made if it is not there. What lies in it is run, so a directory that
// others may write to is refused.
func openCache(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the cache of compiled code: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("the cache of compiled code: %w", err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("the cache of compiled code, %s, can be written by others, and what lies there is run: chmod 700", dir)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the cache of compiled code, %s: %w", dir, err)
	}
	return cache, nil
}
