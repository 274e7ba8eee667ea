// Builtins that the engine has otherwise than the language. Loaded when a cell first calls one.
//
// Array.fromAsync: the engine's own closes iterators that have ended, doesn't wait for those that it closes early, and makes
// elements that aren't enumerable.
//
// WeakRef: the engine's own lets go of its target although the job that made it, or took it out, has not ended.
//
// BigInt.asUintN: the engine's own gives a negative number as it is if it has fewer bits than are asked for.
(function (host) {
	"use strict";

	const { provide } = host;
	const { apply, defineProperty } = host.reflect;
	const { construct } = host;
	const { create } = host.object;
	const { Array: A, Object: O, TypeError: T, Proxy: P } = host.globals;
	const { iterator, asyncIterator } = host.symbols;
	const { floor } = host;

	const traps = create(null);
	traps.construct = () => traps;

	function isConstructor(C) {
		if (typeof C !== "function") return false;
		try {
			new (new P(C, traps))();
			return true;
		} catch (e) {
			return false;
		}
	}

	const method = (o, key) => {
		const f = o[key];
		if (f === undefined || f === null) return undefined;
		if (typeof f !== "function") throw new T("not an iterable: its iterator method is not a function");
		return f;
	};

	const put = (list, i, value) => {
		const d = create(null);
		d.value = value;
		d.writable = d.enumerable = d.configurable = true;
		if (!defineProperty(list, i, d)) throw new T("can't define an element");
	};

	const toLength = (v) => {
		const n = +v;
		return n > 0 ? (n < 2 ** 53 ? floor(n) : 2 ** 53 - 1) : 0;
	};

	// close asks an iterator to end because of a failure, and waits for it. What it throws itself counts for nothing.
	async function close(it, sync) {
		try {
			const end = it.return;
			if (end === undefined || end === null) return;
			const result = apply(end, it, []);
			await (sync ? result.value : result);
		} catch (e) {}
	}

	// next gives the next result. A synchronous iterator whose value is a promise that fails is closed.
	async function next(it, step, sync) {
		const got = apply(step, it, []), result = sync ? got : await got;
		if ((typeof result !== "object" && typeof result !== "function") || result === null) throw new T("the iterator's result is not an object");
		const done = !!result.done;
		if (!sync) return { __proto__: null, done, value: done ? undefined : result.value };
		const value = result.value;
		try {
			return { __proto__: null, done, value: await value };
		} catch (e) {
			if (!done) await close(it, sync);
			throw e;
		}
	}

	// A for await loop is no help: the engine's has the same faults.
	async function fromIterable(C, items, start, sync, map, self) {
		const it = apply(start, items, []);
		if ((typeof it !== "object" && typeof it !== "function") || it === null) throw new T("the iterator is not an object");
		const step = it.next, list = isConstructor(C) ? new C() : [];
		for (let i = 0; ; i++) {
			const { done, value } = await next(it, step, sync);
			if (done) {
				list.length = i;
				return list;
			}
			try {
				put(list, i, map === undefined ? value : await apply(map, self, [value, i]));
			} catch (e) {
				await close(it, sync);
				throw e;
			}
		}
	}

	async function fromArrayLike(C, items, map, self) {
		const o = O(items), length = toLength(o.length);
		const list = isConstructor(C) ? new C(length) : new A(length);
		for (let i = 0; i < length; i++) {
			const value = await o[i];
			put(list, i, map === undefined ? value : await apply(map, self, [value, i]));
		}
		list.length = length;
		return list;
	}

	provide("fromAsync", async function (items, map, self) {
		if (map !== undefined && typeof map !== "function") throw new T("Array.fromAsync: the second argument is not a function");
		let start = method(items, asyncIterator), sync = false;
		if (start === undefined) {
			start = method(items, iterator);
			sync = true;
		}
		return start === undefined ? fromArrayLike(this, items, map, self) : fromIterable(this, items, start, sync, map, self);
	});

	const { BigInt: B, RangeError: R } = host.globals;
	const { asIntN } = host;
	const MAX_BITS = 2 ** 20;  // no number has more
	provide("asUintN", (bits, value) => {
		const given = +bits, n = given === given ? given - given % 1 : 0;
		if (n < 0 || n > 2 ** 53 - 1) throw new R("BigInt.asUintN: invalid number of bits");
		const big = asIntN(2 ** 53 - 1, value);
		return big >= 0n && n >= MAX_BITS ? big : big & ((1n << B(n)) - 1n);
	});

	const { WeakRef: W, then, resolved } = host;
	const kept = create(null);
	let count = 0;
	const forget = () => {
		for (; count > 0; count--) delete kept[count - 1];
	};
	const keep = (target) => {
		if (count === 0) apply(then, resolved, [forget]);
		kept[count++] = target;
		return target;
	};
	const construction = create(null);
	construction.construct = (target, args, as) => {
		const ref = construct(target, args, as);
		keep(args[0]);
		return ref;
	};
	const own = (target, key, value) => {
		const d = create(null);
		d.value = value;
		d.writable = d.configurable = true;
		d.enumerable = false;
		defineProperty(target, key, d);
	};
	const Kept = new P(W, construction), deref = W.prototype.deref;
	own(W.prototype, "constructor", Kept);
	own(W.prototype, "deref", { deref() { return keep(apply(deref, this, [])) } }.deref);
	provide("WeakRef", Kept);
})
