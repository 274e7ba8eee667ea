// The step on a thread of the machine: how it is entered, and left by longjmp.
//
// It is left from the interrupt handler, from the allocator, or from the hard stop's signal. The frames in between are
// the engine's alone and own nothing but the heap.
#include "guest.h"

#include <stdlib.h>
#include <time.h>

#define STACK_BYTES (1024 * 1024)

__thread struct control *current;

_Noreturn void guest_leave(int status)
{
	current->armed = 0;
	longjmp(current->leave, status);
}

void guest_poll(void)
{
	if (current->stop)
		guest_leave(STEP_STOPPED);
	if (monotonic_ns() >= current->deadline_ns)
		guest_leave(STEP_TIMEOUT);
}

void stack_enter(JSRuntime *rt)
{
	JS_UpdateStackTop(rt);
	JS_SetMaxStackSize(rt, STACK_BYTES);
}

JSRuntime *compiler_new(void) { return JS_NewRuntime(); }

void *code_keep(size_t len) { return malloc(len); }

// host_clock_ms is the machine's clock, or the next read of a step that is replayed.
int64_t host_clock_ms(void)
{
	struct control *c = current;
	if (!c->replayed) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	}
	while (c->reads_len && c->reads->count == 0)
		c->reads++, c->reads_len--;
	if (!c->reads_len)
		guest_leave(STEP_DIVERGED);
	c->reads->count--;
	return c->reads->ms;
}

// guest_step executes one step and returns how it ended.
int guest_step(struct control *c, int64_t timeout_ns, int64_t grace_ns, const uint8_t *in, uint64_t in_len,
               const uint8_t *catalog, uint64_t catalog_len)
{
	current = c;
	c->thread = thread_id();
	c->deadline_ns = monotonic_ns() + timeout_ns;
	c->grace_ns = grace_ns;
	c->stop_sent = 0;
	int status = setjmp(c->leave);
	if (status == STEP_DONE)
		guest_run(c, in, in_len, catalog, catalog_len);
	hard_stop_unblock(c);
	guest_collect(c);
	current = NULL;
	return status;
}
