// Globals that are loaded lazily: those of web.js, clone.js and url.js, and what their code needs of the engine, captured
// before a cell can replace it. The code is loaded into a heap when a cell first touches one of these globals: few cells
// do, and a fresh guest is a copy of the heap, so what is not in the heap need not be copied.
(function (host) {
	"use strict";

	const { load } = host;
	const { apply, defineProperty, getOwnPropertyDescriptor, setPrototypeOf, get } = Reflect;
	const { create, getPrototypeOf } = Object;

	// keep returns a bare object of the members of o that are named.
	const keep = (o, ...names) => {
		const kept = create(null);
		for (const name of names) kept[name] = o[name];
		return kept;
	};
	const getters = (o, ...names) => {
		const kept = create(null);
		for (const name of names) kept[name] = getOwnPropertyDescriptor(o, name).get;
		return kept;
	};

	const anyView = getPrototypeOf(Uint8Array.prototype);
	host.apply = apply;
	host.reflect = keep(Reflect, "apply", "defineProperty", "ownKeys", "getOwnPropertyDescriptor", "setPrototypeOf", "has",
		"get");
	host.object = keep(Object, "create", "getPrototypeOf", "keys");
	host.output = host.text;
	host.text = keep(String.prototype, "indexOf", "lastIndexOf", "slice", "charCodeAt", "codePointAt", "toLowerCase",
		"normalize", "toWellFormed", "toUpperCase", "repeat",
		"trim", "split", "replace");
	host.globals = keep(globalThis, "Object", "String", "TypeError", "RangeError", "RegExp", "Map", "Set", "Date", "ArrayBuffer",
		"DOMException", "DataView", "Array", "Proxy", "BigInt", "WeakMap");
	host.views = keep(globalThis, "Uint8Array", "Int8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array",
		"Int32Array", "Uint32Array", "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array");
	host.errors = keep(globalThis, "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError",
		"URIError");
	host.view = getters(anyView, Symbol.toStringTag, "buffer", "byteOffset", "byteLength", "length");
	host.dataView = getters(DataView.prototype, "buffer", "byteOffset", "byteLength");
	host.map = keep(Map.prototype, "forEach", "set", "get");
	host.set = keep(Set.prototype, "forEach", "add");
	host.weakMap = keep(WeakMap.prototype, "get", "set");
	host.construct = Reflect.construct;
	host.unbox = keep([Boolean, Number, String, BigInt].map((C) => C.prototype.valueOf), 0, 1, 2, 3);
	host.asIntN = BigInt.asIntN;
	host.fromCharCode = String.fromCharCode;
	host.floor = Math.floor;
	host.isArray = Array.isArray;
	if (host.callSite !== undefined) {
		host.callSite = keep(host.callSite, "isNative", "getFileName", "getFunctionName", "getLineNumber", "getColumnNumber");
	}
	host.isView = ArrayBuffer.isView;
	host.sort = Array.prototype.sort;
	host.setBytes = anyView.set;
	host.exec = RegExp.prototype.exec;
	host.getTime = Date.prototype.getTime;
	host.symbolText = Symbol.prototype.toString;
	host.numberText = Number.prototype.toString;
	host.bufferSize = getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
	host.symbols = keep(Symbol, "iterator", "asyncIterator", "toStringTag", "species", "toPrimitive");
	host.iterator = Iterator.prototype;
	host.uncurry = (method) => (self, ...args) => apply(method, self, args);

	const data = (value) => {
		const d = create(null);
		d.value = value;
		d.writable = d.configurable = true;
		d.enumerable = false;
		return d;
	};

	// The values that the sources provide, by name: each is made once, whatever a cell does to the globals.
	const made = create(null);
	host.provide = (name, value) => {
		made[name] = value;
	};

	// lazyGlobal defines a global that is not loaded yet, as an accessor. When it is read, it becomes the value that the
	// source provides; when it is written to, the value that the cell wrote.
	function lazyGlobal(sources, name) {
		const d = create(null);
		d.get = () => {
			for (let i = 0; i < sources.length && made[name] === undefined; i++) load(sources[i], host);
			const now = getOwnPropertyDescriptor(globalThis, name);
			if (now !== undefined && now.get === d.get) defineProperty(globalThis, name, data(made[name]));
			return made[name];
		};
		d.set = (value) => {
			defineProperty(globalThis, name, data(value));
		};
		d.enumerable = false;
		d.configurable = true;
		defineProperty(globalThis, name, d);
	}

	// The sources by index, each after what it needs.
	const WEB = [2], CLONE = [3], URLS = [4, 5, 6];
	for (const name of ["TextEncoder", "TextDecoder", "crypto"]) lazyGlobal(WEB, name);
	for (const name of ["URL", "URLSearchParams"]) lazyGlobal(URLS, name);
	lazyGlobal(CLONE, "structuredClone");
	host.WeakRef = WeakRef;
	host.then = Promise.prototype.then;
	host.resolved = Promise.resolve();
	lazyGlobal([8], "WeakRef");
	// ---- Intl and the methods that are made of it

	// The sources of Intl's parts, and its classes, each with the part that it is in.
	const INTL = 10;
	const intl = create(null);
	host.intl = intl;
	intl.sources = create(null);
	intl.sources.Decimal = INTL + 1;
	intl.sources.Number = INTL + 2;
	intl.sources.Words = INTL + 3;
	intl.classes = [
		["NumberFormat", "Number"], ["PluralRules", "Number"], ["RelativeTimeFormat", "Words"], ["ListFormat", "Words"],
		["Collator", "Collation"], ["Segmenter", "Segmenter"], ["DateTimeFormat", "Date"],
	];
	intl.sources.Collation = INTL + 4;
	intl.sources.Segmenter = INTL + 5;
	intl.sources.DateRegions = INTL + 8;
	intl.sources.DatePattern = INTL + 9;
	intl.sources.DateZone = INTL + 10;
	intl.sources.Date = INTL + 11;
	intl.sources.DateRange = INTL + 12;
	lazyGlobal([INTL], "Intl");

	// lazyMethod replaces a method by one of a part of Intl, which is loaded when the method is first called.
	function lazyMethod(target, name, part, key, length = 0) {
		const method = {
			[name](...args) {
				if (intl.need === undefined) load(INTL, host);
				return apply(intl.need(part)[key], this, args);
			},
		}[name];
		const d = data(length);
		d.writable = false;
		defineProperty(method, "length", d);
		defineProperty(target, name, data(method));
	}
	lazyMethod(Number.prototype, "toLocaleString", "Number", "Number.toLocaleString");
	lazyMethod(BigInt.prototype, "toLocaleString", "Number", "BigInt.toLocaleString");
	lazyMethod(String.prototype, "localeCompare", "Collation", "String.localeCompare", 1);
	lazyMethod(Array.prototype, "toLocaleString", "Lists", "array");
	lazyMethod(anyView, "toLocaleString", "Lists", "view");
	lazyMethod(String.prototype, "toLocaleUpperCase", "Case", "upper");
	lazyMethod(String.prototype, "toLocaleLowerCase", "Case", "lower");
	for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
		lazyMethod(Date.prototype, name, "Date", "Date." + name);
	}
	host.define = (target, key, value) => {
		const d = data(value);
		d.enumerable = true;
		defineProperty(target, key, d);
	};
	host.tag = (target, name) => {
		const d = data(name);
		d.writable = false;
		defineProperty(target, host.symbols.toStringTag, d);
	};

	// What of console few cells use, and what an error is told with.
	const CONSOLE = 16;
	const ofConsole = (name) => {
		if (made.console === undefined) load(CONSOLE, host);
		return made[name];
	};
	host.consoleIsLoaded = () => made.console !== undefined;
	host.consoleCall = (method, args) => ofConsole("console")(method, args);
	host.onReasons((error) => ofConsole("reasons")(error));

	// What builtins.c asks for when a cell first uses it.
	const BUILTINS = [7, 8, 9];
	host.onBuiltin((name) => {
		for (let i = 0; i < BUILTINS.length && made[name] === undefined; i++) load(BUILTINS[i], host);
		return made[name];
	});
	// Old programs read the last match from the constructor: here that would give undefined, without a word.
	const lastMatch = create(null);
	lastMatch.get = lastMatch.set = () => {
		throw new host.globals.TypeError("RegExp.$1, RegExp.lastMatch and the like are not kept: use what exec() or match() returns");
	};
	lastMatch.enumerable = false;
	lastMatch.configurable = true;
	for (const name of ["input", "$_", "lastMatch", "$&", "lastParen", "$+", "leftContext", "$`", "rightContext", "$'"]) {
		defineProperty(RegExp, name, lastMatch);
	}
	for (let i = 1; i <= 9; i++) defineProperty(RegExp, "$" + i, lastMatch);
	host.needWeb = () => {
		if (host.webReady === undefined) load(2, host);
	};

	// Promises have a prototype of ours behind their own, so that it is noticed when somebody reads a property of one
	// that only the value has. What promises do have is found before, so that whoever waits for them pays nothing.
	const PROMISES = 17;
	const promises = () => {
		if (host.promises === undefined) load(PROMISES, host);
		return host.promises;
	};
	host.Proxy = Proxy;
	host.promisePrototype = Promise.prototype;
	const traps = create(null);
	traps.get = (target, key, receiver) => {
		promises().noticed(key, receiver);
		return get(target, key, receiver);
	};
	setPrototypeOf(Promise.prototype, new Proxy(create(Object.prototype), traps));
	host.onPromises((promise, stack) => promises().answered(promise, stack), (failed) => promises().finished(failed));
})
