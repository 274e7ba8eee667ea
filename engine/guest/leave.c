// The step on a thread of the machine: how it is entered, and left by longjmp.
//
// It is left from the interrupt handler, from the allocator, or from the hard stop's signal. The frames in between are
// the engine's alone and own nothing but the heap.
#include "guest.h"

#include <stdlib.h>
#include <string.h>
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

static struct { uint8_t *bytes; size_t len; } codes[MAX_SOURCES];

bool code_keep(int index, const uint8_t *code, size_t len)
{
	codes[index].bytes = malloc(len);
	codes[index].len = len;
	return codes[index].bytes && memcpy(codes[index].bytes, code, len);
}

uint8_t *code_fetch(JSContext *ctx, int index, size_t *len)
{
	(void)ctx;
	if (index < 0 || index >= MAX_SOURCES)
		return NULL;
	*len = codes[index].len;
	return codes[index].bytes;
}

void code_done(JSContext *ctx, uint8_t *code) { (void)ctx, (void)code; }

#define MAX_TABLES 8

static struct { char *text; size_t len; } tables[MAX_TABLES];

bool table_keep(int index, char *text, size_t len)
{
	if (index >= MAX_TABLES)
		return false;
	tables[index].text = text;
	tables[index].len = len;
	return true;
}

// table_find looks for a row's text. A table is lines, each "\n" name "\t" text, with a last "\n".
bool table_find(int table, const char *name, size_t len, const char **text, size_t *text_len)
{
	if (table < 0 || table >= MAX_TABLES)
		return false;
	const char *p = tables[table].text, *end = p + tables[table].len;
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		if ((size_t)(end - p) <= len)
			break;
		if (p[len] != '\t' || memcmp(p, name, len) != 0)
			continue;
		const char *from = p + len + 1, *to = memchr(from, '\n', (size_t)(end - from));
		if (!to)
			break;
		*text = from;
		*text_len = (size_t)(to - from);
		return true;
	}
	return false;
}

JSValue table_row(JSContext *ctx, int table, const char *name, size_t len)
{
	const char *text;
	size_t text_len;
	return table_find(table, name, len, &text, &text_len) ? JS_NewStringLen(ctx, text, text_len) : JS_UNDEFINED;
}

// clock_next gives the machine's clock, or the next read of a step that is replayed; false if there is none.
bool clock_next(struct control *c, int64_t *ms)
{
	if (!c->replayed) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		*ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
		return true;
	}
	while (c->reads_len && c->reads->count == 0)
		c->reads++, c->reads_len--;
	if (!c->reads_len)
		return false;
	c->reads->count--;
	*ms = c->reads->ms;
	return true;
}

int64_t host_clock_ms(void)
{
	int64_t ms;
	if (!clock_next(current, &ms))
		guest_leave(STEP_DIVERGED);
	return ms;
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
	give_way(c);
	int status = setjmp(c->leave);
	if (status == STEP_DONE)
		guest_run(c, in, in_len, catalog, catalog_len);
	give_way_end(c);
	hard_stop_unblock(c);
	guest_collect(c);
	current = NULL;
	return status;
}
