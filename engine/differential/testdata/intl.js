// Prints expressions and what they give in the JavaScript engine that runs this, a line each with a tab between: what
// intl_test.go holds Codecell's engines to. `make intl` runs it in Node.
"use strict";
let seed = 1;
// A product of doubles would lose its low bits, and the sequence would soon repeat itself.
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296;
const pick = (list) => list[Math.floor(random() * list.length)];
const lines = [];
function line(expression) {
	let result;
	try {
		result = eval(expression);
	} catch (e) {
		result = e.name + ": " + e.message;
	}
	lines.push(expression + "\t" + JSON.stringify(result));
}
const text = (o) => JSON.stringify(o).replace(/"([a-zA-Z0-9]+)":/g, "$1: ");

// ---- numbers
const numbers = ["0", "-0", "1", "-1", "0.5", "1.5", "2.5", "NaN", "Infinity", "-Infinity", "999.5", "999999", "1e3", "12345.678",
	"-12345.678", "1e21", "1e-7", "0.1 + 0.2", "1.005", "-0.001", '"123456789.987654321"', '"1e500"', '"abc"', '""', "10n ** 20n", "-5n",
	"true", "null", "undefined"];
const options = {
	style: ["decimal", "percent", "currency", "unit"], currencyDisplay: ["symbol", "code", "name", "narrowSymbol"],
	currencySign: ["accounting", "standard"], unitDisplay: ["short", "long", "narrow"], notation: ["standard", "scientific", "engineering", "compact"],
	compactDisplay: ["short", "long"], signDisplay: ["auto", "never", "always", "exceptZero", "negative"],
	useGrouping: [true, false, "min2", "auto", "always"], minimumIntegerDigits: [1, 2, 5], minimumFractionDigits: [0, 1, 2, 4],
	maximumFractionDigits: [0, 1, 2, 5, 20], minimumSignificantDigits: [1, 2, 3], maximumSignificantDigits: [1, 2, 3, 6],
	roundingMode: ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"],
	roundingPriority: ["auto", "morePrecision", "lessPrecision"], trailingZeroDisplay: ["auto", "stripIfInteger"],
};
const likely = { style: 0.6, notation: 0.35, currencyDisplay: 0.3, unitDisplay: 0.4 };
for (let i = 0; i < 350; i++) {
	const o = {};
	for (const [name, values] of Object.entries(options)) if (random() < (likely[name] ?? 0.12)) o[name] = pick(values);
	if (o.style === "currency") o.currency = pick(["USD", "EUR", "GBP", "JPY", "CHF", "INR", "KWD", "CAD", "usd", "ABC"]);
	if (o.style === "unit") o.unit = pick(["kilometer", "mile-per-hour", "byte", "celsius", "day", "percent", "foot", "month-per-week", "kilobyte-per-second"]);
	const locale = pick(["en-US", "en-US", "en-GB", "en", "en-IN"]);
	const value = random() < 0.3 ? String(random() * 10 ** Math.floor(random() * 18 - 5)) : pick(numbers);
	line(`new Intl.NumberFormat("${locale}", ${text(o)}).${random() < 0.2 ? "formatToParts" : "format"}(${value})`);
}
for (const o of [{}, { style: "currency", currency: "usd", notation: "compact" }, { maximumSignificantDigits: 3 }, { style: "unit", unit: "liter" }]) {
	line(`new Intl.NumberFormat("en-GB", ${text(o)}).resolvedOptions()`);
	line(`new Intl.NumberFormat("en-US", ${text(o)}).formatRange(3, 5)`);
	line(`new Intl.NumberFormat("en-US", ${text(o)}).formatRangeToParts(-3, 5)`);
	line(`new Intl.NumberFormat("en-US", ${text(o)}).formatRange(2.9999, 3)`);
}
for (const bad of ['{style: "x"}', '{style: "currency"}', '{style: "currency", currency: "abcd"}', '{style: "unit"}', '{style: "unit", unit: "foo"}',
	"{maximumFractionDigits: 101}", "{minimumFractionDigits: 5, maximumFractionDigits: 2}", "{maximumSignificantDigits: 0}", '{notation: "x"}',
	"{roundingIncrement: 3}", '{roundingMode: "x"}', '{useGrouping: "x"}', "{minimumIntegerDigits: 22}"]) line(`new Intl.NumberFormat("en-US", ${bad})`);
