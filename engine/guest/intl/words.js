// Intl.RelativeTimeFormat and Intl.ListFormat.
(function (host) {
	"use strict";

	const { intl, uncurry, define } = host;
	const { create } = host.object;
	const { String, RangeError, TypeError, WeakMap } = host.globals;
	const number = intl.need("Number"), { of } = intl.need("Decimal");
	const slice = uncurry(host.text.slice);

	const slots = new WeakMap();
	const slotOf = uncurry(host.weakMap.get), setSlot = uncurry(host.weakMap.set);
	const own = (self, method) => {
		const s = typeof self === "object" && self !== null ? slotOf(slots, self) : undefined;
		if (s === undefined) throw new TypeError("Method " + method + " called on incompatible receiver");
		return s;
	};
	const british = (region) => region !== "" && region !== "US" && region !== "PH" && region !== "AE";
	const part = (list, type, value, unit) => {
		const p = {};
		define(p, "type", type);
		define(p, "value", value);
		if (unit !== undefined) define(p, "unit", unit);
		define(list, list.length, p);
	};

	// ---- relative times

	const names = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
	const short = ["sec", "min", "hr", "day", "wk", "mo", "qtr", "yr"];
	const narrow = ["s", "m", "h", "d", "w", "mo", "q", "y"];

	// unitWord is what stands behind the number, for one or several.
	function unitWord(s, i, one) {
		if (s.style === "long" || i === 3 && (s.style === "short" || s.british)) return " " + names[i] + (one ? "" : "s");
		if (s.style === "narrow" && !s.british) return narrow[i];
		const dot = s.british ? "" : ".";
		return " " + short[i] + (i === 6 && !one && !s.british ? "s" : "") + dot;
	}

	// wordFor is what a language has a word for, such as tomorrow.
	function wordFor(s, i, n) {
		if (i === 3) return n === 0 ? "today" : n < 0 ? "yesterday" : "tomorrow";
		if (i === 0) return n === 0 ? "now" : undefined;
		if (i < 3) return n === 0 ? "this " + names[i] : undefined;
		const name = s.style === "long" ? names[i] : short[i] + (s.british && i !== 6 ? "" : ".");
		return (n === 0 ? "this " : n < 0 ? "last " : "next ") + name;
	}

	function relative(s, method, value, unit) {
		const n = +value;
		let u = String(unit), i = 0;
		if (u[u.length - 1] === "s") u = slice(u, 0, -1);
		while (i < names.length && names[i] !== u) i++;
		if (i === names.length) throw new RangeError("Invalid unit argument for " + method + "() '" + slice(String(unit), 0, 64) + "'");
		if (n - n !== 0) throw new RangeError("Value need to be finite number for " + method + "()");
		const out = [];
		if (s.numeric === "auto" && (n === 0 || n === 1 || n === -1)) {
			const word = wordFor(s, i, n);
			if (word !== undefined) {
				part(out, "literal", word);
				return out;
			}
		}
		const past = n < 0 || (n === 0 && 1 / n < 0);
		const amount = number.partsOf(s.number, past ? -n : n);
		if (!past) part(out, "literal", "in ");
		for (let k = 0; k < amount.length; k++) part(out, amount[k].type, amount[k].value, u);
		const one = number.category(s.plural, of(past ? -n : n)) === "one";
		part(out, "literal", unitWord(s, i, one) + (past ? " ago" : ""));
		return out;
	}

	class RelativeTimeFormat {
		constructor(locales, given) {
			const locale = intl.locale(locales), options = intl.options(given);
			const s = create(null);
			s.locale = locale.tag;
			s.british = british(locale.region);
			s.style = intl.option(options, "style", ["long", "short", "narrow"], "long", "Intl.RelativeTimeFormat");
			s.numeric = intl.option(options, "numeric", ["always", "auto"], "always", "Intl.RelativeTimeFormat");
			s.number = number.read(locale.tag, undefined);
			s.plural = number.plural();
			setSlot(slots, this, s);
		}
		format(value, unit) {
			const method = "Intl.RelativeTimeFormat.prototype.format";
			return number.textOf(relative(own(this, method), method, value, unit));
		}
		formatToParts(value, unit) {
			const method = "Intl.RelativeTimeFormat.prototype.formatToParts";
			return relative(own(this, method), method, value, unit);
		}
		resolvedOptions() {
			const s = own(this, "Intl.RelativeTimeFormat.prototype.resolvedOptions"), out = {};
			define(out, "locale", s.locale);
			define(out, "style", s.style);
			define(out, "numeric", s.numeric);
			define(out, "numberingSystem", "latn");
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(RelativeTimeFormat.prototype, "Intl.RelativeTimeFormat");

	// ---- lists

	// joints are what stands between two elements, between the others, and before the last.
	function joints(s) {
		if (s.type === "unit") return s.style === "narrow" ? [" ", " ", " "] : [", ", ", ", ", "];
		if (s.type === "conjunction" && s.style === "narrow") return [", ", ", ", ", "];
		const word = s.type === "disjunction" ? "or" : s.style === "short" && !s.british ? "&" : "and";
		return [" " + word + " ", ", ", (s.british ? " " : ", ") + word + " "];
	}

	function listed(s, list) {
		const items = [];
		if (list !== undefined) {
			if (list === null || list[host.symbols.iterator] === undefined) {
				throw new TypeError(typeof list + " " + String(list) + " is not iterable (cannot read property Symbol(Symbol.iterator))");
			}
			const iterator = host.apply(list[host.symbols.iterator], list, []);
			const next = iterator.next;
			for (let step; !(step = host.apply(next, iterator, [])).done;) {
				if (typeof step.value !== "string") throw new TypeError("Iterable yielded " + String(step.value) + " which is not a string");
				define(items, items.length, step.value);
			}
		}
		const between = joints(s), two = between[0], middle = between[1], last = between[2];
		const out = [];
		for (let i = 0; i < items.length; i++) {
			if (i > 0) part(out, "literal", items.length === 2 ? two : i === items.length - 1 ? last : middle);
			part(out, "element", items[i]);
		}
		return out;
	}

	class ListFormat {
		constructor(locales, given) {
			const locale = intl.locale(locales), options = intl.options(given);
			const s = create(null);
			s.locale = locale.tag;
			s.british = british(locale.region);
			s.type = intl.option(options, "type", ["conjunction", "disjunction", "unit"], "conjunction", "Intl.ListFormat");
			s.style = intl.option(options, "style", ["long", "short", "narrow"], "long", "Intl.ListFormat");
			setSlot(slots, this, s);
		}
		format(list) {
			return number.textOf(listed(own(this, "Intl.ListFormat.prototype.format"), list));
		}
		formatToParts(list) {
			return listed(own(this, "Intl.ListFormat.prototype.formatToParts"), list);
		}
		resolvedOptions() {
			const s = own(this, "Intl.ListFormat.prototype.resolvedOptions"), out = {};
			define(out, "locale", s.locale);
			define(out, "type", s.type);
			define(out, "style", s.style);
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(ListFormat.prototype, "Intl.ListFormat");

	const words = create(null);
	words.RelativeTimeFormat = RelativeTimeFormat;
	words.ListFormat = ListFormat;
	intl.parts.Words = words;
})
