// The guest runtime: one QuickJS heap in an arena, and what the host and the cell say to each other.
//
// The protocol is described in doc.go. Everything in struct guest lies inside the arena and is part of an image;
// struct control is the host's side of a step, lies outside, and survives whatever the guest does to its heap.
#ifndef CODECELL_GUEST_H
#define CODECELL_GUEST_H

#ifndef CODECELL_WASI
#include <setjmp.h>
#endif
#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "arena.h"

// How a step ended.
enum status {
	STEP_DONE = 0,
	STEP_TIMEOUT = 1,    // the deadline passed and the interrupt handler saw it
	STEP_STOPPED = 2,    // the host asked for it
	STEP_MEMORY = 3,     // the arena is full
	STEP_OUTPUT = 4,     // more output than the run may have
	STEP_HARD_STOP = 5,  // the deadline passed inside a builtin that never looks
	STEP_INVALID = 6,    // the step's input was not one
	STEP_BROKEN = 7,     // the engine found its own state broken
	STEP_DIVERGED = 8,   // a step that is replayed reads the clock more often than the first time
};

// The kinds of promises that were used as if they were their values.
enum misuse {
	MISUSE_TOUCHED = 1,    // a property was read that promises don't have
	MISUSE_UNAWAITED = 2,  // a call was answered, and nobody ever waited for it
	MISUSE_LEFT = 3,       // a call was under way when the cell's promise was fulfilled
	MISUSE_TIMER = 4,      // so was a timer; key is the text of its callback
};

// The kinds of effect records.
enum effect {
	EFFECT_TEXT = 'T',       // u8 level, text
	EFFECT_JSON = 'J',       // JSON text
	EFFECT_REQUEST = 'R',    // u32 id, u8 method, u32 length, name, JSON payload
	EFFECT_CANCEL = 'X',     // u32 id of a timer
	EFFECT_UNHANDLED = 'U',  // text of a rejection that nobody handled, or of what a callback threw
	EFFECT_OMITTED = 'O',    // u64 bytes of output dropped (truncate mode)
	EFFECT_MISUSE = 'A',     // u8 kind, texts key, use, call: a promise that was used as if it were its value
	EFFECT_CLOCK = 'C',      // the step's clock reads, run-length encoded
	EFFECT_MAIN = 'D',       // u8 state, and what the cell's promise settled with
};

enum method {
	METHOD_SEARCH = 1,
	METHOD_DESCRIBE = 2,
	METHOD_CALL = 3,
	METHOD_CALL_VALUE = 4,
	METHOD_NAMESPACE = 5,
	METHOD_YIELD = 6,
	METHOD_TIMER = 7,
};

enum input { INPUT_BEGIN = 1, INPUT_RESUME = 2 };

enum answer { ANSWER_VALUE = 0, ANSWER_ERROR = 1, ANSWER_FIRED = 2 };

// The sections of a turn's catalog.
enum section { SECTION_ENTRIES = 0, SECTION_NAMES = 1, SECTION_MCP = 2, SECTION_FILES = 3, CATALOG_SECTIONS = 4 };

enum main_state { MAIN_PENDING = 0, MAIN_FULFILLED = 1, MAIN_REJECTED = 2, MAIN_BEFORE = 3 };

// What the adapter noticed; sent with the value of the cell.
enum hint {
	HINT_PROMISE = 1,
	HINT_MAP_OR_SET = 2,
	HINT_FUNCTION = 4,
	HINT_UNDEFINED = 8,
	HINT_LOCALE = 16,
	HINT_ITERATOR = 32,   // what gives its values one by one
	HINT_BYTES = 64,      // an ArrayBuffer or a view of one
	HINT_OPAQUE = 128,    // a RegExp or weak collection
	HINT_FUNCTIONS = 256, // an object all of whose members are functions, or a function in a list
	HINT_NOT_FINITE = 512,    // NaN or an infinity
};

// These are noticed wherever something leaves the heap, the others in the cell's value alone.
#define HINTS_ANYWHERE (HINT_MAP_OR_SET | HINT_ITERATOR | HINT_BYTES | HINT_OPAQUE)

struct buffer {
	uint8_t *data;
	uint32_t len, cap;
};

