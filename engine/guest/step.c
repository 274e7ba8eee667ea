// Steps: the boot of a heap, and one uninterrupted stretch of guest execution.
//
// A step returns, or it is left in the middle (guest_leave): from the interrupt handler, from the allocator, by the host.
// Afterwards the heap is in no defined state and is never entered again. That is why running out of memory or time
// needs no cooperation of the engine, and no code of the cell (catch, finally, a job) runs after it.
#include "guest.h"

#include <string.h>

void *arena_exhausted(void)
{
	if (!current || !current->armed)
		return NULL;
	guest_leave(STEP_MEMORY);
}

static int interrupt(JSRuntime *rt, void *opaque)
{
	(void)rt, (void)opaque;
	if (current && current->armed)
		guest_poll();
	return 0;
}

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
	(void)opaque;
	struct guest *g = guest_of(ctx);
	if (!handled) {
		if (g->unhandled_count < MAX_UNHANDLED)
			g->unhandled[g->unhandled_count++] =
				(struct unhandled){JS_DupValue(ctx, promise), JS_DupValue(ctx, reason)};
		return;
	}
	for (uint32_t i = 0; i < g->unhandled_count; i++) {
		struct unhandled u = g->unhandled[i];
		if (JS_VALUE_GET_PTR(u.promise) == JS_VALUE_GET_PTR(promise)) {
			g->unhandled[i] = g->unhandled[--g->unhandled_count];
			JS_FreeValue(ctx, u.promise);
			JS_FreeValue(ctx, u.reason);
			return;
		}
	}
}

// ---- boot

static JSValue global_property(JSContext *ctx, const char *name)
{
	JSValue global = JS_GetGlobalObject(ctx), v = JS_GetPropertyStr(ctx, global, name);
	JS_FreeValue(ctx, global);
	return v;
}

static JSClassID class_of_boxed(JSContext *ctx, const char *constructor)
{
	JSValue f = global_property(ctx, constructor), boxed = JS_CallConstructor(ctx, f, 0, NULL);
	JSClassID id = JS_GetClassID(boxed);
	JS_FreeValue(ctx, boxed);
	JS_FreeValue(ctx, f);
	return id;
}

static void capture_intrinsics(struct guest *g)
{
	g->error_constructor = global_property(g->ctx, "Error");
	JSValue function = global_property(g->ctx, "Function"), prototype = JS_GetPropertyStr(g->ctx, function, "prototype");
	g->function_to_string = JS_GetPropertyStr(g->ctx, prototype, "toString");
	JS_FreeValue(g->ctx, prototype);
	JS_FreeValue(g->ctx, function);
	static const char *const iterators[] = {
		"Iterator.prototype", "Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype))",
	};
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, "guest", 1};
	for (int i = 0; i < 2; i++)
		g->iterators[i] = JS_Eval2(g->ctx, iterators[i], strlen(iterators[i]), &options);
	JSValue symbol = JS_Eval2(g->ctx, "Symbol.iterator", 15, &options);
	g->iterator = JS_ValueToAtom(g->ctx, symbol);
	JS_FreeValue(g->ctx, symbol);
	g->number_class = class_of_boxed(g->ctx, "Number");
	g->string_class = class_of_boxed(g->ctx, "String");
	g->boolean_class = class_of_boxed(g->ctx, "Boolean");
	JSValue bigint = JS_NewBigInt64(g->ctx, 0), boxed = JS_ToObject(g->ctx, bigint);
	g->bigint_class = JS_GetClassID(boxed);
	JS_FreeValue(g->ctx, boxed);
	JS_FreeValue(g->ctx, bigint);
}

const JSMallocFunctions arena_functions = {
	arena_calloc, arena_malloc, arena_free, arena_realloc, arena_usable_size,
};

