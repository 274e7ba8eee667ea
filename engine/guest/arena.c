// The arena: exact-size free lists for small blocks, two-level segregated fit for the rest.
//
// Small blocks go back to a list of their size and keep counting as used, which makes the common malloc and
// free a pop and a push. Larger ones are merged with their free neighbours at once. Only when nothing else fits
// are the small lists emptied into the bins.
#include "arena.h"

#include <stdbool.h>
#include <string.h>

#define USED 1u       // this block is handed out, or lies on a fast list
#define PREV_USED 2u  // so is the one before it, hence prev_size is that block's payload
#define FLAGS 3u
#define MIN_BLOCK 32u
#define HEADER 8u
#define MAX_FAST 512u
#define FIRST_CLASS 5  // 2^5 = MIN_BLOCK

struct block {
	uint64_t prev_size;  // of the block before, if that one is free; otherwise its last eight payload bytes
	uint64_t size;       // of this block with its header, and the flags
	struct block *next;  // payload starts here; links only while free
	struct block *prev;
};

static inline uint64_t block_size(const struct block *b) { return b->size & ~(uint64_t)FLAGS; }

static inline void *payload(struct block *b) { return &b->next; }

static inline struct block *block_of(const void *ptr) { return (struct block *)((char *)ptr - 16); }

static inline struct block *after(struct block *b) { return (struct block *)((char *)b + block_size(b)); }

static inline struct block *at(struct arena *a, uint64_t offset) { return (struct block *)((char *)a + offset); }

static inline uint64_t offset_of(struct arena *a, struct block *b) { return (uint64_t)((char *)b - (char *)a); }

struct arena *arena_init(void *base, size_t limit)
{
	struct arena *a = base;
	memset(a, 0, sizeof(*a));
	a->limit = limit;
	// A block starts 16 bytes before its payload and shares its first 8 with the block before.
	a->top = (sizeof(*a) + 15) & ~(uint64_t)15;
	a->high = a->top + HEADER;
	return a;
}

static void bin_of(uint64_t size, int *class, int *sub)
{
	int log = 63 - __builtin_clzll(size);
	*class = log - FIRST_CLASS;
	*sub = (int)((size >> (log - 3)) & (ARENA_SUBCLASSES - 1));
}

static void bin_insert(struct arena *a, struct block *b)
{
	int class, sub;
	bin_of(block_size(b), &class, &sub);
	b->prev = NULL;
	b->next = a->bins[class][sub];
	if (b->next)
		b->next->prev = b;
	a->bins[class][sub] = b;
	a->class_map |= 1u << class;
	a->subclass_map[class] |= 1u << sub;
}

static void bin_remove(struct arena *a, struct block *b)
{
	int class, sub;
	bin_of(block_size(b), &class, &sub);
	if (b->next)
		b->next->prev = b->prev;
	if (b->prev) {
		b->prev->next = b->next;
		return;
	}
	a->bins[class][sub] = b->next;
	if (b->next)
		return;
	a->subclass_map[class] &= ~(1u << sub);
	if (a->subclass_map[class] == 0)
		a->class_map &= ~(1u << class);
}

// bin_find returns a free block of at least size, or NULL: the first of the smallest bin in which every block
// is large enough.
static struct block *bin_find(struct arena *a, uint64_t size)
{
	int class, sub;
	uint64_t rounded = size + (((uint64_t)1 << (60 - __builtin_clzll(size))) - 1);
	bin_of(rounded, &class, &sub);
	if (class >= ARENA_CLASSES)
		return NULL;
	uint32_t subs = a->subclass_map[class] & (~0u << sub);
	if (subs == 0) {
		uint32_t classes = class + 1 < ARENA_CLASSES ? a->class_map & (~0u << (class + 1)) : 0;
		if (classes == 0)
			return NULL;
		class = __builtin_ctz(classes);
		subs = a->subclass_map[class];
	}
	return a->bins[class][__builtin_ctz(subs)];
}

// release merges a block with its free neighbours and puts the whole into a bin, or back into the unused top.
static void release(struct arena *a, struct block *b)
{
	uint64_t size = block_size(b);
	if (!(b->size & PREV_USED)) {
		b = (struct block *)((char *)b - b->prev_size);
		bin_remove(a, b);
		size += block_size(b);
	}
	uint64_t end = offset_of(a, b) + size;
	if (end < a->top && !(at(a, end)->size & USED)) {
		bin_remove(a, at(a, end));
		size += block_size(at(a, end));
		end = offset_of(a, b) + size;
	}
	if (end == a->top) {
		a->top = offset_of(a, b);
		return;
	}
	b->size = size | PREV_USED;  // two free blocks never touch, so the one before is used
	at(a, end)->prev_size = size;
	at(a, end)->size &= ~(uint64_t)PREV_USED;
	bin_insert(a, b);
}

// trim frees what a used block has beyond size.
static void trim(struct arena *a, struct block *b, uint64_t size)
{
	uint64_t rest = block_size(b) - size;
	if (rest < MIN_BLOCK)
		return;
	b->size = size | (b->size & FLAGS);
	struct block *tail = after(b);
	tail->size = rest | USED | PREV_USED;
	release(a, tail);
}

