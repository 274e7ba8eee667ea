// An allocator whose whole state lies inside one address range.
//
// Everything that a guest heap consists of is between base and base+top, the allocator's own state included, so
// copying that range copies the heap, and copying it back resets the guest. A range holds one runtime and is
// used by one thread at a time.
#ifndef CODECELL_ARENA_H
#define CODECELL_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_FAST_BINS 33  // blocks of up to 512 bytes, by size in steps of 16
#define ARENA_CLASSES 28    // larger blocks: powers of two from 32 bytes …
#define ARENA_SUBCLASSES 8  // … each in eighths

struct block;

struct arena {
	uint64_t limit;  // bytes from the base that the guest may use
	uint64_t top;    // offset of the first byte that was not handed out
	uint64_t high;   // the end of what was ever written since the last reset: bytes from here on are zero
	void *root;      // the guest's own state, set by whoever boots it
	struct block *fast[ARENA_FAST_BINS];
	uint32_t class_map;
	uint32_t subclass_map[ARENA_CLASSES];
	struct block *bins[ARENA_CLASSES][ARENA_SUBCLASSES];
};

// arena_init lays out an empty arena at base, which must be zeroed and aligned to a page.
struct arena *arena_init(void *base, size_t limit);

// These have the shape of JSMallocFunctions; opaque is the arena. An allocation that does not fit calls
// arena_exhausted and returns what that returns, if it returns.
void *arena_malloc(void *opaque, size_t size);
void *arena_calloc(void *opaque, size_t count, size_t size);
void *arena_realloc(void *opaque, void *ptr, size_t size);
void arena_free(void *opaque, void *ptr);
size_t arena_usable_size(const void *ptr);

// arena_wipe zeroes the contents of what is free. Nothing may rely on the bytes of a fresh allocation.
void arena_wipe(struct arena *a);

// arena_exhausted is defined by the guest: it ends the step, since a heap that is full is thrown away whole.
void *arena_exhausted(void);

#endif
