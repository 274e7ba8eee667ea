// The host object: the functions that guest.js is given at boot, and nothing else is. No cell ever sees it.
#include "guest.h"

#include <string.h>

// output_limit bounds one output item. In truncate mode the host cuts what it is given by structure, so it is given
// more than may stay.
static uint64_t output_limit(struct guest *g) { return g->truncate ? g->max_value : g->max_output; }

// host_text(level, value) adds text output: strings as they are, anything else as JSON.
static JSValue host_text(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	int32_t level;
	JS_ToInt32(ctx, &level, argv[0]);
	if (is_string(argv[1])) {
		size_t len;
		const char *s = to_utf8(ctx, &len, argv[1]);
		effect_output(g, EFFECT_TEXT, level, (const uint8_t *)s, len);
		JS_FreeCString(ctx, s);
		return JS_UNDEFINED;
	}
	uint32_t from = g->scratch.len;
	int r = adapter_write(g, argv[1], output_limit(g), true, NULL);
	if (r < 0) {
		g->scratch.len = from;
		return JS_EXCEPTION;
	}
	if (r == 0)
		buffer_append(ctx, &g->scratch, "null", 4);
	effect_output(g, EFFECT_TEXT, level, g->scratch.data + from, g->scratch.len - from);
	g->scratch.len = from;
	return JS_UNDEFINED;
}

// host_json(value) adds a JSON output: a copy made now.
static JSValue host_json(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	uint32_t from = g->scratch.len;
	int r = adapter_write(g, argv[0], output_limit(g), true, NULL);
	if (r < 0) {
		g->scratch.len = from;
		return JS_EXCEPTION;
	}
	if (r == 0)
		buffer_append(ctx, &g->scratch, "null", 4);
	effect_output(g, EFFECT_JSON, 0, g->scratch.data + from, g->scratch.len - from);
	g->scratch.len = from;
	return JS_UNDEFINED;
}

// host_stringify(value) → the adapter's JSON text, undefined if there is none.
static JSValue host_stringify(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	uint32_t from = g->scratch.len;
	JSValue text = JS_UNDEFINED;
	int r = adapter_write(g, argv[0], 64u << 20, false, NULL);
	if (r == 1)
		text = JS_NewStringLen(ctx, (const char *)g->scratch.data + from, g->scratch.len - from);
	g->scratch.len = from;
	return r < 0 ? JS_EXCEPTION : text;
}

// host_catalog(section) → the parsed section of the turn's catalog.
static JSValue host_catalog(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	int32_t i;
	JS_ToInt32(ctx, &i, argv[0]);
	if (i < 0 || i >= CATALOG_SECTIONS || g->section[i].len == 0)
		return JS_UNDEFINED;
	return JS_ParseJSON(ctx, (const char *)g->catalog.data + g->section[i].at, g->section[i].len, "catalog");
}

// host_entries(list) puts the catalog's entries, frozen, into an array that nobody has seen yet. A catalog may have a
// thousand of them, and a loop of the guest's own makes touching them twice as slow.
static JSValue host_entries(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSValue section = JS_MKVAL(JS_TAG_INT, SECTION_ENTRIES);
	JSValue entries = host_catalog(ctx, this_val, argc, &section);
	int64_t count = 0;
	if (is_exception(entries) || (is_object(entries) && JS_GetLength(ctx, entries, &count) < 0))
		return JS_EXCEPTION;
	for (int64_t i = 0; i < count; i++) {
		JSValue entry = JS_GetPropertyInt64(ctx, entries, i);
		if (JS_FreezeObject(ctx, entry) < 0 ||
		    JS_DefinePropertyValueUint32(ctx, argv[0], (uint32_t)i, entry, JS_PROP_ENUMERABLE) < 0)
			return JS_EXCEPTION;
	}
	JS_FreeValue(ctx, entries);
	return JS_UNDEFINED;
}

// host_names() → the lines of the convenience functions.
static JSValue host_names(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	struct guest *g = guest_of(ctx);
	return JS_NewStringLen(ctx, (const char *)g->catalog.data + g->section[SECTION_NAMES].at,
	                       g->section[SECTION_NAMES].len);
}

