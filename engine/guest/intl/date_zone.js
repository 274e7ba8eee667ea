// Time zones: the offset from UTC at a time, and what a zone is called. The data are rows of a table outside of the heap
// (zones.go); a zone's row is read when a cell first names it.
(function (host) {
	"use strict";

	const { create } = host.object;
	const { uncurry, floor, row } = host;
	const { RangeError } = host.globals;
	const indexOf = uncurry(host.text.indexOf), slice = uncurry(host.text.slice), lower = uncurry(host.text.toLowerCase);
	const { list, isEurope } = host.intl.need("DateRegions");

	const ZONES = 2;
	const DAY = 86400, HALF_YEAR = 184 * DAY;
	const LAST_NAMED = 253402300740; // names end with the year 9999
	const zones = create(null);

	// cut splits a text at each occurrence of a character.
	function cut(text, at) {
		const out = list();
		for (let from = 0; ;) {
			const to = indexOf(text, at, from);
			out[out.length] = slice(text, from, to < 0 ? text.length : to);
			if (to < 0) return out;
			from = to + 1;
		}
	}

	// read parses a row: name|times|standard|daylight|short names|generic|place@since when it has these names|last year of a cycle
	// that changes go on by. The times are offset,daylight of the beginning,
	// then change,offset,daylight for each change, the changes as seconds since the one before, all in base 36.
	function read(text) {
		const parts = cut(text, "|"), numbers = cut(parts[1], ",");
		const zone = {
			__proto__: null, name: parts[0], at: list(), offset: list(), daylight: list(), rule: +parts[7], since: -Infinity,
			standardName: parts[2], daylightName: parts[3], shorts: parts[4], generic: parts[5], place: parts[6],
		};
		const since = indexOf(zone.place, "@");
		if (since >= 0) {
			zone.since = number(slice(zone.place, since + 1));
			zone.place = slice(zone.place, 0, since);
		}
		let at = -Infinity;
		for (let i = 0; i + 1 < numbers.length; i += i === 0 ? 2 : 3) {
			const values = i === 0 ? i : i + 1;
			if (i > 0) at = at === -Infinity ? number(numbers[i]) : at + number(numbers[i]);
			zone.at[zone.at.length] = at;
			zone.offset[zone.offset.length] = number(numbers[values]);
			zone.daylight[zone.daylight.length] = numbers[values + 1] === "1";
		}
		return zone;
	}

	function number(text) {
		let n = 0;
		for (let i = text[0] === "-" ? 1 : 0; i < text.length; i++) n = n * 36 + indexOf("0123456789abcdefghijklmnopqrstuvwxyz", text[i]);
		return text[0] === "-" ? -n : n;
	}

	// zoneOf returns the zone that a cell names: one of IANA's in any case, or an offset such as +05:30.
	function zoneOf(name) {
		const key = lower(name);
		if (zones[key] !== undefined) return zones[key];
		const fixed = fixedOf(name);
		if (fixed !== undefined) return fixed;
		let text = name.length > 64 ? undefined : row(ZONES, key);
		if (text !== undefined && text[0] === "=") text = row(ZONES, slice(text, 1));
		if (text === undefined) throw new RangeError("Invalid time zone specified: " + slice(name, 0, 100));
		return zones[key] = read(text);
	}

	function fixedOf(name) {
		const digit = (i) => indexOf("0123456789", name[i]) >= 0;
		const sign = name[0] === "-" ? -1 : 1;
		if ((name[0] !== "+" && name[0] !== "-") || name.length < 3 || !digit(1) || !digit(2)) return undefined;
		const hours = +slice(name, 1, 3), from = name[3] === ":" ? 4 : 3;
		if (name.length !== 3 && (name.length !== from + 2 || !digit(from) || !digit(from + 1))) return undefined;
		const minutes = name.length === 3 ? 0 : +slice(name, from);
		if (hours > 23 || minutes > 59) return undefined;
		const two = (n) => (n < 10 ? "0" : "") + n;
		const offset = sign * (hours * 3600 + minutes * 60);
		return {
			__proto__: null, name: (offset < 0 ? "-" : "+") + two(hours) + ":" + two(minutes), at: list([-Infinity]), offset: list([offset]),
			daylight: list([false]), rule: 0, since: 0, standardName: "", daylightName: "", shorts: "", generic: "", place: "",
		};
	}

	// ---- days since 1970, and the calendar

	// daysOf counts years from March on, so that the day that leap years add is their last.
	function daysOf(year, month, day) {
		const y = month <= 2 ? year - 1 : year, era = floor(y / 400), yearOfEra = y - era * 400;
		const dayOfYear = floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
		return era * 146097 + yearOfEra * 365 + floor(yearOfEra / 4) - floor(yearOfEra / 100) + dayOfYear - 719468;
	}

	function civil(days) {
		const z = days + 719468, era = floor(z / 146097), day = z - era * 146097;
		const yearOfEra = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365);
		const dayOfYear = day - (365 * yearOfEra + floor(yearOfEra / 4) - floor(yearOfEra / 100));
		const m = floor((5 * dayOfYear + 2) / 153), date = create(null);
		date.day = dayOfYear - floor((153 * m + 2) / 5) + 1;
		date.month = m < 10 ? m + 3 : m - 9;
		date.year = yearOfEra + era * 400 + (date.month <= 2 ? 1 : 0);
		return date;
	}

	// ---- offsets

	const yearOf = (seconds) => civil(floor(seconds / DAY)).year;
	const startOf = (year) => daysOf(year, 1, 1) * DAY;
	const isLeap = (year) => daysOf(year + 1, 1, 1) - daysOf(year, 1, 1) === 366;

	// known maps a time behind the last change to one of a year with the same days before it: rules go by days of the week.
	function known(zone, seconds) {
		if (zone.rule === 0 || seconds < startOf(zone.rule)) return seconds;
		const year = yearOf(seconds), first = startOf(year);
		const weekday = (y) => ((startOf(y) / DAY) % 7 + 11) % 7;
		let same = zone.rule - 1;
		while (isLeap(same) !== isLeap(year) || weekday(same) !== weekday(year)) same--;
		return startOf(same) + seconds - first;
	}

	// spanAt returns the index of the zone's span of time at which those seconds since 1970 are.
	function spanAt(zone, seconds) {
		const t = known(zone, seconds);
		let low = 0, high = zone.at.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (zone.at[middle] <= t) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	const offsetAt = (zone, seconds) => zone.offset[spanAt(zone, seconds)];

	// ---- names

	// offsetName writes an offset as GMT-5 or GMT-05:00.
	function offsetName(offset, long) {
		const n = offset < 0 ? -offset : offset;
		const two = (k) => (k < 10 ? "0" : "") + k;
		if (offset === 0) return long ? "GMT+00:00" : "GMT+0";
		const hours = floor(n / 3600), minutes = floor(n / 60) % 60, seconds = n % 60;
		return "GMT" + (offset < 0 ? "-" : "+") + (long ? two(hours) : hours) +
			(long || minutes > 0 || seconds > 0 ? ":" + two(minutes) : "") + (seconds > 0 ? ":" + two(seconds) : "");
	}

	const isAmerican = (region) => region === "" || indexOf(" US AS GU MH MP PH PR UM VI ", " " + region + " ") >= 0;

	// spelled writes Saint as the region does.
	const spelled = (name, region) => (slice(name, 0, 4) === "St. " && !isAmerican(region) ? "St " + slice(name, 4) : name);

	// shortsOf returns the short names that a region has for the zone: standard, daylight, generic.
	function shortsOf(zone, region) {
		const all = cut(zone.shorts, ";");
		const family = isAmerican(region) ? "US" : region;
		for (let i = 0; i < all.length; i++) {
			const colon = indexOf(all[i], ":"), regions = slice(all[i], 0, colon);
			const has = (r) => indexOf(" " + regions + " ", " " + r + " ") >= 0;
			if (regions === "*" || has(family) || (isEurope(region) && has("150"))) return cut(slice(all[i], colon + 1), ",");
		}
		return zone.standardName === "Greenwich Mean Time" ? list(["GMT", "", "GMT"]) : list(["", "", ""]);
	}

	// varies reports whether the zone has daylight time within half a year.
	function varies(zone, seconds) {
		const from = spanAt(zone, seconds - HALF_YEAR), to = spanAt(zone, seconds + HALF_YEAR);
		if (to < from) return true;
		for (let i = from; i <= to; i++) if (zone.daylight[i]) return true;
		return false;
	}

	// isBritish says that the daylight time has a name of the zone's own, which it has had at all times.
	const isBritish = (zone) => zone.standardName === "Greenwich Mean Time" && slice(zone.name, 0, 7) === "Europe/";

	// nameOf returns what the zone is called at a time. letter and n are those of a pattern: z, v or O, and its width.
	function nameOf(zone, region, seconds, letter, n) {
		const span = spanAt(zone, seconds), offset = zone.offset[span], long = n === 4;
		if (letter === "O") return offsetName(offset, long);
		const daylight = zone.daylight[span], current = (daylight && isBritish(zone)) || zone.name === "UTC" ||
			(seconds >= zone.since && seconds < LAST_NAMED);
		const shorts = long ? undefined : shortsOf(zone, region);
		let name = "";
		if (letter === "z") {
			if (current && long) name = daylight ? zone.daylightName : zone.standardName;
			else if (current) name = shorts[daylight ? 1 : 0];
			return name === "" ? offsetName(offset, long) : spelled(name, region);
		}
		if (current) name = genericOf(zone, seconds, shorts);
		if (name !== "") return spelled(name, region);
		return zone.place === "" ? offsetName(offset, long) : spelled(zone.place, region) + " Time";
	}

	// genericOf is the name for both halves of the year. Where there is no daylight time, it is that of standard time.
	function genericOf(zone, seconds, shorts) {
		const standard = shorts === undefined ? zone.standardName : shorts[0], generic = shorts === undefined ? zone.generic : shorts[2];
		if (generic === "" || indexOf(generic, "GMT+") === 0) return "";
		const at = indexOf(generic, " Standard Time");
		if (varies(zone, seconds)) return generic === "GMT" ? "" : at < 0 ? generic : slice(generic, 0, at) + " Time";
		return standard === "" ? generic : standard;
	}

	const part = create(null);
	part.civil = civil;
	part.zoneOf = zoneOf;
	part.offsetAt = offsetAt;
	part.zoneName = nameOf;
	host.intl.parts.DateZone = part;
})
