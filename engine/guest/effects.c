// Effects: what a step hands out. A record is type, u32 length, payload; it counts only once it is complete, so
// a step that is left in the middle of one still hands out all before it.
#include "guest.h"

#include <string.h>

static void reserve(JSContext *ctx, struct buffer *b, size_t more)
{
	uint64_t need = (uint64_t)b->len + more;
	if (need <= b->cap)
		return;
	uint64_t cap = b->cap ? (uint64_t)b->cap * 2 : 256;
	while (cap < need)
		cap *= 2;
	if (cap > UINT32_MAX)
		guest_leave(STEP_MEMORY);
	// Not realloc: a hard stop may come at any instruction, and what was committed must stay readable.
	uint8_t *grown = js_malloc(ctx, cap), *old = b->data;
	if (b->len)
		memcpy(grown, old, b->len);
	b->data = grown;
	b->cap = (uint32_t)cap;
	js_free(ctx, old);
}

void buffer_append(JSContext *ctx, struct buffer *b, const void *data, size_t len)
{
	reserve(ctx, b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += (uint32_t)len;
}

void buffer_byte(JSContext *ctx, struct buffer *b, uint8_t byte) { buffer_append(ctx, b, &byte, 1); }

void buffer_u32(JSContext *ctx, struct buffer *b, uint32_t v) { buffer_append(ctx, b, &v, 4); }

// buffer_utf8 appends text that QuickJS made. It writes a lone surrogate as three bytes, which are no UTF-8; the
// replacement character has three bytes as well.
void buffer_utf8(JSContext *ctx, struct buffer *b, const char *s, size_t len)
{
	uint32_t from = b->len;
	buffer_append(ctx, b, s, len);
	uint8_t *p = b->data + from, *end = b->data + b->len;
	while ((p = memchr(p, 0xED, (size_t)(end - p)))) {
		if (end - p >= 3 && p[1] >= 0xA0)
			memcpy(p, "\xEF\xBF\xBD", 3);
		p++;
	}
}

void buffer_free(JSContext *ctx, struct buffer *b)
{
	js_free(ctx, b->data);
	memset(b, 0, sizeof(*b));
}

// effect_begin opens a record and returns where it starts. No guest code may run until effect_end.
uint32_t effect_begin(struct guest *g, uint8_t type)
{
	uint32_t mark = g->out.len;
	buffer_byte(g->ctx, &g->out, type);
	buffer_u32(g->ctx, &g->out, 0);
	return mark;
}

void effect_end(struct guest *g, uint32_t mark)
{
	uint32_t len = g->out.len - mark - 5;
	memcpy(g->out.data + mark + 1, &len, 4);
	g->committed = g->out.len;
}

// effect_output records an output item unless the run has put out too much. JSON adds 25 bytes or more to the text
// of an item, so a run that passes the limit here has passed it for the host as well, which counts exactly.
void effect_output(struct guest *g, uint8_t type, int level, const uint8_t *data, size_t len)
{
	g->output_bytes += len + 25;
	if (g->output_bytes > g->max_output) {
		if (!g->truncate)
			guest_leave(STEP_OUTPUT);
		if (g->output_bytes - (len + 25) > g->max_output) {
			g->omitted += len + 25;
			return;
		}
	}
	uint32_t mark = effect_begin(g, type);
	if (type == EFFECT_TEXT)
		buffer_byte(g->ctx, &g->out, (uint8_t)level);
	buffer_utf8(g->ctx, &g->out, (const char *)data, len);
	effect_end(g, mark);
}

#define MAX_ERROR_TEXT 65536

static void append_text(struct guest *g, JSValueConst v)
{
	size_t len = 0;
	const char *s = is_string(v) ? to_utf8(g->ctx, &len, v) : NULL;
	if (len > MAX_ERROR_TEXT) {
		len = MAX_ERROR_TEXT;
		while ((s[len] & 0xC0) == 0x80)
			len--;  // not in the middle of a character
	}
	uint32_t at = g->scratch.len;
	buffer_u32(g->ctx, &g->scratch, 0);
	if (s)
		buffer_utf8(g->ctx, &g->scratch, s, len);
	uint32_t written = g->scratch.len - at - 4;
	memcpy(g->scratch.data + at, &written, 4);
	if (s)
		JS_FreeCString(g->ctx, s);
}

static void drop_exception(JSContext *ctx) { JS_FreeValue(ctx, JS_GetException(ctx)); }

static void append_property(struct guest *g, JSValueConst thrown, const char *name)
{
	JSValue v = JS_GetPropertyStr(g->ctx, thrown, name);
	if (is_exception(v)) {
		drop_exception(g->ctx);
		v = JS_UNDEFINED;
	}
	append_text(g, v);
	JS_FreeValue(g->ctx, v);
}

static void append_unprintable(struct guest *g)
{
	static const char text[] = "a value that can't be shown as text";
	drop_exception(g->ctx);
	buffer_u32(g->ctx, &g->scratch, sizeof(text) - 1);
	buffer_append(g->ctx, &g->scratch, text, sizeof(text) - 1);
}

// append_other writes what was thrown if it is no error: text as it is, objects as JSON.
static void append_other(struct guest *g, JSValueConst thrown)
{
	uint32_t at = g->scratch.len;
	if (is_object(thrown) && !JS_IsFunction(g->ctx, thrown)) {
		buffer_u32(g->ctx, &g->scratch, 0);
		if (adapter_write(g, thrown, MAX_ERROR_TEXT, false, NULL) == 1) {
			uint32_t len = g->scratch.len - at - 4;
			memcpy(g->scratch.data + at, &len, 4);
			return;
		}
		g->scratch.len = at;
		append_unprintable(g);
		return;
	}
	JSValue s = JS_ToString(g->ctx, thrown);
	if (is_exception(s)) {
		append_unprintable(g);
		return;
	}
	append_text(g, s);
	JS_FreeValue(g->ctx, s);
}

// append_reasons writes what is below an error that has a cause, or errors of its own (see console.js); most have none.
static void append_reasons(struct guest *g, JSValueConst error)
{
	JSValue cause = JS_GetPropertyStr(g->ctx, error, "cause"), errors = JS_GetPropertyStr(g->ctx, error, "errors"), text = JS_UNDEFINED;
	if (is_exception(cause) || is_exception(errors))
		drop_exception(g->ctx);
	else if (!is_undefined(cause) || !is_undefined(errors))
		text = JS_Call(g->ctx, g->on_reasons, JS_UNDEFINED, 1, &error);
	if (is_exception(text)) {
		drop_exception(g->ctx);
		text = JS_UNDEFINED;
	}
	append_text(g, text);
	JS_FreeValue(g->ctx, text);
	JS_FreeValue(g->ctx, cause);
	JS_FreeValue(g->ctx, errors);
}

// effect_thrown appends to scratch: u8 whether it is an error, then name, message, stack and reasons, or other, as texts.
// Reading them may run guest code, so nothing here is an open record.
void effect_thrown(struct guest *g, JSValueConst thrown)
{
	bool error = JS_IsError(thrown);
	buffer_byte(g->ctx, &g->scratch, error);
	if (error) {
		append_property(g, thrown, "name");
		append_property(g, thrown, "message");
		append_property(g, thrown, "stack");
		append_reasons(g, thrown);
		return;
	}
	append_other(g, thrown);
}

static void emit_main(struct guest *g, int state, uint32_t from)
{
	uint32_t mark = effect_begin(g, EFFECT_MAIN);
	buffer_byte(g->ctx, &g->out, (uint8_t)state);
	buffer_append(g->ctx, &g->out, g->scratch.data + from, g->scratch.len - from);
	effect_end(g, mark);
	g->scratch.len = from;
}

static void emit_rejection(struct guest *g, JSValueConst reason)
{
	uint32_t from = g->scratch.len;
	effect_thrown(g, reason);
	emit_main(g, MAIN_REJECTED, from);
}

static void emit_value(struct guest *g, JSValueConst value)
{
	uint32_t from = g->scratch.len, hints = g->noticed | (is_undefined(value) ? HINT_UNDEFINED : 0);
	buffer_u32(g->ctx, &g->scratch, 0);
	int r = adapter_write(g, value, g->max_value, true, &hints);
	if (r < 0) {
		g->scratch.len = from;
		JSValue thrown = JS_GetException(g->ctx);
		emit_rejection(g, thrown);
		JS_FreeValue(g->ctx, thrown);
		return;
	}
	if (r == 0)
		buffer_append(g->ctx, &g->scratch, "null", 4);
	memcpy(g->scratch.data + from, &hints, 4);
	emit_main(g, MAIN_FULFILLED, from);
}

// effect_main says where the cell's promise is. What it settled with is handed out once.
void effect_main(struct guest *g)
{
	if (g->settled) {
		emit_main(g, MAIN_BEFORE, g->scratch.len);
		return;
	}
	JSPromiseStateEnum state = JS_PromiseState(g->ctx, g->main);
	if (state == JS_PROMISE_PENDING) {
		emit_main(g, MAIN_PENDING, g->scratch.len);
		return;
	}
	g->settled = 1;
	JSValue result = JS_PromiseResult(g->ctx, g->main);
	if (state == JS_PROMISE_FULFILLED)
		emit_value(g, result);
	else
		emit_rejection(g, result);
	JS_FreeValue(g->ctx, result);
	drain_jobs(g);  // the adapter may have run toJSON, and that may have queued jobs
}

// effect_unhandled reports rejections that are still without a handler, the cell's own promise apart. Showing a
// reason may run guest code, which may handle one of them or cause others: the list is copied and emptied first.
void effect_unhandled(struct guest *g)
{
	if (!g->settled)
		return;
	struct unhandled list[MAX_UNHANDLED];
	uint32_t count = g->unhandled_count;
	memcpy(list, g->unhandled, sizeof(list));
	g->unhandled_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (JS_VALUE_GET_PTR(list[i].promise) != JS_VALUE_GET_PTR(g->main)) {
			uint32_t from = g->scratch.len;
			effect_thrown(g, list[i].reason);
			uint32_t mark = effect_begin(g, EFFECT_UNHANDLED);
			buffer_append(g->ctx, &g->out, g->scratch.data + from, g->scratch.len - from);
			effect_end(g, mark);
			g->scratch.len = from;
		}
		JS_FreeValue(g->ctx, list[i].promise);
		JS_FreeValue(g->ctx, list[i].reason);
	}
}

