// Intl.NumberFormat and Intl.PluralRules, and what Number and BigInt print for a locale. Currencies and units are rows of
// tables.
(function (host) {
	"use strict";

	const { intl, uncurry, install } = host;
	const { create } = host.object;
	const { String, RangeError, TypeError, RegExp } = host.globals;
	const slice = uncurry(host.text.slice), indexOf = uncurry(host.text.indexOf), split = uncurry(host.text.split);
	const upper = uncurry(host.text.toUpperCase), exec = uncurry(host.exec), replace = uncurry(host.text.replace);
	const { of, apply, settings, shift } = intl.need("Decimal");
	const unboxNumber = uncurry(host.unbox[1]), unboxBigInt = uncurry(host.unbox[3]);
	const define = host.define;

	const CURRENCIES = 0, UNITS = 1;
	const NBSP = "\u00a0";
	const SERVICE = "Intl.NumberFormat";
	const letter = new RegExp("[A-Za-z]$");
	const currencyForm = new RegExp("^[A-Z]{3}$");

	// ---- what differs between the regions of English

	// The column of a currency's row where its symbol is; undefined where codes are shown for all currencies but their own.
	const symbolColumn = (region) => (region === "" || region === "US" || region === "PH" || region === "AE" ? 1 : 2);
	const ownSymbol = create(null);
	ownSymbol.AU = "AUD";
	ownSymbol.CA = "CAD";
	ownSymbol.NZ = "NZD";

	const british = (region) => region !== "" && region !== "US" && region !== "PH" && region !== "AE" && region !== "CA";

	// ---- patterns

	// compactOf gives the power of ten that is left out at a magnitude, and what is written for it.
	function compactOf(magnitude, long, region) {
		const indian = region === "IN";
		const powers = indian ? [3, 5, 7, 10, 12] : [3, 6, 9, 12];
		let i = powers.length - 1;
		if (indian && long) {
			const longPowers = [3, 5, 7, 12];
			i = 3;
			while (i >= 0 && magnitude < longPowers[i]) i--;
			return i < 0 ? [0, ""] : [longPowers[i], [" thousand", "\u202flakh", "\u202fcrore", "\u202flakh\u202fcrore"][i]];
		}
		while (i >= 0 && magnitude < powers[i]) i--;
		if (i < 0) return [0, ""];
		if (long) return [powers[i], [" thousand", " million", " billion", " trillion"][i]];
		if (indian) return [powers[i], ["K", "L", "Cr", "KCr", "LCr"][i]];
		return [powers[i], (region === "GB" ? ["k", "m", "bn", "tn"] : ["K", "M", "B", "T"])[i]];
	}

	// Words are written for powers of ten where they are asked for; beside a currency's sign or code letters are.
	const inWords = (s) => s.compactDisplay === "long" && (s.style !== "currency" || s.currencyDisplay === "name");

	// exponentFor is the power of ten that a notation leaves out at a magnitude.
	function exponentFor(s, magnitude) {
		if (s.notation === "scientific") return magnitude;
		if (s.notation === "engineering") return host.floor(magnitude / 3) * 3;
		if (s.notation === "compact") return compactOf(magnitude, inWords(s), s.region)[0];
		return 0;
	}

	// ---- a number as parts

	function parts() {
		const list = [];
		return {
			list,
			add(type, value) {
				const p = create(null);
				p.type = type;
				p.value = value;
				define(list, list.length, p);
			},
		};
	}

	const textOf = (list) => {
		let out = "";
		for (let i = 0; i < list.length; i++) out += list[i].value;
		return out;
	};

	function addInteger(out, s, digits) {
		const many = s.useGrouping === "min2" ? digits.length >= 5 : digits.length >= 4;
		if (s.useGrouping === false || !many) return out.add("integer", digits);
		const groups = [];
		let end = digits.length, size = 3, n = 0;
		while (end > 0) {
			const from = end - size > 0 ? end - size : 0;
			define(groups, n++, slice(digits, from, end));
			end = from;
			if (s.region === "IN" && (s.currencySign !== "accounting" || s.currencyDisplay === "name")) size = 2;
		}
		while (n-- > 0) {
			out.add("integer", groups[n]);
			if (n > 0) out.add("group", s.region === "ZA" ? NBSP : ",");
		}
	}

	const one = new RegExp("^0*1$");

	// plain is the number itself, without sign, currency or unit. It also says what a plural depends on.
	function plain(s, d, out) {
		const state = create(null);
		state.negative = d.negative;
		state.zero = false;
		state.one = false;
		if (s.style === "percent" && d.special === undefined) d = shift(d, 2);
		if (d.special !== undefined) {
			out.add(d.special, d.special === "nan" ? "NaN" : "∞");
			state.nan = d.special === "nan";
			state.special = true;
			if (state.nan) state.negative = false;
			return state;
		}
		let exponent = 0;
		let laid;
		if (s.notation === "standard") laid = apply(d, s);
		else {
			const magnitude = d.digits === "" ? 0 : d.point - 1;
			exponent = d.digits === "" ? 0 : exponentFor(s, magnitude);
			laid = apply(shift(d, -exponent), s);
			if (!laid.zero && laid.magnitude !== magnitude - exponent) {
				exponent = exponentFor(s, magnitude + 1);
				laid = apply(shift(d, -exponent), s);
			}
		}
		state.zero = laid.zero;
		state.one = exec(one, laid.integer) !== null && laid.fraction === "" && exponent === 0;
		addInteger(out, s, laid.integer);
		if (laid.fraction !== "") {
			out.add("decimal", s.region === "ZA" ? "," : ".");
			out.add("fraction", laid.fraction);
		}
		if (s.notation === "scientific" || s.notation === "engineering") {
			out.add("exponentSeparator", s.region === "AU" ? "e" : "E");
			if (exponent < 0) out.add("exponentMinusSign", "-");
			out.add("exponentInteger", String(exponent < 0 ? -exponent : exponent));
		} else if (exponent > 0) {
			const word = compactOf(exponent, inWords(s), s.region)[1];
			const spaced = word[0] === " " || word[0] === "\u202f";
			if (spaced) out.add("literal", word[0]);
			out.add("compact", spaced ? slice(word, 1) : word);
		}
		return state;
	}

	// signOf is "-", "+" or "".
	function signOf(s, state) {
		const unsigned = state.zero || state.nan;
		switch (s.signDisplay) {
		case "never": return "";
		case "always": return state.negative ? "-" : "+";
		case "exceptZero": return unsigned ? "" : state.negative ? "-" : "+";
		case "negative": return state.negative && !unsigned ? "-" : "";
		}
		return state.negative ? "-" : "";
	}

	const copy = (out, list) => {
		for (let i = 0; i < list.length; i++) out.add(list[i].type, list[i].value);
	};

	// partsOf formats a number that was read.
	function partsOf(s, d, about) {
		const number = parts();
		const state = plain(s, d, number);
		const sign = signOf(s, state);
		const out = parts();
		const brackets = sign === "-" && s.style === "currency" && s.currencySign === "accounting" && s.currencyDisplay !== "name";
		if (about) out.add("approximatelySign", "~");
		if (brackets) out.add("literal", "(");
		else if (sign !== "") out.add(sign === "-" ? "minusSign" : "plusSign", sign);
		if (s.style === "currency" && s.currencyDisplay !== "name") {
			out.add("currency", s.symbol);
			if (!state.special && exec(letter, s.symbol) !== null) out.add("literal", NBSP);
			copy(out, number.list);
		} else if (s.style === "currency") {
			copy(out, number.list);
			out.add("literal", " ");
			out.add("currency", state.one ? s.singular : s.plural);
		} else if (s.style === "unit") addUnit(out, s.pattern[state.one ? 0 : 1], number.list);
		else {
			copy(out, number.list);
			if (s.style === "percent") out.add(s.notation === "compact" ? "unit" : "percentSign", "%");
		}
		if (brackets) out.add("literal", ")");
		return out.list;
	}

	// addUnit puts a number into a pattern such as "{0} km".
	function addUnit(out, pattern, list) {
		copy(out, list);
		const unit = slice(pattern, 3);
		if (unit[0] === " ") out.add("literal", " ");
		out.add("unit", unit[0] === " " ? slice(unit, 1) : unit);
	}

	// ---- units

	// unitPatterns are the patterns of a unit for one and for more.
	function unitPatterns(unit, display, region) {
		const column = display === "narrow" ? 1 : display === "long" ? 2 : 0;
		const row = (name) => {
			const own = british(region) ? host.row(UNITS, name + "@GB") : undefined;
			const found = own ?? host.row(UNITS, name);
			return found === undefined ? undefined : split(found, ";");
		};
		const two = (cell) => {
			const both = split(cell, "|");
			return both.length === 1 ? [both[0], both[0]] : both;
		};
		const whole = row(unit);
		if (whole !== undefined && whole[column] !== "") return two(whole[column]);
		const at = indexOf(unit, "-per-");
		const above = at < 0 ? undefined : row(slice(unit, 0, at)), below = at < 0 ? undefined : row(slice(unit, at + 5));
		if (above === undefined || below === undefined || above.length < 4 || below.length < 4) return undefined;
		const p = two(above[column]), per = column === 2 ? " per " + slice(two(below[2])[0], 4) : split(below[3], "|")[column];
		return [p[0] + per, p[1] + per];
	}

	// ---- the class

	// The state of a formatter lies where no cell reaches it.
	const slots = new host.globals.WeakMap();
	const slotOf = uncurry(host.weakMap.get), setSlot = uncurry(host.weakMap.set);
	const own = (self, method) => {
		const s = typeof self === "object" && self !== null ? slotOf(slots, self) : undefined;
		if (s === undefined) throw new TypeError("Method " + method + " called on incompatible receiver " + (typeof self === "object" ? "object" : String(self)));
		return s;
	};

	function read(locales, given) {
		const locale = intl.locale(locales);
		const options = intl.options(given);
		const s = create(null);
		s.locale = locale.tag;
		s.region = locale.region;
		const numbering = intl.option(options, "numberingSystem", undefined, undefined, SERVICE);
		if (numbering !== undefined && exec(numberingForm, numbering) === null) throw new RangeError("Invalid numberingSystem : " + slice(numbering, 0, 64));
		s.style = intl.option(options, "style", ["decimal", "percent", "currency", "unit"], "decimal", SERVICE);
		const currency = intl.option(options, "currency", undefined, undefined, SERVICE);
		if (currency === undefined && s.style === "currency") throw new TypeError("Currency code is required with currency style.");
		const code = currency === undefined ? undefined : upper(currency);
		if (code !== undefined && exec(currencyForm, code) === null) throw new RangeError("Invalid currency code : " + slice(currency, 0, 64));
		const currencyDisplay = intl.option(options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol", SERVICE);
		const currencySign = intl.option(options, "currencySign", ["standard", "accounting"], "standard", SERVICE);
		const unit = intl.option(options, "unit", undefined, undefined, SERVICE);
		const unitDisplay = intl.option(options, "unitDisplay", ["short", "narrow", "long"], "short", SERVICE);
		if (unit === undefined && s.style === "unit") throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
		if (unit !== undefined) {
			s.pattern = unitPatterns(unit, unitDisplay, s.region);
			if (s.pattern === undefined) throw new RangeError("Invalid unit argument for Intl.NumberFormat() '" + slice(unit, 0, 64) + "'");
		}
		let least = 0, most = s.style === "percent" ? 0 : 3;
		if (s.style === "currency") {
			s.currency = code;
			s.currencyDisplay = currencyDisplay;
			s.currencySign = currencySign;
			least = most = readCurrency(s, code);
		}
		if (s.style === "unit") {
			s.unit = unit;
			s.unitDisplay = unitDisplay;
		}
		s.notation = intl.option(options, "notation", ["standard", "scientific", "engineering", "compact"], "standard", SERVICE);
		const digits = settings(options, SERVICE, least, most, s.notation);
		for (let keys = host.reflect.ownKeys(digits), i = 0; i < keys.length; i++) s[keys[i]] = digits[keys[i]];
		const compactDisplay = intl.option(options, "compactDisplay", ["short", "long"], "short", SERVICE);
		if (s.notation === "compact") s.compactDisplay = compactDisplay;
		s.useGrouping = readGrouping(options.useGrouping, s.notation === "compact" ? "min2" : "auto");
		s.signDisplay = intl.option(options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto", SERVICE);
		return s;
	}
	const numberingForm = new RegExp("^[a-zA-Z0-9]{3,8}(?:-[a-zA-Z0-9]{3,8})*$");

	function readGrouping(value, otherwise) {
		if (value === undefined) return otherwise;
		if (value === true) return "always";
		if (!value) return false;
		const text = String(value);
		if (text === "true" || text === "false") return otherwise;
		if (text === "min2" || text === "auto" || text === "always") return text;
		throw new RangeError("Value " + slice(text, 0, 64) + " out of range for Intl.NumberFormat options property useGrouping");
	}

	// readCurrency finds how a currency is written, and returns its usual digits behind the point.
	function readCurrency(s, code) {
		const row = host.row(CURRENCIES, code);
		const cells = row === undefined ? ["2", code, code, code, code, code] : split(row, "|");
		s.singular = cells[4];
		s.plural = cells[5];
		s.symbol = s.region === "AU" ? code : cells[symbolColumn(s.region)];
		if (s.region === "IN" && code === "USD") s.symbol = "$";
		if (s.region === "MT" && code === "GBP") s.symbol = "GB£";
		if (ownSymbol[s.region] === code) s.symbol = "$";
		if (s.currencyDisplay === "narrowSymbol") s.symbol = cells[3];
		if (s.currencyDisplay === "code") s.symbol = code;
		return +cells[0];
	}

	class NumberFormat {
		constructor(locales, options) {
			setSlot(slots, this, read(locales, options));
		}
		get format() {
			const s = own(this, "get Intl.NumberFormat.prototype.format");
			if (s.bound === undefined) s.bound = (value) => textOf(partsOf(s, of(value), false));
			return s.bound;
		}
		formatToParts(value) {
			return shown(partsOf(own(this, "Intl.NumberFormat.prototype.formatToParts"), of(value), false));
		}
		formatRange(start, end) {
			return textOf(range(own(this, "Intl.NumberFormat.prototype.formatRange"), start, end));
		}
		formatRangeToParts(start, end) {
			return shown(range(own(this, "Intl.NumberFormat.prototype.formatRangeToParts"), start, end));
		}
		resolvedOptions() {
			const s = own(this, "Intl.NumberFormat.prototype.resolvedOptions");
			const out = {};
			define(out, "locale", s.locale);
			define(out, "numberingSystem", "latn");
			const names = ["style", "currency", "currencyDisplay", "currencySign", "unit", "unitDisplay", "minimumIntegerDigits",
				"minimumSignificantDigits", "maximumSignificantDigits", "minimumFractionDigits", "maximumFractionDigits", "useGrouping",
				"notation", "compactDisplay", "signDisplay", "roundingMode", "roundingIncrement", "trailingZeroDisplay", "roundingPriority"];
			for (let i = 0; i < names.length; i++) if (s[names[i]] !== undefined) define(out, names[i], s[names[i]]);
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(NumberFormat.prototype, "Intl.NumberFormat");

	// shown makes ordinary objects of parts, for a cell.
	function shown(list) {
		const out = [];
		for (let i = 0; i < list.length; i++) {
			const p = {};
			define(p, "type", list[i].type);
			define(p, "value", list[i].value);
			if (list[i].source !== undefined) define(p, "source", list[i].source);
			define(out, i, p);
		}
		return out;
	}

	// range joins two numbers. What both have in common at the outside, a unit or a name, is written once.
	function range(s, start, end) {
		if (start === undefined || end === undefined) throw new TypeError("start or end is undefined");
		const a = of(start), b = of(end);
		if (a.special === "nan" || b.special === "nan") throw new RangeError("Invalid number value");
		const from = partsOf(s, a, false), to = partsOf(s, b, false);
		const mark = (list, source) => {
			for (let i = 0; i < list.length; i++) list[i].source = source;
			return list;
		};
		if (textOf(from) === textOf(to)) return mark(partsOf(s, a, true), "shared");
		const out = parts();
		let shared = 0;
		if (s.style === "unit" || (s.style === "currency" && s.currencyDisplay === "name")) {
			shared = to[to.length - 2].type === "literal" ? 2 : 1;
		}
		copy(out, mark(from, "startRange"));
		out.list.length -= shared;
		mark(out.list, "startRange");
		// Without spaces only between digits.
		const digits = (p) => p.type === "integer" || p.type === "fraction" || p.type === "exponentInteger";
		const tight = digits(from[0]) && digits(out.list[out.list.length - 1]) && digits(to[0]);
		out.add("literal", tight ? "–" : " – ");
		out.list[out.list.length - 1].source = "shared";
		for (let i = 0; i < to.length; i++) {
			out.add(to[i].type, to[i].value);
			out.list[out.list.length - 1].source = i < to.length - shared ? "endRange" : "shared";
		}
		return out.list;
	}

	// ---- plurals

	class PluralRules {
		constructor(locales, given) {
			const locale = intl.locale(locales), options = intl.options(given);
			const s = create(null);
			s.locale = locale.tag;
			s.type = intl.option(options, "type", ["cardinal", "ordinal"], "cardinal", "Intl.PluralRules");
			s.notation = "standard";
			const digits = settings(options, "Intl.PluralRules", 0, 3, "standard");
			for (let keys = host.reflect.ownKeys(digits), i = 0; i < keys.length; i++) s[keys[i]] = digits[keys[i]];
			setSlot(slots, this, s);
		}
		select(value) {
			return category(own(this, "Intl.PluralRules.prototype.select"), of(+value));
		}
		selectRange(start, end) {
			const s = own(this, "Intl.PluralRules.prototype.selectRange");
			if (start === undefined || end === undefined) throw new TypeError("start or end is undefined");
			const a = of(+start), b = of(+end);
			if (a.special === "nan" || b.special === "nan") throw new RangeError("Invalid number value");
			return s.type === "ordinal" ? category(s, b) : "other";
		}
		resolvedOptions() {
			const s = own(this, "Intl.PluralRules.prototype.resolvedOptions");
			const out = {};
			const names = ["locale", "type", "minimumIntegerDigits", "minimumFractionDigits", "maximumFractionDigits",
				"minimumSignificantDigits", "maximumSignificantDigits"];
			for (let i = 0; i < names.length; i++) if (s[names[i]] !== undefined) define(out, names[i], s[names[i]]);
			define(out, "pluralCategories", s.type === "ordinal" ? ["few", "one", "two", "other"] : ["one", "other"]);
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(PluralRules.prototype, "Intl.PluralRules");

	function category(s, d) {
		if (d.special !== undefined) return "other";
		const laid = apply(d, s);
		if (s.type === "cardinal") return laid.integer === "1" && laid.fraction === "" ? "one" : "other";
		if (laid.fraction !== "") return "other";
		const last = laid.integer[laid.integer.length - 1], teen = laid.integer[laid.integer.length - 2] === "1";
		return teen ? "other" : last === "1" ? "one" : last === "2" ? "two" : last === "3" ? "few" : "other";
	}

	const part = create(null);
	part.NumberFormat = host.callable(NumberFormat);
	part.PluralRules = PluralRules;
	part.format = (locales, options, value) => textOf(partsOf(read(locales, options), value, false));
	part["Number.toLocaleString"] = {
		toLocaleString(locales, options) {
			return part.format(locales, options, of(unboxNumber(this)));
		},
	}.toLocaleString;
	part["BigInt.toLocaleString"] = {
		toLocaleString(locales, options) {
			return part.format(locales, options, of(unboxBigInt(this)));
		},
	}.toLocaleString;
	part.partsOf = (s, value) => partsOf(s, of(value), false);
	part.read = read;
	part.textOf = textOf;
	part.category = category;
	// plural are the rules for a plain number.
	part.plural = () => {
		const s = settings(create(null), "Intl.PluralRules", 0, 3, "standard");
		s.type = "cardinal";
		return s;
	};
	intl.parts.Number = part;
})
