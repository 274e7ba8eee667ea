//go:build ignore

// What libc copies and fills with, for the guest on WebAssembly. There one instruction moves as much as it is told to,
// and a cell can have it move all of its heap, again and again, between two of the loops' looks at the clock (see
// package fuel). So this is the only unit that is compiled with those instructions; they move a piece at a time, and after
// as many bytes as a piece has, in however many calls, the host is asked.
#include <stddef.h>
#include <stdint.h>

void guest_poll(void);

// At most 64 pages that the kernel has to find first: less than a millisecond.
#define PIECE (256u << 10)
// Below that a loop is faster than the instruction.
#define SMALL 64u

typedef uint64_t word __attribute__((aligned(1), may_alias));

static size_t moved;  // since the host was asked

static inline void charge(size_t n)
{
	moved += n;
	if (moved >= PIECE) {
		moved = 0;
		guest_poll();
	}
}

static inline size_t piece(size_t left) { return left < PIECE ? left : PIECE; }

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;
	if (n < SMALL) {
		for (; n >= 8; n -= 8, d += 8, s += 8)
			*(word *)d = *(const word *)s;
		for (; n > 0; n--)
			*d++ = *s++;
		return to;
	}
	for (size_t now; n > 0; n -= now, d += now, s += now) {
		now = piece(n);
		__builtin_memcpy(d, s, now);
		charge(now);
	}
	return to;
}

// memmove takes the pieces in the order in which none is overwritten before it was read.
void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;
	if ((uintptr_t)d - (uintptr_t)s >= n) {
		for (size_t now; n > 0; n -= now, d += now, s += now) {
			now = piece(n);
			__builtin_memmove(d, s, now);
			charge(now);
		}
		return to;
	}
	for (size_t now; n > 0; n -= now) {
		now = piece(n);
		__builtin_memmove(d + n - now, s + n - now, now);
		charge(now);
	}
	return to;
}

void *memset(void *to, int c, size_t n)
{
	uint8_t *d = to;
	if (n < SMALL) {
		word all = (uint8_t)c * 0x0101010101010101u;
		for (; n >= 8; n -= 8, d += 8)
			*(word *)d = all;
		for (; n > 0; n--)
			*d++ = (uint8_t)c;
		return to;
	}
	for (size_t now; n > 0; n -= now, d += now) {
		now = piece(n);
		__builtin_memset(d, c, now);
		charge(now);
	}
	return to;
}
