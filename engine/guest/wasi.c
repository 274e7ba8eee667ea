//go:build ignore

// The guest on WebAssembly: the same runtime and the same engine sources, with what the machine's build takes from libc
// and from setjmp replaced by three imports. It asks for nothing else of the host: no files, no WASI.
//
// This is the one translation unit that includes the engine: QuickJS-NG switches its stack limit off on WASI, and the
// limit is a private field.
//
// Memory, from address zero: the stack, which grows down, so that an overflow is a trap and never a write to
// other data; data; the arena; behind the arena, in pages of the host's, the input of a step. All of the guest
// that outlives a step lies between the stack and the arena's top.
#include <stdio.h>
#include <wasi/api.h>

// The engine prints nothing but dumps for its own developers.
#define printf(...) 0
#define fprintf(...) 0
#define putchar(c) 0
#include "quickjs.c"

#include "guest.h"

#define IMPORT(name) __attribute__((import_module("codecell"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

// host_poll returns the status with which to leave the step, or 0. host_clock returns milliseconds, or INT64_MIN if a
// step that is replayed reads the clock more often than the first time.
IMPORT("poll") int32_t host_poll(void);
IMPORT("clock") int64_t host_clock(void);
// host_code and host_table copy a compiled source, or a row's text, to a place that has room for that many bytes, and return
// how many there are; -1 if there is none. With no room nothing is copied.
IMPORT("code") int32_t host_code(int32_t index, uint8_t *to, uint32_t room);
IMPORT("table") int32_t host_table(int32_t table, const char *name, uint32_t len, uint8_t *to, uint32_t room);

#define PAGE 4096u
// What the engine may put on the stack between two looks at its limit. What is left of the stack (build.sh) lets a cell
// recurse as deeply as on the machine, and is used up before the runtime's own stack is, which would be a trap.
#define STACK_MARGIN (128u << 10)
#define MAX_HEAP (1u << 30)

extern uint8_t __heap_base, __global_base;

struct control *current;
static struct control control;

static uint8_t *arena_base(void) { return (uint8_t *)(((uintptr_t)&__heap_base + PAGE - 1) & ~(uintptr_t)(PAGE - 1)); }

_Noreturn void guest_leave(int status)
{
	control.status = status;
	control.armed = 0;
	__builtin_trap();
}

void guest_poll(void)
{
	int32_t status = host_poll();
	if (status)
		guest_leave(status);
}

// stack_enter sets the limit where the engine throws a RangeError. The stack ends at address zero.
void stack_enter(JSRuntime *rt) { rt->stack_limit = STACK_MARGIN; }

int64_t host_clock_ms(void)
{
	int64_t ms = host_clock();
	if (ms == INT64_MIN)
		guest_leave(STEP_DIVERGED);
	return ms;
}

// compiler_new makes an engine that compiles one source. It lies where the guest will, before there is one.
JSRuntime *compiler_new(void)
{
	uint8_t *base = arena_base();
	struct arena *a = (struct arena *)base;
	memset(base, 0, a->high);
	return JS_NewRuntime2(&arena_functions, arena_init(base, MAX_HEAP));
}

// The host keeps the code: what is not in the instance's memory need not be written for each guest.
static uint8_t *compiled;
static uint32_t compiled_room, compiled_len;

bool code_keep(int index, const uint8_t *code, size_t len)
{
	if (len > compiled_room)
		return false;
	memcpy(compiled, code, len);
	compiled_len = len;
	return true;
}

uint8_t *code_fetch(JSContext *ctx, int index, size_t *len)
{
	int32_t size = host_code(index, NULL, 0);
	uint8_t *code = size < 0 ? NULL : js_malloc(ctx, size);
	if (code)
		*len = host_code(index, code, size);
	return code;
}

void code_done(JSContext *ctx, uint8_t *code) { js_free(ctx, code); }

JSValue table_row(JSContext *ctx, int table, const char *name, size_t len)
{
	int32_t size = host_table(table, name, len, NULL, 0);
	if (size < 0)
		return JS_UNDEFINED;
	uint8_t *text = js_malloc(ctx, size + 1);
	if (!text)
		return JS_EXCEPTION;
	host_table(table, name, len, text, size);
	JSValue row = JS_NewStringLen(ctx, (const char *)text, size);
	js_free(ctx, text);
	return row;
}

// ---- what the host calls

