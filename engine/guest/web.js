// The small parts of the web platform that a cell may expect (contract D10): text encoding, random ids. And what the
// other sources that are loaded late share.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what lazy.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	const { uncurry, provide, random, floor, fromCharCode, isView, views } = host;
	const { defineProperty, ownKeys, getOwnPropertyDescriptor, setPrototypeOf } = host.reflect;
	const { create } = host.object;
	const { TypeError: T, RangeError: R, String: String_ } = host.globals;
	const Bytes = views.Uint8Array;
	const charCodeAt = uncurry(host.text.charCodeAt);
	const indexOf = uncurry(host.text.indexOf);
	const slice = uncurry(host.text.slice);
	const lower = uncurry(host.text.toLowerCase);
	const viewTag = uncurry(host.view[host.symbols.toStringTag]);
	const viewBuffer = uncurry(host.view.buffer);
	const viewOffset = uncurry(host.view.byteOffset);
	const viewSize = uncurry(host.view.byteLength);
	const setBytes = uncurry(host.setBytes);
	const dataViewBuffer = uncurry(host.dataView.buffer);
	const dataViewOffset = uncurry(host.dataView.byteOffset);
	const dataViewSize = uncurry(host.dataView.byteLength);
	const bufferSize = uncurry(host.bufferSize);

	// A list without a prototype: a setter that a cell puts on Array.prototype is not run by list[list.length] = x.
	function emptyList() {
		const list = [];
		setPrototypeOf(list, null);
		return list;
	}
	host.emptyList = emptyList;

	// The text of a value. A template literal would call String.prototype.concat, which a cell may have replaced.
	function toText(v) {
		if (typeof v === "symbol") throw new T("a symbol can't be made a string");
		return String_(v);
	}
	host.toText = toText;

	function define(target, key, value, enumerable) {
		const d = create(null);
		d.value = value;
		d.enumerable = enumerable;
		d.writable = d.configurable = true;
		defineProperty(target, key, d);
	}
	host.define = define;

	// publish provides a class. As elsewhere its members are enumerable and its tag can't be written to.
	function publish(name, C) {
		const keys = ownKeys(C.prototype);
		for (let i = 0; i < keys.length; i++) {
			const d = getOwnPropertyDescriptor(C.prototype, keys[i]);
			setPrototypeOf(d, null);
			d.enumerable = keys[i] !== "constructor";
			defineProperty(C.prototype, keys[i], d);
		}
		const tag = create(null);
		tag.value = name;
		tag.configurable = true;
		defineProperty(C.prototype, host.symbols.toStringTag, tag);
		provide(name, C);
	}
	host.publish = publish;

	// ---- TextEncoder, TextDecoder

	// codeAt returns the code point at a position; a lone surrogate counts as U+FFFD.
	function codeAt(s, i) {
		const c = charCodeAt(s, i);
		if (c < 0xd800 || c > 0xdfff) return c;
		const low = c < 0xdc00 && i + 1 < s.length ? charCodeAt(s, i + 1) : 0;
		return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
	}

	const width = (c) => (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);

	// put writes a code point at a position and returns the next position.
	function put(out, n, c) {
		if (c < 0x80) {
			out[n] = c;
			return n + 1;
		}
		const size = width(c);
		out[n] = (c < 0x800 ? 0xc0 : c < 0x10000 ? 0xe0 : 0xf0) | (c >> (6 * (size - 1)));
		for (let k = 1; k < size; k++) out[n + k] = 0x80 | ((c >> (6 * (size - 1 - k))) & 63);
		return n + size;
	}

	// utf8 returns a string's bytes. They are counted first: cutting an array to size would ask its constructor.
	function utf8(s) {
		let size = 0;
		for (let i = 0; i < s.length; i++) {
			const c = codeAt(s, i);
			if (c > 0xffff) i++;
			size += width(c);
		}
		const out = new Bytes(size);
		for (let i = 0, n = 0; n < size; i++) {
			const c = codeAt(s, i);
			if (c > 0xffff) i++;
			n = put(out, n, c);
		}
		return out;
	}
	host.utf8 = utf8;

	// How many bytes follow a first one, -1 if it is none.
	function following(first) {
		if (first >= 0xc2 && first <= 0xdf) return 1;
		if (first >= 0xe0 && first <= 0xef) return 2;
		return first >= 0xf0 && first <= 0xf4 ? 3 : -1;
	}

	// Whether a byte may be the second of a sequence, given the first: rules out surrogates and overlong forms.
	function secondFits(first, second) {
		if (first === 0xe0) return second >= 0xa0;
		if (first === 0xed) return second < 0xa0;
		if (first === 0xf0) return second >= 0x90;
		if (first === 0xf4) return second < 0x90;
		return true;
	}

	// sequenceAt reads one sequence at a position: how many bytes it has, and its code point, -1 if it is none, -2 if it is
	// one as far as it goes but the bytes end.
	function sequenceAt(bytes, i, to, result) {
		const first = bytes[i];
		const more = following(first);
		result.size = 1;
		result.code = more < 0 ? -1 : first & (0x3f >> more);
		while (result.size <= more) {
			const next = bytes[i + result.size];
			if (i + result.size >= to) result.code = -2;
			else if ((next & 0xc0) !== 0x80 || (result.size === 1 && !secondFits(first, next))) result.code = -1;
			if (result.code < 0) return;
			result.code = (result.code << 6) | (next & 63);
			result.size++;
		}
	}

	// decodeText decodes bytes[from … to). What is no UTF-8 becomes U+FFFD for each maximal wrong part, or an error if
	// fatal. A sequence that is cut off by the end is left for rest, if that is given.
	function decodeText(bytes, from, to, fatal, rest) {
		const at = create(null);
		let s = "";
		for (let i = from; i < to; i += at.size) {
			if (bytes[i] < 0x80) {
				at.size = 1;
				s += fromCharCode(bytes[i]);
				continue;
			}
			sequenceAt(bytes, i, to, at);
			const c = at.code;
			if (c === -2 && rest !== undefined) {
				for (let k = 0; k < at.size; k++) rest[k] = bytes[i + k];
				rest.length = at.size;
			} else if (c < 0) {
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

	// bytesOf returns a view of the bytes of a buffer or a view, asking nothing that a cell can replace.
	function bytesOf(data) {
		if (data === undefined) return new Bytes(0);
		if (!isView(data)) {
			bufferSize(data); // throws for what is no ArrayBuffer
			return new Bytes(data);
		}
		const dataView = viewTag(data) === undefined;
		return new Bytes(
			(dataView ? dataViewBuffer : viewBuffer)(data),
			(dataView ? dataViewOffset : viewOffset)(data),
			(dataView ? dataViewSize : viewSize)(data),
		);
	}

	publish("TextEncoder", class TextEncoder {
		get encoding() {
			return "utf-8";
		}
		encode(input = "") {
			return utf8(toText(input));
		}
		encodeInto(source, destination) {
			const s = toText(source);
			if (viewTag(destination) !== "Uint8Array") throw new T("encodeInto needs a Uint8Array to write to");
			const size = viewSize(destination);
			let read = 0;
			let written = 0;
			while (read < s.length) {
				const c = codeAt(s, read);
				if (written + width(c) > size) break;
				written = put(destination, written, c);
				read += c > 0xffff ? 2 : 1;
			}
			return { read, written };
		}
	});

	// trimmed takes ASCII white space off both ends.
	function trimmed(s) {
		let from = 0;
		let to = s.length;
		while (from < to && indexOf("\t\n\f\r ", s[from]) >= 0) from++;
		while (to > from && indexOf("\t\n\f\r ", s[to - 1]) >= 0) to--;
		return slice(s, from, to);
	}

	function dictionary(options) {
		if (options !== undefined && typeof options !== "object" && typeof options !== "function") {
			throw new T("options must be an object");
		}
		return options;
	}

	const LABELS = " utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 ";

	publish("TextDecoder", class TextDecoder {
		#fatal;
		#ignoreBOM;
		#rest = emptyList(); // of a stream: the bytes of a sequence that has not ended
		#begun = false; // a stream is past its byte order mark
		constructor(label = "utf-8", options = undefined) {
			const name = lower(trimmed(toText(label)));
			if (indexOf(name, " ") >= 0 || indexOf(LABELS, " " + name + " ") < 0) {
				throw new R("only utf-8 can be decoded here, not " + name);
			}
			dictionary(options);
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
		decode(data = undefined, options = undefined) {
			dictionary(options);
			const stream = !!(options && options.stream);
			const rest = this.#rest;
			let bytes = bytesOf(data);
			if (rest.length > 0) bytes = joined(rest, bytes);
			rest.length = 0;
			let s;
			try {
				s = decodeText(bytes, 0, viewSize(bytes), this.#fatal, stream ? rest : undefined);
			} catch (e) {
				this.#begun = false;
				throw e;
			}
			const bom = !this.#begun && !this.#ignoreBOM && s[0] === "\ufeff";
			this.#begun = stream && (this.#begun || s !== "");
			return bom ? slice(s, 1) : s;
		}
	});

	function joined(rest, bytes) {
		const size = viewSize(bytes);
		const all = new Bytes(rest.length + size);
		for (let i = 0; i < rest.length; i++) all[i] = rest[i];
		setBytes(all, bytes, rest.length);
		return all;
	}

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
		const bytes = bytesOf(view);
		const size = viewSize(bytes);
		if (size > 65536) throw new R("getRandomValues fills at most 65536 bytes");
		for (let i = 0; i < size; i++) bytes[i] = floor(random() * 256);
		return view;
	}

	const crypto = create(null);
	define(crypto, "randomUUID", randomUUID, true);
	define(crypto, "getRandomValues", getRandomValues, true);
	provide("crypto", crypto);
	host.webReady = true;
})
