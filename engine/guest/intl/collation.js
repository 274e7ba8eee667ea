// Intl.Collator and String.prototype.localeCompare: the order that all languages start from, and English keeps: white space,
// punctuation, signs, currencies, digits, letters; then accents; then small before large.
(function (host) {
	"use strict";

	const { intl, uncurry, define } = host;
	const { create } = host.object;
	const { String, TypeError, WeakMap, RegExp } = host.globals;
	const text = host.text;
	const slice = uncurry(text.slice), split = uncurry(text.split), charCode = uncurry(text.charCodeAt), codePoint = uncurry(text.codePointAt);
	const lower = uncurry(text.toLowerCase), normalize = uncurry(text.normalize), exec = uncurry(host.exec);

	// The characters in their order. Between spaces are those that differ by case or form alone, small before large; behind a
	// middle dot, those that differ by accent.
	const spaces = "\u0009|\u000a|\u000b|\u000c|\u000d|\u2028|\u2029|\u0020\u00a0\u202f";
	const order =
		"‾ _ ‗ - \u2010\u2011 ‒ – — ― ⁓ , ; ⁏ : ! ‼ ⁉ ¡ ? ⁈ ⁇ ¿ ‽ .․ ‥ … · ⁕ ⁖ ⁘ ⁙ ⁚ ⁛ ⁜ ⁝ ⁞ '·‘·’·‚·‛ ‹ › \"·“·”·„·‟ « " +
		"» ( ) [ ] { } ⁅ ⁆ ‖ § ¶ ⁋ @ * ⁎ ⁑ / \\ & ⁊ # % ‰ ‱ † ‡ • ‣ ‧ ⁃ ⁌ ⁍ ′ ″ ‴ ⁗ ‵ ‶ ‷ ‸ ※ ‿ ⁔ ⁀ ⁐ ⁁ ⁂ ` ´΄ " +
		"^ ¯ ¨ ¸ ͵ ° © ® ← → ↑ ↓ ∂ ϶ ∏ ∑ + ± ÷ × < =·≠ > ¬ | ¦ ~ − ⁒ ⁄ √ ∞ ∫ ≈ ≤ ≥ ¤ ¢ $ £ ¥ ₠ ₡ ₢ ₣ ₤ ₥ ₦ ₩ " +
		"₪ ₫ € ₭ ₮ ₯ ₰ ₱ ₲ ₳ ₴ ₵ ₶ ₷ ₸ ₹ ₺ ₻ ₼ ₽ ₾ ₿ 0 1¹ ½ ¼ 2² 3³ ¾ 4 5 6 7 8 9 aA Ⱥ bB ƀɃ Ɓ ƃƂ cC ȼȻ ƈƇ dD " +
		"Ɖ Ɗ ƌƋ ȡ eE ɇɆ ǝƎ Ə Ɛ fF ƒƑ gG ǥǤ Ɠ Ɣ ƣƢ hH ƕǶ iI ı Ɨ Ɩ jJ ȷ ɉɈ kK ƙƘ lL ƚȽ ȴ ƛ mM nN Ɲ ƞȠ ȵ ŋŊ oO Ɔ " +
		"Ɵ ȣȢ pP ₧ ƥƤ qQ ɋɊ ĸ rR Ʀ ɍɌ sS ȿ Ʃ ƪ tT ŧŦ Ⱦ ƫ ƭƬ Ʈ ȶ uU Ʉ Ɯ Ʊ vV Ʋ Ʌ wW xX yY ɏɎ ƴƳ ȝȜ zZ ƶƵ ȥȤ ɀ " +
		"Ʒ ƹƸ ƺ þÞ ƿǷ ƻ ƨƧ ƽƼ ƅƄ ɂɁ ŉ ǀ ǁ ǂ ǃ αΑ βϐΒ γΓ δΔ εϵΕ ϝϜ ͷͶ ϛϚ ζΖ ͱͰ ηΗ θϑΘϴ ιͺΙ ϳͿ κϰΚ ϗϏ λΛ μµΜ νΝ " +
		"ξΞ οΟ πϖΠ ϻϺ ϟϞ ϙϘ ρϱΡ ϼ σϲΣϹς ͼϾ ͻϽ ͽϿ τΤ υΥϒ φϕΦ χΧ ψΨ ωΩ ϡϠ ͳͲ ϸϷ ϣϢ ϥϤ ϧϦ ϩϨ ϫϪ ϭϬ ϯϮ аА бБ вВ " +
		"гГ·ґҐ дД ђЂ еЕ єЄ жЖ зЗ ѕЅ иИ іІ јЈ кК лЛ љЉ мМ нН њЊ оО пП рР сС тТ ћЋ уУ фФ хХ цЦ чЧ џЏ шШ щЩ ъЪ " +
		"ыЫ ьЬ эЭ юЮ яЯ ";
	// What is sorted like other letters: with an equals sign in another form, behind a slash with that mark, otherwise with an
	// accent of its own, above all marks, behind the first letter.
	const alike = "ªa= æae Æae đd/335 Đd/335 ðd Ðd ȸdb= ǳdz= ǲdz= Ǳdz= ǆdz/30c ǅdz/30c Ǆdz/30c ħh/335 Ħh/335 ĳij= Ĳij= łl/335 Łl/335 ŀl Ŀl ǉlj= ǈlj= Ǉlj= ǌnj= ǋnj= Ǌnj= №no= ºo= øo/338 Øo/338 œoe Œoe ȹqp= ₨rs= ſs ßss ™tm= ƾts= ƍzw=";
	// The marks that accents are, in their order.
	const marks = "34f 332 313 343 314 301 341 300 340 306 302 30c 30a 342 308 344 30b 303 307 338 327 328 304 30d 30e 312 315 31a 33d 33e 33f 346 34a 34b 34c 350 351 352 357 35b 35d 35e 316 317 318 319 31c 31d 31e 31f 320 329 32a 32b 32c 32f 333 33a 33b 33c 347 348 349 34d 34e 353 354 355 356 359 35a 35c 35f 362 336 337 335 305 309 30f 310 311 31b 321 322 323 324 325 326 32d 32e 330 331 334 339 345 358 360 361 363 368 369 364 36a 365 36b 366 36c 36d 367 36e 36f";

	// ---- weights

	// A character's weights are one number: its place in the order, times 4096, plus 64 times its accent's, plus its form's.
	const PLACE = 4096, ACCENT = 64;
	const weights = create(null); // by code point
	const ascii = []; // the same for ASCII, where white space and punctuation are too
	let place = 0;
	const groups = (list, separator) => {
		const all = split(list, separator);
		for (let i = 0; i < all.length; i++) {
			if (all[i] === "") continue;
			place++;
			let accent = 0, form = 0;
			for (let k = 0; k < all[i].length; k++) {
				if (all[i][k] === "·" && all[i].length > 1) {
					accent++;
					form = 0;
					continue;
				}
				weights[charCode(all[i], k)] = place * PLACE + accent * ACCENT + form++;
			}
		}
	};
	groups(spaces, "|");
	groups(order, " ");
	const last = place;
	const at = (c) => host.floor(weights[charCode(c, 0)] / PLACE);
	const afterPunctuation = at("`"), currencies = at("¤"), digits = at("0"), letters = at("a");
	for (let i = 0; i < 128; i++) define(ascii, i, weights[i] ?? 0);
	const FIRST_MARK = 64, ABOVE_MARKS = 500;
	const accents = create(null);
	for (let all = split(marks, " "), i = 0; i < all.length; i++) accents[+("0x" + all[i])] = FIRST_MARK + i + 1;
	const others = create(null); // the letters that a character is sorted like
	for (let all = split(alike, " "), i = 0; i < all.length; i++) {
		const parts = split(all[i], "/"), form = all[i][all[i].length - 1] === "=";
		const like = create(null);
		like.text = slice(parts[0], 1, parts[0].length - (form ? 1 : 0));
		like.mark = parts.length > 1 ? accents[+("0x" + parts[1])] : 0;
		// Small and large have the same accent.
		like.own = form || like.mark > 0 ? 0 : ABOVE_MARKS + charCode(lower(all[i][0]), 0) % 20;
		like.form = form ? 3 : 0;
		others[charCode(all[i], 0)] = like;
	}

	const isLetter = new RegExp("[\\p{L}\\p{N}]", "u"), isMark = new RegExp("\\p{M}", "u"), isIgnored = new RegExp("[\\p{Cc}\\p{Cf}]", "u");
	const isLarge = new RegExp("[\\p{Lu}\\p{Lt}]", "u");
	const fromCodePoint = String.fromCodePoint;

	// unknown gives a place to what the table does not have: signs before currencies, letters after all others; Korean before
	// Japanese before Chinese, as everywhere.
	function unknown(c, point) {
		if (exec(isIgnored, c) !== null) return 0;
		if (exec(isLetter, c) === null) return currencies - 1 + (point + 1) / 0x200000;
		const east = point >= 0xac00 && point < 0xd7b0 || point >= 0x1100 && point < 0x1200 ? 0x20000 : point >= 0x3040 && point < 0x3100 ? 0x40000 : point >= 0x3400 && point < 0xa000 ? 0x60000 : 0;
		return last + 1 + east + point;
	}

	// keyOf makes the three keys of a text: places, accents, forms.
	function keyOf(s, value) {
		const key = create(null);
		const places = [], accentKey = [], forms = [];
		key.places = places;
		key.accents = accentKey;
		key.forms = forms;
		let n = 0, m = 0;
		let left = false; // whether what came last was left out, and the marks on it are too
		const add = (p, accent, form) => {
			if (p === 0) return;
			left = s.ignorePunctuation && p < afterPunctuation;
			if (left) return;
			define(places, n, p);
			define(accentKey, m++, 1 + accent);
			define(forms, n++, form);
		};
		const t = normalize(value, "NFD");
		for (let i = 0; i < t.length;) {
			const point = codePoint(t, i);
			if (s.numeric && point >= 48 && point <= 57) {
				let end = i;
				while (end < t.length && charCode(t, end) >= 48 && charCode(t, end) <= 57) end++;
				while (i < end - 1 && charCode(t, i) === 48) i++;
				// A longer number is larger.
				add(digits + (end - i) / 0x1000000, 0, 0);
				for (; i < end; i++) add(digits + charCode(t, i) - 48, 0, 0);
				continue;
			}
			i += point > 0xffff ? 2 : 1;
			const weight = weights[point];
			if (weight !== undefined) {
				add(host.floor(weight / PLACE), host.floor(weight % PLACE / ACCENT), weight % ACCENT);
				continue;
			}
			const accent = accents[point];
			if (accent !== undefined) {
				if (!left) define(accentKey, m++, accent);
				continue;
			}
			const c = fromCodePoint(point), like = others[point];
			if (like !== undefined) {
				const large = exec(isLarge, c) !== null ? 1 : 0;
				for (let k = 0; k < like.text.length; k++) {
					const w = weights[charCode(like.text, k)];
					add(host.floor(w / PLACE), 0, like.form + large);
					if (k === 0 && like.own > 0) define(accentKey, m++, like.own);
				}
				if (like.mark > 0) define(accentKey, m++, like.mark);
				continue;
			}
			if (exec(isMark, c) === null) add(unknown(c, point), 0, exec(isLarge, c) !== null ? 1 : 0);
			else if (!left) define(accentKey, m++, 1000 + point);
		}
		return key;
	}

	const order3 = (a, b) => {
		for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
		return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
	};
	const caseOrder = (a, b, s) => {
		for (let i = 0; i < a.length && i < b.length; i++) {
			if (a[i] === b[i]) continue;
			return (a[i] < b[i]) === (s.caseFirst !== "upper") ? -1 : 1;
		}
		return 0;
	};

	// simple compares ASCII texts of the usual collator without making keys; undefined if they are none.
	function simple(a, b) {
		let i = 0, k = 0, forms = 0;
		for (;;) {
			let x = 0, y = 0;
			while (x === 0 && i < a.length) {
				const c = charCode(a, i++);
				if (c > 127) return undefined;
				x = ascii[c];
			}
			while (y === 0 && k < b.length) {
				const c = charCode(b, k++);
				if (c > 127) return undefined;
				y = ascii[c];
			}
			if (x === 0 && y === 0) return forms;
			const p = host.floor(x / PLACE), q = host.floor(y / PLACE);
			if (p !== q) {
				// What follows may still be no ASCII, but can't change the order.
				if (exec(beyond, a) !== null || exec(beyond, b) !== null) return undefined;
				return p < q ? -1 : 1;
			}
			if (forms === 0 && x !== y) forms = x < y ? -1 : 1;
		}
	}
	const beyond = new RegExp("[^\\x00-\\x7f]");

	function compare(s, a, b) {
		if (s.plain) {
			const r = simple(a, b);
			if (r !== undefined) return r;
		}
		const x = keyOf(s, a), y = keyOf(s, b);
		let r = order3(x.places, y.places);
		if (r !== 0 || s.sensitivity === "base") return r;
		if (s.sensitivity !== "case") r = order3(x.accents, y.accents);
		if (r !== 0 || s.sensitivity === "accent") return r;
		return caseOrder(x.forms, y.forms, s);
	}

	// ---- the class

	const slots = new WeakMap();
	const slotOf = uncurry(host.weakMap.get), setSlot = uncurry(host.weakMap.set);
	const own = (self, method) => {
		const s = typeof self === "object" && self !== null ? slotOf(slots, self) : undefined;
		if (s === undefined) throw new TypeError("Method " + method + " called on incompatible receiver");
		return s;
	};

	function read(locales, given) {
		const locale = intl.locale(locales), options = intl.options(given), service = "Intl.Collator";
		const s = create(null);
		s.usage = intl.option(options, "usage", ["sort", "search"], "sort", service);
		const numeric = options.numeric;
		const caseFirst = intl.option(options, "caseFirst", ["upper", "lower", "false"], undefined, service);
		const kn = locale.keywords.kn, kf = locale.keywords.kf;
		s.numeric = numeric === undefined ? kn !== undefined && kn !== "false" : !!numeric;
		s.caseFirst = caseFirst ?? (kf === "upper" || kf === "lower" ? kf : "false");
		s.locale = locale.tag + (numeric === undefined && s.numeric ? "-u-kn" : "") ;
		s.sensitivity = intl.option(options, "sensitivity", ["base", "accent", "case", "variant"], "variant", service);
		s.ignorePunctuation = options.ignorePunctuation === undefined ? false : !!options.ignorePunctuation;
		s.plain = !s.numeric && !s.ignorePunctuation && s.caseFirst !== "upper" && s.sensitivity === "variant";
		return s;
	}

	class Collator {
		constructor(locales, options) {
			setSlot(slots, this, read(locales, options));
		}
		get compare() {
			const s = own(this, "get Intl.Collator.prototype.compare");
			if (s.bound === undefined) s.bound = (a, b) => compare(s, String(a), String(b));
			return s.bound;
		}
		resolvedOptions() {
			const s = own(this, "Intl.Collator.prototype.resolvedOptions"), out = {};
			for (const name of ["locale", "usage", "sensitivity", "ignorePunctuation"]) define(out, name, s[name]);
			define(out, "collation", "default");
			define(out, "numeric", s.numeric);
			define(out, "caseFirst", s.caseFirst);
			return out;
		}
		static supportedLocalesOf(locales) {
			return intl.supportedLocalesOf(locales);
		}
	}
	host.tag(Collator.prototype, "Intl.Collator");

	const usual = read(undefined, undefined);
	const part = create(null);
	part.Collator = host.callable(Collator);
	part["String.localeCompare"] = {
		localeCompare(that, locales, options) {
			if (this === undefined || this === null) throw new TypeError("String.prototype.localeCompare called on null or undefined");
			const s = locales === undefined && options === undefined || locales === "en" && options === undefined ? usual : read(locales, options);
			return compare(s, String(this), String(that));
		},
	}.localeCompare;
	intl.parts.Collation = part;
})
