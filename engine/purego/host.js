// What the guest's C does elsewhere: the host object that guest.js is given, the JSON adapter, requests and their
// answers. It runs before any cell, keeps every intrinsic that it uses, and hands a cell nothing but promises.
(function () {
	"use strict";

	const { __emit: emit, __now: now, __random: random, __row: row } = globalThis;
	delete globalThis.__emit;
	delete globalThis.__now;
	delete globalThis.__random;
	delete globalThis.__row;

	const E = Error, R = RangeError, P = Promise, D = Date, T = TypeError;
	const { apply, construct, defineProperty, ownKeys, getOwnPropertyDescriptor, setPrototypeOf } = Reflect;
	const { create, keys, freeze, getPrototypeOf } = Object;
	const isArray = Array.isArray;
	const String_ = String, isFinite_ = isFinite, parse = JSON.parse, stringifyText = JSON.stringify, globalEval = eval;
	const functionText = Function.prototype.toString;
	const uncurry = (f) => (self, ...args) => apply(f, self, args);
	const then = uncurry(Promise.prototype.then), wellFormed = uncurry(String.prototype.toWellFormed);
	const indexOf = uncurry(String.prototype.indexOf), slice = uncurry(String.prototype.slice);
	const objectText = uncurry(Object.prototype.toString);
	const boxes = [Number, String, Boolean, BigInt, Symbol].map((C) => uncurry(C.prototype.valueOf));
	const mapHas = uncurry(Map.prototype.has), setHas = uncurry(Set.prototype.has), weakMapHas = uncurry(WeakMap.prototype.has),
		weakSetHas = uncurry(WeakSet.prototype.has), deref = uncurry(WeakRef.prototype.deref), dateTime = uncurry(Date.prototype.getTime);
	const regexpSource = uncurry(getOwnPropertyDescriptor(RegExp.prototype, "source").get);
	const bufferSize = uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get);
	const viewTag = uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
	const dataViewSize = uncurry(getOwnPropertyDescriptor(DataView.prototype, "byteLength").get);
	const iteratorSymbol = Symbol.iterator;
	const ObjectPrototype = Object.prototype, RegExpPrototype = RegExp.prototype, toStringTag = Symbol.toStringTag;

	const put = (target, key, value) => {
		const d = create(null);
		d.value = value;
		d.writable = d.enumerable = d.configurable = true;
		defineProperty(target, key, d);
	};
	const hide = (target, key) => {
		const d = create(null);
		d.enumerable = false;
		defineProperty(target, key, d);
	};
	const push = (list, value) => put(list, list.length, value);
	const is = (test, v) => {
		try {
			test(v);
			return true;
		} catch (e) {
			return false;
		}
	};

	// ---- classes of objects, by what only their kind can do

	const isError = (v) => {
		if ((typeof v !== "object" && typeof v !== "function") || v === null) return false;
		for (let o = v; o !== null; o = getPrototypeOf(o)) {
			if (getOwnPropertyDescriptor(o, toStringTag) !== undefined) return false;
		}
		return objectText(v) === "[object Error]";
	};
	const VIEWS = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array"];
	function classOf(v) {
		if ((typeof v !== "object" && typeof v !== "function") || v === null) return 0;
		if (typeof v === "function") return 40;
		if (isArray(v)) return 2;
		if (isError(v)) return 3;
		// What is asked below throws, and that costs more the deeper the stack is.
		const prototype = getPrototypeOf(v);
		if (prototype === ObjectPrototype || prototype === null) return 1;
		for (let i = 0; i < 5; i++) if (is(boxes[i], v)) return 4 + i;
		if (is((x) => mapHas(x, 0), v)) return 10;
		if (is((x) => setHas(x, 0), v)) return 11;
		if (is(dateTime, v)) return 12;
		if (is((x) => weakMapHas(x, host), v)) return 16;
		if (is((x) => weakSetHas(x, host), v)) return 17;
		if (is(deref, v)) return 18;
		if (v !== RegExpPrototype && is(regexpSource, v)) return 13;
		if (is(bufferSize, v)) return 14;
		if (is(dataViewSize, v)) return 15;
		const view = viewTag(v);
		if (view !== undefined) {
			for (let i = 0; i < VIEWS.length; i++) if (VIEWS[i] === view) return 20 + i;
		}
		if (v instanceof P) return 41;
		return 1;
	}

	// ---- the JSON adapter (contract B6)

	let noticed = 0; // hints that are not of the cell's value

	const HINT_PROMISE = 1, HINT_MAP_OR_SET = 2, HINT_FUNCTION = 4, HINT_UNDEFINED = 8, HINT_ITERATOR = 32, HINT_BYTES = 64,
		HINT_OPAQUE = 128, HINT_FUNCTIONS = 256, HINT_NUMBER = 512;
	const HINTS_ANYWHERE = HINT_MAP_OR_SET | HINT_ITERATOR | HINT_BYTES | HINT_OPAQUE;
	const iterators = [Iterator.prototype, getPrototypeOf(getPrototypeOf((async function* () {}).prototype))];
	const isIterator = (v) => {
		try {
			for (let i = 0, o = v; i < 16 && o !== null; i++) {
				o = getPrototypeOf(o);
				if (o !== null && (o === iterators[0] || o === iterators[1])) return true;
			}
		} catch (e) {} // a proxy's own
		return false;
	};
	const MAX_DEPTH = 500;
	const quote = (s) => stringifyText(wellFormed(s));

	// adapt returns the value as JSON, undefined if there is no such value. More than limit ends the step if stop is set.
	function adapt(value, limit, stop) {
		const stack = [];
		const state = { hints: 0, size: 0, functions: 0 };
		const grow = (text) => {
			state.size += text.length;
			if (state.size > limit) {
				if (stop) emit("overflow");
				throw new R("value is larger than " + limit + " bytes as JSON");
			}
			return text;
		};
		function write(v, key) {
			if ((typeof v === "object" && v !== null) || typeof v === "function" || typeof v === "bigint") {
				const f = v.toJSON;
				if (typeof f === "function") v = apply(f, v, [String_(key)]);
			}
			switch (typeof v) {
			case "string": return grow(quote(v));
			case "number":
				if (!isFinite_(v)) state.hints |= HINT_NUMBER;
				return grow(isFinite_(v) ? (v === 0 ? "0" : String_(v)) : "null");
			case "boolean": return grow(v ? "true" : "false");
			case "bigint": return grow('"' + String_(v) + '"');
			case "function":
				state.hints |= HINT_FUNCTION;
				state.functions++;
				return undefined;
			case "object": return v === null ? grow("null") : object(v);
			}
			return undefined;
		}
		function object(v) {
			const kind = classOf(v);
			if (kind === 4) return write(+v, "");
			if (kind === 5 || kind === 7) return write(String_(v), "");
			if (kind === 6) return write(boxes[2](v), "");
			for (let i = 0; i < stack.length; i++) if (stack[i] === v) return grow('"[Circular]"');
			if (stack.length === MAX_DEPTH) throw new R("value is nested too deeply for JSON (over " + MAX_DEPTH + " levels)");
			push(stack, v);
			if (kind === 41) state.hints |= HINT_PROMISE;
			const text = kind === 3 ? members(v, ["name", "message"]) : isArray(v) ? list(v) : members(v, keys(v));
			if (text[0] === "{") noticeLost(v, kind, text === "{}");
			stack.length--;
			return text;
		}
		function noticeLost(v, kind, empty) {
			if (kind === 10 || kind === 11) state.hints |= HINT_MAP_OR_SET;
			else if (kind === 14 || kind === 15 || (kind >= 20 && kind < 40)) state.hints |= HINT_BYTES;
			else if (kind === 13 || (kind >= 16 && kind < 19)) state.hints |= HINT_OPAQUE;
			else if (empty && (isIterator(v) || typeof v[iteratorSymbol] === "function")) state.hints |= HINT_ITERATOR;
		}
		function list(v) {
			let text = "[";
			const n = v.length;
			for (let i = 0; i < n; i++) {
				const before = state.functions;
				const element = write(v[i], i);
				if (element === undefined && state.functions > before) state.hints |= HINT_FUNCTIONS;
				text += (i ? "," : "") + (element ?? grow("null"));
			}
			return text + "]";
		}
		function members(v, names) {
			const before = state.functions;
			let text = "{", any = false;
			for (let i = 0; i < names.length; i++) {
				const member = write(v[names[i]], names[i]);
				if (member === undefined) continue;
				text += (any ? "," : "") + grow(quote(names[i])) + ":" + member;
				any = true;
			}
			if (!any && state.functions > before) state.hints |= HINT_FUNCTIONS;
			return text + "}";
		}
		const text = write(value, "");
		adapt.hints = state.hints;
		noticed |= state.hints & HINTS_ANYWHERE;
		return text;
	}

	// ---- requests

	const SEARCH = 1, CALL = 3, NAMESPACE = 5, YIELD = 6, TIMER = 7;
	const MAX_ARGUMENTS = 16 << 20, SLOT_BITS = 12, MAX_REQUESTS = (1 << 20) - 1;
	const pending = [], free = [];
	const limits = { requests: 0, timers: 0, value: 0 };
	let used = 0, timers = 0, next = 0, atBegin = 0; // the last one before this step

	function add(method) {
		if (next === MAX_REQUESTS || (free.length === 0 && pending.length > 4095)) return undefined;
		if (free.length === 0) for (let i = (pending.length || 8) * 2, from = pending.length; i-- > from;) {
			put(pending, i, undefined);
			push(free, i);
		}
		const slot = free[free.length - 1];
		free.length--;
		const p = create(null);
		p.id = ((++next << SLOT_BITS) | slot) >>> 0;
		p.number = next;
		p.slot = slot;
		p.method = method;
		pending[slot] = p;
		used++;
		if (method === TIMER) timers++;
		return p;
	}
	function remove(p) {
		pending[p.slot] = undefined;
		push(free, p.slot);
		used--;
		if (p.method === TIMER) timers--;
	}
	const find = (id) => {
		const p = pending[id & 4095];
		return p !== undefined && p.id === id ? p : undefined;
	};
	const rejected = (e) => new P((_, reject) => reject(e));
	const tooMany = () => rejected(new E("too many pending code mode tool calls"));

	const host = create(null);
	host.request = (method, name, payload) => {
		if (method < SEARCH || method > YIELD) throw new T("not a request");
		if (used - timers >= limits.requests) return tooMany();
		let text;
		try {
			text = adapt(payload, MAX_ARGUMENTS, false) ?? "null";
		} catch (e) {
			return rejected(e);
		}
		const error = method >= CALL && method <= NAMESPACE ? new E() : undefined;
		const p = add(method);
		if (p === undefined) return tooMany();
		p.error = error;
		const promise = new P((resolve, reject) => {
			p.resolve = resolve;
			p.reject = reject;
		});
		p.promise = promise;
		watch(promise);
		emit("request", p.id, method, wellFormed(String_(name)), text);
		return promise;
	};
	host.timer = (ms, fire, callback) => {
		const p = timers < limits.timers ? add(TIMER) : undefined;
		if (p === undefined) {
			throw new R(next === MAX_REQUESTS ? "too many timers and calls in one run" : "too many timers: at most " + limits.timers + " may run at once");
		}
		p.resolve = fire;
		p.callback = callback;
		emit("request", p.id, TIMER, "", adapt(ms, MAX_ARGUMENTS, false));
		return p.id;
	};
	host.cancel = (id) => {
		const n = +id, p = n >= 1 ? find(n) : undefined;
		if (p === undefined || p.method !== TIMER) return;
		remove(p);
		emit("cancel", p.id);
	};
	host.text = (level, v) => {
		emit("text", level, typeof v === "string" ? wellFormed(v) : (adapt(v, outputLimit(), true) ?? "null"));
	};
	host.json = (v) => {
		emit("json", adapt(v, outputLimit(), true) ?? "null");
	};
	const outputLimit = () => limits.output;
	host.stringify = (v) => adapt(v, 64 << 20, false);
	// ---- promises that are used as if they were their values

	// The engine doesn't tell whether somebody waits for a promise, so every call's is watched from its beginning, and
	// what a promise was settled with is known if somebody asked for its state before.
	const settledWith = new WeakMap(), known = uncurry(WeakMap.prototype.get), know = uncurry(WeakMap.prototype.set);
	const PENDING = 0, FULFILLED = 1, REJECTED = 2;
	let noted = false, onAnswered, onFinished;
	function watch(promise) {
		if (host.promises === undefined) load(17);
		host.promises.watch(promise);
	}
	host.watchAll = true;
	host.promiseState = (v) => {
		if (classOf(v) !== 41) return -1;
		noted = true;
		const before = known(settledWith, v);
		if (before !== undefined) return before.state;
		const now = create(null), prototype = getPrototypeOf(v), settle = (state) => (value) => {
			now.state = state;
			now.value = value;
		};
		now.state = PENDING;
		know(settledWith, v, now);
		try {
			setPrototypeOf(v, P.prototype);
			then(v, settle(FULFILLED), settle(REJECTED));
		} catch (e) {
			now.state = -1;
		}
		setPrototypeOf(v, prototype);
		return now.state;
	};
	host.promiseValue = (v) => known(settledWith, v)?.value;
	host.callStack = (promise) => {
		for (let i = 0; i < pending.length; i++) {
			if (pending[i]?.promise === promise) return pending[i].error?.stack;
		}
		return undefined;
	};
	host.misuse = (kind, key, use, call) => emit("misuse", kind, key, text(use), text(call));
	const text = (v) => (typeof v === "string" ? wellFormed(v) : "");
	host.onPromises = (answered, finished) => {
		onAnswered = answered;
		onFinished = finished;
	};
	function promisesFinished(first) {
		for (let i = 0, calls = 0, left = 0; first && state === 1 && i < pending.length; i++) {
			const p = pending[i];
			if (p === undefined) continue;
			if (p.method >= CALL && p.method <= NAMESPACE && calls++ < 16) host.misuse(3, "", "", p.error.stack);
			else if (p.method === TIMER && p.number > atBegin && left++ < 16) host.misuse(4, apply(functionText, p.callback, []), "", "");
		}
		if (!noted) return;
		onFinished(state === 2);
		noted = false;
	}

	host.isError = isError;
	host.classOf = classOf;
	host.now = now;
	host.random = random;
	host.row = (table, name) => row(table, name) ?? undefined;
	let reasons;
	host.onReasons = (f) => {
		reasons = f;
	};
	host.notice = (hint) => {
		noticed |= hint;
	};

	// ---- the catalog, as text until a cell touches it

	const sections = ["", "", "", ""];
	host.catalog = (i) => (sections[i] === "" || sections[i] === undefined ? undefined : parse(sections[i]));
	host.entries = (list) => {
		const all = host.catalog(0) ?? [];
		for (let i = 0; i < all.length; i++) {
			const d = create(null);
			d.value = freeze(all[i]);
			d.enumerable = true;
			d.writable = d.configurable = false;
			defineProperty(list, i, d);
		}
	};
	host.names = () => sections[1];
	host.tool = (name) => {
		const from = indexOf(sections[1], "\n" + name + "\t");
		if (from < 0) return undefined;
		const at = from + name.length + 2;
		return slice(sections[1], at, indexOf(sections[1], "\n", at));
	};
	let onOpen;
	host.onOpen = (f) => {
		onOpen = f;
	};
	// Of the builtins that are written in JavaScript, this engine lacks one and has the others with the same faults.
	host.onBuiltin = (give) => {
		const method = (target, name) => {
			const f = { [name](x) { return apply(give(name), this, arguments) } }[name];
			put(target, name, f);
			hide(target, name);
		};
		method(Array, "fromAsync");
		method(Iterator, "concat");
		method(BigInt, "asUintN");
		for (const name of ["drop", "filter", "flatMap", "map", "take"]) method(Iterator.prototype, name);
	};

	// ---- the guest's own sources

	const sources = [];
	const load = (i) => sources[i](host);
	host.load = load;

	// ---- time: the engine's own clock is not the run's

	const Clock = new Proxy(D, {
		__proto__: null,
		construct: (target, args, newTarget) => construct(target, args.length === 0 ? [now()] : args, newTarget),
		apply: () => String_(new D(now())),
	});
	put(D, "now", { now: () => now() }.now);
	D.prototype.constructor = Clock;
	globalThis.Date = Clock;

	// ---- what this version of the engine has not, or has otherwise

	// A stack overflow is a RangeError elsewhere.
	const Internal = globalThis.InternalError.prototype;
	setPrototypeOf(Internal, R.prototype);
	put(Internal, "name", "RangeError");
	const isOutOfMemory = (v) => isError(v) && getPrototypeOf(v) === Internal &&
		getOwnPropertyDescriptor(v, "message")?.value === "out of memory";

	// Where there is no memory for the error either, the engine throws null. A cell that throws null itself nearly always
	// has it in its text.
	let namesNull = false;
	const ranOut = (v) => isOutOfMemory(v) || (v === null && !namesNull);

	const install = (name, f) => {
		const d = create(null);
		d.value = f;
		d.writable = d.configurable = true;
		d.enumerable = false;
		defineProperty(globalThis, name, d);
	};
	const done = P.resolve();
	install("queueMicrotask", (f) => {
		if (typeof f !== "function") throw new T("queueMicrotask needs a function");
		then(done, () => {
			try {
				f();
			} catch (e) {
				thrown("unhandled", e);
			}
		});
	});

	// ---- steps

	let state = 0, settled, handedOut = false;

	const shown = (f) => {
		try {
			const v = f();
			return typeof v === "string" ? slice(wellFormed(v), 0, 65536) : "";
		} catch (e) {
			return "";
		}
	};
	function thrown(kind, v) {
		if (isError(v)) {
			const below = () => (v.cause !== undefined || v.errors !== undefined ? reasons(v) : "");
			emit(kind, 1, shown(() => v.name), shown(() => v.message), shown(() => v.stack), shown(below));
			return;
		}
		let text = "a value that can't be shown as text";
		try {
			text = typeof v === "object" && v !== null ? (adapt(v, 65536, false) ?? text) : String_(v);
		} catch (e) {}
		emit(kind, 0, shown(() => text), "", "", "");
	}
	const keep = (s) => (v) => {
		state = s;
		settled = v;
	};
	function begin(source, namespaces) {
		if (sections[2] !== "" || namespaces !== "") {
			onOpen(sections[2] !== "", namespaces === "" ? undefined : parse(namespaces));
		}
		namesNull = indexOf(source, "null") >= 0;
		let f;
		try {
			f = globalEval(source);
			if (indexOf(source, "}") < source.length - 1 && apply(functionText, f, []).length !== source.length) {
				throw new SyntaxError("unexpected '}': the cell closes a block that it did not open");
			}
		} catch (e) {
			keep(2)(e);
			return;
		}
		then(f(), keep(1), keep(2));
	}
	const SyntaxError = globalThis.SyntaxError;
	function fill(error, text) {
		const fields = setPrototypeOf(parse(text), null) && parse(text);
		const e = error ?? new E();
		const names = ["name", "message", "code", "toolId", "callId"];
		for (let i = 0; i < names.length; i++) {
			const given = getOwnPropertyDescriptor(fields, names[i]);
			if (given === undefined) continue;
			const d = create(null);
			d.value = given.value;
			d.writable = d.configurable = true;
			d.enumerable = i >= 2;
			defineProperty(e, names[i], d);
		}
		return e;
	}
	function answer(id, kind, payload) {
		const p = find(id);
		if (p === undefined) return kind === 2;
		remove(p);
		if (p.method === TIMER) {
			try {
				p.resolve();
			} catch (e) {
				thrown("unhandled", e);
			}
		} else if (kind === 1) {
			const error = fill(p.error, payload);
			p.reject(error);
			if (host.promises.isWatched(p.promise)) {
				p.failed = error;
				push(unheard, p);
			}
		} else {
			p.resolve(parse(payload));
			if (p.method !== YIELD && host.promises.isWatched(p.promise)) {
				noted = true;
				onAnswered(p.promise, p.error?.stack);
			}
		}
		return true;
	}
	// The engine doesn't tell of rejections that nobody handles. Those of calls are known, since the calls' promises are
	// watched until somebody waits for them.
	let unheard = [];
	function tellUnheard() {
		for (let i = 0; i < unheard.length; i++) {
			if (host.promises.isWatched(unheard[i].promise)) thrown("unhandled", unheard[i].failed);
		}
		unheard = [];
	}
	function finish() {
		if (handedOut || state === 0) {
			emit("main", handedOut ? 3 : 0);
			if (handedOut) promisesFinished(false);
			return;
		}
		handedOut = true;
		handOut();
		promisesFinished(true);
	}
	function handOut() {
		if (state === 2) {
			if (ranOut(settled)) emit("memory");
			thrown("rejected", settled);
			return;
		}
		try {
			const text = adapt(settled, limits.value, true) ?? "null";
			emit("value", adapt.hints | noticed | (settled === undefined ? HINT_UNDEFINED : 0), text);
		} catch (e) {
			thrown("rejected", e);
		}
	}
	return (op, a, b, c) => {
		switch (op) {
		case "source": put(sources, a, b); return;
		case "load": load(a); return;
		case "section": sections[a] = b; return;
		case "limit": limits[a] = b; return;
		case "begin": begin(a, b); return;
		case "answer": return answer(a, b, c);
		case "finish":
			finish();
			tellUnheard();
			atBegin = next;
			return;
		}
	};
})()
