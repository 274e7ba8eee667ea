// What match, matchAll, replace and split do with a regular expression that has the flag v. The engine's own go on by one
// code unit after an empty match, where only the flag u is set by two at a surrogate pair. Loaded when a cell first uses one.
(function (host) {
	"use strict";

	const { provide, exec: engineExec } = host;
	const { apply, defineProperty, setPrototypeOf } = host.reflect;
	const { create } = host.object;
	const { TypeError: T, RegExp: R, String: S } = host.globals;
	const { species, toStringTag } = host.symbols;
	const { floor, uncurry } = host;
	const slice = uncurry(host.text.slice), indexOf = uncurry(host.text.indexOf), codePointAt = uncurry(host.text.codePointAt);
	const charCodeAt = uncurry(host.text.charCodeAt);

	const put = (list, value) => {
		const d = create(null);
		d.value = value;
		d.writable = d.enumerable = d.configurable = true;
		defineProperty(list, list.length, d);
	};

	const toLength = (v) => {
		const n = +v;
		return n > 0 ? (n < 2 ** 53 ? floor(n) : 2 ** 53 - 1) : 0;
	};

	// advance returns the index of what follows a character. All that comes here matches in Unicode unless it lost the flag.
	const advance = (s, i, unicode) => (unicode && i + 1 < s.length && codePointAt(s, i) > 0xffff ? i + 2 : i + 1);
	const isUnicode = (flags) => indexOf(flags, "v") >= 0 || indexOf(flags, "u") >= 0;

	function regexpExec(regexp, s) {
		const exec = regexp.exec;
		if (typeof exec !== "function") return apply(engineExec, regexp, [s]);
		const result = apply(exec, regexp, [s]);
		if (result !== null && typeof result !== "object" && typeof result !== "function") {
			throw new T("RegExp exec method must return an object or null");
		}
		return result;
	}

	function skipEmpty(regexp, s, matched, unicode) {
		if (matched === "") regexp.lastIndex = advance(s, toLength(regexp.lastIndex), unicode);
	}

	function constructorOf(regexp) {
		const C = regexp.constructor;
		if (C === undefined) return R;
		if ((typeof C !== "object" && typeof C !== "function") || C === null) throw new T("not an object");
		return C[species] ?? R;
	}

	function match(text) {
		const s = S_(text), flags = S_(this.flags);
		if (indexOf(flags, "g") < 0) return regexpExec(this, s);
		const unicode = isUnicode(flags), found = [];
		this.lastIndex = 0;
		for (let result; (result = regexpExec(this, s)) !== null;) {
			const matched = S_(result[0]);
			put(found, matched);
			skipEmpty(this, s, matched, unicode);
		}
		return found.length === 0 ? null : found;
	}

	// S_ is ToString: String() would take symbols.
	const S_ = (v) => `${v}`;

	class RegExpStringIterator {
		#regexp;
		#text;
		#global;
		#unicode;
		#done = false;
		constructor(regexp, text, flags) {
			this.#regexp = regexp;
			this.#text = text;
			this.#global = indexOf(flags, "g") >= 0;
			this.#unicode = isUnicode(flags);
		}
		next() {
			if (this.#done) return { value: undefined, done: true };
			const result = regexpExec(this.#regexp, this.#text);
			this.#done = result === null || !this.#global;
			if (result === null) return { value: undefined, done: true };
			if (this.#global) skipEmpty(this.#regexp, this.#text, S_(result[0]), this.#unicode);
			return { value: result, done: false };
		}
	}
	const iterator = RegExpStringIterator.prototype;
	delete iterator.constructor;
	setPrototypeOf(iterator, host.iterator);
	const tag = create(null);
	tag.value = "RegExp String Iterator";
	tag.writable = tag.enumerable = false;
	tag.configurable = true;
	defineProperty(iterator, toStringTag, tag);

	function matchAll(text) {
		const s = S_(text), C = constructorOf(this), flags = S_(this.flags), matcher = new C(this, flags);
		matcher.lastIndex = toLength(this.lastIndex);
		return new RegExpStringIterator(matcher, s, flags);
	}

	const digit = (s, i) => {
		const c = i < s.length ? charCodeAt(s, i) - 48 : -1;
		return c >= 0 && c <= 9 ? c : -1;
	};

	// reference returns what stands for $… at i of a replacement, and how many characters it takes.
	function reference(template, i, at, s, captures, names) {
		const matched = captures[0];
		switch (template[i + 1]) {
		case "$": return ["$", 2];
		case "&": return [matched, 2];
		case "`": return [slice(s, 0, at), 2];
		case "'": return [slice(s, at + matched.length), 2];
		case "<": {
			const to = names === undefined ? -1 : indexOf(template, ">", i);
			if (to < 0) return ["$<", 2];
			const capture = names[slice(template, i + 2, to)];
			return [capture === undefined ? "" : S_(capture), to + 1 - i];
		}
		}
		const one = digit(template, i + 1), two = one < 0 ? -1 : digit(template, i + 2);
		const last = captures.length - 1;
		if (two >= 0 && one * 10 + two >= 1 && one * 10 + two <= last) return [captures[one * 10 + two] ?? "", 3];
		return one >= 1 && one <= last ? [captures[one] ?? "", 2] : ["$", 1];
	}

	function substitute(template, at, s, captures, names) {
		let out = "", from = 0;
		for (let i; (i = indexOf(template, "$", from)) >= 0;) {
			const [text, length] = reference(template, i, at, s, captures, names);
			out += slice(template, from, i) + text;
			from = i + length;
		}
		return out + slice(template, from);
	}

	// replacement returns the position of a match, how long it is, and what is put in its place.
	function replacement(result, s, by, template) {
		const count = toLength(result.length), captures = [], matched = S_(result[0]);
		put(captures, matched);
		const n = +result.index, at = n > 0 ? (n < s.length ? floor(n) : s.length) : 0;
		for (let i = 1; i < count; i++) put(captures, result[i] === undefined ? undefined : S_(result[i]));
		const names = result.groups;
		if (template !== undefined) return [at, matched.length, substitute(template, at, s, captures, names)];
		put(captures, at);
		put(captures, s);
		if (names !== undefined) put(captures, names);
		return [at, matched.length, S_(apply(by, undefined, captures))];
	}

	function replace(text, by) {
		const s = S_(text), template = typeof by === "function" ? undefined : S_(by), flags = S_(this.flags);
		const global = indexOf(flags, "g") >= 0, unicode = isUnicode(flags), results = [];
		if (global) this.lastIndex = 0;
		for (let result; (result = regexpExec(this, s)) !== null;) {
			put(results, result);
			if (!global) break;
			skipEmpty(this, s, S_(result[0]), unicode);
		}
		let out = "", from = 0;
		for (let i = 0; i < results.length; i++) {
			const r = replacement(results[i], s, by, template);
			if (r[0] < from) continue;
			out += slice(s, from, r[0]) + r[2];
			from = r[0] + r[1];
		}
		return out + slice(s, from);
	}

	function split(text, limit) {
		const s = S_(text), C = constructorOf(this), flags = S_(this.flags), unicode = isUnicode(flags);
		const splitter = new C(this, indexOf(flags, "y") < 0 ? flags + "y" : flags), parts = [];
		const max = limit === undefined ? 2 ** 32 - 1 : limit >>> 0;
		if (max === 0) return parts;
		if (s === "") {
			if (regexpExec(splitter, s) === null) put(parts, s);
			return parts;
		}
		let from = 0;
		for (let at = 0; at < s.length;) {
			splitter.lastIndex = at;
			const result = regexpExec(splitter, s);
			const last = result === null ? from : toLength(splitter.lastIndex), end = last < s.length ? last : s.length;
			if (result === null || end === from) {
				at = advance(s, at, unicode);
				continue;
			}
			put(parts, slice(s, from, at));
			if (parts.length === max) return parts;
			from = at = end;
			for (let i = 1, count = toLength(result.length); i < count; i++) {
				put(parts, result[i]);
				if (parts.length === max) return parts;
			}
		}
		put(parts, slice(s, from));
		return parts;
	}

	provide("match", match);
	provide("matchAll", matchAll);
	provide("replace", replace);
	provide("split", split);
})
