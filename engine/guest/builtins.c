// Builtins of this engine version that are not memory-safe or wrong, replaced before any cell runs.
//
// Array.prototype.push: QuickJS-NG 0.15.1 has a fast path that writes at index `length` of the array's storage. For
// an array whose length was set beyond its elements (a.length = 9), the elements between stay uninitialised and
// count as values from then on: stale pointers that a cell can prepare. The one here appends through the engine's
// general way of setting an element, which has its own fast path for the safe case.
//
// Array.fromAsync and BigInt.asUintN: see mended.js.
//
// The setters of Date: what is no number leaves the date as it was, instead of making it invalid.
//
// Math.cbrt: the C library's may be off by the last bit, and then the cube root of 27 is not 3.
//
// DisposableStack.prototype.dispose: it lets go of each resource once its disposer has run, and goes on counting it.
// The collector, when it comes during a later disposer, follows pointers to what is gone. The one here keeps the
// collector away until the engine's own has forgotten all of them.
//
// next and return of Iterator.from: where such a method is an engine's own, what is around it calls it without a look at
// the stack, so a long chain of them runs past the stack's end. The ones here are called like any function, and that
// checks. Iterator.concat and the helpers (map, take and the like): see iterator.js.
//
// RegExp.escape: it takes a long joined string, which is still in parts, for one in one piece, and reads what lies behind it.
//
// match, matchAll, replace and split of regular expressions: see regexp.js.
#include "guest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_LENGTH 9007199254740991

static JSValue array_push(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	int64_t len;
	JSValue obj = JS_ToObject(ctx, this_val);
	if (is_exception(obj) || JS_GetLength(ctx, obj, &len) < 0)
		goto fail;
	if (len > MAX_LENGTH - argc) {
		JS_ThrowTypeError(ctx, "the array would be longer than 2^53 - 1");
		goto fail;
	}
	for (int i = 0; i < argc; i++) {
		if (JS_SetPropertyInt64(ctx, obj, len + i, JS_DupValue(ctx, argv[i])) < 0)
			goto fail;
	}
	JSValue result = JS_NewNumber(ctx, (double)(len + argc));
	// Setting an element of an array has set its length as well, unless the element went elsewhere.
	int64_t now = -1;
	if (argc > 0 && JS_IsArray(obj) && JS_GetLength(ctx, obj, &now) < 0)
		goto fail;
	if (now != len + argc && JS_SetPropertyStr(ctx, obj, "length", JS_DupValue(ctx, result)) < 0)
		goto fail;
	JS_FreeValue(ctx, obj);
	return result;
fail:
	JS_FreeValue(ctx, obj);
	return JS_EXCEPTION;
}

static JSValue stack_dispose(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)argc, (void)argv;
	struct guest *g = guest_of(ctx);
	size_t threshold = JS_GetGCThreshold(g->rt);
	JS_SetGCThreshold(g->rt, SIZE_MAX);
	JSValue result = JS_Call(ctx, g->stack_dispose, this_val, 0, NULL);
	JS_SetGCThreshold(g->rt, threshold);  // still none if one stack disposes of another
	return result;
}

