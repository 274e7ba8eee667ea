// Code: the runtime's own sources, compiled once a process.
//
// The bytecode lies outside of every heap and is only read. What a heap needs of it at once is loaded at boot and
// becomes part of the image; the rest when a cell first touches what it provides.
#include "guest.h"

#include <string.h>

#define MAX_SOURCES 16

static struct code { uint8_t *bytes; size_t len; } codes[MAX_SOURCES];

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
	JSRuntime *rt = index < MAX_SOURCES ? compiler_new() : NULL;
	JSContext *ctx = rt ? JS_NewContext(rt) : NULL;
	struct code c = {NULL, 0};
	uint8_t *code = ctx ? compile(ctx, source, len, &c.len) : NULL;
	if (code && (c.bytes = code_keep(c.len))) {
		memcpy(c.bytes, code, c.len);
		codes[index] = c;
	}
	if (ctx) {
		js_free(ctx, code);
		JS_FreeContext(ctx);
	}
	if (rt)
		JS_FreeRuntime(rt);
	return c.bytes != NULL;
}

// code_load runs a compiled source in a heap: it is a function of the host object.
JSValue code_load(JSContext *ctx, int index, JSValueConst host)
{
	JSValue f = JS_EvalFunction(ctx, JS_ReadObject(ctx, codes[index].bytes, codes[index].len, JS_READ_OBJ_BYTECODE));
	JSValue r = is_exception(f) ? f : JS_Call(ctx, f, JS_UNDEFINED, 1, &host);
	JS_FreeValue(ctx, f);
	return r;
}