// guest_boot makes a heap in size zeroed bytes at base: engine, intrinsics, the first of the guest's own sources.
// Afterwards the bytes up to the arena's high mark are the image of a fresh guest. Returns 0, or the number of the
// source that failed, counted from 1.
int guest_boot(struct control *c, void *base, uint64_t size, int sources)
{
	c->arena = arena_init(base, size);
	JSRuntime *rt = JS_NewRuntime2(&arena_functions, c->arena);
	if (!rt)
		return -1;
	stack_enter(rt);
	JSContext *ctx = JS_NewContext(rt);
	if (!ctx)
		return -1;
	struct guest *g = arena_calloc(c->arena, 1, sizeof(*g));
	c->arena->root = g;
	g->rt = rt;
	g->ctx = ctx;
	g->main = g->on_answered = g->on_finished = JS_UNDEFINED;
	JS_SetContextOpaque(ctx, g);
	builtins_replace(ctx);
	capture_intrinsics(g);
	JSValue host = host_object(ctx);
	for (int i = 0; i < sources; i++) {
		JSValue r = code_load(ctx, i, host);
		if (is_exception(r))
			return i + 1;
		JS_FreeValue(ctx, r);
	}
	JS_FreeValue(ctx, host);
	JS_SetInterruptHandler(rt, interrupt, NULL);
	JS_SetHostPromiseRejectionTracker(rt, track_rejection, NULL);
	// The engine keeps the last backtrace, with the functions in it, until the next evaluation: let that be here.
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, "guest", 1};
	JS_FreeValue(ctx, JS_Eval2(ctx, "0", 1, &options));
	JS_RunGC(rt);
	return 0;
}

// ---- input

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static const uint8_t *read_bytes(struct reader *r, size_t n)
{
	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return NULL;
	}
	const uint8_t *p = r->p;
	r->p += n;
	return p;
}

static uint8_t read_u8(struct reader *r)
{
	const uint8_t *p = read_bytes(r, 1);
	return p ? *p : 0;
}

static uint32_t read_u32(struct reader *r)
{
	uint32_t v = 0;
	const uint8_t *p = read_bytes(r, 4);
	if (p)
		memcpy(&v, p, 4);
	return v;
}

// read_text reads u32 length, that many bytes, and the NUL after them that the engine's parsers want.
static const uint8_t *read_text(struct reader *r, uint32_t *len)
{
	*len = read_u32(r);
	const uint8_t *p = read_bytes(r, (size_t)*len + 1);
	if (p && p[*len] != 0)
		r->bad = true;
	return p;
}

// keep_catalog copies the turn's catalog into the heap as it is: nothing of it is parsed before the cell asks.
static void keep_catalog(struct guest *g, const uint8_t *catalog, size_t len)
{
	struct reader r = {catalog, catalog + len, false};
	uint32_t at[CATALOG_SECTIONS], lengths[CATALOG_SECTIONS];
	for (int i = 0; i < CATALOG_SECTIONS && len; i++) {
		const uint8_t *text = read_text(&r, &lengths[i]);
		if (r.bad)
			guest_leave(STEP_INVALID);
		at[i] = (uint32_t)(text - catalog);
	}
	if (len == 0)
		return;
	buffer_append(g->ctx, &g->catalog, catalog, len);
	for (int i = 0; i < CATALOG_SECTIONS; i++) {
		g->section[i].at = at[i];
		g->section[i].len = lengths[i];
	}
}

// whole_function says whether f is all of the wrapped source. A cell that closes the function it is the body of, and
// opens another one, leaves a shorter one behind. A body without any closing brace needs no look.
static bool whole_function(struct guest *g, JSValueConst f, const uint8_t *wrapped, size_t wrapped_len)
{
	if (memchr(wrapped, '}', wrapped_len - 1) == NULL)
		return true;
	size_t len = 0;
	JSValue text = JS_Call(g->ctx, g->function_to_string, f, 0, NULL);
	const char *s = is_string(text) ? to_utf8(g->ctx, &len, text) : NULL;
	if (s)
		JS_FreeCString(g->ctx, s);
	JS_FreeValue(g->ctx, text);
	return len == wrapped_len;
}

static JSValue start_cell(struct guest *g, const uint8_t *source, size_t len, bool typescript)
{
	// The wrapper's lines are -1 and 0, so the cell's own count from 1.
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, typescript ? "cell.ts" : "cell.js", -1};
	JSValue f = JS_Eval2(g->ctx, (const char *)source, len, &options);
	if (is_exception(f))
		return f;
	if (!whole_function(g, f, source, len))
		return JS_ThrowSyntaxError(g->ctx, "unexpected '}': the cell closes a block that it did not open");
	// f is not freed: taking a function apart costs more than most cells do, and the heap ends with the run.
	return JS_Call(g->ctx, f, JS_UNDEFINED, 0, NULL);
}

