// The part of the QuickJS-NG ABI that the guest uses.
//
// The engine's objects come from the Go module github.com/buke/quickjs-go, whose headers are not on cgo's
// include path, so a plain `go build` declares what it calls here. The package's tests compile this
// file against the real quickjs.h (CODECELL_ABI_CHECK): a prototype, constant or layout that differs fails them.
//
// The declarations are weak because cgo links each package once by itself, without the module's objects.
#ifndef CODECELL_ABI_H
#define CODECELL_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CODECELL_ABI_CHECK
typedef struct JSRuntime JSRuntime;
typedef struct JSContext JSContext;
typedef uint32_t JSAtom;
typedef uint32_t JSClassID;

typedef union JSValueUnion {
	int32_t int32;
	double float64;
	void *ptr;
	int32_t short_big_int;
} JSValueUnion;

typedef struct JSValue {
	JSValueUnion u;
	int64_t tag;
} JSValue;
#define JSValueConst JSValue

enum {
	JS_TAG_BIG_INT = -9,
	JS_TAG_SYMBOL = -8,
	JS_TAG_STRING = -7,
	JS_TAG_STRING_ROPE = -6,
	JS_TAG_FUNCTION_BYTECODE = -2,
	JS_TAG_OBJECT = -1,
	JS_TAG_INT = 0,
	JS_TAG_BOOL = 1,
	JS_TAG_NULL = 2,
	JS_TAG_UNDEFINED = 3,
	JS_TAG_UNINITIALIZED = 4,
	JS_TAG_EXCEPTION = 6,
	JS_TAG_SHORT_BIG_INT = 7,
	JS_TAG_FLOAT64 = 8,
};

#define JS_MKVAL(t, v) ((JSValue){(JSValueUnion){.int32 = (v)}, (t)})
#define JS_UNDEFINED JS_MKVAL(JS_TAG_UNDEFINED, 0)
#define JS_NULL JS_MKVAL(JS_TAG_NULL, 0)
#define JS_EXCEPTION JS_MKVAL(JS_TAG_EXCEPTION, 0)
#define JS_VALUE_GET_NORM_TAG(v) ((int32_t)(v).tag)
#define JS_VALUE_GET_PTR(v) ((v).u.ptr)
#define JS_VALUE_GET_INT(v) ((v).u.int32)
#define JS_VALUE_GET_FLOAT64(v) ((v).u.float64)

#define JS_PROP_CONFIGURABLE (1 << 0)
#define JS_PROP_WRITABLE (1 << 1)
#define JS_PROP_ENUMERABLE (1 << 2)
#define JS_EVAL_TYPE_GLOBAL 0
#define JS_EVAL_FLAG_COMPILE_ONLY (1 << 5)
#define JS_WRITE_OBJ_BYTECODE (1 << 0)
#define JS_WRITE_OBJ_STRIP_SOURCE (1 << 4)
#define JS_WRITE_OBJ_STRIP_DEBUG (1 << 5)
#define JS_READ_OBJ_BYTECODE (1 << 0)
#define JS_GPN_STRING_MASK (1 << 0)
#define JS_GPN_ENUM_ONLY (1 << 4)
#define JS_EVAL_OPTIONS_VERSION 1

typedef struct JSEvalOptions {
	int version;
	int eval_flags;
	const char *filename;
	int line_num;
} JSEvalOptions;

typedef struct JSMallocFunctions {
	void *(*js_calloc)(void *opaque, size_t count, size_t size);
	void *(*js_malloc)(void *opaque, size_t size);
	void (*js_free)(void *opaque, void *ptr);
	void *(*js_realloc)(void *opaque, void *ptr, size_t size);
	size_t (*js_malloc_usable_size)(const void *ptr);
} JSMallocFunctions;

typedef struct JSPropertyEnum {
	bool is_enumerable;
	JSAtom atom;
} JSPropertyEnum;

typedef enum JSPromiseStateEnum {
	JS_PROMISE_NOT_A_PROMISE = -1,
	JS_PROMISE_PENDING = 0,
	JS_PROMISE_FULFILLED,
	JS_PROMISE_REJECTED,
} JSPromiseStateEnum;

