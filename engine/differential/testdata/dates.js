// Prints expressions of dates and what they give in the JavaScript engine that runs this, a line each with a tab between: what
// dates_test.go holds Codecell's engines to. `make intl` runs it in Node; SEED=n gives others.
"use strict";
let seed = Number(process.env.SEED ?? 1);
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const pick = (list) => list[Math.floor(random() * list.length)];
function line(expression) {
	let result;
	try {
		result = eval(expression);
	} catch (e) {
		result = e.name + ": " + e.message;
	}
	console.log(expression + "\t" + JSON.stringify(result));
}
const text = (o) => JSON.stringify(o).replace(/"([a-zA-Z0-9]+)":/g, "$1: ");

// ---- every zone, at times since 1970, before which the data that a machine has may differ: what its clock says
for (const zone of [...Intl.supportedValuesOf("timeZone"), "us/pacific", "Asia/Kolkata", "GB", "Etc/GMT+5", "EST", "UTC", "Zulu"]) {
	const times = [];
	for (let i = 0; i < 4; i++) times.push(Math.floor(random() * 4e12));
	line(`[${times}].map((t) => new Date(t).toLocaleString("en-US", {timeZone: "${zone}", timeZoneName: "longOffset", era: "short"}))`);
}
// ---- what zones are called
for (const zone of Intl.supportedValuesOf("timeZone")) {
	line(`["en-US", "en-GB"].map((l) => ["short", "long"].map((n) => [1767225600000, 1783000000000].map((t) => new Date(t).toLocaleTimeString(l, {timeZone: "${zone}", hour: "numeric", timeZoneName: n}))))`);
}
// ---- combinations of options
const zones = ["UTC", "America/New_York", "America/Los_Angeles", "Europe/London", "Europe/Berlin", "Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney",
	"America/Sao_Paulo", "Pacific/Auckland", "America/Phoenix", "Asia/Kathmandu"];
