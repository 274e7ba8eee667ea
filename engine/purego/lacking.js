// Globals that this version of the engine lacks, as far as they need nothing of the runtime. Run before any cell.
(function () {
	"use strict";

	const E = Error;
	const { apply, defineProperty } = Reflect;
	const { create } = Object;
	const String_ = String;
	const uncurry = (f) => (self, ...args) => apply(f, self, args);
	const indexOf = uncurry(String.prototype.indexOf), slice = uncurry(String.prototype.slice);
	const install = (name, f) => {
		const d = create(null);
		d.value = f;
		d.writable = d.configurable = true;
		d.enumerable = false;
		defineProperty(globalThis, name, d);
	};

	// What disposes of things when a block ends: the syntax is TypeScript's alone here, which is lowered to these.
	for (const name of ["dispose", "asyncDispose"]) {
		const d = create(null);
		d.value = Symbol("Symbol." + name);
		d.writable = d.enumerable = d.configurable = false;
		if (Symbol[name] === undefined) defineProperty(Symbol, name, d);
	}

	install("DOMException", class DOMException extends E {
		constructor(message = "", name = "Error") {
			super(message);
			const d = create(null);
			d.value = `${name}`;
			d.writable = d.configurable = true;
			d.enumerable = false;
			defineProperty(this, "name", d);
		}
	});
	const Exception = globalThis.DOMException;

	const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const charCodeAt = uncurry(String.prototype.charCodeAt), fromCharCode = String.fromCharCode;
	const invalid = (message) => new Exception(message, "InvalidCharacterError");
	install("btoa", (text) => {
		const s = String_(text);
		let out = "";
		for (let i = 0; i < s.length; i += 3) {
			let bits = 0, n = 0;
			for (; n < 3 && i + n < s.length; n++) {
				const c = charCodeAt(s, i + n);
				if (c > 255) throw invalid("String contains an invalid character");
				bits |= c << (16 - 8 * n);
			}
			for (let k = 0; k < 4; k++) out += k <= n ? ALPHABET[(bits >> (18 - 6 * k)) & 63] : "=";
		}
		return out;
	});
	install("atob", (text) => {
		const s = String_(text);
		let data = "";
		for (let i = 0; i < s.length; i++) if (indexOf(" \t\n\f\r", s[i]) < 0) data += s[i];
		if (data.length % 4 === 0) data = data[data.length - 1] === "=" ? slice(data, 0, data[data.length - 2] === "=" ? -2 : -1) : data;
		if (data.length % 4 === 1) throw invalid("The string to be decoded is not correctly encoded.");
		let out = "", bits = 0, have = 0;
		for (let i = 0; i < data.length; i++) {
			const v = indexOf(ALPHABET, data[i]);
			if (v < 0) throw invalid("The string to be decoded is not correctly encoded.");
			bits = ((bits << 6) | v) & 0xffff;
			have += 6;
			if (have >= 8) out += fromCharCode((bits >> (have -= 8)) & 255);
		}
		return out;
	});
})()
