// Patterns: which one a set of fields is written by. It is found as ICU finds it: among the patterns of the region the
// one that lacks least is taken, adjusted to the widths that were asked for, and what it lacks is appended.
//
// A pattern is a list of pieces: literal text, or a field's letter and how often it stands there.
(function (host) {
	"use strict";

	const { create } = host.object;
	const uncurry = host.uncurry;
	const indexOf = uncurry(host.text.indexOf), slice = uncurry(host.text.slice);
	const { tableOf, list, decimalOf } = host.intl.need("DateRegions");

	const ERA = 0, YEAR = 1, MONTH = 3, WEEKDAY = 6, DAY = 9, PERIOD = 10, HOUR = 11, MINUTE = 12, SECOND = 13, FRACTION = 14,
		ZONE = 15, FIELDS = 16;
	const FIELD = {
		__proto__: null, G: ERA, y: YEAR, M: MONTH, L: MONTH, E: WEEKDAY, d: DAY, a: PERIOD, B: PERIOD, H: HOUR, h: HOUR,
		k: HOUR, K: HOUR, m: MINUTE, s: SECOND, S: FRACTION, v: ZONE, z: ZONE, O: ZONE,
	};
	const DATE_FIELDS = (1 << PERIOD) - 1;
	const bit = (field) => 1 << field;

	// Kinds of a field's values: numbers are positive, texts negative, and variants of the same stand close to each other.
	const NARROW = -0x101, SHORT = -0x103, LONG = -0x104, NUMERIC = 0x100, VARIANT = 0x10;
	const text = (n, shift) => (n === 4 ? LONG : n === 5 ? NARROW : SHORT) - shift * VARIANT;
	function kindOf(letter, n) {
		switch (letter) {
		case "G": case "E": case "a": case "z": return text(n, 0);
		case "B": return text(n, 3);
		case "M": return n > 2 ? text(n, 0) : NUMERIC + n;
		case "L": return n > 2 ? text(n, 1) : NUMERIC + VARIANT + n;
		case "O": return text(n, 1);
		case "v": return text(n, 2);
		case "H": return NUMERIC + 10 * VARIANT + n;
		case "k": return NUMERIC + 11 * VARIANT + n;
		case "K": return NUMERIC + VARIANT + n;
		}
		return NUMERIC + n;
	}

	// pieces parses a pattern.
	function pieces(pattern) {
		const out = list();
		let literal = "";
		const flush = () => {
			if (literal !== "") out[out.length] = { __proto__: null, letter: "", n: 0, text: literal };
			literal = "";
		};
		for (let i = 0; i < pattern.length;) {
			const c = pattern[i];
			if (c === "'") {
				const end = indexOf(pattern, "'", i + 1);
				literal += slice(pattern, i + 1, end);
				i = end + 1;
			} else if (FIELD[c] === undefined) {
				literal += c;
				i++;
			} else {
				flush();
				const from = i;
				while (pattern[i] === c) i++;
				out[out.length] = { __proto__: null, letter: c, n: i - from, text: "" };
			}
		}
		flush();
		return out;
	}

	// skeletonOf returns the fields of a pattern or of a combination: letter, length and kind of each.
	function skeletonOf(pattern) {
		const s = { __proto__: null, letter: list(), n: list(), kind: list(), fields: 0 };
		for (let f = 0; f < FIELDS; f++) {
			s.letter[f] = "";
			s.n[f] = s.kind[f] = 0;
		}
		const set = (letter, n) => {
			const f = FIELD[letter];
			s.letter[f] = letter;
			s.n[f] = n;
			s.kind[f] = n === 0 ? 0 : kindOf(letter, n);
		};
		for (let all = pieces(pattern), i = 0; i < all.length; i++) if (all[i].letter !== "") set(all[i].letter, all[i].n);
		if (s.n[MINUTE] !== 0 && s.n[FRACTION] !== 0 && s.n[SECOND] === 0) set("s", 1);
		if (s.n[HOUR] !== 0) {
			if (s.letter[HOUR] !== "h" && s.letter[HOUR] !== "K") set("a", 0);
			else if (s.n[PERIOD] === 0) set("a", 1);
		}
		for (let f = 0; f < FIELDS; f++) if (s.n[f] !== 0) s.fields |= bit(f);
		return s;
	}

	// ---- a region's patterns, in the order in which they are looked at: what comes first is taken if two are as good

	const SINGLE = "GyMEdaHmsSv", STYLES = list(["full", "long", "medium", "short"]);
	const isCombination = (name) => name[0] !== "d" && name[0] !== "t" || name === "d";
	const choices = create(null);

	function choicesOf(region) {
		if (choices[region] !== undefined) return choices[region];
		const table = tableOf(region), seen = create(null), buckets = create(null);
		const add = (skeleton, pattern, given) => {
			const s = skeletonOf(skeleton);
			let key = "", first = "";
			for (let f = 0; f < FIELDS; f++) {
				if (s.n[f] === 0) continue;
				if (first === "") first = s.letter[f];
				key += s.letter[f] + s.n[f];
			}
			const old = seen[key];
			const choice = old ?? { __proto__: null };
			choice.skeleton = s;
			choice.pieces = pieces(pattern);
			choice.given = given;
			if (old !== undefined) return;
			seen[key] = choice;
			if (buckets[first] === undefined) buckets[first] = list();
			buckets[first][buckets[first].length] = choice;
		};
		for (let i = 0; i < SINGLE.length; i++) add(SINGLE[i], SINGLE[i], false);
		for (let i = 0; i < 4; i++) add(table["d" + STYLES[i]], table["d" + STYLES[i]], false);
		for (let i = 0; i < 4; i++) add(table["t" + STYLES[i]], table["t" + STYLES[i]], false);
		for (const name in table) {
			if (FIELD[name[0]] !== undefined && isCombination(name)) add(name, table[name], true);
		}
		const all = list();
		const ORDER = "EGHLMSaBdhkmsvyz";
		for (let i = 0; i < ORDER.length; i++) {
			const bucket = buckets[ORDER[i]];
			for (let k = 0; bucket !== undefined && k < bucket.length; k++) all[all.length] = bucket[k];
		}
		return choices[region] = all;
	}

	// ---- the search

	const abs = (n) => (n < 0 ? -n : n);

	// nearest returns the choice that is closest to those of the wanted fields that the mask names.
	function nearest(all, wanted, mask) {
		let best, bestDistance = Infinity, bestMissing = 0;
		for (let i = 0; i < all.length; i++) {
			const s = all[i].skeleton;
			let distance = 0, missing = 0;
			for (let f = 0; f < FIELDS; f++) {
				const mine = mask & bit(f) ? wanted.kind[f] : 0, other = s.kind[f];
				if (mine === other) continue;
				if (mine === 0) distance += 0x10000;
				else if (other === 0) {
					distance += 0x1000;
					missing |= bit(f);
				} else distance += abs(mine - other);
			}
			if (distance < bestDistance || (distance === bestDistance && bestMissing < missing)) {
				best = all[i];
				bestDistance = distance;
				bestMissing = missing;
			}
			if (distance === 0) break;
		}
		return { __proto__: null, choice: best, missing: bestMissing, extra: bestDistance >= 0x10000 };
	}

	// adjusted returns the pieces of a choice with the widths that are wanted, or, if decimal is not "", with a fraction behind
	// that character.
	function adjusted(from, choice, wanted, decimal) {
		const out = list();
		for (let i = 0; i < from.length; i++) {
			const p = from[i], f = FIELD[p.letter];
			if (f === undefined || wanted.kind[f] === 0) {
				out[out.length] = p;
				continue;
			}
			let n = wanted.n[f];
			if (f === WEEKDAY && n < 3) n = 3;
			if (decimal !== "" || f === MINUTE || f === SECOND) n = p.n;
			else if (choice.given) {
				const has = choice.skeleton, text = kindOf(p.letter, p.n) < 0, textGiven = has.kind[f] < 0;
				if (has.n[f] === n || text !== textGiven) n = p.n;
			}
			const letter = f !== HOUR && f !== MONTH && f !== WEEKDAY && f !== YEAR ? wanted.letter[f] : p.letter;
			out[out.length] = { __proto__: null, letter, n, text: "" };
			if (decimal !== "" && f === SECOND) {
				out[out.length] = { __proto__: null, letter: "", n: 0, text: decimal };
				out[out.length] = { __proto__: null, letter: "S", n: wanted.n[FRACTION], text: "" };
			}
		}
		return out;
	}

	const NAMES = list(["", "", "", "month", "", "", "", "", "", "day", "", "hour", "minute", "second", "", ""]);
	function appended(to, add, field, periods) {
		const out = list();
		const put = (all) => {
			for (let i = 0; i < all.length; i++) out[out.length] = all[i];
		};
		const say = (text) => {
			out[out.length] = { __proto__: null, letter: "", n: 0, text };
		};
		put(to);
		if (field === PERIOD) say(" \u251c" + periods + ": ");
		else if (field === FRACTION) say(" \u251cF14: ");
		else say(NAMES[field] === "" ? " " : " (" + NAMES[field] + ": ");
		put(add);
		if (field === PERIOD || field === FRACTION) say("\u2524");
		else if (NAMES[field] !== "") say(")");
		return out;
	}

	// appending writes the fields that the mask names. What the nearest pattern lacks is appended once: ICU goes no further.
	function appending(all, wanted, mask, region) {
		const SECONDS = bit(SECOND) | bit(FRACTION);
		let { choice, missing } = nearest(all, wanted, mask);
		let out = adjusted(choice.pieces, choice, wanted, "");
		for (let last = 0; missing !== 0 && missing !== last;) {
			if ((missing & SECONDS) === bit(FRACTION) && (mask & SECONDS) === SECONDS) {
				out = adjusted(out, choice, wanted, decimalOf(region));
				missing &= ~bit(FRACTION);
				continue;
			}
			const next = nearest(all, wanted, missing);
			const found = missing & ~next.missing;
			let top = 0;
			while (found >> (top + 1) !== 0) top++;
			out = appended(out, adjusted(next.choice.pieces, next.choice, wanted, ""), top, tableOf(region)["-ap"] === "AM|PM" ? "AM/PM" : "am/pm");
			last = missing = next.missing;
		}
		return out;
	}

	// glued puts a date and a time together, as a date of that style does.
	function glued(date, time, style) {
		const out = list();
		for (let i = 0; i < date.length; i++) out[out.length] = date[i];
		out[out.length] = { __proto__: null, letter: "", n: 0, text: style === "full" || style === "long" ? " at " : ", " };
		for (let i = 0; i < time.length; i++) out[out.length] = time[i];
		return out;
	}

	// patternOf returns the pattern for a combination of fields, in which letters stand as often as they are wide.
	function patternOf(region, combination) {
		const all = choicesOf(region), wanted = skeletonOf(combination);
		const { choice, missing, extra } = nearest(all, wanted, -1);
		if (missing === 0 && !extra) return adjusted(choice.pieces, choice, wanted, "");
		const dates = wanted.fields & DATE_FIELDS, times = wanted.fields & ~DATE_FIELDS;
		if (times === 0) return appending(all, wanted, dates, region);
		if (dates === 0) return appending(all, wanted, times, region);
		const style = wanted.n[MONTH] === 4 ? "long" : "short";
		return glued(appending(all, wanted, dates, region), appending(all, wanted, times, region), style);
	}

	// clocked replaces the letter of hours by that of the clock, and joins literals that stand side by side.
	function clocked(pattern, letter) {
		const out = list();
		for (let i = 0; i < pattern.length; i++) {
			const p = pattern[i], last = out.length - 1;
			if (p.letter === "" && last >= 0 && out[last].letter === "") {
				out[last] = { __proto__: null, letter: "", n: 0, text: out[last].text + p.text };
			} else {
				out[last + 1] = FIELD[p.letter] === HOUR ? { __proto__: null, letter, n: p.n, text: "" } : p;
			}
		}
		return out;
	}

	// styleOf returns the pattern of a style of dates, of times, or of both, with the hours of a clock: "h", "H", "K" or "k".
	function styleOf(region, dateStyle, timeStyle, letter) {
		const table = tableOf(region);
		const date = dateStyle === undefined ? "" : table["d" + dateStyle];
		if (timeStyle === undefined) return pieces(date);
		const time = table["t" + timeStyle], usual = table["-hc"] === "h12" ? "h" : "H";
		if (letter === usual) return dateStyle === undefined ? pieces(time) : glued(pieces(date), pieces(time), dateStyle);
		// Another clock than the region's own: the pattern is found by the fields of the style.
		let combination = "";
		for (let all = pieces(date + " " + time), i = 0; i < all.length; i++) {
			const { letter: c, n } = all[i];
			if (c === "" || c === "a") continue;
			for (let k = 0; k < n; k++) combination += FIELD[c] === HOUR ? letter : c;
		}
		return clocked(patternOf(region, combination), letter);
	}

	const part = create(null);
	part.patternOf = patternOf;
	part.styleOf = styleOf;
	part.clocked = clocked;
	host.intl.parts.DatePattern = part;
})