const options = {
	weekday: ["long", "short", "narrow"], era: ["long", "short", "narrow"], year: ["numeric", "2-digit"],
	month: ["numeric", "2-digit", "long", "short", "narrow"], day: ["numeric", "2-digit"], dayPeriod: ["long", "short", "narrow"],
	hour: ["numeric", "2-digit"], minute: ["numeric", "2-digit"], second: ["numeric", "2-digit"], fractionalSecondDigits: [1, 2, 3],
	timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"], hour12: [true, false],
	hourCycle: ["h11", "h12", "h23", "h24"],
};
const likely = { weekday: 0.3, year: 0.5, month: 0.5, day: 0.5, hour: 0.45, minute: 0.4, second: 0.3, timeZoneName: 0.2 };
const styles = ["full", "long", "medium", "short"];
for (let i = 0; i < 900; i++) {
	const o = { timeZone: pick(zones) };
	if (random() < 0.25) {
		if (random() < 0.7) o.dateStyle = pick(styles);
		if (random() < 0.7 || o.dateStyle === undefined) o.timeStyle = pick(styles);
		if (random() < 0.2) o.hour12 = pick([true, false]);
	} else {
		for (const [name, values] of Object.entries(options)) if (random() < (likely[name] ?? 0.07)) o[name] = pick(values);
	}
	const time = Math.floor(1.2e12 + random() * 1.2e12);
	line(`new Intl.DateTimeFormat("${pick(["en-US", "en-US", "en-US", "en-GB", "en"])}", ${text(o)}).${random() < 0.2 ? "formatToParts" : "format"}(${time})`);
}
for (const locale of ["en-US", "en-GB", "en-CA", "en-AU", "en-IN", "en-NZ", "en-ZA", "en-IE"]) {
	for (const o of [{}, { dateStyle: "medium" }, { dateStyle: "short", timeStyle: "short" }, { dateStyle: "long" }, { month: "short", day: "numeric", year: "numeric" },
		{ month: "long", year: "numeric" }, { hour: "numeric", minute: "2-digit" }, { month: "short" }, { year: "numeric", month: "2-digit", day: "2-digit" }]) {
		line(`[0, 1726000000000].map((t) => new Intl.DateTimeFormat("${locale}", ${text(o)}).format(t))`);
	}
}
// ---- ranges
const start = Date.UTC(2024, 0, 5, 9, 4, 9);
for (const locale of ["en-US", "en-GB"]) {
	for (const o of [{}, { dateStyle: "medium" }, { dateStyle: "short" }, { timeStyle: "short" }, { timeStyle: "medium" }, { dateStyle: "medium", timeStyle: "short" },
		{ hour: "numeric" }, { hour: "numeric", minute: "2-digit" }, { month: "short", day: "numeric" }, { month: "long", year: "numeric" }, { year: "numeric" },
		{ month: "numeric", day: "numeric" }, { month: "short" }, { weekday: "long" }, { day: "numeric" }, { hour: "numeric", minute: "numeric", timeZoneName: "short" },
		{ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }]) {
		line(`[0, 12e5, 36e5, 216e5, 1728e5, 3456e6, 432e8].map((d) => new Intl.DateTimeFormat("${locale}", ${text(o)}).formatRange(${start}, ${start} + d))`);
	}
}
line(`new Intl.DateTimeFormat("en-US", {dateStyle: "medium"}).formatRangeToParts(${start}, ${start} + 1728e5)`);
line(`new Intl.DateTimeFormat("en-US", {dateStyle: "medium", timeStyle: "short"}).formatRangeToParts(${start}, ${start} + 36e5)`);
// ---- the rest
for (const e of ['new Date(0).toLocaleString("en-US", {timeZone: "America/New_York"})', "new Date(0).toLocaleString()", "new Date(0).toLocaleDateString()",
	"new Date(0).toLocaleTimeString()", "new Date(NaN).toLocaleString()", 'new Date(0).toLocaleDateString("en", {timeStyle: "short"})',
	'new Date(0).toLocaleTimeString("en", {dateStyle: "short"})', 'new Date(0).toLocaleDateString("en", {hour: "numeric"})',
	'new Date(0).toLocaleTimeString("en", {weekday: "long"})', 'new Date(0).toLocaleTimeString("en-US", {hour12: false})',
	'new Intl.DateTimeFormat("en", {timeZone: "X/Y"})', 'new Intl.DateTimeFormat("en", {timeZone: ""})', 'new Intl.DateTimeFormat("en", {timeZone: null})',
	'new Intl.DateTimeFormat("en", {weekday: "foo"})', 'new Intl.DateTimeFormat("en", {fractionalSecondDigits: 4})', 'new Intl.DateTimeFormat("en", {calendar: "!"})',
	'new Intl.DateTimeFormat("en", {dateStyle: "full", weekday: "long"})', 'new Intl.DateTimeFormat("en", {timeStyle: "full", timeZoneName: "long"})',
	'new Intl.DateTimeFormat("en", null)', 'new Intl.DateTimeFormat("x")', 'new Intl.DateTimeFormat("en").format(NaN)', 'new Intl.DateTimeFormat("en").format("x")',
	'new Intl.DateTimeFormat("en").format(8.64e15)', 'new Intl.DateTimeFormat("en", {era: "short"}).format(-8.64e15)', 'new Intl.DateTimeFormat("en").format(8.64e15 + 1)',
	'new Intl.DateTimeFormat("en").formatRange(0)', 'new Intl.DateTimeFormat("en").formatRange(NaN, 1)', 'new Intl.DateTimeFormat("en").resolvedOptions()',
	'new Intl.DateTimeFormat("en-GB", {hour: "numeric", timeZone: "us/pacific"}).resolvedOptions()', 'new Intl.DateTimeFormat("en-US", {dateStyle: "short", timeStyle: "short"}).resolvedOptions()',
	'new Intl.DateTimeFormat("en-u-hc-h23", {hour: "numeric"}).resolvedOptions()', "Intl.DateTimeFormat.name + Intl.DateTimeFormat.length",
	'Intl.DateTimeFormat("en").format(0)', 'new Intl.DateTimeFormat() instanceof Intl.DateTimeFormat', "Object.prototype.toString.call(new Intl.DateTimeFormat())",
	'Intl.DateTimeFormat.supportedLocalesOf(["en-US", "en-GB"])', "[0, 864e5].map(new Intl.DateTimeFormat().format)", "new Date(0).toLocaleString.length"]) line(e);
