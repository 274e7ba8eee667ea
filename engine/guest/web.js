// The small parts of the web platform that a cell may expect (contract D10): text encoding, structured clone,
// random ids. URLs are in url.js.
(function (host) {
	"use strict";

	const { install, random } = host;
	const { apply, defineProperty, ownKeys, getOwnPropertyDescriptor } = Reflect;
	const uncurry = (method) => (self, ...args) => apply(method, self, args);
	const { create, getPrototypeOf } = Object;
	const T = TypeError;
	const R = RangeError;
	const Bytes = Uint8Array;
	const copyOf = uncurry(Bytes.prototype.slice);
	const String_ = String;
	const fromCharCode = String.fromCharCode;
	const charCodeAt = uncurry(String.prototype.charCodeAt);
	const floor = Math.floor;
	const isView = ArrayBuffer.isView;

	// ---- TextEncoder, TextDecoder

	// utf8 returns a string's bytes; a lone surrogate becomes U+FFFD.
	function utf8(s) {
		const out = new Bytes(s.length * 3);
		let n = 0;
		for (let i = 0; i < s.length; i++) {
			let c = charCodeAt(s, i);
			if (c >= 0xd800 && c <= 0xdfff) {
				const low = c < 0xdc00 && i + 1 < s.length ? charCodeAt(s, i + 1) : 0;
				if (low >= 0xdc00 && low <= 0xdfff) {
					c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
					i++;
				} else {
					c = 0xfffd;
				}
			}
			if (c < 0x80) {
				out[n++] = c;
				continue;
			}
			if (c < 0x800) {
				out[n++] = 0xc0 | (c >> 6);
			} else {
				if (c < 0x10000) {
					out[n++] = 0xe0 | (c >> 12);
				} else {
					out[n++] = 0xf0 | (c >> 18);
					out[n++] = 0x80 | ((c >> 12) & 63);
				}
				out[n++] = 0x80 | ((c >> 6) & 63);
			}
			out[n++] = 0x80 | (c & 63);
		}
		return copyOf(out, 0, n);
	}
	host.utf8 = utf8;

	// The least code point of a sequence, by how many bytes follow the first: anything less is overlong.
	const LEAST = [0, 0x80, 0x800, 0x10000];

	function sequence(first) {
		if (first >= 0xc2 && first <= 0xdf) return [1, first & 31];
		if (first >= 0xe0 && first <= 0xef) return [2, first & 15];
		if (first >= 0xf0 && first <= 0xf4) return [3, first & 7];
		return [0, -1];
	}

	// Whether a byte may be the second of a sequence, given the first: rules out surrogates and overlong forms.
	function secondFits(first, second) {
		if (first === 0xe0) return second >= 0xa0;
		if (first === 0xed) return second < 0xa0;
		if (first === 0xf0) return second >= 0x90;
		if (first === 0xf4) return second < 0x90;
		return true;
	}

	// text decodes bytes; what is no UTF-8 becomes U+FFFD for each maximal wrong part, or an error if fatal.
	function decodeText(bytes, fatal) {
		let s = "";
		let i = 0;
		while (i < bytes.length) {
			const first = bytes[i++];
			if (first < 0x80) {
				s += fromCharCode(first);
				continue;
			}
			const head = sequence(first);
			const more = head[0];
			let c = head[1];
			let seen = 0;
			while (c >= 0 && seen < more && i < bytes.length && (bytes[i] & 0xc0) === 0x80) {
				if (seen === 0 && !secondFits(first, bytes[i])) break;
				c = (c << 6) | (bytes[i++] & 63);
				seen++;
			}
			if (c < 0 || seen < more || c < LEAST[more]) {
				if (fatal) throw new T("the data is not valid UTF-8");
				s += "\ufffd";
			} else if (c < 0x10000) {
				s += fromCharCode(c);
			} else {
				s += fromCharCode(0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
			}
		}
		return s;
	}
	host.decodeText = decodeText;

	function bytesOf(data) {
		if (data === undefined) return new Bytes(0);
		if (isView(data)) return new Bytes(data.buffer, data.byteOffset, data.byteLength);
		return new Bytes(data);
	}

	const subarray = uncurry(Bytes.prototype.subarray);

	install("TextEncoder", class TextEncoder {
		get encoding() {
			return "utf-8";
		}
		encode(input = "") {
			return utf8(String_(input));
		}
	});

	install("TextDecoder", class TextDecoder {
		#fatal;
		#ignoreBOM;
		constructor(label = "utf-8", options = undefined) {
			const name = String_(label);
			if (name !== "utf-8" && name !== "utf8" && name !== "UTF-8" && name !== "unicode-1-1-utf-8") {
				throw new R("only utf-8 can be decoded here, not " + name);
			}
			this.#fatal = !!(options && options.fatal);
			this.#ignoreBOM = !!(options && options.ignoreBOM);
		}
		get encoding() {
			return "utf-8";
		}
		get fatal() {
			return this.#fatal;
		}
		get ignoreBOM() {
			return this.#ignoreBOM;
		}
		decode(data) {
			let bytes = bytesOf(data);
			if (!this.#ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
				bytes = subarray(bytes, 3);
			}
			return decodeText(bytes, this.#fatal);
		}
	});

	// ---- structuredClone

	const mapForEach = uncurry(Map.prototype.forEach);
	const mapSet = uncurry(Map.prototype.set);
	const mapGet = uncurry(Map.prototype.get);
	const mapHas = uncurry(Map.prototype.has);
	const setForEach = uncurry(Set.prototype.forEach);
	const setAdd = uncurry(Set.prototype.add);
	const M = Map;
	const S = Set;
	const D = Date;
	const RE = RegExp;
	const B = ArrayBuffer;
	const getTime = uncurry(Date.prototype.getTime);
	const bufferSlice = uncurry(ArrayBuffer.prototype.slice);
	const tagOf = uncurry(Object.prototype.toString);
	const { isError } = host;
	const isArray = Array.isArray;
	const errors = create(null);
	for (const C of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) errors[C.name] = C;
	const views = create(null);
	for (const C of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
		Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView]) views[C.name] = C;
	const source = uncurry(getOwnPropertyDescriptor(RegExp.prototype, "source").get);
	const flags = uncurry(getOwnPropertyDescriptor(RegExp.prototype, "flags").get);
	const viewTag = uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
	const DataError = DOMException;

	const refuse = (what) => {
		throw new DataError(what + " could not be cloned.", "DataCloneError");
	};

	const attempt = (read, v) => {
		try {
			return read(v);
		} catch {
			return undefined;
		}
	};

	function cloneView(v, seen) {
		const name = viewTag(v) || "DataView";
		const buffer = clone(v.buffer, seen);
		return new views[name](buffer, v.byteOffset, name === "DataView" ? v.byteLength : v.length);
	}

	function cloneError(v) {
		const name = String_(v.name);
		const C = errors[name] || errors.Error;
		const copy = new C(String_(v.message));
		install("stack", v.stack, copy);
		return copy;
	}

	function cloneMembers(v, copy, seen) {
		const keys = ownKeys(v);
		for (let i = 0; i < keys.length; i++) {
			if (typeof keys[i] !== "string") continue;
			const d = getOwnPropertyDescriptor(v, keys[i]);
			if (d === undefined || !d.enumerable) continue;
			const own = create(null);
			own.value = clone(v[keys[i]], seen);
			own.writable = own.enumerable = own.configurable = true;
			defineProperty(copy, keys[i], own);
		}
		return copy;
	}

	function remember(seen, v, copy) {
		mapSet(seen, v, copy);
		return copy;
	}

	function cloneObject(v, seen) {
		if (isArray(v)) {
			const copy = remember(seen, v, []);
			copy.length = v.length;
			return cloneMembers(v, copy, seen);
		}
		const time = attempt(getTime, v);
		if (time !== undefined) return remember(seen, v, new D(time));
		if (attempt((x) => mapHas(x, 0), v) !== undefined) {
			const copy = remember(seen, v, new M());
			mapForEach(v, (value, key) => mapSet(copy, clone(key, seen), clone(value, seen)));
			return copy;
		}
		if (attempt((x) => setForEach(x, () => {}) === undefined, v)) {
			const copy = remember(seen, v, new S());
			setForEach(v, (value) => setAdd(copy, clone(value, seen)));
			return copy;
		}
		if (isView(v)) return remember(seen, v, cloneView(v, seen));
		const bytes = attempt((x) => bufferSlice(x, 0), v);
		if (bytes !== undefined) return remember(seen, v, bytes);
		if (isError(v)) return remember(seen, v, cloneError(v));
		const tag = tagOf(v);
		if (tag === "[object RegExp]") return remember(seen, v, new RE(source(v), flags(v)));
		if (tag === "[object Number]" || tag === "[object String]" || tag === "[object Boolean]") {
			return remember(seen, v, Object_(v.valueOf()));
		}
		if (tag === "[object Promise]" || tag === "[object WeakMap]" || tag === "[object WeakSet]") refuse(tag);
		return cloneMembers(v, remember(seen, v, {}), seen);
	}
	const Object_ = Object;

	function clone(v, seen) {
		if (typeof v === "function") refuse("a function");
		if (typeof v === "symbol") refuse("a symbol");
		if (typeof v !== "object" || v === null) return v;
		return mapHas(seen, v) ? mapGet(seen, v) : cloneObject(v, seen);
	}

	install("structuredClone", function structuredClone(value) {
		return clone(value, new M());
	});

	// ---- crypto

	const HEX = "0123456789abcdef";

	function randomUUID() {
		let s = "";
		for (let i = 0; i < 36; i++) {
			if (i === 8 || i === 13 || i === 18 || i === 23) s += "-";
			else if (i === 14) s += "4";
			else if (i === 19) s += HEX[8 + floor(random() * 4)];
			else s += HEX[floor(random() * 16)];
		}
		return s;
	}

	function getRandomValues(view) {
		if (!isView(view)) throw new T("getRandomValues needs a typed array");
		if (view.byteLength > 65536) throw new R("getRandomValues fills at most 65536 bytes");
		const bytes = bytesOf(view);
		for (let i = 0; i < bytes.length; i++) bytes[i] = floor(random() * 256);
		return view;
	}

	const crypto = create(null);
	install("randomUUID", randomUUID, crypto);
	install("getRandomValues", getRandomValues, crypto);
	install("crypto", crypto);
})
