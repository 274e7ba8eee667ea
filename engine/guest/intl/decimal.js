// Decimal numbers of Intl: read exactly from what a cell passes, and rounded as digit options say. A number is kept as its
// decimal digits, 0.DIGITS times ten to the power of point; one that came as a double is the shortest that stands for it.
(function (host) {
	"use strict";

	const { intl, uncurry } = host;
	const { create } = host.object;
	const { String, RangeError, TypeError, BigInt, RegExp } = host.globals;
	const slice = uncurry(host.text.slice), repeat = uncurry(host.text.repeat), indexOf = uncurry(host.text.indexOf);
	const exec = uncurry(host.exec), trim = uncurry(host.text.trim), numberText = uncurry(host.numberText);

	const INFINITY = 1 / 0;
	const LONGEST = 20000; // characters of a text that is read exactly; big integers of any length are
	const LIMIT = 5000; // digits behind the point: what is smaller is nought
	const form = new RegExp("^([-+]?)([0-9]*)(?:\\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?$");
	const radix = new RegExp("^0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$");
	const leading = new RegExp("^0*"), trailing = new RegExp("0*$");
	const zeros = (n) => (n > 0 ? repeat("0", n) : "");

	const number = (negative, special, digits, point) => {
		const d = create(null);
		d.negative = negative;
		d.special = special; // "nan", "infinity" or undefined
		const skip = exec(leading, digits)[0].length;
		d.digits = slice(digits, skip, digits.length - (skip < digits.length ? exec(trailing, digits)[0].length : 0));
		d.point = d.digits === "" ? 0 : point - skip;
		return d;
	};

	function ofText(text) {
		const t = trim(text);
		if (t === "Infinity" || t === "+Infinity" || t === "-Infinity") return number(t[0] === "-", "infinity", "", 0);
		if (exec(radix, t) !== null) return ofText(String(BigInt(t)));
		const m = exec(form, t);
		if (m === null || (t !== "" && m[2] === "" && (m[3] === undefined || m[3] === ""))) return number(false, "nan", "", 0);
		const power = m[4] === undefined ? 0 : +m[4];
		const d = number(m[1] === "-", undefined, m[2] + (m[3] ?? ""), m[2].length + power);
		if (d.digits !== "" && d.point < -LIMIT) return number(d.negative, undefined, "", 0);
		return d;
	}

	// of reads a value as Intl reads numbers.
	const of = (value) => {
		if (typeof value === "object" && value !== null || typeof value === "function") value = host.primitive(value);
		if (typeof value === "bigint") return ofText(String(value));
		if (typeof value === "string") {
			// A text of very many digits, which would cost too much, is read as the double that is nearest.
			if (value.length > LONGEST) return of(+value);
			const d = ofText(value);
			if (d.special === undefined && (+value === INFINITY || +value === -INFINITY)) d.special = "infinity";
			return d;
		}
		const n = +value; // throws for a symbol
		if (n !== n) return number(false, "nan", "", 0);
		if (n === 0) return number(1 / n < 0, undefined, "", 0);
		return ofText(numberText(n));
	};

	// ---- rounding

	// plus adds one to the last of some digits; "999" becomes "1000".
	function plus(digits) {
		let i = digits.length - 1;
		while (i >= 0 && digits[i] === "9") i--;
		if (i < 0) return "1" + zeros(digits.length);
		return slice(digits, 0, i) + "123456789"[indexOf("012345678", digits[i])] + zeros(digits.length - i - 1);
	}

	// away says whether a number is rounded away from nought, given how what is cut off compares to half of the last kept place.
	function away(mode, negative, half, odd) {
		switch (mode) {
		case "ceil": return !negative;
		case "floor": return negative;
		case "expand": return true;
		case "trunc": return false;
		}
		if (half !== 0) return half > 0;
		switch (mode) {
		case "halfCeil": return !negative;
		case "halfFloor": return negative;
		case "halfTrunc": return false;
		case "halfEven": return odd;
		}
		return true;
	}

	// round keeps the first n digits (n may be negative), as a multiple of an increment of the last of them.
	function round(d, n, mode, increment) {
		if (d.digits === "" || (n >= d.digits.length && increment === 1)) return d;
		let head = n > 0 ? slice(d.digits, 0, n) + zeros(n - d.digits.length) : "";
		const rest = n >= 0 ? slice(d.digits, n) : "0" + d.digits;
		const kept = head.length;
		let odd = head !== "" && indexOf("13579", head[kept - 1]) >= 0;
		let half;
		if (increment === 1) {
			if (rest === "") return d;
			half = rest[0] > "5" || (rest[0] === "5" && rest.length > 1) ? 1 : rest === "5" ? 0 : -1;
		} else {
			// What is over the last multiple, in units of the last place, and of ten to the minus the length of rest.
			const scale = BigInt("1" + zeros(rest.length));
			const whole = BigInt(head + rest || "0"), step = BigInt(increment) * scale;
			const over = whole % step, twice = over + over;
			head = String((whole - over) / scale);
			half = twice > step ? 1 : twice === step ? 0 : -1;
			odd = ((whole - over) / step) % TWO === ONE;
			if (over !== ZERO && away(mode, d.negative, half, odd)) head = String(BigInt(head) + BigInt(increment));
			head = zeros(kept - head.length) + head;
		}
		if (increment === 1 && away(mode, d.negative, half, odd)) head = head === "" ? "1" : plus(head);
		// A digit more than were kept is one more before the point.
		return number(d.negative, undefined, head, d.point + (head.length - kept) + (n < 0 ? -n : 0));
	}
	const Math_max = (a, b) => (a > b ? a : b);
	const ZERO = BigInt(0), ONE = BigInt(1), TWO = BigInt(2);

	// digitsOf lays a number out: digits before the point, at least so many, and behind it.
	function layOut(d, integers, fractions) {
		const out = create(null);
		out.negative = d.negative;
		out.zero = d.digits === "";
		out.magnitude = d.point - 1;
		const whole = d.point > 0 ? slice(d.digits, 0, d.point) + zeros(d.point - d.digits.length) : "";
		out.integer = zeros(Math_max(integers, 1) - whole.length) + whole;
		const part = d.digits === "" ? "" : d.point >= 0 ? slice(d.digits, d.point) : zeros(-d.point) + d.digits;
		out.fraction = part + zeros(fractions - part.length);
		return out;
	}

	function fixed(d, s) {
		return layOut(round(d, d.point + s.maximumFractionDigits, s.roundingMode, s.roundingIncrement), s.minimumIntegerDigits, s.minimumFractionDigits);
	}

	function significant(d, s) {
		const r = round(d, s.maximumSignificantDigits, s.roundingMode, 1);
		// Nought counts as one digit before the point.
		const before = r.digits === "" ? 1 : r.point;
		return layOut(r, s.minimumIntegerDigits, s.minimumSignificantDigits - before);
	}

	// apply rounds a finite number as digit settings say, and lays it out.
	const apply = (d, s) => {
		let out;
		if (s.roundingType === "fraction") out = fixed(d, s);
		else if (s.roundingType === "significant") out = significant(d, s);
		else {
			const place = (d.digits === "" ? 1 : d.point) - s.maximumSignificantDigits;
			const precise = place <= -s.maximumFractionDigits;
			out = (s.roundingType === "more") === precise ? significant(d, s) : fixed(d, s);
		}
		if (s.trailingZeroDisplay === "stripIfInteger" && exec(trailing, out.fraction)[0] === out.fraction) out.fraction = "";
		return out;
	};

	// ---- digit options

	const modes = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
	const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

	// settings reads the digit options of a formatter, of which least and most are the usual digits behind the point.
	const settings = (options, service, least, most, notation) => {
		const s = create(null);
		const range = intl.numberOption;
		s.minimumIntegerDigits = range(options, "minimumIntegerDigits", 1, 21, 1);
		const given = [options.minimumFractionDigits, options.maximumFractionDigits, options.minimumSignificantDigits, options.maximumSignificantDigits];
		s.roundingIncrement = range(options, "roundingIncrement", 1, 5000, 1);
		let known = false;
		for (let i = 0; i < increments.length; i++) known = known || increments[i] === s.roundingIncrement;
		if (!known) throw new RangeError("roundingIncrement value is out of range.");
		s.roundingMode = intl.option(options, "roundingMode", modes, "halfExpand", service);
		const priority = intl.option(options, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto", service);
		s.trailingZeroDisplay = intl.option(options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto", service);
		if (s.roundingIncrement !== 1) most = least;
		const hasFraction = given[0] !== undefined || given[1] !== undefined;
		const hasSignificant = given[2] !== undefined || given[3] !== undefined;
		let needSignificant = true, needFraction = true;
		if (priority === "auto") {
			needSignificant = hasSignificant;
			if (hasSignificant || (!hasFraction && notation === "compact")) needFraction = false;
		}
		const read = (name, value, from, to, otherwise) => {
			const o = create(null);
			o[name] = value;
			return range(o, name, from, to, otherwise);
		};
		if (needSignificant) {
			s.minimumSignificantDigits = hasSignificant ? read("minimumSignificantDigits", given[2], 1, 21, 1) : 1;
			s.maximumSignificantDigits = hasSignificant ? read("maximumSignificantDigits", given[3], s.minimumSignificantDigits, 21, 21) : 21;
		}
		if (needFraction) {
			let low = read("minimumFractionDigits", given[0], 0, 100, undefined);
			let high = read("maximumFractionDigits", given[1], 0, 100, undefined);
			if (low === undefined) low = high === undefined || least < high ? least : high;
			else if (high !== undefined && low > high) throw new RangeError("maximumFractionDigits value is out of range.");
			if (high === undefined) high = Math_max(most, low);
			s.minimumFractionDigits = low;
			s.maximumFractionDigits = high;
		}
		if (!needSignificant && !needFraction) {
			s.minimumFractionDigits = s.maximumFractionDigits = 0;
			s.minimumSignificantDigits = 1;
			s.maximumSignificantDigits = 2;
			s.roundingType = "more";
			s.roundingPriority = "morePrecision";
		} else {
			s.roundingType = priority === "morePrecision" ? "more" : priority === "lessPrecision" ? "less" : hasSignificant ? "significant" : "fraction";
			s.roundingPriority = priority;
		}
		if (s.roundingIncrement !== 1) {
			if (s.roundingType !== "fraction") throw new TypeError("RoundingType is not fractionDigits");
			if (s.maximumFractionDigits !== s.minimumFractionDigits) throw new RangeError("maximumFractionDigits not equal to minimumFractionDigits");
		}
		return s;
	};

	const part = create(null);
	part.of = of;
	part.apply = apply;
	part.settings = settings;
	// shift multiplies by a power of ten.
	part.shift = (d, by) => (d.digits === "" ? d : number(d.negative, d.special, d.digits, d.point + by));
	intl.parts.Decimal = part;
})
