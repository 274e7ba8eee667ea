// Iterator helpers: the engine's own fail when they end early and what they stand on has no method return, as the iterators
// of arrays, maps and sets, and their return gives what that gave. Generators are faster, too. Loaded when a cell first uses
// one.
(function (host) {
	"use strict";

	const { provide, floor } = host;
	const { apply, defineProperty, setPrototypeOf, getOwnPropertyDescriptor, has } = host.reflect;
	const { create, getPrototypeOf } = host.object;
	const { TypeError: T, RangeError: R } = host.globals;
	const { iterator, toStringTag } = host.symbols;

	const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

	function close(it) {
		const end = it.return;
		if (end === undefined || end === null) return;
		if (!isObject(apply(end, it, []))) throw new T("the result of an iterator's return is not an object");
	}

	// closeAfter closes an iterator because of a failure, which is the one to be told.
	function closeAfter(it, e) {
		try {
			const end = it.return;
			if (end !== undefined && end !== null) apply(end, it, []);
		} catch (ignored) {}
		return e;
	}

	// stepped returns what a for-of loop steps through: the iterator itself, or, where its method next is an accessor, an
	// object that has the method as it is now: it is to be read once.
	function stepped(it) {
		const next = it.next;
		for (let o = it; o !== null; o = getPrototypeOf(o)) {
			const d = getOwnPropertyDescriptor(o, "next");
			if (d !== undefined && has(d, "value")) return it;
			if (d !== undefined) break;
		}
		return {
			__proto__: null,
			next: () => apply(next, it, []),
			return: () => {
				close(it);
				return create(null);
			},
		};
	}

	// source makes an iterator what a for-of loop takes, which steps through it and closes it as the language says.
	function source(it) {
		const iterable = create(null);
		iterable[iterator] = () => it;
		return iterable;
	}

	// A helper is a generator that was taken to its first yield, so that a return from then on closes what it stands on.
	function* mapping(it, f) {
		let begun = false, i = 0;
		try {
			yield;
			begun = true;
			for (const value of source(it)) yield f(value, i++);
		} finally {
			if (!begun) close(it);
		}
	}

	function* filtering(it, f) {
		let begun = false, i = 0;
		try {
			yield;
			begun = true;
			for (const value of source(it)) if (f(value, i++)) yield value;
		} finally {
			if (!begun) close(it);
		}
	}

	function* taking(it, n) {
		let begun = false;
		try {
			yield;
			if (n === 0) return;
			begun = true;
			for (const value of source(it)) {
				yield value;
				if (--n === 0) return;
			}
		} finally {
			if (!begun) close(it);
		}
	}

	function* dropping(it, n) {
		let begun = false;
		try {
			yield;
			begun = true;
			for (const value of source(it)) {
				if (n > 0) n--;
				else yield value;
			}
		} finally {
			if (!begun) close(it);
		}
	}

	// inner makes what a function or an iterable gave what a for-of loop takes.
	function inner(iterable, method) {
		const it = method === undefined || method === null ? iterable : apply(method, iterable, []);
		if (!isObject(it)) throw new T("an iterator is not an object");
		return source(it);
	}

	function* flattening(it, f) {
		let begun = false, i = 0;
		try {
			yield;
			begun = true;
			for (const value of source(it)) {
				const iterable = f(value, i++);
				if (!isObject(iterable)) throw new T("what flatMap's function returns is not an object");
				for (const v of inner(iterable, iterable[iterator])) yield v;
			}
		} finally {
			if (!begun) close(it);
		}
	}

	function* joining(items) {
		yield;
		for (let i = 0; i < items.length; i += 2) {
			for (const value of inner(items[i], items[i + 1])) yield value;
		}
	}

	const generator = getPrototypeOf(mapping.prototype), generatorNext = generator.next, generatorReturn = generator.return;
	const prototype = create(host.iterator);
	const method = (name, f) => {
		const d = create(null);
		d.value = f;
		d.writable = d.configurable = true;
		d.enumerable = false;
		defineProperty(prototype, name, d);
	};
	method("next", generatorNext);
	method("return", { return() { return apply(generatorReturn, this, []) } }.return);
	const helper = (steps) => {
		setPrototypeOf(steps, prototype);
		apply(generatorNext, steps, []);
		return steps;
	};
	const tag = create(null);
	tag.value = "Iterator Helper";
	tag.writable = tag.enumerable = false;
	tag.configurable = true;
	defineProperty(prototype, toStringTag, tag);

	function receiver(it) {
		if (!isObject(it)) throw new T("not an iterator");
		return it;
	}

	const withFunction = (steps) => function (f) {
		receiver(this);
		if (typeof f !== "function") throw closeAfter(this, new T("not a function"));
		return helper(steps(stepped(this), f));
	};

	function toLimit(it, limit) {
		let n;
		try {
			n = +limit;
		} catch (e) {
			throw closeAfter(it, e);
		}
		if (n !== n || n <= -1) throw closeAfter(it, new R("the limit must be a positive number"));
		return n >= 1 ? floor(n) : 0;
	}

	const withLimit = (steps) => function (limit) {
		const n = toLimit(receiver(this), limit);
		return helper(steps(stepped(this), n));
	};

	provide("map", withFunction(mapping));
	provide("filter", withFunction(filtering));
	provide("flatMap", withFunction(flattening));
	provide("take", withLimit(taking));
	provide("drop", withLimit(dropping));
	provide("concat", function (...items) {
		const list = create(null);
		list.length = 0;
		for (let i = 0; i < items.length; i++) {
			const method = receiver(items[i])[iterator];
			if (typeof method !== "function") throw new T("Iterator.concat: an argument is not iterable");
			list[list.length++] = items[i];
			list[list.length++] = method;
		}
		return helper(joining(list));
	});
})
