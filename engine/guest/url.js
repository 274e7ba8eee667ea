// URL and URLSearchParams (contract D10), as the WHATWG URL standard has them, over the records of url_record.js.
//
// This runs in a cell's heap, after the cell may have replaced everything: nothing is used here but what lazy.js
// kept, and what syntax alone reaches.
(function (host) {
	"use strict";

	const { uncurry, toText, define, publish, emptyList } = host;
	const { apply, ownKeys, getOwnPropertyDescriptor } = host.reflect;
	const { usv, attempt, need, run, digit, clean, encode, percentDecode, pieces, FRAGMENT, USERINFO, FORM } = host.url;
	const { parse, hrefOf, originOf, hostText, refusesCredentials, setScheme, setHost, setPort, setPath, setQuery } =
		host.record;
	const { TypeError: T } = host.globals;
	const indexOf = uncurry(host.text.indexOf);
	const slice = uncurry(host.text.slice);
	const sortList = uncurry(host.sort);
	const { iterator } = host.symbols;

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
			url = usv(url);
			if (base !== undefined) base = usv(base);
			return attempt(() => resolve(url, base));
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
			return this.#u.port === null ? "" : toText(this.#u.port);
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

