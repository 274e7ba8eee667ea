// Intl.Segmenter: characters as readers see them, words and sentences, by the default rules of Unicode's text segmentation for
// ordinary text. Languages that write without spaces need a dictionary, which is not here: their words come character by
// character.
(function (host) {
	"use strict";

	const { intl, uncurry, define } = host;
	const { create } = host.object;
	const { String, TypeError, WeakMap, RegExp } = host.globals;
	const slice = uncurry(host.text.slice), exec = uncurry(host.exec);

	const extend = "[\\p{M}\\p{Emoji_Modifier}\\u200c\\u200d]*";
	const grapheme = "(?:\\r\\n|[\\p{Cc}\\u2028\\u2029]|" +
		"(?:\\p{Regional_Indicator}{2}|[\\u1100-\\u115f]*[\\uac00-\\ud7a3\\u1160-\\u11a7]?[\\u1160-\\u11ff]+|[\\u1100-\\u115f]*[\\uac00-\\ud7a3][\\u1160-\\u11ff]*|" +
		"\\p{Extended_Pictographic}(?:[\\p{M}\\p{Emoji_Modifier}\\u200c]*\\u200d\\p{Extended_Pictographic})*|[^])" + extend + ")";
	const letter = "[\\p{L}\\p{Nl}]", east = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}]";
	const marks = "[\\p{M}\\u200c\\u200d]*";
	const wordLetter = "(?:(?!" + east + ")" + letter + marks + ")", digit = "(?:\\p{Nd}" + marks + ")";
	const word = "(?:" + wordLetter + "|" + digit + "|[_\\u203f\\u2040])(?:" + wordLetter + "|" + digit + "|[_\\u203f\\u2040]|" +
		"(?<=\\p{L}\\p{M}*)['.:\\u00b7\\u2018\\u2019\\u2024](?=" + wordLetter + ")|(?<=\\p{Nd})[.,;'](?=\\p{Nd}))*";

	// At the place where it is asked, each finds one segment.
	const finders = create(null);
	finders.grapheme = new RegExp(grapheme, "uy");
	finders.word = new RegExp("(?:" + word + "|[ \\u2000-\\u200a\\u3000]+|" + grapheme + ")", "uy");
	finders.sentence = new RegExp("[^]*?(?:\\r\\n|[\\r\\n\\u0085\\u2028\\u2029]|" +
		"(?:[.](?!\\p{Nd})(?![\"')\\]\\u2019\\u201d]*[ \\t]*\\p{Ll})(?<!\\p{L}[.])(?!\\p{L})|[.](?=[\"')\\]\\u2019\\u201d]*(?:[\\s]|$))(?![\"')\\]\\u2019\\u201d]*[ \\t]*[^\\p{L}\\s]*\\p{Ll})|[?!\\u2026\\u3002])" +
		"[.?!\\u2026\\u3002]*[\"')\\]\\u2019\\u201d]*[ \\t\\u00a0\\u3000]*(?:\\r\\n|[\\r\\n\\u2028\\u2029])?|$)", "uy");
	const wordLike = new RegExp("[\\p{L}\\p{N}]", "u");

	const next = (granularity, text, at) => {
		const finder = finders[granularity];
		finder.lastIndex = at;
		const m = exec(finder, text);
		return m === null || m[0] === "" ? at + 1 : at + m[0].length;
	};

	const slots = new WeakMap();
	const slotOf = uncurry(host.weakMap.get), setSlot = uncurry(host.weakMap.set);
	const own = (self, method) => {
		const s = typeof self === "object" && self !== null ? slotOf(slots, self) : undefined;
		if (s === undefined) throw new TypeError("Method " + method + " called on incompatible receiver");
		return s;
	};

	const segment = (s, from, to) => {
		const out = {}, text = slice(s.text, from, to);
		define(out, "segment", text);
		define(out, "index", from);
		define(out, "input", s.text);
		if (s.granularity === "word") define(out, "isWordLike", exec(wordLike, text) !== null);
		return out;
	};

	const SegmentsPrototype = {
		containing(index) {
			const s = own(this, "%SegmentsPrototype%.containing");
			const n = +index, at = n !== n ? 0 : n < 0 ? -host.floor(-n) : host.floor(n);
			if (at < 0 || at >= s.text.length) return undefined;
			for (let from = 0; ;) {
				const to = next(s.granularity, s.text, from);
				if (at < to) return segment(s, from, to);
				from = to;
			}
		},
		[host.symbols.iterator]() {
			const s = own(this, "%SegmentsPrototype%[Symbol.iterator]");
			const state = create(null);
			state.text = s.text;
			state.granularity = s.granularity;
			state.at = 0;
			const iterator = create(IteratorPrototype);
			setSlot(slots, iterator, state);
			return iterator;
		},
	};
	const IteratorPrototype = create(host.iterator);
	host.install("next", {
		next() {
			const s = own(this, "%SegmentIterator.prototype%.next");
			const out = {};
			const done = s.at >= s.text.length;
			const from = s.at;
			if (!done) s.at = next(s.granularity, s.text, from);
			define(out, "value", done ? undefined : segment(s, from, s.at));
			define(out, "done", done);
			return out;
		},
	}.next, IteratorPrototype);
	host.tag(IteratorPrototype, "Segmenter String Iterator");

	class Segmenter {
		constructor(locales, given) {
			const locale = intl.locale(locales), options = intl.options(given);
			const s = create(null);
			s.locale = locale.tag;
			s.granularity = intl.option(options, "granularity", ["grapheme", "word", "sentence"], "grapheme", "Intl.Segmenter");
			setSlot(slots, this, s);
		}
		segment(input) {
			const s = own(this, "Intl.Segmenter.prototype.segment");
			const state = create(null);
			state.text = String(input);
			state.granularity = s.granularity;
			const segments = create(SegmentsPrototype);
			setSlot(slots, segments, state);
			return segments;
		}
		resolvedOptions() {
			const s = own(this, "Intl.Segmenter.prototype.resolvedOptions"), out = {};
			define(out, "locale", s.locale);
			define(out, "granularity", s.granularity);
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(Segmenter.prototype, "Intl.Segmenter");

	const part = create(null);
	part.Segmenter = Segmenter;
	intl.parts.Segmenter = part;
})
