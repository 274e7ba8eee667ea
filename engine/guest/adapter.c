// The JSON adapter (contract B6): one way out of the heap for values, outputs and arguments.
//
// It asks nothing of what a cell can replace, apart from what JSON itself asks of a value: getters, proxies and
// toJSON run, on the cell's clock. It differs from JSON.stringify where that fails or loses data: BigInt becomes
// a decimal string, an error its name and message, a cycle the string "[Circular]" at the place where it closes.
#include "guest.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 500
#define MAX_PROTOTYPES 16
#define POLL_EVERY 1024

struct adapter {
	struct guest *g;
	uint64_t limit;  // bytes
	bool stop;
	uint32_t from, hints, steps, depth, functions;
	void *stack[MAX_DEPTH];
};

static int write_value(struct adapter *a, JSValue v, JSValueConst key);

static int check(struct adapter *a)
{
	if (++a->steps % POLL_EVERY == 0)
		guest_poll();
	if (a->g->scratch.len - a->from <= a->limit)
		return 0;
	if (a->stop)
		guest_leave(STEP_OUTPUT);
	JS_ThrowRangeError(a->g->ctx, "value is larger than %d bytes as JSON", (int)a->limit);
	return -1;
}

static void raw(struct adapter *a, const char *s, size_t len) { buffer_append(a->g->ctx, &a->g->scratch, s, len); }

static void quote(struct adapter *a, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	struct buffer *b = &a->g->scratch;
	size_t from = 0;
	buffer_byte(a->g->ctx, b, '"');
	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)s[i];
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		buffer_utf8(a->g->ctx, b, s + from, i - from);
		from = i + 1;
		char esc[6] = {'\\', (char)c};
		size_t n = 2;
		switch (c) {
		case '\b': esc[1] = 'b'; break;
		case '\f': esc[1] = 'f'; break;
		case '\n': esc[1] = 'n'; break;
		case '\r': esc[1] = 'r'; break;
		case '\t': esc[1] = 't'; break;
		case '"':
		case '\\': break;
		default: memcpy(esc + 1, "u00", 3), esc[4] = hex[c >> 4], esc[5] = hex[c & 15], n = 6;
		}
		buffer_append(a->g->ctx, b, esc, n);
	}
	buffer_utf8(a->g->ctx, b, s + from, len - from);
	buffer_byte(a->g->ctx, b, '"');
}

// write_text appends the text of a value that converts without running guest code, quoted or bare.
static int write_text(struct adapter *a, JSValueConst v, bool quoted)
{
	size_t len;
	const char *s = to_utf8(a->g->ctx, &len, v);
	if (!s)
		return -1;
	if (quoted)
		quote(a, s, len);
	else
		raw(a, s, len);
	JS_FreeCString(a->g->ctx, s);
	return check(a) < 0 ? -1 : 1;
}

static int write_number(struct adapter *a, JSValueConst v)
{
	if (JS_VALUE_GET_NORM_TAG(v) == JS_TAG_INT)
		return write_text(a, v, false);
	double d = JS_VALUE_GET_FLOAT64(v);
	if (!isfinite(d)) {
		a->hints |= HINT_NOT_FINITE;
		raw(a, "null", 4);
		return 1;
	}
	if (d == 0) {
		raw(a, "0", 1);  // -0 as well
		return 1;
	}
	return write_text(a, v, false);
}

// enter notes an object on the path to the current value: 1 if it is new there, 0 if a cycle closes.
static int enter(struct adapter *a, JSValueConst v)
{
	void *p = JS_VALUE_GET_PTR(v);
	for (uint32_t i = 0; i < a->depth; i++) {
		if (a->stack[i] == p)
			return 0;
	}
	if (a->depth == MAX_DEPTH) {
		JS_ThrowRangeError(a->g->ctx, "value is nested too deeply for JSON (over %d levels)", MAX_DEPTH);
		return -1;
	}
	a->stack[a->depth++] = p;
	return 1;
}

static int write_array(struct adapter *a, JSValueConst v)
{
	JSContext *ctx = a->g->ctx;
	int64_t len;
	if (JS_GetLength(ctx, v, &len) < 0)
		return -1;
	raw(a, "[", 1);
	for (int64_t i = 0; i < len; i++) {
		if (i)
			raw(a, ",", 1);
		JSValue item = JS_GetPropertyInt64(ctx, v, i);
		if (is_exception(item))
			return -1;
		uint32_t functions = a->functions;
		int r = write_value(a, item, JS_MKVAL(JS_TAG_INT, (int32_t)i));
		if (r < 0 || check(a) < 0)
			return -1;
		if (r == 0) {
			raw(a, "null", 4);
			if (a->functions > functions)
				a->hints |= HINT_FUNCTIONS;
		}
	}
	raw(a, "]", 1);
	return 1;
}