for (const increment of [2, 5, 10, 25, 50]) for (const value of [1.23, 155043, -0.125, 0]) {
	line(`new Intl.NumberFormat("en-US", {roundingIncrement: ${increment}, minimumFractionDigits: 2, maximumFractionDigits: 2}).format(${value})`);
}
for (const e of ['(1234567.891).toLocaleString("en-US")', '(0.256).toLocaleString("en-US", {style: "percent"})', "(12345.678).toLocaleString()", '123456789n.toLocaleString("en-IN")',
	'[1234.5, new Number(5)].toLocaleString("en-US")', '(1).toLocaleString("x_y")', "Intl.NumberFormat.name + Intl.NumberFormat.length", "Object.prototype.toString.call(new Intl.NumberFormat())",
	"new Intl.NumberFormat() instanceof Intl.NumberFormat", 'Intl.NumberFormat("en").format(5)', 'Intl.NumberFormat.supportedLocalesOf(["en-US", "en"])',
	"Intl.NumberFormat.prototype.constructor === Intl.NumberFormat", '[1, 2].map(new Intl.NumberFormat("en", {minimumFractionDigits: 1}).format)',
	'Intl.getCanonicalLocales(["EN-us", "zh-hant-tw", "de-DE-u-nu-latn"])', "Intl.getCanonicalLocales(null)", 'Intl.getCanonicalLocales("x_y")', "Object.prototype.toString.call(Intl)"]) line(e);

for (const currency of ["USD", "CHF"]) for (const currencyDisplay of ["symbol", "code", "name"]) for (const locale of ["en-US", "en-GB", "en-IN"]) {
	line(`[-12345.678, 1234567, 5].map(new Intl.NumberFormat("${locale}", ${text({ style: "currency", notation: "compact", compactDisplay: "long", currency, currencyDisplay })}).format)`);
}
for (const currency of ["USD", "JPY"]) for (const o of [{}, { minimumFractionDigits: 0 }, { minimumFractionDigits: 1 }, { maximumFractionDigits: 1 }, { maximumFractionDigits: 3 }]) {
	line(`[999.5, 1234.567, 5].map(new Intl.NumberFormat("en-US", ${text({ style: "currency", notation: "compact", currency, ...o })}).format)`);
}
for (const e of ['new Intl.NumberFormat("en").format(10n ** 30000n).length', '(-(10n ** 30000n)).toLocaleString().slice(0, 9)', 'new Intl.NumberFormat("en").format("9".repeat(30000))',
	'new Intl.NumberFormat("en").format("x".repeat(30000))', 'new Intl.NumberFormat("en").format("0".repeat(30000) + "5")']) line(e);

// ---- lists
for (const e of ['[1234.5, 0.5, null, undefined, 5n].toLocaleString("en-US", {style: "currency", currency: "USD"})', '[1, [2000, [3000.5]]].toLocaleString("en-US", {minimumFractionDigits: 1})',
	"((a) => (a.push(a, 2), a.toLocaleString()))([1])", 'Array.prototype.toLocaleString.call({length: 2, 0: 1234, 1: {toLocaleString(...x) { return x.length + String(x) }}}, "en", 5)',
	"[{toLocaleString(...x) { return x.length }}].toLocaleString()", "Array.prototype.toLocaleString.call(null)", 'new Float64Array([1234.5, 0.25]).toLocaleString("en-US", {style: "percent"})',
	'new BigInt64Array([1234n]).toLocaleString("en-US")', "[{toLocaleString() { return Symbol() }}].toLocaleString()", "[].toLocaleString.length + [].toLocaleString.name", "[, 1].toLocaleString()",
	'[new Date(0)].toLocaleString("en-GB", {timeZone: "UTC"})', '[1].toLocaleString("x_y")', '[].toLocaleString("x_y")', '["a"].toLocaleString("x_y")',
	'((a) => { try { a.toLocaleString() } catch {} a[0] = 7; return a.toLocaleString() })([{toLocaleString() { throw 1 }}])']) line(e);