typedef enum JSCFunctionEnum { JS_CFUNC_generic, JS_CFUNC_generic_magic } JSCFunctionEnum;

typedef struct {
	int len;  // of points, always even
	int size;
	uint32_t *points;  // from, to (not included), in order
	void *mem_opaque;
	void *(*realloc_func)(void *opaque, void *ptr, size_t size);
} CharRange;

#define CR_OP_UNION 0
#define CR_OP_INTER 1

#define LRE_FLAG_IGNORECASE (1 << 1)
#define LRE_FLAG_MULTILINE (1 << 2)
#define LRE_FLAG_DOTALL (1 << 3)
#define LRE_FLAG_UNICODE (1 << 4)
#define LRE_FLAG_STICKY (1 << 5)
#define LRE_FLAG_UNICODE_SETS (1 << 8)

#else
#include "libregexp.h"
#endif // CODECELL_ABI_CHECK

// Saying a type twice is allowed if it is the same type, so these are checked like the prototypes.
typedef JSValue JSCFunction(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
typedef JSValue JSCFunctionMagic(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic);
typedef int JSInterruptHandler(JSRuntime *rt, void *opaque);
typedef void JSHostPromiseRejectionTracker(JSContext *ctx, JSValueConst promise, JSValueConst reason,
                                           bool is_handled, void *opaque);

#define CODECELL_WEAK __attribute__((weak))

CODECELL_WEAK JSRuntime *JS_NewRuntime2(const JSMallocFunctions *mf, void *opaque);
CODECELL_WEAK JSRuntime *JS_NewRuntime(void);
CODECELL_WEAK void JS_FreeRuntime(JSRuntime *rt);
CODECELL_WEAK JSContext *JS_NewContext(JSRuntime *rt);
CODECELL_WEAK void JS_FreeContext(JSContext *ctx);
CODECELL_WEAK size_t JS_GetGCThreshold(JSRuntime *rt);
CODECELL_WEAK void JS_SetGCThreshold(JSRuntime *rt, size_t gc_threshold);
CODECELL_WEAK void JS_SetMaxStackSize(JSRuntime *rt, size_t stack_size);
CODECELL_WEAK void JS_UpdateStackTop(JSRuntime *rt);
CODECELL_WEAK void JS_RunGC(JSRuntime *rt);
CODECELL_WEAK void JS_SetContextOpaque(JSContext *ctx, void *opaque);
CODECELL_WEAK void *JS_GetContextOpaque(JSContext *ctx);
CODECELL_WEAK void JS_SetInterruptHandler(JSRuntime *rt, JSInterruptHandler *cb, void *opaque);
CODECELL_WEAK void JS_SetHostPromiseRejectionTracker(JSRuntime *rt, JSHostPromiseRejectionTracker *cb, void *opaque);

CODECELL_WEAK void *js_malloc(JSContext *ctx, size_t size);
CODECELL_WEAK void *js_realloc(JSContext *ctx, void *ptr, size_t size);
CODECELL_WEAK void js_free(JSContext *ctx, void *ptr);

CODECELL_WEAK JSValue JS_Eval2(JSContext *ctx, const char *input, size_t input_len, JSEvalOptions *options);
CODECELL_WEAK JSValue JS_EvalFunction(JSContext *ctx, JSValue fun_obj);
CODECELL_WEAK uint8_t *JS_WriteObject(JSContext *ctx, size_t *psize, JSValueConst obj, int flags);
CODECELL_WEAK JSValue JS_ReadObject(JSContext *ctx, const uint8_t *buf, size_t buf_len, int flags);
CODECELL_WEAK JSValue JS_Call(JSContext *ctx, JSValueConst func_obj, JSValueConst this_obj, int argc,
                              JSValueConst *argv);
CODECELL_WEAK JSValue JS_CallConstructor(JSContext *ctx, JSValueConst func_obj, int argc, JSValueConst *argv);
CODECELL_WEAK bool JS_IsJobPending(JSRuntime *rt);
CODECELL_WEAK int JS_ExecutePendingJob(JSRuntime *rt, JSContext **pctx);

CODECELL_WEAK JSValue JS_GetException(JSContext *ctx);
CODECELL_WEAK JSValue JS_ThrowTypeError(JSContext *ctx, const char *fmt, ...);
CODECELL_WEAK JSValue JS_ThrowRangeError(JSContext *ctx, const char *fmt, ...);
CODECELL_WEAK JSValue JS_ThrowSyntaxError(JSContext *ctx, const char *fmt, ...);
CODECELL_WEAK JSValue JS_ThrowPlainError(JSContext *ctx, const char *fmt, ...);

CODECELL_WEAK void JS_FreeValue(JSContext *ctx, JSValue v);
CODECELL_WEAK JSValue JS_DupValue(JSContext *ctx, JSValueConst v);
CODECELL_WEAK JSValue JS_ToString(JSContext *ctx, JSValueConst val);
CODECELL_WEAK int JS_ToFloat64(JSContext *ctx, double *pres, JSValueConst val);
CODECELL_WEAK int JS_ToInt32(JSContext *ctx, int32_t *pres, JSValueConst val);
CODECELL_WEAK JSValue JS_NewStringLen(JSContext *ctx, const char *str1, size_t len1);
CODECELL_WEAK const char *JS_ToCStringLen2(JSContext *ctx, size_t *plen, JSValueConst val1, bool cesu8);
CODECELL_WEAK const char *JS_AtomToCStringLen(JSContext *ctx, size_t *plen, JSAtom atom);
CODECELL_WEAK void JS_FreeCString(JSContext *ctx, const char *ptr);
CODECELL_WEAK JSAtom JS_NewAtomLen(JSContext *ctx, const char *str, size_t len);
CODECELL_WEAK JSAtom JS_ValueToAtom(JSContext *ctx, JSValueConst val);
CODECELL_WEAK void JS_FreeAtom(JSContext *ctx, JSAtom v);

CODECELL_WEAK JSValue JS_NewObject(JSContext *ctx);
CODECELL_WEAK JSValue JS_NewBigInt64(JSContext *ctx, int64_t v);
CODECELL_WEAK JSValue JS_NewNumber(JSContext *ctx, double d);
CODECELL_WEAK JSValue JS_GetGlobalObject(JSContext *ctx);
CODECELL_WEAK JSValue JS_GetProperty(JSContext *ctx, JSValueConst this_obj, JSAtom prop);
CODECELL_WEAK JSValue JS_GetPropertyStr(JSContext *ctx, JSValueConst this_obj, const char *prop);
CODECELL_WEAK JSValue JS_GetPropertyInt64(JSContext *ctx, JSValueConst this_obj, int64_t idx);
CODECELL_WEAK int JS_SetPropertyStr(JSContext *ctx, JSValueConst this_obj, const char *prop, JSValue val);
CODECELL_WEAK int JS_DefinePropertyValue(JSContext *ctx, JSValueConst this_obj, JSAtom prop, JSValue val, int flags);
CODECELL_WEAK int JS_DefinePropertyValueStr(JSContext *ctx, JSValueConst this_obj, const char *prop, JSValue val,
                                            int flags);
CODECELL_WEAK int JS_DefinePropertyValueUint32(JSContext *ctx, JSValueConst this_obj, uint32_t idx, JSValue val,
                                               int flags);
CODECELL_WEAK int JS_FreezeObject(JSContext *ctx, JSValueConst obj);
CODECELL_WEAK int JS_SetPrototype(JSContext *ctx, JSValueConst obj, JSValueConst proto_val);
CODECELL_WEAK JSValue JS_ToObject(JSContext *ctx, JSValueConst val);
CODECELL_WEAK int JS_SetPropertyInt64(JSContext *ctx, JSValueConst this_obj, int64_t idx, JSValue val);
CODECELL_WEAK int JS_GetLength(JSContext *ctx, JSValueConst obj, int64_t *pres);
CODECELL_WEAK int JS_GetOwnPropertyNames(JSContext *ctx, JSPropertyEnum **ptab, uint32_t *plen, JSValueConst obj,
                                         int flags);
CODECELL_WEAK void JS_FreePropertyEnum(JSContext *ctx, JSPropertyEnum *tab, uint32_t len);
CODECELL_WEAK JSValue JS_NewCFunction2(JSContext *ctx, JSCFunction *func, const char *name, int length,
                                       JSCFunctionEnum cproto, int magic);

CODECELL_WEAK bool JS_IsFunction(JSContext *ctx, JSValueConst val);
CODECELL_WEAK bool JS_IsError(JSValueConst val);
CODECELL_WEAK bool JS_IsArray(JSValueConst val);
CODECELL_WEAK bool JS_IsProxy(JSValueConst val);
CODECELL_WEAK bool JS_IsMap(JSValueConst val);
CODECELL_WEAK bool JS_IsSet(JSValueConst val);
CODECELL_WEAK bool JS_IsPromise(JSValueConst val);
CODECELL_WEAK bool JS_IsWeakMap(JSValueConst val);
CODECELL_WEAK bool JS_IsWeakSet(JSValueConst val);
CODECELL_WEAK bool JS_IsWeakRef(JSValueConst val);
CODECELL_WEAK bool JS_IsArrayBuffer(JSValueConst val);
CODECELL_WEAK bool JS_IsDataView(JSValueConst val);
CODECELL_WEAK int JS_GetTypedArrayType(JSValueConst val);
CODECELL_WEAK JSValue JS_GetPrototype(JSContext *ctx, JSValueConst val);
CODECELL_WEAK JSClassID JS_GetClassID(JSValueConst v);
CODECELL_WEAK JSValue JS_GetProxyTarget(JSContext *ctx, JSValueConst proxy);
CODECELL_WEAK JSValue JS_ParseJSON(JSContext *ctx, const char *buf, size_t buf_len, const char *filename);
CODECELL_WEAK JSValue JS_NewPromiseCapability(JSContext *ctx, JSValue *resolving_funcs);
CODECELL_WEAK JSPromiseStateEnum JS_PromiseState(JSContext *ctx, JSValueConst promise);
CODECELL_WEAK JSValue JS_PromiseResult(JSContext *ctx, JSValueConst promise);

CODECELL_WEAK bool JS_IsRegExp(JSValueConst val);

CODECELL_WEAK void *lre_realloc(void *opaque, void *ptr, size_t size);
CODECELL_WEAK bool lre_check_stack_overflow(void *opaque, size_t alloca_size);
CODECELL_WEAK int lre_canonicalize(uint32_t c, bool is_unicode);
CODECELL_WEAK int lre_get_capture_count(const uint8_t *bc_buf);
CODECELL_WEAK void cr_init(CharRange *cr, void *mem_opaque, void *(*realloc_func)(void *opaque, void *ptr, size_t size));
CODECELL_WEAK void cr_free(CharRange *cr);
CODECELL_WEAK int cr_realloc(CharRange *cr, int size);
CODECELL_WEAK int cr_op(CharRange *cr, const uint32_t *a_pt, int a_len, const uint32_t *b_pt, int b_len, int op);
CODECELL_WEAK int cr_invert(CharRange *cr);
CODECELL_WEAK int cr_regexp_canonicalize(CharRange *cr, bool is_unicode);
// What the linker puts regexp.c before.
CODECELL_WEAK uint8_t *lre_compile(int *plen, char *error_msg, int error_msg_size, const char *buf, size_t buf_len,
                                   int re_flags, void *opaque);
CODECELL_WEAK int lre_exec(uint8_t **capture, const uint8_t *bc_buf, const uint8_t *cbuf, int cindex, int clen,
                           int cbuf_type, void *opaque);
CODECELL_WEAK int lre_get_flags(const uint8_t *bc_buf);
CODECELL_WEAK const char *lre_get_groupnames(const uint8_t *bc_buf);

static inline bool is_string(JSValueConst v)
{
	int tag = JS_VALUE_GET_NORM_TAG(v);
	return tag == JS_TAG_STRING || tag == JS_TAG_STRING_ROPE;
}

static inline bool is_object(JSValueConst v) { return JS_VALUE_GET_NORM_TAG(v) == JS_TAG_OBJECT; }

static inline bool is_undefined(JSValueConst v) { return JS_VALUE_GET_NORM_TAG(v) == JS_TAG_UNDEFINED; }

static inline bool is_exception(JSValueConst v) { return JS_VALUE_GET_NORM_TAG(v) == JS_TAG_EXCEPTION; }

#endif
