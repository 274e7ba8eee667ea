// The parts of a URL (contract D10): which characters each may have, and what a host may be.
//
// Beyond ASCII a host is folded by NFKC and lower case and written in Punycode. The standard's mapping table is
// far larger than everything else here; where the two differ, a host is refused, or an odd label passes as it is.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what lazy.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	host.needWeb();
	const { uncurry, toText, utf8, decodeText, emptyList, fromCharCode, floor } = host;
	const { getPrototypeOf } = host.object;
	const { TypeError: T, RegExp: RE } = host.globals;
	const indexOf = uncurry(host.text.indexOf);
	const slice = uncurry(host.text.slice);
	const charCodeAt = uncurry(host.text.charCodeAt);
	const codePointAt = uncurry(host.text.codePointAt);
	const lower = uncurry(host.text.toLowerCase);
	const normalize = uncurry(host.text.normalize);
	const toWellFormed = uncurry(host.text.toWellFormed);
	const numberText = uncurry(host.numberText);
	const exec = uncurry(host.exec);

	const usv = (v) => toWellFormed(toText(v));

	const fail = (why) => {
		throw new T("Invalid URL: " + why);
	};

	// attempt says whether f found the text valid. A setter that is given an invalid text changes nothing, silently.
	const attempt = (f) => {
		try {
			f();
			return true;
		} catch (e) {
			if (e === null || typeof e !== "object" || getPrototypeOf(e) !== T.prototype) throw e;
			return false;
		}
	};

	const need = (given, least) => {
		if (given < least) throw new T(least + " argument" + (least > 1 ? "s" : "") + " required, but only " + given + " given");
	};

	// ---- characters

	const alpha = (c) => (c | 32) >= 97 && (c | 32) <= 122;
	const digit = (c) => c >= 48 && c <= 57;

	// The length of the prefix of s, from a position on, whose character codes all pass.
	function run(s, from, pass) {
		let i = from;
		while (i < s.length && pass(charCodeAt(s, i))) i++;
		return i - from;
	}

	const hexDigit = (c) => digit(c) || ((c | 32) >= 97 && (c | 32) <= 102);
	const octalDigit = (c) => c >= 48 && c <= 55;
	const isBlank = (c) => c <= 32;
	const ascii = (c) => c < 128;

	function trimmed(s) {
		const from = run(s, 0, isBlank);
		let to = s.length;
		while (to > from && isBlank(charCodeAt(s, to - 1))) to--;
		return slice(s, from, to);
	}

	// Tabs and line ends are taken out wherever they are.
	function clean(s) {
		let out = "";
		let from = 0;
		for (let i = 0; i < s.length; i++) {
			const c = charCodeAt(s, i);
			if (c !== 9 && c !== 10 && c !== 13) continue;
			out += slice(s, from, i);
			from = i + 1;
		}
		return from ? out + slice(s, from) : s;
	}

	function hasAny(s, set) {
		for (let i = 0; i < s.length; i++) if (indexOf(set, s[i]) >= 0) return true;
		return false;
	}

	// ---- percent-encoding

	// What each component encodes besides controls and what is not ASCII.
	const FRAGMENT = ' "<>`';
	const QUERY = ' "#<>';
	const SPECIAL_QUERY = QUERY + "'";
	const PATH = QUERY + "?^`{}";
	const USERINFO = PATH + "/:;=@[\\]|";
	const FORM = USERINFO + "!$%&'()+,~";
	const HEX = "0123456789ABCDEF";

	function encode(s, set) {
		let out = "";
		let from = 0;
		for (let i = 0; i < s.length; i++) {
			const c = charCodeAt(s, i);
			if (c > 31 && c < 127 && indexOf(set, s[i]) < 0) continue;
			out += slice(s, from, i);
			from = i + (c >= 0xd800 && c < 0xdc00 ? 2 : 1);
			if (c === 32 && set === FORM) {
				out += "+";
				continue;
			}
			const bytes = utf8(slice(s, i, from));
			for (let k = 0; bytes[k] !== undefined; k++) out += "%" + HEX[bytes[k] >> 4] + HEX[bytes[k] & 15];
			i = from - 1;
		}
		return out + slice(s, from);
	}

	const nibble = (c) => (digit(c) ? c - 48 : (c | 32) - 87);

	function percentDecode(s) {
		if (indexOf(s, "%") < 0) return s;
		const bytes = utf8(s);
		let n = 0;
		for (let i = 0; bytes[i] !== undefined; i++, n++) {
			bytes[n] = bytes[i];
			if (bytes[i] !== 37 || !hexDigit(bytes[i + 1]) || !hexDigit(bytes[i + 2])) continue;
			bytes[n] = nibble(bytes[i + 1]) * 16 + nibble(bytes[i + 2]);
			i += 2;
		}
		return decodeText(bytes, 0, n, false);
	}

	// ---- hosts

	// A number of an IPv4 address, decimal, 0x… or 0…; NaN if it is none.
	function ipv4Number(s) {
		if (s === "") return NaN;
		let base = 10;
		let from = 0;
		if (s.length > 1 && s[0] === "0") {
			base = s[1] === "x" || s[1] === "X" ? 16 : 8;
			from = base === 16 ? 2 : 1;
		}
		if (from + run(s, from, base === 10 ? digit : base === 8 ? octalDigit : hexDigit) < s.length) return NaN;
		let n = 0;
		for (let i = from; i < s.length; i++) n = n * base + nibble(charCodeAt(s, i));
		return n;
	}

	// pieces splits s at each separator.
	function pieces(s, separator) {
		const list = emptyList();
		for (;;) {
			const at = indexOf(s, separator);
			list[list.length] = at < 0 ? s : slice(s, 0, at);
			if (at < 0) return list;
			s = slice(s, at + 1);
		}
	}

	// ipv4 returns the address that a name stands for, or the name if its last label is no number.
	function ipv4(name) {
		const parts = pieces(name, ".");
		let n = parts.length;
		if (n > 1 && parts[n - 1] === "") n--;
		const last = parts[n - 1];
		if (last === "" || (run(last, 0, digit) < last.length && !(ipv4Number(last) >= 0))) return name;
		if (n > 4) fail("an IPv4 address has at most four numbers");
		let address = 0;
		for (let i = 0; i < n; i++) {
			const v = ipv4Number(parts[i]);
			const most = i < n - 1 ? 255 : 256 ** (5 - n) - 1;
			if (!(v <= most)) fail("'" + name + "' is no IPv4 address");
			address += i < n - 1 ? v * 256 ** (3 - i) : v;
		}
		return floor(address / 0x1000000) + "." + (floor(address / 65536) & 255) + "." + (floor(address / 256) & 255) +
			"." + (address % 256);
	}

	// Appends the 16-bit groups of one side of an IPv6 address; the last may be an IPv4 address in dots.
	function ipv6Groups(side, groups, mayEndInIPv4) {
		const parts = pieces(side, ":");
		for (let i = 0; side !== "" && i < parts.length; i++) {
			const part = parts[i];
			if (mayEndInIPv4 && i === parts.length - 1 && indexOf(part, ".") > 0) {
				const four = pieces(part, ".");
				for (let k = 0; k < 4; k++) {
					const v = four[k];
					if (four.length !== 4 || v === "" || run(v, 0, digit) < v.length || v > 255 || (v[0] === "0" && v.length > 1)) {
						fail("bad IPv4 part of an IPv6 address");
					}
				}
				groups[groups.length] = four[0] * 256 + +four[1];
				groups[groups.length] = four[2] * 256 + +four[3];
				continue;
			}
			if (part === "" || part.length > 4 || run(part, 0, hexDigit) < part.length) fail("bad IPv6 address");
			groups[groups.length] = ipv4Number("0x" + part);
		}
	}

	function ipv6(s) {
		const at = indexOf(s, "::");
		const groups = emptyList();
		ipv6Groups(at < 0 ? s : slice(s, 0, at), groups, at < 0);
		const tail = emptyList();
		if (at >= 0) {
			ipv6Groups(slice(s, at + 2), tail, true);
			if (groups.length + tail.length > 7) fail("bad IPv6 address");
			while (groups.length + tail.length < 8) groups[groups.length] = 0;
		}
		for (let i = 0; i < tail.length; i++) groups[groups.length] = tail[i];
		if (groups.length !== 8) fail("an IPv6 address has eight groups");
		return ipv6Text(groups);
	}

	// The first of the longest runs of zeros, if it has two or more, is written as "::".
	function ipv6Text(groups) {
		let start = -1;
		let longest = 1;
		for (let i = 0; i < 8; i++) {
			let n = 0;
			while (i + n < 8 && groups[i + n] === 0) n++;
			if (n > longest) {
				start = i;
				longest = n;
			}
		}
		let s = "";
		for (let i = 0; i < 8; i++) {
			if (i === start) {
				s += i ? ":" : "::";
				i += longest - 1;
				continue;
			}
			s += numberText(groups[i], 16) + (i < 7 ? ":" : "");
		}
		return s;
	}

	function punycodeAdapt(delta, points, first) {
		delta = floor(first ? delta / 700 : delta / 2);
		delta += floor(delta / points);
		let k = 0;
		for (; delta > 455; k += 36) delta = floor(delta / 35);
		return k + floor((36 * delta) / (delta + 38));
	}

	const punycodeDigit = (d) => fromCharCode(d < 26 ? d + 97 : d + 22);

	function punycodeNumber(q, bias) {
		let s = "";
		for (let k = 36; ; k += 36) {
			const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
			if (q < t) return s + punycodeDigit(q);
			s += punycodeDigit(t + ((q - t) % (36 - t)));
			q = floor((q - t) / (36 - t));
		}
	}

	// punycode encodes a label (RFC 3492).
	function punycode(label) {
		const points = emptyList();
		let out = "";
		for (let i = 0; i < label.length; i++) {
			const p = codePointAt(label, i);
			points[points.length] = p;
			if (p < 128) out += label[i];
			if (p > 65535) i++;
		}
		const basic = out.length;
		if (basic) out += "-";
		let n = 128;
		let delta = 0;
		let bias = 72;
		for (let done = basic; done < points.length; n++, delta++) {
			let next = 0x110000;
			for (let i = 0; i < points.length; i++) if (points[i] >= n && points[i] < next) next = points[i];
			delta += (next - n) * (done + 1);
			n = next;
			for (let i = 0; i < points.length; i++) {
				if (points[i] < n) delta++;
				if (points[i] !== n) continue;
				out += punycodeNumber(delta, bias);
				bias = punycodeAdapt(delta, ++done, done === basic + 1);
				delta = 0;
			}
		}
		return out;
	}

	// Hosts are compared without these: soft hyphen, zero width space, word joiner, byte order mark, selectors of a
	// character's variant. The ideographic full stop is a dot.
	function withoutIgnored(name) {
		let out = "";
		for (let i = 0; i < name.length; i++) {
			const c = charCodeAt(name, i);
			if (c === 0xad || c === 0x200b || c === 0x2060 || c === 0xfeff || (c >= 0xfe00 && c <= 0xfe0f)) continue;
			out += c === 0x3002 ? "." : name[i];
		}
		return out;
	}

	// Compiled when first needed: its tables would be a good part of a fresh heap.
	let notInLabel;

	function unicodeName(name) {
		if (name.length > 1000) fail("the host is too long");
		const labels = pieces(withoutIgnored(normalize(lower(normalize(name, "NFKC")), "NFKC")), ".");
		notInLabel = notInLabel || new RE("[^\\p{L}\\p{M}\\p{N}\\p{S}\\x21-\\x7e]|\ufffd", "u");
		let out = "";
		for (let i = 0; i < labels.length; i++) {
			const wide = run(labels[i], 0, ascii) < labels[i].length;
			if (wide && exec(notInLabel, labels[i]) !== null) fail("the host has a character that is not supported here");
			out += (i ? "." : "") + (wide ? "xn--" + punycode(labels[i]) : labels[i]);
		}
		return out;
	}

	const FORBIDDEN = "\0\t\n\r #/:<>?@[\\]^|";
	const control = (c) => c > 31 && c !== 127 && c !== 37;

	function parseHost(name, special) {
		if (name[0] === "[") {
			if (name[name.length - 1] !== "]") fail("'[' without ']' in the host");
			return "[" + ipv6(slice(name, 1, -1)) + "]";
		}
		if (special) {
			name = percentDecode(name);
			name = run(name, 0, ascii) < name.length ? unicodeName(name) : lower(name);
		}
		if (hasAny(name, FORBIDDEN) || (special && (name === "" || run(name, 0, control) < name.length))) {
			fail(name === "" ? "it has no host" : "the host has a character that no host may have");
		}
		return special ? ipv4(name) : encode(name, "");
	}

	host.url = {
		__proto__: null, usv, fail, attempt, need, alpha, digit, run, trimmed, clean, encode, percentDecode, pieces,
		parseHost, FRAGMENT, QUERY, SPECIAL_QUERY, PATH, USERINFO, FORM,
	};
})
