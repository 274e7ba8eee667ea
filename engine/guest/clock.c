// Time and random numbers. Both are inputs of a step: the clock is read in milliseconds and every read is recorded, the
// generator behind Math.random is seeded by the host, so the same step can be replayed elsewhere.
#include "guest.h"

#include <string.h>
#include <sys/time.h>
#include <time.h>

void clock_begin(struct guest *g)
{
	g->clock_repeat = 0;
	g->clock_from_ms = 0;
}

// clock_read_ms returns the time and records it: a run of equal reads is one entry (u64 ms, u32 count), so a
// cell that spins on the clock adds one entry a millisecond. Time never runs backwards within a run.
int64_t clock_read_ms(void)
{
	struct guest *g = current->arena->root;
	int64_t ms = host_clock_ms();
	if (ms < g->last_ms)
		ms = g->last_ms;
	if (ms != g->last_ms && g->clock_repeat) {
		buffer_append(g->ctx, &g->clock, &g->last_ms, 8);
		buffer_u32(g->ctx, &g->clock, g->clock_repeat);
		g->clock_repeat = 0;
	}
	g->last_ms = ms;
	g->clock_repeat++;
	return ms;
}

JSValue host_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	return JS_NewNumber(ctx, (double)clock_read_ms());
}

void random_seed(struct guest *g, const uint8_t seed[32])
{
	memcpy(g->random, seed, 32);
	g->random[0] |= 1;  // the state must not be all zero
}

static inline uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

// random_next is xoshiro256**.
static uint64_t random_next(uint64_t s[4])
{
	uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

JSValue host_random(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	return JS_NewNumber(ctx, (double)(random_next(guest_of(ctx)->random) >> 11) * 0x1p-53);
}

#ifndef CODECELL_WASI
// The linker redirects these (see cgo.go): the engine reads the clock and the timezone through libc. Outside of
// a step they are libc's own. Inside, the zone is UTC, and no lock of libc's is taken, which a hard stop could
// leave locked for good.
int __real_gettimeofday(struct timeval *tv, void *tz);
struct tm *__real_localtime_r(const time_t *t, struct tm *out);
struct tm *__real_gmtime_r(const time_t *t, struct tm *out);
time_t __real_mktime(struct tm *t);

int __wrap_gettimeofday(struct timeval *tv, void *tz)
{
	if (!current || !current->armed)
		return __real_gettimeofday(tv, tz);
	int64_t ms = clock_read_ms();
	tv->tv_sec = ms / 1000;
	tv->tv_usec = ms % 1000 * 1000;
	return 0;
}

// The engine only takes the difference between local and universal time: here there is none.
struct tm *__wrap_localtime_r(const time_t *t, struct tm *out)
{
	return current ? memset(out, 0, sizeof(*out)) : __real_localtime_r(t, out);
}

struct tm *__wrap_gmtime_r(const time_t *t, struct tm *out)
{
	return current ? memset(out, 0, sizeof(*out)) : __real_gmtime_r(t, out);
}

time_t __wrap_mktime(struct tm *t) { return current ? 0 : __real_mktime(t); }
#endif
