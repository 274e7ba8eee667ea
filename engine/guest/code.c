// Code: the runtime's own sources, compiled once a process.
//
// The bytecode lies outside of every heap. What a heap needs of it at once is loaded at boot and becomes part of the image;
// the rest when a cell first touches what it provides. The same holds for tables of constants, of which a heap gets one row
// at a time.
#include "guest.h"

#include <string.h>

// compile returns the bytecode of one source, without its text and debug tables, so that a cell sees neither source
// nor lines of it.
static uint8_t *compile(JSContext *ctx, const char *source, size_t len, size_t *size)
{
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY, "guest", 1};
	JSValue compiled = JS_Eval2(ctx, source, len, &options);
	if (is_exception(compiled))
		return NULL;
	uint8_t *code = JS_WriteObject(ctx, size, compiled,
	                               JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE | JS_WRITE_OBJ_STRIP_DEBUG);
	JS_FreeValue(ctx, compiled);
	return code;
}

// code_compile compiles the source with that index, before any heap is booted. It uses an engine of its own: what a
// compiler leaves behind would be holes in every image. Returns false if the source is none.
bool code_compile(int index, const char *source, size_t len)
{
	JSRuntime *rt = index >= 0 && index < MAX_SOURCES ? compiler_new() : NULL;
	JSContext *ctx = rt ? JS_NewContext(rt) : NULL;
	size_t size;
	uint8_t *code = ctx ? compile(ctx, source, len, &size) : NULL;
	bool kept = code && code_keep(index, code, size);
	if (ctx) {
		js_free(ctx, code);
		JS_FreeContext(ctx);
	}
	if (rt)
		JS_FreeRuntime(rt);
	return kept;
}

// code_load runs a compiled source in a heap: it is a function of the host object.
JSValue code_load(JSContext *ctx, int index, JSValueConst host)
{
	size_t len;
	uint8_t *code = code_fetch(ctx, index, &len);
	if (!code)
		return JS_ThrowSyntaxError(ctx, "there is no such source");
	JSValue object = JS_ReadObject(ctx, code, len, JS_READ_OBJ_BYTECODE);
	code_done(ctx, code);
	JSValue f = JS_EvalFunction(ctx, object);
	JSValue r = is_exception(f) ? f : JS_Call(ctx, f, JS_UNDEFINED, 1, &host);
	JS_FreeValue(ctx, f);
	return r;
}

// host_row(table, name) → what a table of constants (tables.go) says of a name, or undefined.
JSValue host_row(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	int32_t table;
	size_t len;
	JS_ToInt32(ctx, &table, argv[0]);
	const char *name = to_utf8(ctx, &len, argv[1]);
	if (!name)
		return JS_EXCEPTION;
	JSValue row = table < 0 || memchr(name, '\n', len) || memchr(name, '\t', len) ? JS_UNDEFINED : table_row(ctx, table, name, len);
	JS_FreeCString(ctx, name);
	return row;
}
