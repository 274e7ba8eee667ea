// Intl: the object, its parts, and which locale a call is for. English is the only language: another one is printed as
// English, and the model is told (HINT_LOCALE).
//
// The parts are sources of their own, loaded when they are first touched. A part gives an object to intl.parts under its
// name: its class, and the methods of other objects that are made of it. host.row reads constants that are in no heap.
(function (host) {
	"use strict";

	const { intl, load, notice, install, uncurry } = host;
	const { create } = host.object;
	const { defineProperty } = host.reflect;
	const { Object, String, TypeError, RangeError } = host.globals;
	const text = host.text;
	const slice = uncurry(text.slice), lower = uncurry(text.toLowerCase), exec = uncurry(host.exec);

	const HINT_LOCALE = 16;
	const ENGLISH = "en-US";

	intl.parts = create(null);
	intl.need = (part) => {
		if (intl.parts[part] === undefined) load(intl.sources[part], host);
		return intl.parts[part];
	};

	// ---- locale tags (BCP 47 as Unicode restricts it)

	const upper = uncurry(text.toUpperCase);
	const title = (s) => upper(s[0]) + slice(s, 1);
	const tagForm = new host.globals.RegExp("^([a-z]{2,3}|[a-z]{5,8})(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?" +
		"((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)((?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*)(?:-x(?:-[a-z0-9]{1,8})+)?$");

	// The parts of a tag in their canonical case, undefined if it is none.
	intl.parse = (tag) => {
		const m = tag.length > 255 ? null : exec(tagForm, lower(tag));
		if (m === null) return undefined;
		const parsed = create(null);
		parsed.language = m[1];
		parsed.script = m[2] === undefined ? "" : title(m[2]);
		parsed.region = m[3] === undefined ? "" : upper(m[3]);
		parsed.variants = m[4];
		parsed.extensions = m[5];
		parsed.tag = m[1] + (parsed.script && "-" + parsed.script) + (parsed.region && "-" + parsed.region) + m[4] + m[5];
		return parsed;
	};

	// Keywords of the extension u, such as nu, hc, ca, kn, co, kf.
	intl.keywords = (parsed) => {
		const found = create(null);
		const at = exec(keywordsForm, parsed.extensions);
		if (at === null) return found;
		let key = "";
		for (let rest = at[1], m; (m = exec(partForm, rest)) !== null; rest = slice(rest, m[0].length)) {
			if (m[1].length === 2) found[(key = m[1])] = "";
			else if (key !== "") found[key] += (found[key] && "-") + m[1];
		}
		return found;
	};
	const keywordsForm = new host.globals.RegExp("-u((?:-[a-z0-9]{2,8})+)");
	const partForm = new host.globals.RegExp("^-([a-z0-9]{2,8})");

	// canonicalList is what a locales argument asks for, as parsed tags without repetitions.
	intl.list = (locales) => {
		const list = [];
		let n = 0;
		const add = (value) => {
			if (typeof value !== "string" && (typeof value !== "object" || value === null)) throw new TypeError("Language ID should be string or object.");
			const tag = String(value);
			const parsed = intl.parse(tag);
			if (parsed === undefined) throw new RangeError("Incorrect locale information provided");
			for (let i = 0; i < n; i++) if (list[i].tag === parsed.tag) return;
			host.define(list, n++, parsed);
		};
		if (locales === undefined) return list;
		if (typeof locales === "string") {
			add(locales);
			return list;
		}
		if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
		const from = Object(locales);
		const length = from.length >>> 0;
		if (length > 1000) throw new RangeError("Too many locales");
		for (let i = 0; i < length; i++) if (i in from) add(from[i]);
		return list;
	};

	const regions = "-US-GB-AU-CA-IN-NZ-IE-ZA-SG-HK-PH-NG-KE-IL-MT-BZ-JM-TT-ZW-BW-PK-MY-AE-AT-BE-CH-DE-DK-FI-NL-SE-SI-CY-001-150-";
	const textIndex = uncurry(text.indexOf);

	// locale is what a locales argument comes to: {tag, region, keywords}. The first tag decides, as it does where every
	// language is known.
	intl.locale = (locales) => {
		const list = intl.list(locales);
		const resolved = create(null);
		const first = list[0];
		resolved.keywords = first === undefined ? create(null) : intl.keywords(first);
		if (first !== undefined && first.language !== "en") notice(HINT_LOCALE);
		if (first === undefined || first.language !== "en") {
			resolved.tag = ENGLISH;
			resolved.region = "US";
			return resolved;
		}
		const known = first.region !== "" && textIndex(regions, "-" + first.region + "-") >= 0;
		resolved.region = known ? first.region : "";
		resolved.tag = known ? "en-" + first.region : "en";
		return resolved;
	};

	// otherwise tells the model that what it asked for is written as in English.
	intl.otherwise = () => notice(HINT_LOCALE);

	intl.supportedLocalesOf = (locales) => {
		const list = intl.list(locales), out = [];
		for (let i = 0, n = 0; i < list.length; i++) if (list[i].language === "en") host.define(out, n++, list[i].tag);
		return out;
	};

	// ---- upper and lower case

	// A few languages have letters of their own for a case: what is written as in English there, the model is told.
	const caseMethod = (name, change, special) => function (locales) {
		if (this === undefined || this === null) throw new TypeError("String.prototype." + name + " called on null or undefined");
		const value = String(this), list = intl.list(locales);
		if (list.length > 0 && textIndex(special, "-" + list[0].language + "-") >= 0) notice(HINT_LOCALE);
		return change(value);
	};
	intl.parts.Case = create(null);
	intl.parts.Case.upper = caseMethod("toLocaleUpperCase", upper, "-tr-az-lt-el-hy-");
	intl.parts.Case.lower = caseMethod("toLocaleLowerCase", lower, "-tr-az-lt-");

	// ---- lists

	// The lists that are being written, innermost first: one that is in itself is written as nothing there.
	let writing;

	function listText(list, length, locales, options) {
		for (let w = writing; w !== undefined; w = w.outer) if (w.list === list) return "";
		const here = create(null);
		here.list = list;
		here.outer = writing;
		writing = here;
		try {
			let out = "";
			for (let i = 0; i < length; i++) {
				if (i > 0) out += ",";
				const element = list[i];
				if (element !== undefined && element !== null) out += String(joinable(element.toLocaleString(locales, options)));
			}
			return out;
		} finally {
			writing = here.outer;
		}
	}
	// String() would describe a symbol, which has no text.
	const joinable = (value) => {
		if (typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
		return value;
	};
	const lengthOf = (list) => {
		const n = +list.length;
		return n > 0 ? host.floor(n < MAX_LENGTH ? n : MAX_LENGTH) : 0;
	};
	const MAX_LENGTH = 2 ** 53 - 1;

	intl.parts.Lists = create(null);
	intl.parts.Lists.array = function (locales, options) {
		if (this === undefined || this === null) throw new TypeError("Cannot convert undefined or null to object");
		const list = Object(this);
		return listText(list, lengthOf(list), locales, options);
	};
	intl.parts.Lists.view = function (locales, options) {
		return listText(this, host.apply(host.view.length, this, []), locales, options);
	};

	// ---- classes and values

	// callable makes a class that may be called without new, as Intl's older ones may.
	host.callable = (C) => {
		const F = {
			[C.name]: function (...args) {
				return host.construct(C, args, new.target === undefined ? F : new.target);
			},
		}[C.name];
		const d = create(null);
		d.value = C.prototype;
		defineProperty(F, "prototype", d);
		install("constructor", F, C.prototype);
		install("supportedLocalesOf", C.supportedLocalesOf, F);
		return F;
	};

	// primitive is what an object is as a number: a number, a big integer or a text.
	host.primitive = (value) => {
		const isObject = (v) => typeof v === "function" || (typeof v === "object" && v !== null);
		const exotic = value[host.symbols.toPrimitive];
		if (exotic !== undefined && exotic !== null) {
			const made = host.apply(exotic, value, ["number"]);
			if (!isObject(made)) return made;
		} else {
			for (const name of ["valueOf", "toString"]) {
				const method = value[name];
				const made = typeof method === "function" ? host.apply(method, value, []) : value;
				if (!isObject(made)) return made;
			}
		}
		throw new TypeError("Cannot convert object to primitive value");
	};

	// ---- options

	// option reads one option as text and holds it against the values that it may have.
	intl.option = (options, name, values, otherwise, service = "Intl") => {
		const given = options[name];
		if (given === undefined) return otherwise;
		const value = String(given);
		for (let i = 0; values !== undefined && i < values.length; i++) if (values[i] === value) return value;
		if (values === undefined) return value;
		throw new RangeError("Value " + slice(value, 0, 64) + " out of range for " + service + " options property " + name);
	};
	intl.numberOption = (options, name, least, most, otherwise) => {
		const given = options[name];
		if (given === undefined) return otherwise;
		const n = +given;
		if (!(n >= least && n <= most)) throw new RangeError(name + " value is out of range.");
		return host.floor(n);
	};
	intl.options = (given) => {
		if (given === undefined) return create(null);
		if (given === null) throw new TypeError("Cannot convert undefined or null to object");
		return Object(given);
	};

	// ---- the object

	const Intl = {};
	host.tag(Intl, "Intl");
	install("getCanonicalLocales", {
		getCanonicalLocales(locales) {
			const list = intl.list(locales), out = [];
			for (let i = 0; i < list.length; i++) host.define(out, i, list[i].tag);
			return out;
		},
	}.getCanonicalLocales, Intl);
	// Parts that are there, each with the class of the same name.
	for (let i = 0; i < intl.classes.length; i++) {
		const name = intl.classes[i][0], part = intl.classes[i][1];
		const d = create(null);
		d.get = () => {
			const value = intl.need(part)[name];
			install(name, value, Intl);
			return value;
		};
		d.set = (value) => install(name, value, Intl);
		d.enumerable = false;
		d.configurable = true;
		defineProperty(Intl, name, d);
	}
	host.provide("Intl", Intl);
})
