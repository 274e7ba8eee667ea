// Intl.DateTimeFormat, and what Date prints for a locale. The calendar is the Gregorian one, also before its time; the zone
// is UTC if none is named.
(function (host) {
	"use strict";

	const { intl, uncurry, floor, define } = host;
	const { create } = host.object;
	const { String, RangeError, TypeError, Date, WeakMap } = host.globals;
	const indexOf = uncurry(host.text.indexOf);
	const slice = uncurry(host.text.slice), getTime = uncurry(host.getTime), now = Date.now;
	const { tableOf, list } = intl.need("DateRegions"), { patternOf, styleOf, clocked } = intl.need("DatePattern");
	const { zoneOf, offsetAt, zoneName } = intl.need("DateZone");
	const SERVICE = "Intl.DateTimeFormat";
	const DAY = 86400;

	// ---- a time as the fields of a zone's clock and calendar

	const { civil } = intl.need("DateZone");

	// fieldsOf takes milliseconds since 1970.
	function fieldsOf(ms, zone) {
		const seconds = floor(ms / 1000), local = seconds + offsetAt(zone, seconds);
		const days = floor(local / DAY), rest = local - days * DAY;
		const f = civil(days);
		f.weekday = ((days % 7) + 11) % 7;
		f.hour = floor(rest / 3600);
		f.minute = floor(rest / 60) % 60;
		f.second = rest % 60;
		f.fraction = ms - seconds * 1000;
		f.seconds = seconds;
		return f;
	}

	// ---- fields as text

	const WEEKDAYS = list(["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]);
	const MONTHS = list(["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
		"December"]);
	const two = (n) => (n < 10 ? "0" : "") + n;

	function monthName(s, f, letter, n) {
		const name = MONTHS[f.month - 1], table = tableOf(s.region);
		if (n === 4) return name;
		if (n === 5) return name[0];
		if (f.month === 9) return table["-sep"];
		// Australia writes June and July in full beside a day.
		if (letter === "M" && table["-june"] !== undefined && (f.month === 6 || f.month === 7)) return name;
		return slice(name, 0, 3);
	}

	// nth returns one of the texts that a region's entry lists.
	function nth(texts, n) {
		let from = 0;
		for (; n > 0; n--) from = indexOf(texts, "|", from) + 1;
		const to = indexOf(texts, "|", from);
		return slice(texts, from, to < 0 ? texts.length : to);
	}

	// narrowDay is one letter, except in Australia.
	function narrowDay(s, day) {
		const names = tableOf(s.region)["-narrow"];
		return names === undefined ? WEEKDAYS[day][0] : nth(names, day);
	}

	// periodName is the time of day: noon only if what is shown of the time is exactly that.
	function periodName(s, f, n) {
		const table = tableOf(s.region), exact = (!s.shows.m || f.minute === 0) && (!s.shows.s || f.second === 0);
		if (f.hour === 12 && exact) return table["-noon"] ?? (n === 5 ? "n" : "noon");
		const part = f.hour < 12 ? 0 : f.hour < 18 ? 1 : f.hour < 21 ? 2 : 3;
		if (n === 5 && table["-periods"] !== undefined) return nth(table["-periods"], part);
		return nth("in the morning|in the afternoon|in the evening|at night", part);
	}

	const TYPES = {
		__proto__: null, G: "era", y: "year", M: "month", L: "month", E: "weekday", d: "day", a: "dayPeriod", B: "dayPeriod", h: "hour",
		H: "hour", K: "hour", k: "hour", m: "minute", s: "second", S: "fractionalSecond", z: "timeZoneName", v: "timeZoneName",
		O: "timeZoneName",
	};

	function fieldText(s, f, letter, n) {
		const number = (v) => (n >= 2 ? two(v) : "" + v);
		switch (letter) {
		case "G": return f.year > 0 ? (n === 4 ? "Anno Domini" : n === 5 ? "A" : "AD") : n === 4 ? "Before Christ" : n === 5 ? "B" : "BC";
		case "y": {
			const year = f.year > 0 ? f.year : 1 - f.year;
			return n === 2 ? two(year % 100) : "" + year;
		}
		case "M": case "L": return n <= 2 ? number(f.month) : monthName(s, f, letter, n);
		case "E": return n === 5 ? narrowDay(s, f.weekday) : n === 4 ? WEEKDAYS[f.weekday] : slice(WEEKDAYS[f.weekday], 0, 3);
		case "d": return number(f.day);
		case "a": return nth(tableOf(s.region)["-ap"], f.hour < 12 ? 0 : 1);
		case "B": return periodName(s, f, n);
		case "H": return number(f.hour);
		case "k": return number(f.hour === 0 ? 24 : f.hour);
		case "K": return number(f.hour % 12);
		case "h": return number(f.hour % 12 === 0 ? 12 : f.hour % 12);
		case "m": return number(f.minute);
		case "s": return number(f.second);
		case "S": {
			const ms = f.fraction;
			return n === 1 ? "" + floor(ms / 100) : n === 2 ? two(floor(ms / 10)) : (ms < 100 ? "0" : "") + two(ms);
		}
		}
		return zoneName(s.zone, s.region, f.seconds, letter, n);
	}

	// partsOf returns the parts that the pieces of a pattern give.
	function partsOf(s, pattern, f) {
		const out = list();
		for (let i = 0; i < pattern.length; i++) {
			const p = pattern[i];
			const part = create(null);
			part.type = p.letter === "" ? "literal" : TYPES[p.letter];
			part.value = p.letter === "" ? p.text : fieldText(s, f, p.letter, p.n);
			out[out.length] = part;
		}
		return out;
	}

	function textOf(parts) {
		let text = "";
		for (let i = 0; i < parts.length; i++) text += parts[i].value;
		return text;
	}

	// plain replaces the narrow space before AM and PM, as V8 does where it gives one text.
	function plain(text) {
		let out = "", from = 0;
		for (let at; (at = indexOf(text, "\u202f", from)) >= 0; from = at + 1) out += slice(text, from, at) + " ";
		return out + slice(text, from);
	}

	// ---- options

	const NUMERIC = list(["2-digit", "numeric"]), TEXT = list(["narrow", "long", "short"]);
	const STYLES = list(["full", "long", "medium", "short"]);
	const WIDTHS = {
		__proto__: null,
		weekday: { __proto__: null, long: "EEEE", short: "EEE", narrow: "EEEEE" },
		era: { __proto__: null, long: "GGGG", short: "GGG", narrow: "GGGGG" },
		year: { __proto__: null, numeric: "y", "2-digit": "yy" },
		month: { __proto__: null, numeric: "M", "2-digit": "MM", long: "MMMM", short: "MMM", narrow: "MMMMM" },
		day: { __proto__: null, numeric: "d", "2-digit": "dd" },
		dayPeriod: { __proto__: null, long: "BBBB", short: "B", narrow: "BBBBB" },
		minute: { __proto__: null, numeric: "m", "2-digit": "mm" },
		second: { __proto__: null, numeric: "s", "2-digit": "ss" },
		timeZoneName: { __proto__: null, short: "z", long: "zzzz", shortOffset: "O", longOffset: "OOOO", shortGeneric: "v", longGeneric: "vvvv" },
	};
	const FIELDS = list(["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second"]);
	const allowed = (name) => {
		if (name === "weekday" || name === "era" || name === "dayPeriod") return TEXT;
		return name === "month" ? list(["2-digit", "numeric", "narrow", "long", "short"]) : NUMERIC;
	};
	const ZONE_NAMES = list(["short", "long", "longOffset", "shortOffset", "longGeneric", "shortGeneric"]);
	const CYCLES = list(["h11", "h12", "h23", "h24"]);
	const LETTERS = { __proto__: null, h11: "K", h12: "h", h23: "H", h24: "k" };

	const option = (options, name, values, otherwise) => intl.option(options, name, values, otherwise, SERVICE);

	// identifier reads an option that is a name of parts of 3 to 8 letters or digits.
	function identifier(options, name) {
		const value = option(options, name, undefined, undefined);
		if (value === undefined) return;
		const low = value;
		let run = 0, good = low !== "";
		for (let i = 0; i <= low.length && good; i++) {
			if (i === low.length || low[i] === "-") {
				good = run >= 3 && run <= 8;
				run = 0;
			} else {
				good = run < 8 && indexOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", low[i]) >= 0;
				run++;
			}
		}
		if (!good) throw new RangeError("Invalid " + name + " : " + slice(value, 0, 64));
		if ((name === "calendar" && value !== "gregory" && value !== "iso8601") || (name === "numberingSystem" && value !== "latn")) intl.otherwise();
	}

	// cycleOf chooses the clock: hour12 before hourCycle before the locale's own.
	function cycleOf(s, hour12, hourCycle, keyword) {
		const usual = tableOf(s.region)["-hc"];
		if (hour12 === true) return usual === "h12" ? "h12" : s.region === "JP" || usual === "h23" ? "h11" : "h12";
		if (hour12 === false) return usual === "h23" ? "h23" : "h24";
		return hourCycle ?? (keyword in LETTERS ? keyword : usual);
	}

	// settingsOf reads the options. What is needed of date, time or any is filled in if no field is asked for: defaults of date,
	// time or all.
	function settingsOf(locales, given, required, defaults) {
		const locale = intl.locale(locales), options = intl.options(given);
		const s = create(null);
		s.locale = locale.tag;
		s.region = locale.region;
		option(options, "localeMatcher", list(["lookup", "best fit"]), "best fit");
		identifier(options, "calendar");
		identifier(options, "numberingSystem");
		const hour12 = options.hour12 === undefined ? undefined : !!options.hour12;
		let hourCycle = option(options, "hourCycle", CYCLES, undefined);
		const zone = options.timeZone;
		s.zone = zone === undefined ? zoneOf("UTC") : zoneOf(String(zone));
		for (let i = 0; i < FIELDS.length; i++) s[FIELDS[i]] = option(options, FIELDS[i], allowed(FIELDS[i]), undefined);
		s.fractionalSecondDigits = intl.numberOption(options, "fractionalSecondDigits", 1, 3, undefined);
		s.timeZoneName = option(options, "timeZoneName", ZONE_NAMES, undefined);
		option(options, "formatMatcher", list(["basic", "best fit"]), "best fit");
		s.dateStyle = option(options, "dateStyle", STYLES, undefined);
		s.timeStyle = option(options, "timeStyle", STYLES, undefined);
		if (s.dateStyle !== undefined || s.timeStyle !== undefined) {
			styled(s, required);
		} else {
			fill(s, required, defaults);
		}
		const cycle = cycleOf(s, hour12, hourCycle, locale.keywords.hc);
		s.hasHour = s.hour !== undefined || s.timeStyle !== undefined;
		s.hourCycle = s.hasHour ? cycle : undefined;
		if (s.hourCycle !== undefined && locale.keywords.hc !== undefined && hour12 === undefined && s.hourCycle === locale.keywords.hc) {
			s.locale += "-u-hc-" + s.hourCycle;
		}
		s.pattern = s.dateStyle !== undefined || s.timeStyle !== undefined
			? styleOf(s.region, s.dateStyle, s.timeStyle, LETTERS[cycle])
			: clocked(patternOf(s.region, combinationOf(s, LETTERS[cycle])), LETTERS[cycle]);
		s.shows = create(null);
		for (let i = 0; i < s.pattern.length; i++) s.shows[s.pattern[i].letter] = true;
		return s;
	}

	function styled(s, required) {
		const style = s.dateStyle !== undefined ? "dateStyle" : "timeStyle";
		for (let i = 0; i <= FIELDS.length + 1; i++) {
			const name = i < FIELDS.length ? FIELDS[i] : i === FIELDS.length ? "fractionalSecondDigits" : "timeZoneName";
			if (s[name] !== undefined) throw new TypeError("Can't set option " + name + " when " + style + " is used");
		}
		if (required === "date" && s.timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
		if (required === "time" && s.dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
	}

	function fill(s, required, defaults) {
		const date = s.weekday ?? s.year ?? s.month ?? s.day, time = s.dayPeriod ?? s.hour ?? s.minute ?? s.second ?? s.fractionalSecondDigits;
		if ((required !== "time" && date !== undefined) || (required !== "date" && time !== undefined)) return;
		if (defaults !== "time") s.year = s.month = s.day = "numeric";
		if (defaults !== "date") s.hour = s.minute = s.second = "numeric";
	}

	function combinationOf(s, clock) {
		let c = "";
		for (let i = 0; i < FIELDS.length; i++) {
			const name = FIELDS[i], width = s[name];
			if (width === undefined) continue;
			c += name === "hour" ? (width === "numeric" ? clock : clock + clock) : WIDTHS[name][width];
		}
		for (let i = 0; i < (s.fractionalSecondDigits ?? 0); i++) c += "S";
		return s.timeZoneName === undefined ? c : c + WIDTHS.timeZoneName[s.timeZoneName];
	}

	// ---- times

	// timeOf is the time that an argument of format is.
	function timeOf(value) {
		const ms = value === undefined ? now() : +(typeof value === "object" && value !== null ? host.primitive(value) : value);
		return checked(ms);
	}
	function checked(ms) {
		if (!(ms >= -8.64e15 && ms <= 8.64e15)) throw new RangeError("Invalid time value");
		return ms < 0 ? -floor(-ms) : floor(ms);
	}

	// ---- the class

	const slots = new WeakMap(), getSlot = uncurry(host.weakMap.get), setSlot = uncurry(host.weakMap.set);
	const own = (self, method) => {
		const s = typeof self === "object" && self !== null ? getSlot(slots, self) : undefined;
		if (s === undefined) throw new TypeError("Method " + SERVICE + ".prototype." + method + " called on incompatible receiver " + shownReceiver(self));
		return s;
	};
	const shownReceiver = (v) => (typeof v === "object" && v !== null ? "#<Object>" : typeof v === "function" ? "function" : String(v));

	function shown(parts) {
		const out = [];
		for (let i = 0; i < parts.length; i++) {
			const p = {};
			define(p, "type", parts[i].type);
			define(p, "value", parts[i].value);
			if (parts[i].source !== undefined) define(p, "source", parts[i].source);
			define(out, i, p);
		}
		return out;
	}

	const formatted = (s, ms) => plain(textOf(partsOf(s, s.pattern, fieldsOf(ms, s.zone))));
	const ends = (s, start, end) => {
		if (start === undefined || end === undefined) throw new TypeError("Invalid time value");
		return intl.need("DateRange").rangeOf(s, timeOf(start), timeOf(end));
	};

	// isOne reports whether a range has come to one time.
	function isOne(parts) {
		for (let i = 0; i < parts.length; i++) if (parts[i].source !== "shared") return false;
		return true;
	}

	class DateTimeFormat {
		constructor(locales, options) {
			setSlot(slots, this, settingsOf(locales, options, "any", "date"));
		}
		resolvedOptions() {
			const s = own(this, "resolvedOptions"), out = {};
			define(out, "locale", s.locale);
			define(out, "calendar", "gregory");
			define(out, "numberingSystem", "latn");
			define(out, "timeZone", s.zone.name);
			if (s.hourCycle !== undefined) {
				define(out, "hourCycle", s.hourCycle);
				define(out, "hour12", s.hourCycle === "h11" || s.hourCycle === "h12");
			}
			if (s.dateStyle === undefined && s.timeStyle === undefined) resolveFields(s, out);
			if (s.dateStyle !== undefined) define(out, "dateStyle", s.dateStyle);
			if (s.timeStyle !== undefined) define(out, "timeStyle", s.timeStyle);
			return out;
		}
		formatToParts(date) {
			const s = own(this, "formatToParts");
			return shown(partsOf(s, s.pattern, fieldsOf(timeOf(date), s.zone)));
		}
		get format() {
			const s = own(this, "format");
			if (s.bound === undefined) s.bound = (date) => formatted(s, timeOf(date));
			return s.bound;
		}
		formatRange(start, end) {
			const parts = ends(own(this, "formatRange"), start, end);
			return isOne(parts) ? plain(textOf(parts)) : textOf(parts);
		}
		formatRangeToParts(start, end) {
			return shown(ends(own(this, "formatRangeToParts"), start, end));
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(DateTimeFormat.prototype, SERVICE);

	// resolveFields tells the widths that the pattern came to.
	function resolveFields(s, out) {
		for (let i = 0; i < FIELDS.length; i++) {
			const name = FIELDS[i];
			for (let k = 0; k < s.pattern.length; k++) {
				const p = s.pattern[k];
				if (p.letter === "" || TYPES[p.letter] !== name || p.letter === "a") continue;
				const width = p.n === 5 ? "narrow" : p.n === 4 ? "long" : "short";
				define(out, name, name === "weekday" || name === "era" || name === "dayPeriod" || p.n > 2 ? width : p.n === 2 ? "2-digit" : "numeric");
				break;
			}
		}
		if (s.shows.S) define(out, "fractionalSecondDigits", s.fractionalSecondDigits);
		if (s.timeZoneName !== undefined) define(out, "timeZoneName", s.timeZoneName);
	}

	const part = create(null);
	part.fieldsOf = fieldsOf;
	part.partsOf = partsOf;
	part.textOf = textOf;
	part.letters = LETTERS;
	part.DateTimeFormat = host.callable(DateTimeFormat);
	const methods = list(["toLocaleString", "any", "all", "toLocaleDateString", "date", "date", "toLocaleTimeString", "time", "time"]);
	for (let i = 0; i < methods.length; i += 3) {
		const name = methods[i], required = methods[i + 1], defaults = methods[i + 2];
		part["Date." + name] = {
			[name](locales, options) {
				const ms = getTime(this);
				if (ms !== ms) return "Invalid Date";
				return formatted(settingsOf(locales, options, required, defaults), ms);
			},
		}[name];
	}
	intl.parts.Date = part;
})
