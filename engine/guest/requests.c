// Requests: what the cell wants of the host, and how answers come back.
//
// A request is an effect record and a promise. The promise's functions stay here, in the heap's own table, so
// nothing that a cell can reach settles a request or reads another one's answer.
#include "guest.h"

#include <string.h>

#define MAX_ARGUMENTS (16u << 20)
#define SLOT_MASK ((1u << SLOT_BITS) - 1)
#define MAX_REQUESTS ((1u << (32 - SLOT_BITS)) - 1)  // of a run, timers included

static bool grow_table(struct guest *g)
{
	uint32_t cap = g->pending_cap ? g->pending_cap * 2 : 16;
	if (cap > SLOT_MASK + 1)
		return false;
	g->pending = js_realloc(g->ctx, g->pending, cap * sizeof(*g->pending));
	for (uint32_t i = cap; i-- > g->pending_cap;) {
		g->pending[i] = (struct pending){.next = g->pending_free};
		g->pending_free = i + 1;
	}
	g->pending_cap = cap;
	return true;
}

// add_pending takes a free place. An id names its place and how many requests came before, so an id is never
// used twice and an answer finds its place at once. NULL: there is no place, or the run has used up its numbers.
static struct pending *add_pending(struct guest *g, uint8_t method)
{
	if (g->next_id == MAX_REQUESTS || (!g->pending_free && !grow_table(g)))
		return NULL;
	uint32_t slot = g->pending_free - 1;
	struct pending *p = &g->pending[slot];
	g->pending_free = p->next;
	*p = (struct pending){.id = (++g->next_id << SLOT_BITS) | slot, .method = method};
	p->resolve = p->reject = p->error = p->promise = JS_UNDEFINED;
	g->pending_used++;
	if (method == METHOD_TIMER)
		g->timers_used++;
	return p;
}

static struct pending *find_pending(struct guest *g, uint32_t id)
{
	uint32_t slot = id & SLOT_MASK;
	return id && slot < g->pending_cap && g->pending[slot].id == id ? &g->pending[slot] : NULL;
}

// remove_pending frees a place and returns what it held.
static struct pending remove_pending(struct guest *g, struct pending *p)
{
	struct pending held = *p;
	uint32_t slot = (uint32_t)(p - g->pending);
	*p = (struct pending){.next = g->pending_free};
	g->pending_free = slot + 1;
	g->pending_used--;
	if (held.method == METHOD_TIMER)
		g->timers_used--;
	return held;
}

static void free_pending(JSContext *ctx, struct pending *p)
{
	JS_FreeValue(ctx, p->resolve);
	JS_FreeValue(ctx, p->reject);
	JS_FreeValue(ctx, p->error);
	JS_FreeValue(ctx, p->promise);
}

static void emit_request(struct guest *g, const struct pending *p, const char *name, size_t name_len,
                         uint32_t payload)
{
	uint32_t mark = effect_begin(g, EFFECT_REQUEST);
	buffer_u32(g->ctx, &g->out, p->id);
	buffer_byte(g->ctx, &g->out, p->method);
	uint32_t at = g->out.len;
	buffer_u32(g->ctx, &g->out, 0);
	buffer_utf8(g->ctx, &g->out, name, name_len);
	uint32_t written = g->out.len - at - 4;
	memcpy(g->out.data + at, &written, 4);
	buffer_append(g->ctx, &g->out, g->scratch.data + payload, g->scratch.len - payload);
	effect_end(g, mark);
	g->scratch.len = payload;
}

static JSValue rejected(JSContext *ctx, JSValue reason)
{
	JSValue functions[2], promise = JS_NewPromiseCapability(ctx, functions);
	if (!is_exception(promise))
		JS_FreeValue(ctx, JS_Call(ctx, functions[1], JS_UNDEFINED, 1, &reason));
	JS_FreeValue(ctx, functions[0]);
	JS_FreeValue(ctx, functions[1]);
	JS_FreeValue(ctx, reason);
	return promise;
}

static JSValue rejected_with_exception(JSContext *ctx) { return rejected(ctx, JS_GetException(ctx)); }

bool makes_calls(int method) { return method >= METHOD_CALL && method <= METHOD_NAMESPACE; }

// host_request(method, name, payload) → promise. Arguments are copied here and now.
JSValue host_request(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	int32_t method;
	if (JS_ToInt32(ctx, &method, argv[0]) < 0 || method < METHOD_SEARCH || method > METHOD_YIELD)
		return JS_ThrowTypeError(ctx, "not a request");
	if (g->pending_used - g->timers_used >= g->max_requests) {
		JS_ThrowPlainError(ctx, "too many pending code mode tool calls");
		return rejected_with_exception(ctx);
	}
	uint32_t payload = g->scratch.len;
	int r = adapter_write(g, argv[2], MAX_ARGUMENTS, false, NULL);
	if (r < 0) {
		g->scratch.len = payload;
		return rejected_with_exception(ctx);
	}
	if (r == 0)
		buffer_append(ctx, &g->scratch, "null", 4);
	JSValue error = makes_calls(method) ? JS_CallConstructor(ctx, g->error_constructor, 0, NULL) : JS_UNDEFINED;
	JSValue functions[2], promise = JS_NewPromiseCapability(ctx, functions);
	struct pending *p = add_pending(g, (uint8_t)method);
	if (!p) {
		g->scratch.len = payload;
		JS_ThrowPlainError(ctx, "too many pending code mode tool calls");
		return rejected_with_exception(ctx);
	}
	p->resolve = functions[0];
	p->reject = functions[1];
	p->promise = JS_DupValue(ctx, promise);
	p->error = is_exception(error) ? (JS_FreeValue(ctx, JS_GetException(ctx)), JS_UNDEFINED) : error;
	size_t len;
	const char *name = to_utf8(ctx, &len, argv[1]);
	emit_request(g, p, name, len, payload);
	JS_FreeCString(ctx, name);
	return promise;
}

