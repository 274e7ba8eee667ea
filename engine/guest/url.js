// URL and URLSearchParams (contract D10), as the WHATWG URL standard has them.
//
// A URL is a record without prototype. Its path is one string: a segment never contains the slash that ends it,
// so the text says as much as a list would, and an opaque path (mailto:, data:) is a text anyway.
//
// Beyond ASCII a host is folded by NFKC and lower case and written in Punycode. The standard's mapping table is
// far larger than everything else here; where the two differ, a host is refused, or an odd label passes as it is.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what later.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	host.needWeb();
	const { uncurry, utf8, decodeText, define, publish, emptyList, fromCharCode, floor } = host;
	const { apply, ownKeys, getOwnPropertyDescriptor } = host.reflect;
	const { getPrototypeOf } = host.object;
	const { TypeError: T, RegExp: RE } = host.globals;
	const indexOf = uncurry(host.text.indexOf);
	const lastIndexOf = uncurry(host.text.lastIndexOf);
	const slice = uncurry(host.text.slice);
	const charCodeAt = uncurry(host.text.charCodeAt);
	const codePointAt = uncurry(host.text.codePointAt);
	const lower = uncurry(host.text.toLowerCase);
	const normalize = uncurry(host.text.normalize);
	const toWellFormed = uncurry(host.text.toWellFormed);
	const numberText = uncurry(host.numberText);
	const sortList = uncurry(host.sort);
	const exec = uncurry(host.exec);
	const { iterator } = host.symbols;

	const usv = (v) => toWellFormed(`${v}`);

	const fail = (why) => {
		throw new T("Invalid URL: " + why);
	};

	// attempt says whether f found the text valid. A setter that is given nonsense changes nothing, silently.
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

	// ---- the record, and how a text becomes one

	const PORTS = { __proto__: null, http: 80, https: 443, ws: 80, wss: 443, ftp: 21, file: null };
	const isSpecial = (u) => PORTS[u.scheme] !== undefined;
	const isSlash = (u, c) => c === "/" || (c === "\\" && isSpecial(u));

	const blank = (scheme) => ({
		__proto__: null, scheme, user: "", pass: "", host: null, port: null, path: "", opaque: false, query: null,
		fragment: null,
	});

	// The length of the scheme that s starts with, -1 if there is none.
	function schemeLength(s) {
		if (!alpha(charCodeAt(s, 0))) return -1;
		const n = run(s, 0, (c) => alpha(c) || digit(c) || c === 43 || c === 45 || c === 46);
		return s[n] === ":" ? n : -1;
	}

	// Where the part of p that starts at a position ends: at a slash or with p.
	function partEnd(u, p, from) {
		while (from < p.length && !isSlash(u, p[from])) from++;
		return from;
	}

	const isDrive = (s) => s.length === 2 && alpha(charCodeAt(s, 0)) && (s[1] === ":" || s[1] === "|");
	const startsWithDrive = (u, p, i) => isDrive(slice(p, i, i + 2)) && (i + 2 === p.length || isSlash(u, p[i + 2]));
	const driveOf = (u) => (startsWithDrive(u, u.path, 1) && u.path[2] === ":" ? slice(u.path, 0, 3) : "");

	// Takes the last segment away; a drive letter stays.
	function shorten(u) {
		if (u.scheme === "file" && u.path.length === 3 && driveOf(u)) return;
		const at = lastIndexOf(u.path, "/");
		u.path = at < 0 ? "" : slice(u.path, 0, at);
	}

	function dots(segment) {
		if (segment.length > 6) return 0;
		const s = lower(segment);
		if (s === "." || s === "%2e") return 1;
		return s === ".." || s === ".%2e" || s === "%2e." || s === "%2e%2e" ? 2 : 0;
	}

	function readPath(u, p, from) {
		for (;;) {
			const end = partEnd(u, p, from);
			const last = end === p.length;
			const segment = encode(slice(p, from, end), PATH);
			const n = dots(segment);
			if (n === 2) shorten(u);
			if (n === 0) u.path += "/" + (u.scheme === "file" && u.path === "" && isDrive(segment) ? segment[0] + ":" : segment);
			else if (last) u.path += "/";
			if (last) return;
			from = end + 1;
		}
	}

	// The path after an authority.
	function startPath(u, p, from) {
		if (isSpecial(u) || from < p.length) readPath(u, p, isSlash(u, p[from]) ? from + 1 : from);
	}

	function setPort(u, digits) {
		if (digits === "") return;
		const n = +digits;
		if (n > 65535) fail("the port is over 65535");
		u.port = n === PORTS[u.scheme] ? null : n;
	}

	// Where the port's colon is, -1 if there is none: the first that is not in brackets.
	function portColon(s) {
		let inside = false;
		for (let i = 0; i < s.length; i++) {
			if (s[i] === ":" && !inside) return i;
			if (s[i] === "[") inside = true;
			else if (s[i] === "]") inside = false;
		}
		return -1;
	}

	function readAuthority(u, p, from) {
		const end = partEnd(u, p, from);
		let name = slice(p, from, end);
		const at = lastIndexOf(name, "@");
		if (at >= 0) {
			const credentials = slice(name, 0, at);
			const colon = indexOf(credentials, ":");
			u.user = encode(colon < 0 ? credentials : slice(credentials, 0, colon), USERINFO);
			if (colon >= 0) u.pass = encode(slice(credentials, colon + 1), USERINFO);
			name = slice(name, at + 1);
		}
		const colon = portColon(name);
		const port = colon < 0 ? "" : slice(name, colon + 1);
		if (colon >= 0) name = slice(name, 0, colon);
		if (name === "" && (colon === 0 || at >= 0 || isSpecial(u))) fail("it has no host");
		u.host = parseHost(name, isSpecial(u));
		if (run(port, 0, digit) < port.length) fail("the port is no number");
		setPort(u, port);
		startPath(u, p, end);
	}

	function inherit(u, base) {
		u.user = base.user;
		u.pass = base.pass;
		u.host = base.host;
		u.port = base.port;
	}

	const afterSlashes = (p) => run(p, 0, (c) => c === 47 || c === 92);

	function readRelative(u, p, query, base) {
		if (isSlash(u, p[0]) && isSlash(u, p[1])) return readAuthority(u, p, isSpecial(u) ? afterSlashes(p) : 2);
		inherit(u, base);
		if (isSlash(u, p[0])) return readPath(u, p, 1);
		u.path = base.path;
		u.opaque = base.opaque;
		if (p === "") {
			if (query === null) u.query = base.query;
			return;
		}
		shorten(u);
		readPath(u, p, 0);
	}

	function setFileHost(u, name) {
		const parsed = name === "" ? "" : parseHost(name, true);
		u.host = parsed === "localhost" ? "" : parsed;
	}

	function readFile(u, p, query, base) {
		u.host = "";
		if (isSlash(u, p[0]) && isSlash(u, p[1])) {
			const end = partEnd(u, p, 2);
			const name = slice(p, 2, end);
			if (isDrive(name)) return readPath(u, p, 2);
			setFileHost(u, name);
			return startPath(u, p, end);
		}
		const rooted = isSlash(u, p[0]);
		if (base !== null) {
			u.host = base.host;
			if (!rooted) return readFileRelative(u, p, query, base);
			if (!startsWithDrive(u, p, 1)) u.path = driveOf(base);
		}
		readPath(u, p, rooted ? 1 : 0);
	}

	function readFileRelative(u, p, query, base) {
		if (p === "") {
			u.path = base.path;
			if (query === null) u.query = base.query;
			return;
		}
		if (!startsWithDrive(u, p, 0)) {
			u.path = base.path;
			shorten(u);
		}
		readPath(u, p, 0);
	}

	// A space before what follows an opaque path could not be told from one that ends the text.
	function opaquePath(p, more) {
		const s = encode(p, "");
		return more && s[s.length - 1] === " " ? slice(s, 0, -1) + "%20" : s;
	}

	const setQuery = (u, query) => {
		u.query = encode(query, isSpecial(u) ? SPECIAL_QUERY : QUERY);
	};

	function readRest(u, p, query, base, more, absolute) {
		if (u.scheme === "file") readFile(u, p, query, base !== null && base.scheme === "file" ? base : null);
		else if (!absolute || (isSpecial(u) && base !== null && base.scheme === u.scheme && slice(p, 0, 2) !== "//")) {
			readRelative(u, p, query, base);
		} else if (isSpecial(u)) readAuthority(u, p, afterSlashes(p));
		else if (p[0] !== "/") {
			u.opaque = true;
			u.path = opaquePath(p, more);
		} else if (p[1] === "/") readAuthority(u, p, 2);
		else readPath(u, p, 1);
	}

	// parse reads a URL, against the record base if that is not null.
	function parse(input, base) {
		let s = clean(trimmed(input));
		const n = schemeLength(s);
		if (n < 0 && base === null) fail("it has no scheme, and there is no base to resolve it against");
		if (n < 0 && base.opaque && s[0] !== "#") fail("its base has no path that it could be resolved against");
		const u = blank(n < 0 ? base.scheme : lower(slice(s, 0, n)));
		if (n >= 0) s = slice(s, n + 1);
		const hash = indexOf(s, "#");
		const fragment = hash < 0 ? null : slice(s, hash + 1);
		if (hash >= 0) s = slice(s, 0, hash);
		const mark = indexOf(s, "?");
		const query = mark < 0 ? null : slice(s, mark + 1);
		if (mark >= 0) s = slice(s, 0, mark);
		readRest(u, s, query, base, mark >= 0 || hash >= 0, n >= 0);
		if (query !== null) setQuery(u, query);
		if (fragment !== null) u.fragment = encode(fragment, FRAGMENT);
		return u;
	}

	const hostText = (u) => (u.host === null ? "" : u.port === null ? u.host : u.host + ":" + u.port);
	const hasCredentials = (u) => u.user !== "" || u.pass !== "";
	const refusesCredentials = (u) => u.host === null || u.host === "" || u.scheme === "file";

	function hrefOf(u) {
		let s = u.scheme + ":";
		if (u.host !== null) {
			s += "//";
			if (hasCredentials(u)) s += u.user + (u.pass !== "" ? ":" + u.pass : "") + "@";
			s += hostText(u);
		} else if (!u.opaque && u.path[0] === "/" && u.path[1] === "/") s += "/.";
		s += u.path;
		if (u.query !== null) s += "?" + u.query;
		return u.fragment === null ? s : s + "#" + u.fragment;
	}

	function originOf(u) {
		if (u.scheme === "blob") {
			let inner = null;
			attempt(() => {
				inner = parse(u.path, null);
			});
			return inner !== null && (inner.scheme === "http" || inner.scheme === "https") ? originOf(inner) : "null";
		}
		return isSpecial(u) && u.scheme !== "file" ? u.scheme + "://" + hostText(u) : "null";
	}

	// ---- what the setters do

	function setScheme(u, v) {
		const n = schemeLength(clean(v) + ":");
		if (n < 0) return;
		const scheme = lower(slice(clean(v), 0, n));
		if ((PORTS[scheme] !== undefined) !== isSpecial(u)) return;
		if (scheme === "file" && (hasCredentials(u) || u.port !== null)) return;
		if (u.scheme === "file" && u.host === "") return;
		u.scheme = scheme;
		if (u.port === PORTS[scheme]) u.port = null;
	}

	function setHost(u, v, nameOnly) {
		if (u.opaque) return;
		v = clean(v);
		let end = 0;
		while (end < v.length && v[end] !== "?" && v[end] !== "#" && !isSlash(u, v[end])) end++;
		let name = slice(v, 0, end);
		if (u.scheme === "file") return setFileHost(u, name);
		const colon = portColon(name);
		if (colon === 0 || (colon > 0 && nameOnly)) return;
		const port = colon < 0 ? "" : slice(name, colon + 1);
		if (colon > 0) name = slice(name, 0, colon);
		if (name === "" && (isSpecial(u) || hasCredentials(u) || u.port !== null)) return;
		u.host = parseHost(name, isSpecial(u));
		setPort(u, slice(port, 0, run(port, 0, digit)));
	}

	function setPath(u, v) {
		if (u.opaque) return;
		u.path = "";
		v = clean(v);
		startPath(u, v, 0);
		if (v === "" && u.host === null) u.path = "/";
	}

	// ---- URLSearchParams

	// A form's pairs are a flat list: name, value, name, value …
	function parseForm(s) {
		const list = emptyList();
		const parts = pieces(s, "&");
		for (let i = 0; i < parts.length; i++) {
			if (parts[i] === "") continue;
			const at = indexOf(parts[i], "=");
			list[list.length] = formDecode(at < 0 ? parts[i] : slice(parts[i], 0, at));
			list[list.length] = at < 0 ? "" : formDecode(slice(parts[i], at + 1));
		}
		return list;
	}

	function formDecode(s) {
		let out = "";
		for (let at; (at = indexOf(s, "+")) >= 0; s = slice(s, at + 1)) out += slice(s, 0, at) + " ";
		return percentDecode(out + s);
	}

	function formText(list) {
		let s = "";
		for (let i = 0; i < list.length; i += 2) s += (i ? "&" : "") + encode(list[i], FORM) + "=" + encode(list[i + 1], FORM);
		return s;
	}

	function fromPairs(pairs) {
		const list = emptyList();
		for (const pair of pairs) {
			const two = emptyList();
			if ((typeof pair !== "object" && typeof pair !== "function") || pair === null) throw new T("each query pair must be an iterable [name, value]");
			for (const v of pair) two[two.length] = usv(v);
			if (two.length !== 2) throw new T("each query pair must be an iterable [name, value]");
			list[list.length] = two[0];
			list[list.length] = two[1];
		}
		return list;
	}

	function fromRecord(record) {
		const list = emptyList();
		const keys = ownKeys(record);
		for (let i = 0; i < keys.length; i++) {
			const d = getOwnPropertyDescriptor(record, keys[i]);
			if (d === undefined || !d.enumerable) continue;
			const name = usv(keys[i]);
			const value = usv(record[keys[i]]);
			const at = find(list, name, 0);
			list[at < 0 ? list.length : at] = name;
			list[at < 0 ? list.length : at + 1] = value;
		}
		return list;
	}

	function listFrom(init) {
		if (init === undefined) return emptyList();
		if ((typeof init === "object" || typeof init === "function") && init !== null) {
			const method = init[iterator];
			return method === undefined || method === null ? fromRecord(init) : fromPairs(init);
		}
		const s = usv(init);
		return parseForm(s[0] === "?" ? slice(s, 1) : s);
	}

	// Where the next pair of a name is, -1 if there is none.
	function find(list, name, from) {
		for (let i = from; i < list.length; i += 2) if (list[i] === name) return i;
		return -1;
	}

	// Keeps the pairs, from a position on, that are not of that name (and value, unless that is undefined).
	function drop(list, name, value, from) {
		let n = from;
		for (let i = from; i < list.length; i += 2) {
			if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
			list[n] = list[i];
			list[n + 1] = list[i + 1];
			n += 2;
		}
		list.length = n;
	}

	// By code units of the names, stable.
	function sort(list) {
		const pairs = emptyList();
		for (let i = 0; i < list.length; i += 2) pairs[i / 2] = { __proto__: null, name: list[i], value: list[i + 1] };
		sortList(pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
		for (let i = 0; i < pairs.length; i++) {
			list[2 * i] = pairs[i].name;
			list[2 * i + 1] = pairs[i].value;
		}
	}

	// A URL and its searchParams share a state: the URL's record (null for parameters that stand alone) and the list.
	const stateOf = (u, list) => ({ __proto__: null, u, list });

	function changed(state) {
		if (state.u === null) return;
		const s = formText(state.list);
		state.u.query = s === "" ? null : s;
	}

	function* walk(state, names, values) {
		for (let i = 0; i < state.list.length; i += 2) {
			yield names && values ? [state.list[i], state.list[i + 1]] : state.list[names ? i : i + 1];
		}
	}

	let paramsOf;

	class URLSearchParams {
		#state;
		constructor(init = undefined) {
			this.#state = stateOf(null, listFrom(init));
		}
		static {
			paramsOf = (state) => {
				const params = new URLSearchParams();
				params.#state = state;
				return params;
			};
		}
		get size() {
			return this.#state.list.length / 2;
		}
		append(name, value) {
			const { list } = this.#state;
			need(arguments.length, 2);
			name = usv(name);
			value = usv(value);
			list[list.length] = name;
			list[list.length] = value;
			changed(this.#state);
		}
		delete(name, value = undefined) {
			const { list } = this.#state;
			need(arguments.length, 1);
			drop(list, usv(name), value === undefined ? value : usv(value), 0);
			changed(this.#state);
		}
		get(name) {
			const { list } = this.#state;
			need(arguments.length, 1);
			const i = find(list, usv(name), 0);
			return i < 0 ? null : list[i + 1];
		}
		getAll(name) {
			const { list } = this.#state;
			need(arguments.length, 1);
			name = usv(name);
			let n = 0;
			const values = [];
			for (let i = find(list, name, 0); i >= 0; i = find(list, name, i + 2)) define(values, n++, list[i + 1], true);
			return values;
		}
		has(name, value = undefined) {
			const { list } = this.#state;
			need(arguments.length, 1);
			name = usv(name);
			if (value !== undefined) value = usv(value);
			let i = find(list, name, 0);
			while (i >= 0 && value !== undefined && list[i + 1] !== value) i = find(list, name, i + 2);
			return i >= 0;
		}
		set(name, value) {
			const { list } = this.#state;
			need(arguments.length, 2);
			name = usv(name);
			value = usv(value);
			const i = find(list, name, 0);
			if (i < 0) {
				list[list.length] = name;
				list[list.length] = value;
			} else {
				list[i + 1] = value;
				drop(list, name, undefined, i + 2);
			}
			changed(this.#state);
		}
		sort() {
			sort(this.#state.list);
			changed(this.#state);
		}
		toString() {
			return formText(this.#state.list);
		}
		forEach(callback, thisArg = undefined) {
			const state = this.#state;
			if (typeof callback !== "function") throw new T("forEach needs a function");
			for (let i = 0; i < state.list.length; i += 2) apply(callback, thisArg, [state.list[i + 1], state.list[i], this]);
		}
		entries() {
			return walk(this.#state, true, true);
		}
		keys() {
			return walk(this.#state, true, false);
		}
		values() {
			return walk(this.#state, false, true);
		}
	}

	// ---- URL

	const resolve = (url, base) => {
		const s = usv(url);
		return parse(s, base === undefined ? null : parse(usv(base), null));
	};

	class URL {
		#u;
		#params = null;
		constructor(url, base = undefined) {
			need(arguments.length, 1);
			this.#u = resolve(url, base);
		}
		static canParse(url, base = undefined) {
			need(arguments.length, 1);
			return attempt(() => resolve(usv(url), base === undefined ? base : usv(base)));
		}
		static parse(url, base = undefined) {
			need(arguments.length, 1);
			url = usv(url);
			if (base !== undefined) base = usv(base);
			let found = null;
			attempt(() => {
				found = new URL(url, base);
			});
			return found;
		}
		// The record of the URL changed its query other than through searchParams.
		#reload() {
			const { state } = this.#u;
			if (state !== undefined) state.list = parseForm(this.#u.query === null ? "" : this.#u.query);
		}
		get href() {
			return hrefOf(this.#u);
		}
		set href(v) {
			const u = parse(usv(v), null);
			u.state = this.#u.state;
			this.#u = u;
			if (u.state !== undefined) u.state.u = u;
			this.#reload();
		}
		get origin() {
			return originOf(this.#u);
		}
		get protocol() {
			return this.#u.scheme + ":";
		}
		set protocol(v) {
			v = usv(v);
			const at = indexOf(v, ":");
			setScheme(this.#u, at < 0 ? v : slice(v, 0, at));
		}
		get username() {
			return this.#u.user;
		}
		set username(v) {
			v = usv(v);
			if (!refusesCredentials(this.#u)) this.#u.user = encode(v, USERINFO);
		}
		get password() {
			return this.#u.pass;
		}
		set password(v) {
			v = usv(v);
			if (!refusesCredentials(this.#u)) this.#u.pass = encode(v, USERINFO);
		}
		get host() {
			return hostText(this.#u);
		}
		set host(v) {
			v = usv(v);
			attempt(() => setHost(this.#u, v, false));
		}
		get hostname() {
			return this.#u.host === null ? "" : this.#u.host;
		}
		set hostname(v) {
			v = usv(v);
			attempt(() => setHost(this.#u, v, true));
		}
		get port() {
			return this.#u.port === null ? "" : `${this.#u.port}`;
		}
		set port(v) {
			v = clean(usv(v));
			if (refusesCredentials(this.#u)) return;
			if (v === "") this.#u.port = null;
			else attempt(() => setPort(this.#u, slice(v, 0, run(v, 0, digit))));
		}
		get pathname() {
			return this.#u.path;
		}
		set pathname(v) {
			setPath(this.#u, usv(v));
		}
		get search() {
			return this.#u.query ? "?" + this.#u.query : "";
		}
		set search(v) {
			v = usv(v);
			if (v === "") this.#u.query = null;
			else setQuery(this.#u, clean(v[0] === "?" ? slice(v, 1) : v));
			this.#reload();
		}
		get searchParams() {
			if (this.#params === null) {
				this.#u.state = stateOf(this.#u, emptyList());
				this.#reload();
				this.#params = paramsOf(this.#u.state);
			}
			return this.#params;
		}
		get hash() {
			return this.#u.fragment ? "#" + this.#u.fragment : "";
		}
		set hash(v) {
			v = usv(v);
			this.#u.fragment = v === "" ? null : encode(clean(v[0] === "#" ? slice(v, 1) : v), FRAGMENT);
		}
		toString() {
			return hrefOf(this.#u);
		}
		toJSON() {
			return hrefOf(this.#u);
		}
	}

	publish("URLSearchParams", URLSearchParams);
	define(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries, false);
	publish("URL", URL);
})
