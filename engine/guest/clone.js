// structuredClone (contract D10), as the HTML standard has it. Nothing is transferred.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what lazy.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	host.needWeb();
	const { uncurry, toText, provide, define, emptyList, isArray, isError, classOf, errors, views } = host;
	const { ownKeys, getOwnPropertyDescriptor, has } = host.reflect;
	const { create } = host.object;
	const { Object: Object_, TypeError: T, RegExp: RE, Map: M, Set: S, Date: D, ArrayBuffer: B, DOMException: DataError,
		DataView: View } = host.globals;
	const Bytes = views.Uint8Array;
	const viewBuffer = uncurry(host.view.buffer);
	const viewOffset = uncurry(host.view.byteOffset);
	const viewLength = uncurry(host.view.length);
	const setBytes = uncurry(host.setBytes);
	const dataViewBuffer = uncurry(host.dataView.buffer);
	const dataViewOffset = uncurry(host.dataView.byteOffset);
	const dataViewSize = uncurry(host.dataView.byteLength);
	const bufferSize = uncurry(host.bufferSize);
	const mapForEach = uncurry(host.map.forEach);
	const mapSet = uncurry(host.map.set);
	const mapGet = uncurry(host.map.get);
	const setForEach = uncurry(host.set.forEach);
	const setAdd = uncurry(host.set.add);
	const getTime = uncurry(host.getTime);
	const symbolText = uncurry(host.symbolText);

	const refuse = (what) => {
		throw new DataError(what + " could not be cloned.", "DataCloneError");
	};

	function remember(seen, v, copy) {
		mapSet(seen, v, copy);
		return copy;
	}

	// How to copy an object, by its class: what a cell puts on an object or a prototype does not change its class.
	const copiers = create(null);
	const copier = (example, copy) => {
		copiers[classOf(example)] = copy;
	};

	function cloneMembers(v, copy, seen) {
		const keys = ownKeys(v);
		for (let i = 0; i < keys.length; i++) {
			if (typeof keys[i] !== "string") continue;
			const d = getOwnPropertyDescriptor(v, keys[i]);
			if (d !== undefined && d.enumerable) define(copy, keys[i], clone(v[keys[i]], seen), true);
		}
		return copy;
	}

	copier({}, (v, seen) => cloneMembers(v, remember(seen, v, {}), seen));
	copier((function () {
		return arguments;
	})(), copiers[classOf({})]);
	copier([], (v, seen) => {
		const copy = remember(seen, v, []);
		copy.length = v.length;
		return cloneMembers(v, copy, seen);
	});

	// The entries are listed first: a getter that runs while they are cloned may change the map.
	copier(new M(), (v, seen) => {
		const copy = remember(seen, v, new M());
		const entries = emptyList();
		mapForEach(v, (value, key) => {
			entries[entries.length] = key;
			entries[entries.length] = value;
		});
		for (let i = 0; i < entries.length; i += 2) mapSet(copy, clone(entries[i], seen), clone(entries[i + 1], seen));
		return copy;
	});
	copier(new S(), (v, seen) => {
		const copy = remember(seen, v, new S());
		const members = emptyList();
		setForEach(v, (value) => {
			members[members.length] = value;
		});
		for (let i = 0; i < members.length; i++) setAdd(copy, clone(members[i], seen));
		return copy;
	});

	copier(new D(), (v, seen) => remember(seen, v, new D(getTime(v))));
	copier(new RE(""), (v, seen) => remember(seen, v, new RE(v)));
	const boxed = [Object_(true), Object_(0), Object_(""), Object_(0n)];
	for (let i = 0; i < 4; i++) {
		const unbox = uncurry(host.unbox[i]);
		copier(boxed[i], (v, seen) => remember(seen, v, Object_(unbox(v))));
	}

	copier(new B(0), (v, seen) => {
		const copy = new B(bufferSize(v));
		setBytes(new Bytes(copy), new Bytes(v), 0);
		return remember(seen, v, copy);
	});
	for (let names = ownKeys(views), i = 0; i < names.length; i++) {
		const V = views[names[i]];
		copier(new V(0), (v, seen) => {
			const buffer = clone(viewBuffer(v), seen);
			return remember(seen, v, new V(buffer, viewOffset(v), viewLength(v)));
		});
	}
	copier(new View(new B(0)), (v, seen) => {
		const buffer = clone(dataViewBuffer(v), seen);
		return remember(seen, v, new View(buffer, dataViewOffset(v), dataViewSize(v)));
	});

	function cloneError(v, seen) {
		const name = toText(v.name);
		const message = getOwnPropertyDescriptor(v, "message");
		const C = errors[name] || errors.Error;
		const copy = remember(seen, v, new C());
		if (message !== undefined && has(message, "value")) define(copy, "message", toText(message.value), false);
		const cause = getOwnPropertyDescriptor(v, "cause");
		if (cause !== undefined) define(copy, "cause", clone(v.cause, seen), false);
		define(copy, "stack", v.stack, false);
		return copy;
	}

	function clone(v, seen) {
		if (typeof v === "function") refuse("a function");
		if (typeof v === "symbol") refuse(symbolText(v));
		if (typeof v !== "object" || v === null) return v;
		const known = mapGet(seen, v);
		if (known !== undefined) return known;
		if (isError(v)) return cloneError(v, seen);
		const copy = copiers[classOf(v)];
		if (copy === undefined) refuse("an object of this kind");
		return copy(v, seen);
	}

	provide("structuredClone", function structuredClone(value, options) {
		if (arguments.length < 1) throw new T("structuredClone needs a value");
		const transfer = options && options.transfer;
		if (transfer !== undefined && !(isArray(transfer) && transfer.length === 0)) {
			refuse("transferred objects stay where they are here: leave out options.transfer; the value");
		}
		return clone(value, new M());
	});
})