// write_member appends one property, or nothing if JSON has no such value. The value comes first in time: its
// getter may throw, and nothing may be written for a property that is dropped.
static int write_member(struct adapter *a, JSValueConst v, JSAtom name, bool *any)
{
	JSContext *ctx = a->g->ctx;
	JSValue item = JS_GetProperty(ctx, v, name);
	if (is_exception(item))
		return -1;
	size_t len;
	const char *key = JS_AtomToCStringLen(ctx, &len, name);
	if (!key)
		return -1;
	uint32_t mark = a->g->scratch.len;
	if (*any)
		raw(a, ",", 1);
	quote(a, key, len);
	raw(a, ":", 1);
	JSValue key_value = is_object(item) ? JS_NewStringLen(ctx, key, len) : JS_UNDEFINED;
	JS_FreeCString(ctx, key);
	int r = write_value(a, item, key_value);
	JS_FreeValue(ctx, key_value);
	if (r < 0 || check(a) < 0)
		return -1;
	if (r == 0)
		a->g->scratch.len = mark;
	else
		*any = true;
	return r;
}

static int write_members(struct adapter *a, JSValueConst v)
{
	JSContext *ctx = a->g->ctx;
	JSPropertyEnum *names;
	uint32_t count;
	if (JS_GetOwnPropertyNames(ctx, &names, &count, v, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
		return -1;
	bool any = false;
	int r = 1;
	uint32_t functions = a->functions;
	raw(a, "{", 1);
	for (uint32_t i = 0; i < count && r >= 0; i++)
		r = write_member(a, v, names[i].atom, &any);
	if (!any && a->functions > functions)
		a->hints |= HINT_FUNCTIONS;
	JS_FreePropertyEnum(ctx, names, count);
	raw(a, "}", 1);
	return r < 0 ? -1 : 1;
}

static int write_error(struct adapter *a, JSValueConst v)
{
	static const char *const fields[] = {"name", "message"};
	bool any = false;
	raw(a, "{", 1);
	for (int i = 0; i < 2; i++) {
		JSAtom name = JS_NewAtomLen(a->g->ctx, fields[i], strlen(fields[i]));
		if (write_member(a, v, name, &any) < 0)
			return -1;
	}
	raw(a, "}", 1);
	return 1;
}

static bool is_array(struct adapter *a, JSValueConst v)
{
	JSValue target = JS_DupValue(a->g->ctx, v);
	for (int i = 0; JS_IsProxy(target) && i < MAX_DEPTH; i++) {
		JSValue inner = JS_GetProxyTarget(a->g->ctx, target);
		JS_FreeValue(a->g->ctx, target);
		target = inner;
	}
	bool result = is_object(target) && JS_IsArray(target);
	JS_FreeValue(a->g->ctx, target);
	return result;
}

// write_boxed writes new Number(1) and its kin like what they box, as JSON does. Returns 0 for other objects.
static int write_boxed(struct adapter *a, JSValueConst v)
{
	JSContext *ctx = a->g->ctx;
	JSClassID class = JS_GetClassID(v);
	if (class == a->g->boolean_class) {
		JSValue s = JS_GetPropertyStr(ctx, v, "valueOf");
		JSValue b = is_exception(s) ? s : JS_Call(ctx, s, v, 0, NULL);
		JS_FreeValue(ctx, s);
		if (is_exception(b))
			return -1;
		return write_value(a, is_object(b) ? JS_NULL : b, JS_UNDEFINED);
	}
	if (class == a->g->number_class) {
		double d;
		if (JS_ToFloat64(ctx, &d, v) < 0)
			return -1;
		return write_value(a, JS_NewNumber(ctx, d), JS_UNDEFINED);
	}
	if (class != a->g->string_class && class != a->g->bigint_class)
		return 0;
	JSValue s = JS_ToString(ctx, v);
	return is_exception(s) ? -1 : write_value(a, s, JS_UNDEFINED);
}

// is_iterable says whether an object has elements, which are no properties of it.
static bool is_iterable(struct guest *g, JSValueConst v)
{
	JSValue method = JS_GetProperty(g->ctx, v, g->iterator);
	if (is_exception(method))
		JS_FreeValue(g->ctx, JS_GetException(g->ctx));
	bool iterable = JS_IsFunction(g->ctx, method);
	JS_FreeValue(g->ctx, method);
	return iterable;
}

// is_iterator says whether an object is an iterator by its prototypes.
static bool is_iterator(struct guest *g, JSValueConst v)
{
	JSValue of = JS_DupValue(g->ctx, v);
	bool iterator = false;
	for (int i = 0; i < MAX_PROTOTYPES && is_object(of) && !JS_IsProxy(of) && !iterator; i++) {
		JSValue next = JS_GetPrototype(g->ctx, of);
		JS_FreeValue(g->ctx, of);
		of = next;
		for (int k = 0; k < 2; k++)
			iterator |= is_object(of) && JS_VALUE_GET_PTR(of) == JS_VALUE_GET_PTR(g->iterators[k]);
	}
	JS_FreeValue(g->ctx, of);
	return iterator;
}

// notice_lost notes what JSON shows nothing of, or something that was not meant.
static void notice_lost(struct adapter *a, JSValueConst v, bool empty)
{
	if (JS_IsMap(v) || JS_IsSet(v))
		a->hints |= HINT_MAP_OR_SET;
	else if (JS_GetTypedArrayType(v) >= 0 || JS_IsArrayBuffer(v) || JS_IsDataView(v))
		a->hints |= HINT_BYTES;
	else if (JS_IsRegExp(v) || JS_IsWeakMap(v) || JS_IsWeakSet(v) || JS_IsWeakRef(v))
		a->hints |= HINT_OPAQUE;
	else if (empty && (is_iterator(a->g, v) || is_iterable(a->g, v)))
		a->hints |= HINT_ITERATOR;
}

static int write_object(struct adapter *a, JSValueConst v)
{
	if (JS_IsFunction(a->g->ctx, v)) {
		a->hints |= HINT_FUNCTION;
		a->functions++;
		return 0;
	}
	int r = write_boxed(a, v);
	if (r != 0)
		return r;
	r = enter(a, v);
	if (r < 0)
		return -1;
	if (r == 0) {
		raw(a, "\"[Circular]\"", 12);
		return 1;
	}
	if (JS_IsPromise(v))
		a->hints |= HINT_PROMISE;
	uint32_t from = a->g->scratch.len;
	if (JS_IsError(v))
		r = write_error(a, v);
	else
		r = is_array(a, v) ? write_array(a, v) : write_members(a, v);
	if (r == 1 && a->g->scratch.data[from] == '{')
		notice_lost(a, v, a->g->scratch.len - from == 2);
	a->depth--;
	return r;
}

// apply_to_json replaces *v by what its toJSON returns, if it has one.
static int apply_to_json(struct adapter *a, JSValue *v, JSValueConst key)
{
	JSContext *ctx = a->g->ctx;
	JSValue f = JS_GetPropertyStr(ctx, *v, "toJSON");
	if (is_exception(f))
		return -1;
	if (!JS_IsFunction(ctx, f)) {
		JS_FreeValue(ctx, f);
		return 0;
	}
	JSValue name = JS_ToString(ctx, is_undefined(key) ? JS_NewStringLen(ctx, "", 0) : key);
	JSValue result = JS_Call(ctx, f, *v, 1, &name);
	JS_FreeValue(ctx, name);
	JS_FreeValue(ctx, f);
	JS_FreeValue(ctx, *v);
	*v = result;
	return is_exception(result) ? -1 : 0;
}

// write_value takes v.
static int write_value(struct adapter *a, JSValue v, JSValueConst key)
{
	int tag = JS_VALUE_GET_NORM_TAG(v), r;
	bool big = tag == JS_TAG_BIG_INT || tag == JS_TAG_SHORT_BIG_INT;
	if ((tag == JS_TAG_OBJECT || big) && apply_to_json(a, &v, key) < 0)
		return -1;
	switch (JS_VALUE_GET_NORM_TAG(v)) {
	case JS_TAG_NULL:
		raw(a, "null", 4);
		return 1;
	case JS_TAG_BOOL:
		raw(a, JS_VALUE_GET_INT(v) ? "true" : "false", JS_VALUE_GET_INT(v) ? 4 : 5);
		return 1;
	case JS_TAG_INT:
	case JS_TAG_FLOAT64:
		return write_number(a, v);
	case JS_TAG_BIG_INT:
	case JS_TAG_SHORT_BIG_INT:
	case JS_TAG_STRING:
	case JS_TAG_STRING_ROPE:
		r = write_text(a, v, true);
		break;
	case JS_TAG_OBJECT:
		r = write_object(a, v);
		break;
	default:
		r = 0;
	}
	JS_FreeValue(a->g->ctx, v);
	return r;
}

int adapter_write(struct guest *g, JSValueConst v, uint64_t limit, bool stop, uint32_t *hints)
{
	struct adapter a = {.g = g, .limit = limit, .stop = stop, .from = g->scratch.len};
	int r = write_value(&a, JS_DupValue(g->ctx, v), JS_UNDEFINED);
	if (hints)
		*hints |= a.hints;
	else
		g->noticed |= a.hints & HINTS_ANYWHERE;
	return r;
}