// replace_dispose puts it in both places where the engine's is: under its name and under Symbol.dispose.
static void replace_dispose(JSContext *ctx, JSValueConst global)
{
	JSValue constructor = JS_GetPropertyStr(ctx, global, "DisposableStack");
	JSValue prototype = JS_GetPropertyStr(ctx, constructor, "prototype");
	guest_of(ctx)->stack_dispose = JS_GetPropertyStr(ctx, prototype, "dispose");
	JSValue f = JS_NewCFunction2(ctx, stack_dispose, "dispose", 0, JS_CFUNC_generic, 0);
	JSValue symbols = JS_GetPropertyStr(ctx, global, "Symbol"), symbol = JS_GetPropertyStr(ctx, symbols, "dispose");
	JSAtom name = JS_ValueToAtom(ctx, symbol);
	JS_DefinePropertyValue(ctx, prototype, name, JS_DupValue(ctx, f), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	JS_DefinePropertyValueStr(ctx, prototype, "dispose", f, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	JS_FreeAtom(ctx, name);
	JS_FreeValue(ctx, symbol);
	JS_FreeValue(ctx, symbols);
	JS_FreeValue(ctx, prototype);
	JS_FreeValue(ctx, constructor);
}

static JSValue iterator_method(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int which)
{
	return JS_Call(ctx, guest_of(ctx)->iterator_methods[which], this_val, argc, argv);
}

static void replace_iterator_methods(JSContext *ctx)
{
	static const struct { const char *prototype, *name; } methods[ITERATOR_METHODS] = {
		{"Object.getPrototypeOf(Iterator.from({next: String}))", "next"},
		{"Object.getPrototypeOf(Iterator.from({next: String}))", "return"},
	};
	const union { JSCFunctionMagic *magic; JSCFunction *plain; } f = {.magic = iterator_method};
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, "guest", 1};
	for (int i = 0; i < ITERATOR_METHODS; i++) {
		const char *name = methods[i].name;
		JSValue prototype = JS_Eval2(ctx, methods[i].prototype, strlen(methods[i].prototype), &options);
		guest_of(ctx)->iterator_methods[i] = JS_GetPropertyStr(ctx, prototype, name);
		JS_DefinePropertyValueStr(ctx, prototype, name, JS_NewCFunction2(ctx, f.plain, name, 0, JS_CFUNC_generic_magic, i),
		                          JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
		JS_FreeValue(ctx, prototype);
	}
}

static const char *const regexp_names[REGEXP_METHODS] = {"match", "matchAll", "replace", "split"};

// written calls a builtin that is written in JavaScript.
static JSValue written(JSContext *ctx, const char *name, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSValue label = JS_NewStringLen(ctx, name, strlen(name));
	JSValue method = JS_Call(ctx, guest_of(ctx)->on_builtin, JS_UNDEFINED, 1, &label);
	JSValue result = is_exception(method) ? method : JS_Call(ctx, method, this_val, argc, argv);
	JS_FreeValue(ctx, method);
	JS_FreeValue(ctx, label);
	return result;
}

// The builtins that are written in JavaScript, and what they are properties of.
static const struct { const char *name, *of; int length; } written_builtins[] = {
	{"fromAsync", "Array", 1}, {"asUintN", "BigInt", 2}, {"concat", "Iterator", 0}, {"drop", NULL, 1}, {"filter", NULL, 1},
	{"flatMap", NULL, 1}, {"map", NULL, 1}, {"take", NULL, 1},  // of Iterator.prototype
};

static JSValue written_builtin(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int which)
{
	return written(ctx, written_builtins[which].name, this_val, argc, argv);
}

static void replace_by_written(JSContext *ctx, JSValueConst global)
{
	const union { JSCFunctionMagic *magic; JSCFunction *plain; } f = {.magic = written_builtin};
	JSValue iterator = JS_GetPropertyStr(ctx, global, "Iterator"), prototype = JS_GetPropertyStr(ctx, iterator, "prototype");
	for (int i = 0; i < (int)(sizeof(written_builtins) / sizeof(*written_builtins)); i++) {
		const char *name = written_builtins[i].name, *of = written_builtins[i].of;
		JSValue owner = of ? JS_GetPropertyStr(ctx, global, of) : JS_DupValue(ctx, prototype);
		JSValue method = JS_NewCFunction2(ctx, f.plain, name, written_builtins[i].length, JS_CFUNC_generic_magic, i);
		JS_DefinePropertyValueStr(ctx, owner, name, method, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
		JS_FreeValue(ctx, owner);
	}
	JS_FreeValue(ctx, prototype);
	JS_FreeValue(ctx, iterator);
}

static JSValue math_cbrt(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	double x;
	if (JS_ToFloat64(ctx, &x, argv[0]) < 0)
		return JS_EXCEPTION;
	double root = cbrt(x), square = root * root, cube = square * root;
	if (isnormal(x) && isnormal(cube)) {
		double lost = fma(square, root, -cube) + fma(root, root, -square) * root;  // by rounding
		root -= (cube - x + lost) / (3 * square);
	}
	return JS_NewNumber(ctx, root);
}

static void replace_cbrt(JSContext *ctx, JSValueConst global)
{
	JSValue math = JS_GetPropertyStr(ctx, global, "Math");
	JS_DefinePropertyValueStr(ctx, math, "cbrt", JS_NewCFunction2(ctx, math_cbrt, "cbrt", 1, JS_CFUNC_generic, 0),
	                          JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	JS_FreeValue(ctx, math);
}

// regexp_escape hands the engine's own a string in one piece.
static JSValue regexp_escape(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	if (!is_string(argv[0]))
		return JS_Call(ctx, guest_of(ctx)->escape, this_val, argc, argv);
	JSValue text = JS_ToString(ctx, argv[0]);
	JSValue result = is_exception(text) ? text : JS_Call(ctx, guest_of(ctx)->escape, this_val, 1, &text);
	JS_FreeValue(ctx, text);
	return result;
}

// regexp_method is the engine's own for all but regular expressions with the flag v.
static JSValue regexp_method(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int which)
{
	struct guest *g = guest_of(ctx);
	if (!JS_IsRegExp(this_val))
		return JS_Call(ctx, g->regexp_methods[which], this_val, argc, argv);
	JSValue sets = JS_Call(ctx, g->has_sets, this_val, 0, NULL);
	if (!JS_VALUE_GET_INT(sets))
		return JS_Call(ctx, g->regexp_methods[which], this_val, argc, argv);
	return written(ctx, regexp_names[which], this_val, argc, argv);
}

static void replace_regexp_methods(JSContext *ctx, JSValueConst global)
{
	const union { JSCFunctionMagic *magic; JSCFunction *plain; } f = {.magic = regexp_method};
	static const char getter[] = "Object.getOwnPropertyDescriptor(RegExp.prototype, 'unicodeSets').get";
	JSEvalOptions options = {JS_EVAL_OPTIONS_VERSION, JS_EVAL_TYPE_GLOBAL, "guest", 1};
	guest_of(ctx)->has_sets = JS_Eval2(ctx, getter, strlen(getter), &options);
	JSValue constructor = JS_GetPropertyStr(ctx, global, "RegExp"), symbols = JS_GetPropertyStr(ctx, global, "Symbol");
	JSValue prototype = JS_GetPropertyStr(ctx, constructor, "prototype");
	guest_of(ctx)->escape = JS_GetPropertyStr(ctx, constructor, "escape");
	JS_DefinePropertyValueStr(ctx, constructor, "escape", JS_NewCFunction2(ctx, regexp_escape, "escape", 1, JS_CFUNC_generic, 0),
	                          JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	for (int i = 0; i < REGEXP_METHODS; i++) {
		char label[32];
		snprintf(label, sizeof(label), "[Symbol.%s]", regexp_names[i]);
		JSValue symbol = JS_GetPropertyStr(ctx, symbols, regexp_names[i]);
		JSAtom name = JS_ValueToAtom(ctx, symbol);
		guest_of(ctx)->regexp_methods[i] = JS_GetProperty(ctx, prototype, name);
		JSValue method = JS_NewCFunction2(ctx, f.plain, label, i < 2 ? 1 : 2, JS_CFUNC_generic_magic, i);
		JS_DefinePropertyValue(ctx, prototype, name, method, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
		JS_FreeAtom(ctx, name);
		JS_FreeValue(ctx, symbol);
	}
	JS_FreeValue(ctx, prototype);
	JS_FreeValue(ctx, symbols);
	JS_FreeValue(ctx, constructor);
}

static const struct { const char *name; int length; } date_setters[DATE_SETTERS] = {
	{"setMilliseconds", 1}, {"setUTCMilliseconds", 1}, {"setSeconds", 2}, {"setUTCSeconds", 2}, {"setMinutes", 3},
	{"setUTCMinutes", 3}, {"setHours", 4}, {"setUTCHours", 4}, {"setDate", 1}, {"setUTCDate", 1}, {"setMonth", 2},
	{"setUTCMonth", 2}, {"setFullYear", 3}, {"setUTCFullYear", 3}, {"setYear", 1},
};

static JSValue date_setter(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int which)
{
	struct guest *g = guest_of(ctx);
	JSValue result = JS_Call(ctx, g->date_setters[which], this_val, argc, argv);
	if (JS_VALUE_GET_NORM_TAG(result) != JS_TAG_FLOAT64 || !isnan(JS_VALUE_GET_FLOAT64(result)))
		return result;
	return JS_Call(ctx, g->set_time, this_val, 1, &result);
}

static void replace_date_setters(JSContext *ctx, JSValueConst global)
{
	const union { JSCFunctionMagic *magic; JSCFunction *plain; } f = {.magic = date_setter};
	struct guest *g = guest_of(ctx);
	JSValue date = JS_GetPropertyStr(ctx, global, "Date"), prototype = JS_GetPropertyStr(ctx, date, "prototype");
	g->set_time = JS_GetPropertyStr(ctx, prototype, "setTime");
	for (int i = 0; i < DATE_SETTERS; i++) {
		const char *name = date_setters[i].name;
		g->date_setters[i] = JS_GetPropertyStr(ctx, prototype, name);
		JSValue setter = JS_NewCFunction2(ctx, f.plain, name, date_setters[i].length, JS_CFUNC_generic_magic, i);
		JS_DefinePropertyValueStr(ctx, prototype, name, setter, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	}
	JS_FreeValue(ctx, prototype);
	JS_FreeValue(ctx, date);
}

void builtins_replace(JSContext *ctx)
{
	JSValue global = JS_GetGlobalObject(ctx), array = JS_GetPropertyStr(ctx, global, "Array");
	JSValue prototype = JS_GetPropertyStr(ctx, array, "prototype");
	JS_DefinePropertyValueStr(ctx, prototype, "push", JS_NewCFunction2(ctx, array_push, "push", 1, JS_CFUNC_generic, 0),
	                          JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
	JS_FreeValue(ctx, prototype);
	JS_FreeValue(ctx, array);
	replace_dispose(ctx, global);
	replace_iterator_methods(ctx);
	replace_by_written(ctx, global);
	replace_cbrt(ctx, global);
	replace_date_setters(ctx, global);
	replace_regexp_methods(ctx, global);
	JS_FreeValue(ctx, global);
}