struct pending {
	uint32_t id;     // 0: free
	uint32_t next;   // free list
	uint8_t method;
	JSValue resolve; // or the callback of a timer
	JSValue reject;
	JSValue promise;
	JSValue error;   // made where the call was made, so that a failure points at the cell's line; of a timer, its callback
};

struct unhandled {
	JSValue promise;  // kept: another promise at the same address would pass for it
	JSValue reason;
};

#define MAX_UNHANDLED 8
#define SLOT_BITS 12  // of a request's id: its place; the others count requests
#define ITERATOR_METHODS 2
#define REGEXP_METHODS 4
#define DATE_SETTERS 15

struct guest {
	JSRuntime *rt;
	JSContext *ctx;

	struct buffer out;      // effects of this step; freed when the next one starts
	uint32_t committed;     // bytes of out that are whole records
	struct buffer scratch;  // JSON being written, innermost last
	struct buffer clock;    // this step's clock reads
	struct buffer catalog;
	uint32_t noticed; // hints that are not of the cell's value
	struct { uint32_t at, len; } section[CATALOG_SECTIONS];

	JSValue main;  // the cell's promise
	uint8_t settled;
	uint8_t truncate;
	JSValue error_constructor, function_to_string, on_open, on_reasons;
	JSValue iterators[2];  // the prototypes of all iterators, and of the asynchronous ones
	JSAtom iterator;       // Symbol.iterator
	// The engine's own, behind the ones of builtins.c.
	JSValue stack_dispose, iterator_methods[ITERATOR_METHODS], regexp_methods[REGEXP_METHODS], has_sets, escape;
	JSValue date_setters[DATE_SETTERS], set_time;
	JSValue on_builtin;  // gives those that are written in JavaScript
	JSValue on_answered, on_finished;  // promises.js
	uint8_t promises_noted;            // there is something for it to tell
	JSClassID number_class, string_class, boolean_class, bigint_class;

	struct pending *pending;
	uint32_t pending_cap, pending_free, pending_used, next_id;
	uint32_t first_id;  // next_id when the step began
	uint32_t timers_used, max_requests, max_timers;

	uint64_t output_bytes, max_output, max_value, omitted;
	struct unhandled unhandled[MAX_UNHANDLED];
	uint32_t unhandled_count;

	uint64_t random[4];
	int64_t last_ms, clock_from_ms;
	uint32_t clock_repeat;
};

// A run of clock reads that gave the same answer.
struct clock_run {
	int64_t ms;
	uint64_t count;
};

struct control {
	struct arena *arena;
	volatile int armed;     // a guest is running and may be left
	// What the step left behind.
	const uint8_t *out;
	uint64_t out_len;
	const char *broken;     // after STEP_BROKEN: the engine's message
#ifndef CODECELL_WASI
	jmp_buf leave;
	volatile int stop;      // set by the host to end the step
	volatile int stop_sent; // a stop signal is under way
	volatile int left_by_signal;
	volatile int64_t deadline_ns;  // monotonic clock
	volatile int64_t grace_ns;     // after the deadline, before the hard stop
	volatile int give_way;         // the host wants others to have the processor first
	volatile int gave_way;                  // the thread's priority was lowered for that
	volatile int thread;       // kernel id of the thread in the step
	int replayed;              // the step was executed before: reads are what its clock gave then
	struct clock_run *reads;   // used up as they are read
	uint64_t reads_len;
#else
	int32_t status;         // how the step was left, if it did not return
#endif
};

// current is the step that this thread is in, NULL outside of steps.
#ifdef CODECELL_WASI
extern struct control *current;
#else
extern __thread struct control *current;
#endif

static inline struct guest *guest_of(JSContext *ctx) { return JS_GetContextOpaque(ctx); }

static inline const char *to_utf8(JSContext *ctx, size_t *len, JSValueConst v)
{
	return JS_ToCStringLen2(ctx, len, v, false);
}

// step.c
extern const JSMallocFunctions arena_functions;
int guest_boot(struct control *c, void *base, uint64_t size, int sources);
void guest_run(struct control *c, const uint8_t *in, uint64_t in_len, const uint8_t *catalog, uint64_t catalog_len);
void guest_collect(struct control *c);

