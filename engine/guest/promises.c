// Promises that are used as if they were their values, where an await is missing. The engine's side of promises.js, which
// decides what such a use is; see there.
#include "guest.h"

// host_promise_state(value) → where a promise is, -1 for what is none.
JSValue host_promise_state(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	guest_of(ctx)->promises_noted = 1;
	return JS_MKVAL(JS_TAG_INT, (int32_t)JS_PromiseState(ctx, argv[0]));
}

// host_promise_value(promise) → what it was settled with.
JSValue host_promise_value(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	return JS_PromiseResult(ctx, argv[0]);
}

static JSValue stack_of(struct guest *g, JSValueConst error)
{
	return is_object(error) ? JS_GetPropertyStr(g->ctx, error, "stack") : JS_UNDEFINED;
}

// host_call_stack(promise) → where the call was made, if it is that of a call under way.
JSValue host_call_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	struct guest *g = guest_of(ctx);
	for (uint32_t i = 0; is_object(argv[0]) && i < g->pending_cap; i++) {
		const struct pending *p = &g->pending[i];
		if (p->id && is_object(p->promise) && JS_VALUE_GET_PTR(p->promise) == JS_VALUE_GET_PTR(argv[0]))
			return stack_of(g, p->error);
	}
	return JS_UNDEFINED;
}

// host_misuse(kind, key, use, call) tells the host.
JSValue host_misuse(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	int32_t kind;
	JS_ToInt32(ctx, &kind, argv[0]);
	effect_misuse(guest_of(ctx), kind, argv[1], argv[2], argv[3]);
	return JS_UNDEFINED;
}

// host_on_promises(answered, finished) keeps what promises.js wants to be told.
JSValue host_on_promises(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	guest_of(ctx)->on_answered = JS_DupValue(ctx, argv[0]);
	guest_of(ctx)->on_finished = JS_DupValue(ctx, argv[1]);
	return JS_UNDEFINED;
}

static void tell(struct guest *g, JSValueConst callback, int argc, JSValueConst *argv)
{
	JSValue r = JS_Call(g->ctx, callback, JS_UNDEFINED, argc, argv);
	if (is_exception(r))
		JS_FreeValue(g->ctx, JS_GetException(g->ctx));
	JS_FreeValue(g->ctx, r);
}

// promises_answered is told of a call that was answered while nobody waited for it.
void promises_answered(struct guest *g, const struct pending *held)
{
	g->promises_noted = 1;
	JSValue args[2] = {held->promise, stack_of(g, held->error)};
	tell(g, g->on_answered, 2, args);
	JS_FreeValue(g->ctx, args[1]);
}

#define MAX_LEFT 16

static void left_call(struct guest *g, const struct pending *p)
{
	JSValue stack = stack_of(g, p->error);
	effect_misuse(g, MISUSE_LEFT, JS_UNDEFINED, JS_UNDEFINED, stack);
	JS_FreeValue(g->ctx, stack);
}

static void left_timer(struct guest *g, const struct pending *p)
{
	JSValue text = JS_Call(g->ctx, g->function_to_string, p->error, 0, NULL);
	if (is_exception(text))
		JS_FreeValue(g->ctx, JS_GetException(g->ctx));
	effect_misuse(g, MISUSE_TIMER, text, JS_UNDEFINED, JS_UNDEFINED);
	JS_FreeValue(g->ctx, text);
}

// left_over tells of calls that are under way when the cell's promise is fulfilled, and of timers that were set in the same
// step: the cell waited for nothing after that, so they can't have been time limits of what it waited for.
static void left_over(struct guest *g)
{
	uint32_t calls = 0, timers = 0;
	for (uint32_t i = 0; i < g->pending_cap; i++) {
		const struct pending *p = &g->pending[i];
		if (p->id && makes_calls(p->method) && calls++ < MAX_LEFT)
			left_call(g, p);
		else if (p->id && p->method == METHOD_TIMER && p->id >> SLOT_BITS > g->first_id && timers++ < MAX_LEFT)
			left_timer(g, p);
	}
}

// promises_finished tells the host what was noted, once the cell's promise has settled.
void promises_finished(struct guest *g)
{
	if (!g->settled)
		return;
	bool failed = JS_PromiseState(g->ctx, g->main) == JS_PROMISE_REJECTED;
	if (g->settled == 1 && !failed && g->pending_used > 0)
		left_over(g);
	g->settled = 2;
	if (!g->promises_noted)
		return;
	g->promises_noted = 0;
	JSValue arg = JS_MKVAL(JS_TAG_BOOL, failed);
	tell(g, g->on_finished, 1, &arg);
	g->promises_noted = 0;
}
