// Prints what abi.h says about the engine's ABI, a line each: compiled with abi.h alone, that is what the guest is
// built on; with CODECELL_ABI_CHECK and the engine's own header before it, what is true.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef CODECELL_ABI_CHECK
#include "quickjs.h"
#endif
#include "abi.h"

#define NUMBER(x) printf(#x " = %lld\n", (long long)(x))
#define SIZE(type) printf("sizeof(" #type ") = %zu\n", sizeof(type))
#define FIELD(type, field) \
	printf(#type "." #field " at %zu, %zu bytes\n", offsetof(type, field), sizeof(((type *)0)->field))

static void print_value(const char *name, JSValue v)
{
	printf("%s: tag %d, int %d\n", name, (int)JS_VALUE_GET_NORM_TAG(v), (int)JS_VALUE_GET_INT(v));
}

int main(void)
{
	SIZE(JSAtom), SIZE(JSClassID), SIZE(JSValueUnion), SIZE(JSValue), SIZE(JSEvalOptions), SIZE(JSMallocFunctions);
	SIZE(JSPropertyEnum), SIZE(JSPromiseStateEnum), SIZE(JSCFunctionEnum), SIZE(CharRange);
	FIELD(JSValue, u), FIELD(JSValue, tag);
	FIELD(JSValueUnion, int32), FIELD(JSValueUnion, float64), FIELD(JSValueUnion, ptr);
	FIELD(JSEvalOptions, version), FIELD(JSEvalOptions, eval_flags), FIELD(JSEvalOptions, filename);
	FIELD(JSEvalOptions, line_num);
	FIELD(JSMallocFunctions, js_calloc), FIELD(JSMallocFunctions, js_malloc), FIELD(JSMallocFunctions, js_free);
	FIELD(JSMallocFunctions, js_realloc), FIELD(JSMallocFunctions, js_malloc_usable_size);
	FIELD(CharRange, len), FIELD(CharRange, size), FIELD(CharRange, points), FIELD(CharRange, mem_opaque);
	FIELD(CharRange, realloc_func);
	FIELD(JSPropertyEnum, is_enumerable), FIELD(JSPropertyEnum, atom);

	NUMBER(JS_TAG_BIG_INT), NUMBER(JS_TAG_SYMBOL), NUMBER(JS_TAG_STRING), NUMBER(JS_TAG_STRING_ROPE);
	NUMBER(JS_TAG_FUNCTION_BYTECODE), NUMBER(JS_TAG_OBJECT), NUMBER(JS_TAG_INT), NUMBER(JS_TAG_BOOL);
	NUMBER(JS_TAG_NULL), NUMBER(JS_TAG_UNDEFINED), NUMBER(JS_TAG_UNINITIALIZED), NUMBER(JS_TAG_EXCEPTION);
	NUMBER(JS_TAG_SHORT_BIG_INT), NUMBER(JS_TAG_FLOAT64);
	NUMBER(JS_PROP_CONFIGURABLE), NUMBER(JS_PROP_WRITABLE), NUMBER(JS_PROP_ENUMERABLE);
	NUMBER(JS_EVAL_TYPE_GLOBAL), NUMBER(JS_EVAL_FLAG_COMPILE_ONLY), NUMBER(JS_EVAL_OPTIONS_VERSION);
	NUMBER(JS_WRITE_OBJ_BYTECODE), NUMBER(JS_WRITE_OBJ_STRIP_SOURCE), NUMBER(JS_WRITE_OBJ_STRIP_DEBUG);
	NUMBER(JS_READ_OBJ_BYTECODE), NUMBER(JS_GPN_STRING_MASK), NUMBER(JS_GPN_ENUM_ONLY);
	NUMBER(JS_PROMISE_NOT_A_PROMISE), NUMBER(JS_PROMISE_PENDING), NUMBER(JS_PROMISE_FULFILLED);
	NUMBER(CR_OP_UNION), NUMBER(CR_OP_INTER), NUMBER(LRE_FLAG_IGNORECASE), NUMBER(LRE_FLAG_MULTILINE);
	NUMBER(LRE_FLAG_DOTALL), NUMBER(LRE_FLAG_UNICODE), NUMBER(LRE_FLAG_STICKY), NUMBER(LRE_FLAG_UNICODE_SETS);
	NUMBER(JS_PROMISE_REJECTED), NUMBER(JS_CFUNC_generic), NUMBER(JS_CFUNC_generic_magic);

	print_value("undefined", JS_UNDEFINED);
	print_value("null", JS_NULL);
	print_value("exception", JS_EXCEPTION);
	print_value("true", JS_MKVAL(JS_TAG_BOOL, 1));
	print_value("-5", JS_MKVAL(JS_TAG_INT, -5));
	JSValue number = JS_UNDEFINED;
	number.tag = JS_TAG_FLOAT64;
	number.u.float64 = 1.5;
	printf("1.5: %g\n", JS_VALUE_GET_FLOAT64(number));
	JSValue object = JS_UNDEFINED;
	object.tag = JS_TAG_OBJECT;
	object.u.ptr = &object;
	printf("pointer: %d\n", JS_VALUE_GET_PTR(object) == &object);
	return 0;
}
