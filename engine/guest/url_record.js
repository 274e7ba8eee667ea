// URL records (contract D10): how a text becomes one, and what the setters of URL change in it.
//
// A record is a bare object. Its path is one string: a segment never contains the slash that ends it, so the text
// says as much as a list would, and an opaque path (mailto:, data:) is a text anyway.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what lazy.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	const { uncurry } = host;
	const { fail, attempt, alpha, digit, run, trimmed, clean, encode, parseHost, FRAGMENT, QUERY, SPECIAL_QUERY, PATH,
		USERINFO } = host.url;
	const indexOf = uncurry(host.text.indexOf);
	const lastIndexOf = uncurry(host.text.lastIndexOf);
	const slice = uncurry(host.text.slice);
	const charCodeAt = uncurry(host.text.charCodeAt);
	const lower = uncurry(host.text.toLowerCase);

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

	host.record = {
		__proto__: null, parse, hrefOf, originOf, hostText, refusesCredentials, setScheme, setHost, setPort, setPath,
		setQuery,
	};
})