// ---- case
for (const e of ['"iß".toLocaleUpperCase()', '"iß".toLocaleUpperCase("en-US")', '"IΣ".toLocaleLowerCase(["de", "en"])', '"a".toLocaleUpperCase("x_y")', '"a".toLocaleLowerCase("")',
	'"a".toLocaleUpperCase(null)', '"a".toLocaleLowerCase([5])', '"a".toLocaleUpperCase(5)', "String.prototype.toLocaleUpperCase.call(null)", "String.prototype.toLocaleLowerCase.call(12, 'en')",
	'"a".toLocaleUpperCase.length + "a".toLocaleLowerCase.name']) line(e);

// ---- words
for (const locale of ["en-US", "en-GB"]) for (const style of ["long", "short", "narrow"]) for (const numeric of ["always", "auto"]) {
	for (const unit of ["second", "minutes", "hour", "day", "week", "month", "quarter", "years"]) {
		line(`[-2, -1, -0, 0, 1, 1.5, 1234.5].map((n) => new Intl.RelativeTimeFormat("${locale}", {style: "${style}", numeric: "${numeric}"}).format(n, "${unit}"))`);
	}
}
for (const e of ['formatToParts(-1234.5, "days")', 'format(Infinity, "day")', 'format(1, "foo")', "format(1)", "resolvedOptions()"]) line(`new Intl.RelativeTimeFormat("en-US").${e}`);
line('new Intl.RelativeTimeFormat("en", {numeric: "auto"}).formatToParts(-1, "day")');
line('new Intl.RelativeTimeFormat("en", {style: "x"})');
for (const locale of ["en-US", "en-GB", "en-CA"]) for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) {
	line(`["", "a", "ab", "abc", "abcd"].map((s) => new Intl.ListFormat("${locale}", {type: "${type}", style: "${style}"}).format(s))`);
}
for (const e of ['formatToParts(["a", "b", "c"])', "format([1])", 'format(new Set(["x", "y"]))', "resolvedOptions()", "format()"]) line(`new Intl.ListFormat("en").${e}`);
for (const type of ["cardinal", "ordinal"]) {
	line(`[0, 1, 2, 3, 4, 5, 11, 12, 13, 21, 22, 23, 101, 111, 1.5, -1, 1e6, NaN, Infinity].map((n) => new Intl.PluralRules("en-US", {type: "${type}"}).select(n))`);
	line(`new Intl.PluralRules("en", {type: "${type}"}).resolvedOptions()`);
}
line('new Intl.PluralRules("en", {minimumFractionDigits: 1}).select(1)');
line('new Intl.PluralRules("en").selectRange(1, 2)');

// ---- order
const pieces = ["a", "b", "A", "B", "z", "Z", "é", "e", "E", "É", "ö", "Ö", "ñ", "ß", "ss", "æ", "Æ", "ø", "Ø", "o", "ł", "-", "_", " ", "  ", ".", ",", "!",
	"(", "1", "2", "10", "02", "9", "$", "€", "+", "<", "я", "Я", "α", "Ω", "日", "本", "😀", "\u0301", "ü", "Å", "ij", "th", "\t", "co-op", "’", "'"];
const word = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(pieces)).join("");
for (let i = 0; i < 60; i++) {
	const o = {};
	if (random() < 0.3) o.numeric = random() < 0.7;
	if (random() < 0.5) o.sensitivity = pick(["base", "accent", "case", "variant"]);
	if (random() < 0.2) o.ignorePunctuation = true;
	if (random() < 0.2) o.caseFirst = pick(["upper", "lower", "false"]);
	const pairs = Array.from({ length: 8 }, () => {
		const a = word();
		return [a, random() < 0.4 ? a.toUpperCase() : random() < 0.3 ? a.replace(/[aeo]/, "é") : word()];
	});
	line(`${JSON.stringify(pairs)}.map(([a, b]) => new Intl.Collator("en", ${text(o)}).compare(a, b))`);
}
const words = '["résumé", "resume", "Resume", "Résumé", "zebra", "Zebra", "apple", "10", "2", "_x", "a b", "ab", "a-b"]';
line(`${words}.sort((a, b) => a.localeCompare(b))`);
line(`${words}.sort((a, b) => a.localeCompare(b, "en", {sensitivity: "base"}))`);
line('["item10", "item2", "Item1", "item 3"].sort(new Intl.Collator(undefined, {numeric: true, sensitivity: "base"}).compare)');
line('["a", "b"].map((s) => s.localeCompare("a", "en-US", {numeric: true}))');
line('new Intl.Collator("en-US", {numeric: true}).resolvedOptions()');
line('"a".localeCompare.length + String("a".localeCompare("b", "x_y"))');

