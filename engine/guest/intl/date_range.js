// Ranges of times for Intl.DateTimeFormat: what both ends have in common is written once, as far as English does so.
(function (host) {
	"use strict";

	const { create } = host.object;
	const { intl, uncurry } = host;
	const indexOf = uncurry(host.text.indexOf);
	const { tableOf, list } = intl.need("DateRegions"), { patternOf, clocked } = intl.need("DatePattern");
	const { fieldsOf, partsOf, textOf, letters } = intl.need("Date");

	const SPACED = "\u2009\u2013\u2009", TIGHT = "\u2013";
	const TIME = "aBhHkKmsSzvO";
	const isTime = (p) => p.letter !== "" && indexOf(TIME, p.letter) >= 0;

	const YEAR = 1, MONTH = 2, DAY = 3, LESS = 4;
	const difference = (a, b) => (a.year !== b.year ? YEAR : a.month !== b.month ? MONTH : a.day !== b.day ? DAY : LESS);

	// has returns the place of the first piece with one of the letters, -1 if there is none.
	function place(pattern, wanted) {
		for (let i = 0; i < pattern.length; i++) if (pattern[i].letter !== "" && indexOf(wanted, pattern[i].letter) >= 0) return i;
		return -1;
	}
	const has = (pattern, wanted) => place(pattern, wanted) >= 0;

	// completed is the pattern with what it needs of the date, so that times of different days can be told apart. It is found
	// anew by the fields of the format's own, as ICU does.
	function completed(s, differs) {
		const p = s.pattern, time = has(p, TIME), date = has(p, "GyMLEd");
		if (s.dateStyle !== undefined) return p;
		let missing = "";
		if (differs !== LESS && (time || has(p, "d"))) {
			const all = time && !date;
			if (!has(p, "y") && (differs === YEAR || all)) missing += "y";
			if (!has(p, "ML") && (differs <= MONTH || all)) missing += "M";
			if (!has(p, "d") && time && (all || differs <= DAY)) missing += "d";
		}
		return missing === "" && !time ? p : clocked(patternOf(s.region, missing + fieldsIn(p)), letters[s.hourCycle]);
	}

	// fieldsIn is the combination of fields that a pattern has, minutes and seconds as narrow as they can be.
	function fieldsIn(pattern) {
		let c = "";
		for (let i = 0; i < pattern.length; i++) {
			const { letter, n } = pattern[i];
			if (letter !== "a") for (let k = 0; k < (letter === "m" || letter === "s" ? 1 : n); k++) c += letter;
		}
		return c;
	}

	// span says which pieces of the pattern are written for both ends: those from start to end, to cut for the first of them.
	function span(s, pattern, differs, first, second) {
		const n = pattern.length, out = { __proto__: null, start: 0, cut: n, from: 0, end: n, dash: s.region === "CA" ? TIGHT : SPACED };
		if (differs === LESS) timeSpan(s, pattern, first, second, out);
		else if (!has(pattern, TIME)) dateSpan(pattern, differs, out);
		return out;
	}

	// In a range of hours of one half of the day AM or PM is written once, unless there are seconds. The zone always is.
	function timeSpan(s, pattern, first, second, out) {
		while (out.start < out.end && !isTime(pattern[out.start])) {
			if (first[out.start].value === " at ") first[out.start].value = ", ";
			out.start++;
		}
		out.from = out.start;
		if (has(pattern, "s")) return;
		while (out.end > 1 && indexOf("zvO", pattern[out.end - 1].letter || " ") >= 0) out.end -= 2;
		out.cut = out.end;
		const last = pattern[out.end - 1];
		if (has(pattern, "Hk") && tableOf(s.region)["-ap"] !== "AM|PM") out.dash = TIGHT;
		if ((last.letter === "a" || last.letter === "B") && first[out.end - 1].value === second[out.end - 1].value) out.cut = out.end = out.end - 2;
	}

	// In a range of days of one year whose months are words the year is written once; without weekdays the month is as well.
	function dateSpan(pattern, differs, out) {
		const month = place(pattern, "ML"), year = place(pattern, "y"), day = place(pattern, "d");
		if (differs === YEAR || month < 0 || pattern[month].n < 3 || has(pattern, "G")) return;
		if (year === pattern.length - 1) out.cut = out.end = year - 1;
		if (differs !== DAY || day < 0 || has(pattern, "E")) return;
		if (month < day) out.start = out.from = day;
		else out.cut = out.end = day + 1;
	}

	// rangeOf returns the parts of a range, each with the end that it is of.
	function rangeOf(s, from, to) {
		const a = fieldsOf(from, s.zone), b = fieldsOf(to, s.zone), differs = difference(a, b);
		const same = textOf(partsOf(s, s.pattern, a)) === textOf(partsOf(s, s.pattern, b));
		const pattern = same && (differs === LESS || !has(s.pattern, TIME)) ? s.pattern : completed(s, differs);
		const first = partsOf(s, pattern, a), second = partsOf(s, pattern, b), out = list();
		const put = (parts, low, high, source) => {
			for (let i = low; i < high; i++) {
				parts[i].source = source;
				out[out.length] = parts[i];
			}
		};
		if (textOf(first) === textOf(second)) {
			put(first, 0, first.length, "shared");
			return out;
		}
		const shared = span(s, pattern, differs, first, second);
		put(first, 0, shared.start, "shared");
		put(first, shared.start, shared.cut, "startRange");
		const dash = create(null);
		dash.type = "literal";
		dash.value = shared.dash;
		dash.source = "shared";
		out[out.length] = dash;
		put(second, shared.from, shared.end, "endRange");
		put(second, shared.end, second.length, "shared");
		return out;
	}

	const part = create(null);
	part.rangeOf = rangeOf;
	intl.parts.DateRange = part;
})
