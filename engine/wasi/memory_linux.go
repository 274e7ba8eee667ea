package wasi

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// reserved is a linear memory in an address range of its own, so that growing it moves nothing and what was never
// touched costs nothing.
type reserved struct{ mapping []byte }

// reserve returns an allocator of linear memories.
func reserve() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, limit uint64) experimental.LinearMemory {
		mapping, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
		if err != nil {
			return &reserved{}
		}
		return &reserved{mapping}
	})
}

// Reallocate implements experimental.LinearMemory. Nil is a memory that can't grow.
func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.mapping)) {
		return nil
	}
	return r.mapping[:size]
}

// Free implements experimental.LinearMemory.
func (r *reserved) Free() {
	if r.mapping != nil {
		_ = syscall.Munmap(r.mapping)
		r.mapping = nil
	}
}