// ---- dates
const dates = ["0", "1705311000000", "1720000000123", "-62135596800000", "951782400000", "1730610000000", "8.64e15"];
const zones = ["UTC", "America/New_York", "Europe/London", "asia/tokyo", "Australia/Sydney"];
const looks = [{}, { dateStyle: "full" }, { dateStyle: "long", timeStyle: "short" }, { dateStyle: "medium", timeStyle: "medium" }, { dateStyle: "short" },
	{ timeStyle: "short" }, { year: "numeric", month: "long", day: "numeric" }, { weekday: "short", month: "short", day: "numeric" },
	{ weekday: "long", year: "numeric", month: "long", day: "numeric" }, { month: "2-digit", day: "2-digit", year: "numeric" }, { hour: "numeric", minute: "2-digit" },
	{ hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }, { hour: "numeric", hour12: true }, { month: "long", year: "numeric" }, { weekday: "long" },
	{ year: "2-digit", month: "numeric", day: "numeric" }, { month: "short" }, { year: "numeric" }, { hour: "numeric", minute: "numeric", timeZoneName: "short" },
	{ dateStyle: "full", timeStyle: "long" }, { minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 }, { hourCycle: "h23", hour: "numeric", minute: "numeric" }];
for (const locale of ["en-US", "en-GB"]) for (const look of looks) {
	const o = { ...look, timeZone: pick(zones) };
	line(`[${dates}].map((d) => new Intl.DateTimeFormat("${locale}", ${text(o)}).format(d))`);
	line(`new Intl.DateTimeFormat("${locale}", ${text(o)}).formatToParts(${pick(dates)})`);
	line(`["toLocaleString", "toLocaleDateString", "toLocaleTimeString"].map((m) => { try { return new Date(${pick(dates)})[m]("${locale}", ${text(o)}) } catch (e) { return e.name + ": " + e.message } })`);
}
for (const o of [{ timeZone: "UTC" }, { dateStyle: "long", timeZone: "europe/paris" }, { hour: "numeric", timeZone: "UTC" }]) line(`new Intl.DateTimeFormat("en-US", ${text(o)}).resolvedOptions()`);
for (const e of ['new Intl.DateTimeFormat("en", {timeZone: "Mars/Base"})', "new Intl.DateTimeFormat().format(NaN)", 'new Date(NaN).toLocaleString("en-US")', 'new Intl.DateTimeFormat("en", {month: "x"})',
	'new Date(0).toLocaleString("en-US", {timeZone: "America/New_York"})', "Intl.DateTimeFormat.name + Intl.DateTimeFormat.length"]) line(e);

// ---- segments
for (const granularity of ["grapheme", "word", "sentence"]) {
	for (const s of ["Hello, world!", "👨‍👩‍👧 family 👍🏽 ok", "e\u0301a\u0300", "🇺🇸🇬🇧x", "한국어 각", "a\r\nb", "The price is $1,234.56, right?", "",
		"Don’t stop. Mr. Smith went to Washington. He said \"hi.\" Then left!", "It costs 3.5 dollars. Ok?  Yes.", "foo_bar baz-qux v1.2.3", "What?! No... Really",
		"line one\nline two\n\nthree", "U.S.A. is big. e.g. this one.", "http://example.com/a?b=c", "  two  spaces ", "can't won't", "naïve café", "10:30 am"]) {
		line(`[...new Intl.Segmenter("en", {granularity: "${granularity}"}).segment(${JSON.stringify(s)})].map((s) => s.segment + (s.isWordLike ?? ""))`);
	}
}
line('new Intl.Segmenter("en", {granularity: "word"}).segment("Hello world").containing(7)');
line('new Intl.Segmenter("en").resolvedOptions()');

console.log(lines.join("\n"));