// leave.c, wasi.c: what the two builds do differently. guest_leave ends the step, guest_poll does if it is time. Code and
// tables are kept for all heaps: code_keep takes a compiled source, code_fetch gives its bytes (NULL if there are none) until
// code_done, table_row the text of a table's row.
#define MAX_SOURCES 48
_Noreturn void guest_leave(int status);
void guest_poll(void);
void stack_enter(JSRuntime *rt);
JSRuntime *compiler_new(void);
bool code_keep(int index, const uint8_t *code, size_t len);
uint8_t *code_fetch(JSContext *ctx, int index, size_t *len);
void code_done(JSContext *ctx, uint8_t *code);
JSValue table_row(JSContext *ctx, int table, const char *name, size_t len);
bool table_keep(int index, char *text, size_t len); // not on WebAssembly
int64_t host_clock_ms(void);
#ifndef CODECELL_WASI
bool table_find(int table, const char *name, size_t len, const char **text, size_t *text_len);
bool clock_next(struct control *c, int64_t *ms);
#endif

// effects.c
void buffer_append(JSContext *ctx, struct buffer *b, const void *data, size_t len);
void buffer_byte(JSContext *ctx, struct buffer *b, uint8_t byte);
void buffer_u32(JSContext *ctx, struct buffer *b, uint32_t v);
void buffer_utf8(JSContext *ctx, struct buffer *b, const char *s, size_t len);
void buffer_free(JSContext *ctx, struct buffer *b);
uint32_t effect_begin(struct guest *g, uint8_t type);
void effect_end(struct guest *g, uint32_t mark);
void effect_output(struct guest *g, uint8_t type, int level, const uint8_t *data, size_t len);
void effect_main(struct guest *g);
void effect_clock(struct guest *g);
void effect_unhandled(struct guest *g);
void effect_thrown(struct guest *g, JSValueConst thrown);

// adapter.c: appends v to scratch as JSON. Returns 1, 0 if JSON has no such value, or -1 with an exception.
// Beyond limit bytes it throws, or ends the step when stop is set.
int adapter_write(struct guest *g, JSValueConst v, uint64_t limit, bool stop, uint32_t *hints);

void effect_misuse(struct guest *g, int kind, JSValueConst key, JSValueConst use, JSValueConst call);

// promises.c
JSValue host_promise_state(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_promise_value(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_call_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_misuse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_on_promises(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
void promises_answered(struct guest *g, const struct pending *held);
void promises_finished(struct guest *g);

// requests.c
JSValue host_request(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_cancel(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
bool makes_calls(int method);
bool answer(struct guest *g, uint32_t id, int kind, const uint8_t *payload, size_t len);
void drain_jobs(struct guest *g);

// clock.c
void clock_begin(struct guest *g);
int64_t clock_read_ms(void);
void random_seed(struct guest *g, const uint8_t seed[32]);
JSValue host_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
JSValue host_random(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);

// code.c
bool code_compile(int index, const char *source, size_t len);
JSValue code_load(JSContext *ctx, int index, JSValueConst host);
JSValue host_row(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);

// builtins.c
void builtins_replace(JSContext *ctx);

// host.c
JSValue host_object(JSContext *ctx);
void host_open(struct guest *g, const uint8_t *namespaces, size_t len);

#ifndef CODECELL_WASI
// leave.c
int guest_step(struct control *c, int64_t timeout_ns, int64_t grace_ns, const uint8_t *in, uint64_t in_len,
               const uint8_t *catalog, uint64_t catalog_len);

// image.c
void guest_reset(struct control *c, const uint8_t *image, uint64_t image_len, uint64_t keep);
uint64_t guest_footprint(struct control *c, const uint8_t *image, uint64_t image_len);

// stop.c
#define STOP_SIGNAL (SIGRTMIN + 6)  // the Go runtime does not use the real-time signals from SIGRTMIN + 1 on
int hard_stop_install(void);
int hard_stop_send(struct control *c);
void hard_stop_unblock(struct control *c);
void guest_request_stop(struct control *c);

// priority.c
int give_way_send(struct control *c, int wanted);
void give_way(struct control *c);
void give_way_end(struct control *c);
int give_way_late(struct control *c);
int64_t monotonic_ns(void);
int thread_id(void);
#endif

#endif
