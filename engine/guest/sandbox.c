// A sandbox: one guest on WebAssembly that was compiled ahead of time, its memory, and how its functions are called and left.
//
// Addresses, from below: a guard, the stack, a guard, the memory, and the rest of what the guest's code can compute, up to 8 GiB
// from the memory's beginning. Guards and the rest can't be accessed. The stack is the sandbox's own, so that its end is
// known and the same on every thread; the guest can't read it.
#include "sandbox_host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WASM_PAGE (64ull << 10)
#define GUARD_BYTES (1ull << 20)     // larger than any frame of the code: engine/aot/code/build.sh sees to that
#define STACK_BYTES (8ull << 20)
#define STACK_KEPT (64ull << 10)     // of it, what stays when it is not needed
#define REACH_BYTES (8ull << 30)     // two 32-bit numbers added
#define ACCESS_BYTES WASM_PAGE       // more than what one instruction accesses

#define GRACE_NS 25000000            // as native steps have it: loops ask long before

__thread struct sandbox *inside;

const char *sandbox_module(void) { return &sandbox_code ? sandbox_code.module : NULL; }

// Go asks here: what it names itself must be there when the binary is linked.
uint64_t sandbox_constant_from(void) { return sandbox_code.constant_from; }
uint64_t sandbox_constant_to(void) { return sandbox_code.constant_to; }

#if defined(__linux__) && defined(__x86_64__)

#include <sys/auxv.h>

#define HWCAP2_FSGSBASE_ (1u << 1)  // the kernel lets programs set the segment registers' bases

int sandbox_supported(void) { return (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_) != 0; }

// call_on calls a function on another stack. The code finds its memory by the segment register GS, which nothing else in the
// process uses, and which belongs to the thread.
static __attribute__((noinline)) void call_on(uint8_t *stack_end, uint8_t *memory, void (*f)(void *), void *arg)
{
	__asm__ volatile("wrgsbase %0" : : "r"(memory));
	__asm__ volatile(
		"movq %%rsp, %%rbx\n\t"
		"movq %[stack], %%rsp\n\t"
		"callq *%[f]\n\t"
		"movq %%rbx, %%rsp"
		: "+D"(arg), [stack] "+r"(stack_end), [f] "+r"(f)
		:
		: "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
		  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
		  "xmm13", "xmm14", "xmm15");
}

#else

int sandbox_supported(void) { return 0; }

static void call_on(uint8_t *stack_end, uint8_t *memory, void (*f)(void *), void *arg) { (void)stack_end, (void)memory, f(arg); }

#endif

// ---- memory

static bool make_accessible(uint8_t *from, uint64_t bytes)
{
	return mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0;
}

// sandbox_new makes a sandbox in whose memory is what the module says. It returns NULL if there is no address space.
struct sandbox *sandbox_new(uint32_t max_pages)
{
	struct sandbox *s = calloc(1, sizeof(*s));
	if (!s || !(s->instance = calloc(1, sandbox_code.instance_bytes))) {
		sandbox_free(s);
		return NULL;
	}
	s->limit_bytes = max_pages * WASM_PAGE;
	s->reserved_bytes = GUARD_BYTES + STACK_BYTES + GUARD_BYTES + REACH_BYTES + ACCESS_BYTES;
	s->reserved = mmap(NULL, s->reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->reserved == MAP_FAILED) {
		s->reserved = NULL;
		sandbox_free(s);
		return NULL;
	}
	uint8_t *stack = s->reserved + GUARD_BYTES;
	s->stack_end = stack + STACK_BYTES;
	s->memory = s->stack_end + GUARD_BYTES;
	s->memory_bytes = sandbox_code.initial_pages * WASM_PAGE;
	if (!make_accessible(stack, STACK_BYTES) || !make_accessible(s->memory, s->memory_bytes)) {
		sandbox_free(s);
		return NULL;
	}
	sandbox_code.instantiate(s->instance, s, s->memory);
	uint64_t from = sandbox_code.constant_from, to = sandbox_code.constant_to;
	if (from < to && mprotect(s->memory + from, to - from, PROT_READ) != 0) {
		sandbox_free(s);
		return NULL;
	}
	return s;
}

void sandbox_free(struct sandbox *s)
{
	if (!s)
		return;
	if (s->memory)
		sandbox_code.free(s->instance);
	if (s->reserved)
		munmap(s->reserved, s->reserved_bytes);
	free(s->instance);
	free(s);
}

