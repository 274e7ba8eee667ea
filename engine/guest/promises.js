// Promises that a cell uses as if they were their values, because an await is missing: what is known of such uses is
// told to the host when the cell's own promise has settled, and the host words it. Loaded when there is something to
// note: a property was read that no promise has, or a call was answered and nobody waited for it.
(function (host) {
	"use strict";

	const { misuse, promiseState, promiseValue, callStack } = host;
	const { getOwnPropertyDescriptor, setPrototypeOf, has, get } = host.reflect;
	const { create, getPrototypeOf } = host.object;
	const { Object: Object_ } = host.globals;
	const { Error: E } = host.errors;
	const { iterator, asyncIterator, toPrimitive } = host.symbols;
	const PromisePrototype = host.promisePrototype;

	const TOUCHED = 1, UNAWAITED = 2;
	const MAX_TOUCHED = 16, MAX_UNAWAITED = 64;
	const FULFILLED = 1;

	// Lists without a prototype: what a cell puts on Array.prototype or Object.prototype changes nothing here.
	const touched = create(null), unawaited = create(null);
	let touches = 0, unawaiteds = 0;

	// These take the promise for its text or its JSON, so what came of it is wrong whatever happens to it later.
	const converts = (key) => key === "toJSON" || key === "@@toPrimitive" || key === "toString" || key === "valueOf";

	// Of what Object.prototype has, these say nothing about the value.
	const general = create(null);
	general.hasOwnProperty = general.isPrototypeOf = general.propertyIsEnumerable = general.__proto__ = general.__defineGetter__ =
		general.__defineSetter__ = general.__lookupGetter__ = general.__lookupSetter__ = true;

	const nameOf = (key) => {
		if (typeof key === "string") return general[key] ? undefined : key;
		if (key === toPrimitive) return "@@toPrimitive";
		return key === iterator || key === asyncIterator ? "@@iterator" : undefined;
	};

	function alreadyNoted(promise, key) {
		for (let i = 0; i < touches; i++) {
			const t = touched[i];
			if (t.promise === promise && (t.key === key || (converts(key) && converts(t.key)))) return true;
		}
		return false;
	}

	// A promise that is watched has this as its prototype until somebody waits for it: await and all of Promise's own
	// functions ask for the constructor or for then.
	const traps = create(null);
	traps.get = (target, key, receiver) => {
		if (key === "then" || key === "constructor") awaited(receiver);
		return get(target, key, receiver);
	};
	const watching = new host.Proxy(create(PromisePrototype), traps);
	const isWatched = (promise) => getPrototypeOf(promise) === watching;

	function watch(promise) {
		if (getPrototypeOf(promise) === PromisePrototype) setPrototypeOf(promise, watching);
	}

	function awaited(promise) {
		let known = host.watchAll && promiseState(promise) >= 0;
		for (let i = 0; i < touches; i++) {
			if (touched[i].promise === promise) known = touched[i].awaited = true;
		}
		for (let i = 0; i < unawaiteds; i++) {
			if (unawaited[i].promise !== promise) continue;
			known = true;
			unawaited[i--] = unawaited[--unawaiteds];
		}
		if (known && isWatched(promise)) setPrototypeOf(promise, PromisePrototype);
	}

	function isUnawaited(promise) {
		for (let i = 0; i < unawaiteds; i++) if (unawaited[i].promise === promise) return unawaited[i].stack;
		return undefined;
	}

	// noticed is told that a property was read that promises don't have.
	function noticed(key, promise) {
		if (touches === MAX_TOUCHED || promiseState(promise) < 0) return;
		const name = nameOf(key);
		if (name === undefined || alreadyNoted(promise, name)) return;
		const t = create(null);
		t.promise = promise;
		t.key = name;
		t.use = new E().stack;
		t.call = callStack(promise) ?? isUnawaited(promise);
		t.awaited = false;
		touched[touches++] = t;
		watch(promise);
	}

	// answered is told of a call that was answered while nobody waited for it.
	function answered(promise, stack) {
		if (unawaiteds === MAX_UNAWAITED) return;
		const u = create(null);
		u.promise = promise;
		u.stack = stack;
		unawaited[unawaiteds++] = u;
		watch(promise);
	}

	// isMistake says whether what was read of the promise would have been something else of its value. Who only looks
	// what kind of thing there is, and waits for it then, makes none.
	function isMistake(t, failed) {
		if (getOwnPropertyDescriptor(t.promise, t.key) !== undefined) return false;
		if (t.key === "@@iterator") return failed;
		if (converts(t.key)) return true;
		if (promiseState(t.promise) !== FULFILLED || isUnawaited(t.promise) !== undefined) return !t.awaited;
		const value = promiseValue(t.promise);
		try {
			return value !== undefined && value !== null && has(Object_(value), t.key);
		} catch (e) {
			return false;
		}
	}

	// finished tells the host of everything that is left, once the cell's promise has settled.
	function finished(failed) {
		const n = touches, all = unawaiteds;
		for (let i = 0; i < n; i++) {
			const t = touched[i];
			if (isMistake(t, failed)) misuse(TOUCHED, t.key, t.use, t.call);
		}
		for (let i = 0; i < all; i++) misuse(UNAWAITED, "", "", unawaited[i].stack);
		touches = unawaiteds = 0;
	}

	host.promises = create(null);
	host.promises.noticed = noticed;
	host.promises.answered = answered;
	host.promises.finished = finished;
	host.promises.watch = watch;
	host.promises.isWatched = isWatched;
})