// host_timer(ms, fire, callback) → id. The callback is what the cell gave, for its text.
JSValue host_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	struct pending *p = g->timers_used < g->max_timers ? add_pending(g, METHOD_TIMER) : NULL;
	if (!p && g->next_id == MAX_REQUESTS)
		return JS_ThrowRangeError(ctx, "too many timers and calls in one run");
	if (!p)
		return JS_ThrowRangeError(ctx, "too many timers: at most %d may run at once", (int)g->max_timers);
	p->resolve = JS_DupValue(ctx, argv[1]);
	p->error = JS_DupValue(ctx, argv[2]);
	uint32_t payload = g->scratch.len;
	adapter_write(g, argv[0], MAX_ARGUMENTS, false, NULL);
	emit_request(g, p, "", 0, payload);
	return JS_NewNumber(ctx, p->id);
}

// host_cancel(id) forgets a timer.
JSValue host_cancel(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	double id = 0;
	if (JS_ToFloat64(ctx, &id, argv[0]) < 0)
		return JS_EXCEPTION;
	struct pending *p = id >= 1 && id <= UINT32_MAX ? find_pending(g, (uint32_t)id) : NULL;
	if (!p || p->method != METHOD_TIMER)
		return JS_UNDEFINED;
	uint32_t mark = effect_begin(g, EFFECT_CANCEL);
	buffer_u32(ctx, &g->out, p->id);
	effect_end(g, mark);
	struct pending held = remove_pending(g, p);
	free_pending(ctx, &held);
	return JS_UNDEFINED;
}

static void report_thrown(struct guest *g)
{
	JSValue thrown = JS_GetException(g->ctx);
	uint32_t from = g->scratch.len;
	effect_thrown(g, thrown);
	uint32_t mark = effect_begin(g, EFFECT_UNHANDLED);
	buffer_append(g->ctx, &g->out, g->scratch.data + from, g->scratch.len - from);
	effect_end(g, mark);
	g->scratch.len = from;
	JS_FreeValue(g->ctx, thrown);
}

void drain_jobs(struct guest *g)
{
	JSContext *ctx;
	int r;
	while ((r = JS_ExecutePendingJob(g->rt, &ctx)) != 0) {
		if (r < 0)
			report_thrown(g);
	}
}

// fill_error copies what the host says about a failure onto the error, as own data: properties of a plain error
// and nothing of the host's. Without a prototype the fields inherit nothing that a cell may have planted.
static JSValue fill_error(struct guest *g, JSValue error, JSValue fields)
{
	static const struct { const char *name; int flags; } copied[] = {
		{"name", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE},
		{"message", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE},
		{"code", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE},
		{"toolId", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE},
		{"callId", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE},
	};
	if (is_undefined(error))
		error = JS_CallConstructor(g->ctx, g->error_constructor, 0, NULL);
	if (!is_object(fields) || !is_object(error)) {
		JS_FreeValue(g->ctx, fields);
		return error;
	}
	JS_SetPrototype(g->ctx, fields, JS_NULL);
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		JSValue v = JS_GetPropertyStr(g->ctx, fields, copied[i].name);
		if (!is_undefined(v))
			JS_DefinePropertyValueStr(g->ctx, error, copied[i].name, v, copied[i].flags);
	}
	JS_FreeValue(g->ctx, fields);
	return error;
}

static void fire(struct guest *g, struct pending *held)
{
	JSValue r = JS_Call(g->ctx, held->resolve, JS_UNDEFINED, 0, NULL);
	if (is_exception(r))
		report_thrown(g);
	JS_FreeValue(g->ctx, r);
}

static void settle(struct guest *g, struct pending *held, int kind, const uint8_t *payload, size_t len)
{
	JSValue v = JS_ParseJSON(g->ctx, (const char *)payload, len, "answer"), settled = held->resolve;
	if (is_exception(v)) {
		v = JS_GetException(g->ctx);
		settled = held->reject;
	} else if (kind == ANSWER_ERROR) {
		v = fill_error(g, held->error, v);
		held->error = JS_UNDEFINED;
		settled = held->reject;
	}
	JS_FreeValue(g->ctx, JS_Call(g->ctx, settled, JS_UNDEFINED, 1, &v));
	JS_FreeValue(g->ctx, v);
	// Whoever waits for a promise has a job now, and there was none before. A rejection that nobody waits for is told
	// elsewhere.
	if (kind == ANSWER_VALUE && held->method != METHOD_YIELD && !JS_IsJobPending(g->rt))
		promises_answered(g, held);
}

// answer delivers one answer and runs the jobs that follow from it, so that callbacks see one event at a time.
// It returns false if the heap waits for no such id.
bool answer(struct guest *g, uint32_t id, int kind, const uint8_t *payload, size_t len)
{
	struct pending *p = find_pending(g, id);
	if (!p)
		return false;
	struct pending held = remove_pending(g, p);
	if (held.method == METHOD_TIMER)
		fire(g, &held);
	else
		settle(g, &held, kind, payload, len);
	free_pending(g->ctx, &held);
	drain_jobs(g);
	return true;
}