// sandbox_grow makes the memory larger, and returns 0 if it can't.
int sandbox_grow(struct sandbox *s, uint32_t pages)
{
	uint64_t more = pages * WASM_PAGE;
	if (more > s->limit_bytes - s->memory_bytes || !make_accessible(s->memory + s->memory_bytes, more))
		return 0;
	s->memory_bytes += more;
	sandbox_code.grow(s->instance, s->memory_bytes / WASM_PAGE);
	return 1;
}

// sandbox_freshen prepares the sandbox for another guest. The memory is the caller's matter.
void sandbox_freshen(struct sandbox *s, int deep)
{
	s->step.stop = s->step.give_way = 0;
	sandbox_code.renew(s->instance);
	if (deep)
		madvise(s->stack_end - STACK_BYTES, STACK_BYTES - STACK_KEPT, MADV_DONTNEED);
}

// ---- calls

struct call {
	struct sandbox *sandbox;
	int function;
	const uint32_t *args;
};

static void call_function(void *arg)
{
	const struct call *call = arg;
	call->sandbox->result = sandbox_code.call(call->sandbox->instance, call->function, call->args);
}

// sandbox_call calls a function, which may take so long; 0: as long as it takes. It returns why the function was left, 0 if
// it returned.
int sandbox_call(struct sandbox *s, int function, const uint32_t args[SANDBOX_ARGS], int64_t timeout_ns)
{
	struct control *c = &s->step;
	struct call call = {s, function, args};
	current = c;
	inside = s;
	c->thread = thread_id();
	c->deadline_ns = timeout_ns ? monotonic_ns() + timeout_ns : INT64_MAX - GRACE_NS;
	c->grace_ns = GRACE_NS;
	c->stop_sent = 0;
	give_way(c);
	int left = setjmp(c->leave);
	if (left == 0) {
		c->armed = 1;
		call_on(s->stack_end, s->memory, call_function, &call);
		c->armed = 0;
	}
	sandbox_fault_done(s);
	give_way_end(c);
	hard_stop_unblock(c);
	current = NULL;
	inside = NULL;
	return left;
}

void sandbox_trap(int reason)
{
	inside->step.armed = 0;
	longjmp(inside->step.leave, SANDBOX_TRAPPED + reason);
}

// ---- what the guest asks for

uint32_t sandbox_poll(struct sandbox *s)
{
	if (s->step.stop)
		return STEP_STOPPED;
	return monotonic_ns() >= s->step.deadline_ns ? STEP_TIMEOUT : 0;
}

int64_t sandbox_clock(struct sandbox *s)
{
	int64_t ms;
	return clock_next(&s->step, &ms) ? ms : INT64_MIN;
}

// part returns a part of the guest's memory, NULL if it is none.
static uint8_t *part(struct sandbox *s, uint32_t at, uint32_t len)
{
	return (uint64_t)at + len <= s->memory_bytes ? s->memory + at : NULL;
}

// give copies as much as there is room for, and returns how much there is.
static int32_t give(struct sandbox *s, const void *bytes, size_t len, uint32_t to, uint32_t room)
{
	uint32_t n = len < room ? (uint32_t)len : room;
	uint8_t *there = part(s, to, n);
	uint64_t from = sandbox_code.constant_from, end = sandbox_code.constant_to;
	if (there && (to >= end || to + (uint64_t)n <= from))
		memcpy(there, bytes, n);
	return (int32_t)len;
}

static struct { const uint8_t *bytes; uint64_t len; } codes[MAX_SOURCES];

// sandbox_keep_code keeps the code of one of the runtime's sources for all guests, for as long as the process lives. What is
// kept already is the same.
void sandbox_keep_code(int index, const uint8_t *code, uint64_t len)
{
	if (index < 0 || index >= MAX_SOURCES || codes[index].bytes)
		return;
	uint8_t *kept = malloc(len);
	if (!kept)
		abort();
	codes[index].bytes = memcpy(kept, code, len);
	codes[index].len = len;
}

int32_t sandbox_copy_code(struct sandbox *s, uint32_t index, uint32_t to, uint32_t room)
{
	if (index >= MAX_SOURCES || !codes[index].bytes)
		return -1;
	return give(s, codes[index].bytes, codes[index].len, to, room);
}

int32_t sandbox_copy_row(struct sandbox *s, uint32_t table, uint32_t name, uint32_t len, uint32_t to, uint32_t room)
{
	const char *text, *named = (const char *)part(s, name, len);
	size_t text_len;
	if (table > INT32_MAX || !named || !table_find((int)table, named, len, &text, &text_len))
		return -1;
	return give(s, text, text_len, to, room);
}