static JSValue rejected_promise(struct guest *g)
{
	JSValue thrown = JS_GetException(g->ctx), functions[2], promise = JS_NewPromiseCapability(g->ctx, functions);
	JS_FreeValue(g->ctx, JS_Call(g->ctx, functions[1], JS_UNDEFINED, 1, &thrown));
	JS_FreeValue(g->ctx, functions[0]);
	JS_FreeValue(g->ctx, functions[1]);
	JS_FreeValue(g->ctx, thrown);
	return promise;
}

#define FLAG_TYPESCRIPT 1
#define FLAG_TRUNCATE 2

static void begin(struct guest *g, struct reader *r, const uint8_t *catalog, size_t catalog_len)
{
	uint8_t flags = read_u8(r);
	uint32_t memory = read_u32(r);
	g->max_output = read_u32(r);
	g->max_value = read_u32(r);
	g->max_requests = read_u32(r);
	g->max_timers = read_u32(r);
	const uint8_t *seed = read_bytes(r, 32);
	uint32_t len;
	const uint8_t *source = read_text(r, &len);
	uint32_t namespaces_len;
	const uint8_t *namespaces = read_text(r, &namespaces_len);
	if (r->bad || !is_undefined(g->main))
		guest_leave(STEP_INVALID);
	g->truncate = flags & FLAG_TRUNCATE;
	if (memory < current->arena->limit)
		current->arena->limit = memory;
	// Collecting cycles costs a walk over the whole heap; a short cell never should, a small heap must in time.
	JS_SetGCThreshold(g->rt, current->arena->limit / 2 < (4u << 20) ? current->arena->limit / 2 : 4u << 20);
	random_seed(g, seed);
	keep_catalog(g, catalog, catalog_len);
	host_open(g, namespaces, namespaces_len);
	g->main = start_cell(g, source, len, flags & FLAG_TYPESCRIPT);
	if (is_exception(g->main))
		g->main = rejected_promise(g);
	drain_jobs(g);
}

static void resume(struct guest *g, struct reader *r)
{
	uint32_t n = read_u32(r);
	for (uint32_t i = 0; i < n && !r->bad; i++) {
		uint32_t id = read_u32(r), len;
		uint8_t kind = read_u8(r);
		const uint8_t *payload = read_text(r, &len);
		// A timer that is no longer there was cancelled by a job of an earlier answer in this step: the host could not
		// know.
		if (r->bad || (!answer(g, id, kind, payload, len) && kind != ANSWER_FIRED))
			guest_leave(STEP_INVALID);
	}
}

static void run(struct guest *g, const uint8_t *in, size_t in_len, const uint8_t *catalog, size_t catalog_len)
{
	struct reader r = {in, in + in_len, false};
	g->first_id = g->next_id;
	switch (read_u8(&r)) {
	case INPUT_BEGIN:
		begin(g, &r, catalog, catalog_len);
		break;
	case INPUT_RESUME:
		resume(g, &r);
		break;
	default:
		r.bad = true;
	}
	if (r.bad)
		guest_leave(STEP_INVALID);
	effect_main(g);
	promises_finished(g);
	effect_unhandled(g);
	effect_clock(g);
	buffer_free(g->ctx, &g->scratch);
}

// guest_run executes one step, unless it is left.
void guest_run(struct control *c, const uint8_t *in, uint64_t in_len, const uint8_t *catalog, uint64_t catalog_len)
{
	struct guest *g = c->arena->root;
	stack_enter(g->rt);
	c->armed = 1;
	g->committed = 0;
	buffer_free(g->ctx, &g->out);
	buffer_free(g->ctx, &g->clock);
	clock_begin(g);
	run(g, in, in_len, catalog, catalog_len);
	c->armed = 0;
}

// guest_collect says where the effects of the step are: in the heap, until the next step or the reset.
void guest_collect(struct control *c)
{
	const struct guest *g = c->arena->root;
	c->out = g->out.data;
	c->out_len = g->committed;
}