// layout says where in memory things are: what outlives a step begins at data; the arena's end is at arena, offset 8;
// what a step left behind is at out (u32), out_len (u64), broken (u32, a C string) and status (i32).
EXPORT("layout") const uint32_t *guest_layout(void)
{
	static uint32_t layout[6];
	layout[0] = (uint32_t)(uintptr_t)&__global_base;
	layout[1] = (uint32_t)(uintptr_t)arena_base();
	layout[2] = (uint32_t)(uintptr_t)&control.out;
	layout[3] = (uint32_t)(uintptr_t)&control.out_len;
	layout[4] = (uint32_t)(uintptr_t)&control.broken;
	layout[5] = (uint32_t)(uintptr_t)&control.status;
	return layout;
}

// compile puts the code of a source into a place with that much room, and returns its length; 0 if the source is none.
EXPORT("compile") uint32_t guest_compile(int32_t index, const char *source, uint32_t len, uint8_t *to, uint32_t room)
{
	compiled = to;
	compiled_room = room;
	bool ok = code_compile(index, source, len);
	compiled = NULL; // where it was is not a fresh guest's to know
	compiled_room = 0;
	return ok ? compiled_len : 0;
}

// boot makes the one heap of this memory. The limit is the largest that any run may have: each run's own comes with its
// input, so that a fresh guest is the same bytes everywhere.
EXPORT("boot") int32_t guest_boot_here(int32_t sources)
{
	uint8_t *base = arena_base();
	memset(base, 0, ((struct arena *)base)->high);
	return guest_boot(&control, base, MAX_HEAP, sources);
}

EXPORT("step") void guest_step(const uint8_t *in, uint32_t in_len, const uint8_t *catalog, uint32_t catalog_len)
{
	current = &control;
	control.status = STEP_DONE;
	guest_run(&control, in, in_len, catalog, catalog_len);
	current = NULL;
	guest_collect(&control);
}

// tick is called every so many iterations of loops (see package fuel), wherever they are: builtins that never look at
// the interrupt handler end here.
EXPORT("tick") void guest_tick(void) { guest_poll(); }

// collect tells what was handed out by a step that was left by a trap.
EXPORT("collect") void guest_collect_here(void) { guest_collect(&control); }

// rest makes the heap ready to be copied out: what is freed is wiped, the last step's effects among it.
EXPORT("rest") void guest_rest(void)
{
	struct guest *g = control.arena->root;
	buffer_free(g->ctx, &g->out);
	buffer_free(g->ctx, &g->clock);
	arena_wipe(control.arena);
	control.out = NULL;
	control.out_len = 0;
}

// catalog returns where the turn's catalog is: struct buffer, of which data and len are the first members. It is no part
// of an image: whoever restores the guest has it.
EXPORT("catalog") const struct buffer *guest_catalog(void)
{
	struct guest *g = control.arena->root;
	return &g->catalog;
}

// ---- what the engine calls of libc

_Noreturn void __assert_fail(const char *what, const char *file, int line, const char *function)
{
	control.broken = what;
	guest_leave(STEP_BROKEN);
}

_Noreturn void abort(void)
{
	control.broken = "abort";
	guest_leave(STEP_BROKEN);
}

// Time stands still outside of steps: a fresh guest is the same bytes whenever it was booted.
int gettimeofday(struct timeval *tv, void *tz)
{
	int64_t ms = current ? clock_read_ms() : 0;
	tv->tv_sec = ms / 1000;
	tv->tv_usec = ms % 1000 * 1000;
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t ms = current ? clock_read_ms() : 0;
	t->tv_sec = ms / 1000;
	t->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

// The engine only takes the difference between local and universal time: there is none.
struct tm *localtime_r(const time_t *t, struct tm *out) { return memset(out, 0, sizeof(*out)); }
struct tm *gmtime_r(const time_t *t, struct tm *out) { return memset(out, 0, sizeof(*out)); }
time_t mktime(struct tm *t) { return 0; }

// libc's streams end here: there is nothing to write to.
#define SYSTEM(call) __imported_wasi_snapshot_preview1_##call
int32_t SYSTEM(fd_close)(int32_t fd) { return __WASI_ERRNO_BADF; }
int32_t SYSTEM(fd_fdstat_get)(int32_t fd, int32_t stat) { return __WASI_ERRNO_BADF; }
int32_t SYSTEM(fd_seek)(int32_t fd, int64_t by, int32_t from, int32_t at) { return __WASI_ERRNO_BADF; }
int32_t SYSTEM(fd_write)(int32_t fd, int32_t parts, int32_t n, int32_t written) { return __WASI_ERRNO_BADF; }