static void raise_top(struct arena *a, uint64_t by)
{
	a->top += by;
	if (a->top + HEADER > a->high)
		a->high = a->top + HEADER;
}

// room says whether the top can grow by size: the header of the block after it needs its bytes too.
static bool room(struct arena *a, uint64_t size) { return size <= a->limit && a->top + size + 16 <= a->limit; }

static bool flush_fast(struct arena *a)
{
	bool any = false;
	for (int i = 0; i < ARENA_FAST_BINS; i++) {
		while (a->fast[i]) {
			struct block *b = a->fast[i];
			a->fast[i] = b->next;
			release(a, b);
			any = true;
		}
	}
	return any;
}

static struct block *take(struct arena *a, uint64_t size)
{
	struct block *b = bin_find(a, size);
	if (b) {
		bin_remove(a, b);
		b->size |= USED;
		after(b)->size |= PREV_USED;
		trim(a, b, size);
		return b;
	}
	if (!room(a, size))
		return NULL;
	b = at(a, a->top);
	b->size = size | USED | PREV_USED;
	raise_top(a, size);
	return b;
}

static inline uint64_t total(size_t size)
{
	uint64_t n = ((uint64_t)size + HEADER + 15) & ~(uint64_t)15;
	return n < MIN_BLOCK ? MIN_BLOCK : n;
}

void *arena_malloc(void *opaque, size_t size)
{
	struct arena *a = opaque;
	if (size > a->limit)
		return arena_exhausted();
	uint64_t n = total(size);
	if (n <= MAX_FAST && a->fast[n >> 4]) {
		struct block *b = a->fast[n >> 4];
		a->fast[n >> 4] = b->next;
		return payload(b);
	}
	struct block *b = take(a, n);
	if (!b && flush_fast(a))
		b = take(a, n);
	return b ? payload(b) : arena_exhausted();
}

void *arena_calloc(void *opaque, size_t count, size_t size)
{
	size_t n;
	if (__builtin_mul_overflow(count, size, &n))
		return arena_exhausted();
	void *ptr = arena_malloc(opaque, n);
	return ptr ? memset(ptr, 0, n) : NULL;
}

void arena_free(void *opaque, void *ptr)
{
	struct arena *a = opaque;
	if (!ptr)
		return;
	struct block *b = block_of(ptr);
	uint64_t n = block_size(b);
	if (n <= MAX_FAST) {
		b->next = a->fast[n >> 4];
		a->fast[n >> 4] = b;
		return;
	}
	release(a, b);
}

// grow extends a used block in place, into a free neighbour or into the top. Buffers that grow step by step
// mostly lie at the top, so most of their copies are saved.
static bool grow(struct arena *a, struct block *b, uint64_t size)
{
	uint64_t have = block_size(b), end = offset_of(a, b) + have;
	if (end == a->top) {
		if (!room(a, size - have))
			return false;
		raise_top(a, size - have);
		b->size = size | (b->size & FLAGS);
		return true;
	}
	struct block *next = at(a, end);
	if ((next->size & USED) || have + block_size(next) < size)
		return false;
	bin_remove(a, next);
	b->size = (have + block_size(next)) | (b->size & FLAGS);
	after(b)->size |= PREV_USED;
	trim(a, b, size);
	return true;
}

void *arena_realloc(void *opaque, void *ptr, size_t size)
{
	struct arena *a = opaque;
	if (!ptr)
		return arena_malloc(a, size);
	if (size == 0) {
		arena_free(a, ptr);
		return NULL;
	}
	if (size > a->limit)
		return arena_exhausted();
	struct block *b = block_of(ptr);
	uint64_t n = total(size), have = block_size(b);
	if (n <= have) {
		if (have > MAX_FAST)
			trim(a, b, n);
		return ptr;
	}
	// A small block keeps its size for life: its list may only hold blocks of one size.
	if (have > MAX_FAST && grow(a, b, n))
		return ptr;
	void *moved = arena_malloc(a, size);
	if (moved) {
		memcpy(moved, ptr, have - HEADER);
		arena_free(a, ptr);
	}
	return moved;
}

size_t arena_usable_size(const void *ptr) { return ptr ? block_size(block_of(ptr)) - HEADER : 0; }

// wipe_block zeroes a free block's payload but for what the allocator keeps there.
static void wipe_block(struct block *b, size_t kept, size_t tail)
{
	memset((char *)payload(b) + kept, 0, block_size(b) - HEADER - kept - tail);
}

void arena_wipe(struct arena *a)
{
	flush_fast(a);
	for (int i = 0; i < ARENA_CLASSES; i++) {
		for (int j = 0; j < ARENA_SUBCLASSES; j++) {
			// The last eight bytes are the next block's prev_size.
			for (struct block *b = a->bins[i][j]; b; b = b->next)
				wipe_block(b, 2 * sizeof(b->next), HEADER);
		}
	}
	uint64_t end = a->top + HEADER;
	memset(at(a, end), 0, a->high - end);
	a->high = end;
}
