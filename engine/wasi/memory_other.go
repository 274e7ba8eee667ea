//go:build !linux

package wasi

import "github.com/tetratelabs/wazero/experimental"

// reserve returns nil: wazero allocates linear memories itself.
func reserve() experimental.MemoryAllocator { return nil }