void effect_clock(struct guest *g)
{
	if (g->omitted) {
		uint32_t mark = effect_begin(g, EFFECT_OMITTED);
		buffer_append(g->ctx, &g->out, &g->omitted, 8);
		effect_end(g, mark);
		g->omitted = 0;
	}
	if (g->clock.len == 0 && g->clock_repeat == 0)
		return;
	uint32_t mark = effect_begin(g, EFFECT_CLOCK);
	buffer_append(g->ctx, &g->out, g->clock.data, g->clock.len);
	buffer_append(g->ctx, &g->out, &g->last_ms, 8);
	buffer_u32(g->ctx, &g->out, g->clock_repeat);
	effect_end(g, mark);
}

// effect_misuse says of a promise how it was used. Use and call are stack traces, if they are text.
void effect_misuse(struct guest *g, int kind, JSValueConst key, JSValueConst use, JSValueConst call)
{
	uint32_t from = g->scratch.len;
	append_text(g, key);
	append_text(g, use);
	append_text(g, call);
	uint32_t mark = effect_begin(g, EFFECT_MISUSE);
	buffer_byte(g->ctx, &g->out, (uint8_t)kind);
	buffer_append(g->ctx, &g->out, g->scratch.data + from, g->scratch.len - from);
	effect_end(g, mark);
	g->scratch.len = from;
}