// host_tool(name) → the id of the tool that a convenience function of that name calls, or undefined. The lines
// are "\nname\tid", so a name is found by its text and no table has to be built for it.
static JSValue host_tool(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	size_t len;
	const char *name = to_utf8(ctx, &len, argv[0]);
	if (!name)
		return JS_EXCEPTION;
	JSValue id = JS_UNDEFINED;
	const uint8_t *p = g->catalog.data + g->section[SECTION_NAMES].at, *end = p + g->section[SECTION_NAMES].len;
	if (memchr(name, '\n', len) || memchr(name, '\t', len))
		end = p;
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		if ((size_t)(end - p) > len && p[len] == '\t' && memcmp(p, name, len) == 0) {
			const uint8_t *from = p + len + 1, *to = memchr(from, '\n', (size_t)(end - from));
			if (to)
				id = JS_NewStringLen(ctx, (const char *)from, (size_t)(to - from));
			break;
		}
	}
	JS_FreeCString(ctx, name);
	return id;
}

// host_is_error(value) → whether it is an error object, whatever its prototype says.
static JSValue host_is_error(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)ctx, (void)this_val, (void)argc;
	return JS_MKVAL(JS_TAG_BOOL, JS_IsError(argv[0]));
}

// host_class(value) → the number of an object's class, which nothing that a cell does to the object changes. What is
// no object has class 0.
static JSValue host_class(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)ctx, (void)this_val, (void)argc;
	return JS_MKVAL(JS_TAG_INT, is_object(argv[0]) ? (int32_t)JS_GetClassID(argv[0]) : 0);
}

// host_notice(hint) adds to what the model is told about the value.
static JSValue host_notice(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	int32_t hint;
	JS_ToInt32(ctx, &hint, argv[0]);
	guest_of(ctx)->noticed |= (uint32_t)hint;
	return JS_UNDEFINED;
}

// host_load(index, host) runs one of the runtime's own sources that the heap was booted without.
static JSValue host_load(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	int32_t index;
	JS_ToInt32(ctx, &index, argv[0]);
	return code_load(ctx, index, argv[1]);
}

// host_on_open(callback) keeps what guest.js wants to do when a turn's catalog has come.
static JSValue host_on_open(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	guest_of(ctx)->on_open = JS_DupValue(ctx, argv[0]);
	return JS_UNDEFINED;
}

// host_on_builtin(callback) keeps what gives the builtins that are written in JavaScript.
static JSValue host_on_builtin(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	guest_of(ctx)->on_builtin = JS_DupValue(ctx, argv[0]);
	return JS_UNDEFINED;
}

// host_on_reasons(callback) keeps what tells an error's causes and reasons.
static JSValue host_on_reasons(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	guest_of(ctx)->on_reasons = JS_DupValue(ctx, argv[0]);
	return JS_UNDEFINED;
}

// host_open runs that callback, if the turn brought something that a fresh heap does not have.
void host_open(struct guest *g, const uint8_t *namespaces, size_t len)
{
	if (g->section[SECTION_MCP].len == 0 && len == 0)
		return;
	JSValue args[2] = {
		JS_MKVAL(JS_TAG_BOOL, g->section[SECTION_MCP].len != 0),
		len ? JS_ParseJSON(g->ctx, (const char *)namespaces, len, "namespaces") : JS_UNDEFINED,
	};
	if (is_exception(args[1]) || is_exception(JS_Call(g->ctx, g->on_open, JS_UNDEFINED, 2, args)))
		guest_leave(STEP_INVALID);
	JS_FreeValue(g->ctx, args[1]);
}

JSValue host_object(JSContext *ctx)
{
	static const struct { const char *name; JSCFunction *f; int length; } functions[] = {
		{"request", host_request, 3},     {"timer", host_timer, 3},       {"cancel", host_cancel, 1},
		{"text", host_text, 2},           {"json", host_json, 1},         {"stringify", host_stringify, 1},
		{"catalog", host_catalog, 1},     {"names", host_names, 0},       {"tool", host_tool, 1},
		{"isError", host_is_error, 1},    {"onOpen", host_on_open, 1},    {"onBuiltin", host_on_builtin, 1},    {"now", host_now, 0},
		{"entries", host_entries, 1},     {"random", host_random, 0},       {"classOf", host_class, 1},     {"load", host_load, 2},
		{"row", host_row, 2},             {"notice", host_notice, 1},       {"onReasons", host_on_reasons, 1},
		{"promiseState", host_promise_state, 1}, {"promiseValue", host_promise_value, 1},
		{"callStack", host_call_stack, 1}, {"misuse", host_misuse, 4}, {"onPromises", host_on_promises, 2},
	};
	JSValue host = JS_NewObject(ctx);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		// Without a name: frames of the host are left out of what a cell's author gets to see.
		JSValue f = JS_NewCFunction2(ctx, functions[i].f, "", functions[i].length, JS_CFUNC_generic, 0);
		JS_SetPropertyStr(ctx, host, functions[i].name, f);
	}
	return host;
}
