// Images: a heap is the bytes of its arena, so a fresh guest is a copy of the bytes that a booted one had.
#define _GNU_SOURCE
#include "guest.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

// dirty_end returns the end of what the guest wrote. A heap that was left in the middle of a step is in no
// defined state, so its own counts are used only as far as they make sense.
static uint64_t dirty_end(struct control *c, uint64_t image_len, uint64_t size)
{
	uint64_t high = (c->arena->high + 15) & ~(uint64_t)15;  // as the image's length is rounded
	return high < image_len || high > size ? size : high;
}

// guest_reset overwrites the heap by its image and wipes what lies beyond: bytes that one tenant's cell left are
// gone before another's starts. Up to keep bytes are wiped in place, since pages that are returned to the system cost a
// fault each when the next guest touches them.
void guest_reset(struct control *c, const uint8_t *image, uint64_t image_len, uint64_t keep)
{
	uint8_t *base = (uint8_t *)c->arena;
	uint64_t size = ((const struct arena *)image)->limit, end = dirty_end(c, image_len, size);
	uint64_t kept = (image_len + keep + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (end > kept) {
		madvise(base + kept, (size - kept), MADV_DONTNEED);
		end = kept;
	}
	memset(base + image_len, 0, end - image_len);
	memcpy(base, image, image_len);
	c->out = NULL;
	c->out_len = 0;
}

static uint64_t differing(const uint64_t *a, const uint64_t *b, uint64_t words)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < words; i++)
		n += a[i] != b[i];
	return n;
}

static uint64_t nonzero(const uint64_t *a, uint64_t words)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < words; i++)
		n += a[i] != 0;
	return n;
}

// guest_footprint counts by words of eight bytes; what is not in the image was zero. The effects of the last
// step still lie in the heap but are no part of the run.
uint64_t guest_footprint(struct control *c, const uint8_t *image, uint64_t image_len)
{
	const uint8_t *base = (const uint8_t *)c->arena;
	const struct guest *g = c->arena->root;
	uint64_t words = image_len / 8, end = dirty_end(c, image_len, ((const struct arena *)image)->limit);
	uint64_t n = differing((const uint64_t *)base, (const uint64_t *)image, words);
	n += nonzero((const uint64_t *)base + words, end / 8 - words);
	if (g->out.data >= base + image_len)
		n -= nonzero((const uint64_t *)g->out.data, g->out.cap / 8);
	return n * 8;
}
