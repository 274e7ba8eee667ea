// The API that a cell sees (contract D). This file and web.js run once, when a heap is booted; every fresh guest
// is a copy of that heap.
//
// A cell may replace any intrinsic before it calls us, so everything used here is captured now, and nothing is
// looked up on a prototype later. Objects of ours have no prototype. What is handed to the cell is frozen.
(function (host) {
	"use strict";

	const { request, timer, cancel, text, json, stringify, catalog, entries, names, tool, isError, now, random } = host;
	const { defineProperty, ownKeys, apply, has, get, set, getOwnPropertyDescriptor, deleteProperty, isExtensible,
		preventExtensions, getPrototypeOf, setPrototypeOf } = Reflect;
	const { create, freeze } = Object;
	const uncurry = (method) => (self, ...args) => apply(method, self, args);
	const split = uncurry(String.prototype.split);
	const indexOf = uncurry(String.prototype.indexOf);
	const slice = uncurry(String.prototype.slice);
	const trim = uncurry(String.prototype.trim);
	const lastIndexOf = uncurry(String.prototype.lastIndexOf);
	const isArray = Array.isArray;
	const floor = Math.floor;
	const E = Error;
	const T = TypeError;
	const R = RangeError;
	const P = Proxy;
	const String_ = String;
	const isInteger = Number.isInteger;
	const promise = Promise;
	const reject = apply.bind(undefined, Promise.reject, promise);

	const SEARCH = 1, DESCRIBE = 2, CALL = 3, CALL_VALUE = 4, NAMESPACE = 5, YIELD = 6;
	const MCP = 2, FILES = 3;
	const VALUE = 0, ARRAY = 1, FUNCTION = 3;

	// A descriptor without a prototype: a cell that puts get or set on Object.prototype changes nothing here.
	function constant(target, key, value, enumerable) {
		const d = create(null);
		d.value = value;
		d.writable = false;
		d.enumerable = enumerable;
		d.configurable = false;
		defineProperty(target, key, d);
	}

	const bare = (entries) => {
		const o = create(null);
		for (let i = 0; i < entries.length; i += 2) constant(o, entries[i], entries[i + 1], true);
		return o;
	};

	const failure = (message) => reject([new E(message)]);
	host.reject = reject;

	// ---- values that are made when they are first touched

	// lazy returns a stand-in for target. The first operation on it runs fill, which completes and freezes the
	// target; from then on the proxy has no traps and the target answers. `first` may answer a get without that.
	function lazy(target, fill, first) {
		const traps = create(null);
		const ready = () => {
			for (let keys = ownKeys(traps), i = 0; i < keys.length; i++) delete traps[keys[i]];
			fill(target);
			freeze(target);
		};
		const via = (operation) => (...args) => {
			ready();
			return apply(operation, undefined, args);
		};
		traps.get = first
			? (t, k, receiver) => {
				const v = first(t, k);
				return v === undefined && typeof k !== "string" ? (ready(), get(t, k, receiver)) : v;
			}
			: via(get);
		traps.has = via(has);
		traps.set = via(set);
		traps.ownKeys = via(ownKeys);
		traps.getOwnPropertyDescriptor = via(getOwnPropertyDescriptor);
		traps.defineProperty = via(defineProperty);
		traps.deleteProperty = via(deleteProperty);
		traps.isExtensible = via(isExtensible);
		traps.preventExtensions = via(preventExtensions);
		traps.setPrototypeOf = via(setPrototypeOf);
		return new P(target, traps);
	}

	const ALL_TOOLS = lazy([], entries);

	// ---- tools

	function search(query, options) {
		if (typeof query !== "string") return failure("search query must be a string.");
		if (options === undefined || options === null) return request(SEARCH, query, undefined);
		if (typeof options !== "object") return failure("search options must be an object: { limit?, explain? }.");
		let limit, explain;
		try {
			const given = ownKeys(options);
			for (let i = 0; i < given.length; i++) {
				const name = given[i];
				if (typeof name === "string" && name !== "limit" && name !== "explain") {
					return failure("unknown search option " + slice(name, 0, 64) + "; there are limit and explain.");
				}
			}
			limit = options.limit;
			explain = options.explain;
		} catch (e) {
			return reject([e]);
		}
		if (limit !== undefined && (typeof limit !== "number" || !isInteger(limit) || limit < 1)) {
			return failure("limit must be a positive integer.");
		}
		if (explain === undefined || explain === false) return request(SEARCH, query, limit);
		if (explain !== true) return failure("explain must be true or false.");
		return request(SEARCH, query, bare(["limit", limit, "explain", true]));
	}

	function describe(id) {
		if (typeof id !== "string") return failure("describe id must be a string.");
		return request(DESCRIBE, id, undefined);
	}

	// A third argument would be lost, but for the list that an array's methods give.
	const isTooMuch = (name, args) => args.length > 2 && args[2] !== undefined && !isArray(args[2])
		? failure("tools." + name + " takes an id and one object with all of the input; it was called with " + args.length + " arguments.")
		: undefined;

	function call(id, input) {
		if (typeof id !== "string") return failure("call id must be a string.");
		const refused = isTooMuch("call", arguments);
		if (refused !== undefined) return refused;
		return request(CALL, id, input);
	}

	function callValue(id, input) {
		if (typeof id !== "string") return failure("call id must be a string.");
		const refused = isTooMuch("callValue", arguments);
		if (refused !== undefined) return refused;
		return request(CALL_VALUE, id, input);
	}

	// What a tool's function was called with: one argument, or the three that an array's methods call theirs with.
	const oneArgument = (args) => args.length < 2 || args[1] === undefined || (args.length === 3 && typeof args[1] === "number" && isArray(args[2]));

	const convenience = (id, name) => (...args) => {
		if (!oneArgument(args)) {
			return failure("tools." + name + " takes one argument, an object with all of the input; it was called with " + args.length + ". Write tools." + name + "({ … }).");
		}
		return isSerialized(name, args) ? undefined : request(CALL_VALUE, id, args[0]);
	};

	// JSON.stringify calls a function named toJSON with a key. A tool of that name is none of its business, and a tool takes
	// an object. And tools named toString or valueOf are not what a template wants.
	const toPrimitive = Symbol.toPrimitive;
	const namePrimitive = (target, name) => {
		if (has(target, "toString") || has(target, "valueOf")) constant(target, toPrimitive, () => name, false);
	};
	const isSerialized = (name, args) => name === "toJSON" && args.length === 1 && typeof args[0] === "string";

	const tools = lazy(
		bare(["search", search, "describe", describe, "call", call, "callValue", callValue]),
		(target) => {
			const lines = split(names(), "\n");
			for (let i = 0; i < lines.length; i++) {
				const tab = indexOf(lines[i], "\t");
				const name = slice(lines[i], 0, tab);
				if (tab > 0 && !has(target, name)) constant(target, name, convenience(slice(lines[i], tab + 1), name), true);
			}
			namePrimitive(target, "tools");
		},
		(target, name) => {
			if (typeof name !== "string") return undefined;
			const known = target[name];
			if (known !== undefined) return known;
			const id = tool(name);
			if (id === undefined) return undefined;
			constant(target, name, convenience(id, name), true);
			return target[name];
		},
	);

	// ---- declaration files

	let files;
	function allFiles() {
		if (files === undefined) files = catalog(FILES);
		// The host leaves them out for a cell whose text can't reach API: rendering them costs more than most cells.
		if (files === undefined) throw new E("API files are not loaded: name API in the text of the cell");
		return files;
	}

	function segments(path) {
		let p = path === undefined || path === null ? "" : trim(String_(path));
		while (p[0] === "/") p = slice(p, 1);
		if (p[p.length - 1] === "/") p = slice(p, 0, -1);
		const parts = split(p, "/");
		for (let i = 0; i < parts.length; i++) {
			if (parts[i] === "" || parts[i] === "." || parts[i] === "..") throw new E("invalid API file path");
		}
		return p;
	}

	const card = (f, content) => {
		const o = {};
		const put = (k, v) => {
			const d = create(null);
			d.value = v;
			d.writable = d.enumerable = d.configurable = true;
			defineProperty(o, k, d);
		};
		put("path", f.path);
		if (content) put("content", f.content);
		put("description", f.description);
		put("bytes", f.bytes);
		return o;
	};

	async function list(prefix) {
		const all = allFiles();
		const everything = prefix === undefined || prefix === null || trim(String_(prefix)) === "";
		const p = everything ? "" : segments(prefix);
		const found = [];
		for (let i = 0, n = 0; i < all.length; i++) {
			const path = all[i].path;
			if (!everything && path !== p && slice(path, 0, p.length + 1) !== p + "/") continue;
			const d = create(null);
			d.value = card(all[i], false);
			d.writable = d.enumerable = d.configurable = true;
			defineProperty(found, n++, d);
		}
		return { __proto__: null, files: found };
	}

	async function read(path) {
		const p = segments(path);
		const all = allFiles();
		for (let i = 0; i < all.length; i++) {
			if (all[i].path === p) return card(all[i], true);
		}
		throw new E("Unknown API file: " + p);
	}

	// ---- MCP

	const mcpCall = (id, name) => (...args) => (isSerialized(name, args) ? undefined : request(NAMESPACE, id, args));

	function mcpServer(server) {
		return lazy(create(null), (target) => {
			constant(target, "$serverName", server.serverName, true);
			constant(target, "$api", (...args) => request(NAMESPACE, "$api:" + server.id, args), true);
			const groups = create(null);
			for (let i = 0; i < server.tools.length; i++) {
				const { path, tool: id } = server.tools[i];
				if (path.length === 1) {
					constant(target, path[0], mcpCall(id, path[0]), true);
					continue;
				}
				if (groups[path[0]] === undefined) {
					groups[path[0]] = create(null);
					constant(target, path[0], groups[path[0]], true);
				}
				constant(groups[path[0]], path[1], mcpCall(id, path[1]), true);
			}
			for (let keys = ownKeys(groups), i = 0; i < keys.length; i++) freeze(groups[keys[i]]);
			namePrimitive(target, "MCP." + server.id);
		});
	}

	const mcp = lazy(create(null), (target) => {
		constant(target, "$api", (...args) => request(NAMESPACE, "$api", args), true);
		const servers = catalog(MCP);
		for (let i = 0; i < servers.length; i++) constant(target, servers[i].id, mcpServer(servers[i]), true);
	});

	// ---- namespaces

	// What a plugin put beside the catalog: values, and functions that are calls of its tools (see doc.go).
	function scopeMember(node, name) {
		const kind = node[0], members = node[1];
		if (kind === VALUE) return members;
		if (kind === FUNCTION) {
			const own = slice(name, lastIndexOf(name, "\0") + 1);
			return (...args) => (isSerialized(own, args) ? undefined : request(NAMESPACE, name, args));
		}
		const scope = kind === ARRAY ? [] : create(null);
		const step = kind === ARRAY ? 1 : 2;
		for (let i = 0; i < members.length; i += step) {
			const key = kind === ARRAY ? i : members[i];
			constant(scope, key, scopeMember(members[i + step - 1], name + "\0" + key), true);
		}
		namePrimitive(scope, "namespace");
		return freeze(scope);
	}

	// The store comes as the first of them. It is no namespace, and its place in the list of sources is STORE_SOURCE.
	const STORE = 4, STORE_SOURCE = 23;
	const isStore = (entry) => entry[2][0] === STORE;

	function openStore(items) {
		host.load(STORE_SOURCE, host);
		constant(globalThis, "store", host.openStore(items), true);
	}

	// What errors of the engine's are called comes like the store. An engine that has no hook for that keeps its own words.
	const NAMES = 5, NAMES_SOURCE = 24;

	let scopes;
	const namespaces = lazy(create(null), (target) => {
		for (let i = 0; scopes !== undefined && i < scopes.length; i++) {
			if (scopes[i][1] !== "") constant(target, scopes[i][0], scopes[i][1], true);
		}
	});

	function openNamespaces(list) {
		scopes = list;
		for (let i = 0; i < list.length; i++) {
			if (isStore(list[i])) {
				openStore(list[i][2][1]);
				continue;
			}
			if (list[i][2][0] === NAMES) {
				if (host.callSite !== undefined) {
					host.load(NAMES_SOURCE, host);
					host.nameErrors(list[i][2][1]);
				}
				continue;
			}
			list[i][1] = scopeMember(list[i][2], list[i][1]);
			const d = create(null);
			d.value = list[i][1];
			d.writable = false;
			d.enumerable = d.configurable = true;
			defineProperty(globalThis, list[i][0], d);
		}
	}

	host.onOpen((hasMCP, list) => {
		if (hasMCP) constant(globalThis, "MCP", mcp, true);
		if (list !== undefined) openNamespaces(list);
	});

	// ---- output, control, console

	const LOG = 1, INFO = 2, DEBUG = 3, WARN = 4, ERROR = 5;

	function shown(v) {
		if (typeof v === "string") return v;
		if (typeof v === "function") return "[function]";
		if (typeof v === "symbol" || v === undefined) return String_(v);
		return stringify(v);
	}

	// Formats, groups, and errors with what caused them are shown by a source that is loaded for them.
	const needsMore = (args) => {
		if (host.consoleIsLoaded() || (args.length > 1 && typeof args[0] === "string" && indexOf(args[0], "%") >= 0)) return true;
		for (let i = 0; i < args.length; i++) if (isError(args[i])) return true;
		return false;
	};

	const logger = (level) => (...args) => {
		if (needsMore(args)) return host.consoleCall(level, args);
		let line = "";
		for (let i = 0; i < args.length; i++) line += (i ? " " : "") + shown(args[i]);
		text(level, line);
	};

	const more = (method) => (...args) => host.consoleCall(method, args);

	const console = bare([
		"log", logger(LOG), "info", logger(INFO), "debug", logger(DEBUG), "warn", logger(WARN), "error", logger(ERROR),
		"table", more("table"), "dir", more("dir"), "dirxml", more("dirxml"), "group", more("group"),
		"groupCollapsed", more("groupCollapsed"), "groupEnd", more("groupEnd"), "time", more("time"), "timeLog", more("timeLog"),
		"timeEnd", more("timeEnd"), "assert", more("assert"), "trace", more("trace"), "count", more("count"),
		"countReset", more("countReset"), "clear", more("clear"),
	]);

	function setTimeout(callback, delay, ...args) {
		if (typeof callback !== "function") throw new T("setTimeout needs a function");
		const ms = floor(+delay);
		return timer(ms > 0 ? ms : 0, () => apply(callback, undefined, args), callback);
	}

	const globals = create(null);
	globals.ALL_TOOLS = ALL_TOOLS;
	globals.tools = tools;
	globals.API = bare(["list", list, "read", read]);
	globals.namespaces = namespaces;
	globals.text = (value) => text(0, value);
	globals.json = (value) => json(value);
	globals.yield_control = (reason) => request(YIELD, "", reason);
	globals.console = console;
	freeze(globals.API);
	for (let keys = ownKeys(globals), i = 0; i < keys.length; i++) {
		constant(globalThis, keys[i], globals[keys[i]], true);
	}

	// ---- what else a cell may expect of its surroundings, as ordinary globals

	host.install = (name, value, target = globalThis) => {
		const d = create(null);
		d.value = value;
		d.writable = d.configurable = true;
		d.enumerable = false;
		defineProperty(target, name, d);
	};
	const { install } = host;
	install("setTimeout", setTimeout);
	install("clearTimeout", (id) => cancel(id));
	install("random", { random: () => random() }.random, Math);
	// The engine's String.raw goes through any length that a cell claims and fills the heap with "undefined". More
	// literals than a string may have characters are no template.
	const raw = {
		raw(template, ...values) {
			const literals = template.raw;
			const n = +literals.length;
			if (n > 2 ** 30) throw new R("String.raw: too many literals");
			let s = "";
			for (let i = 0; i < floor(n); i++) {
				s += `${literals[i]}`;
				if (i + 1 < floor(n) && i < values.length) s += `${values[i]}`;
			}
			return s;
		},
	}.raw;
	install("raw", raw, String_);
	const origin = create(null);
	install("performance", bare(["now", () => (origin.ms === undefined ? ((origin.ms = now()), 0) : now() - origin.ms)]));

	// A stack trace formatter (Error.prepareStackTrace) is handed the functions on the stack, ours among them.
	// They are not for the cell: as for strict functions elsewhere, there is nothing to be had.
	E.prepareStackTrace = (error, sites) => sites;
	const sites = new E().stack;
	E.prepareStackTrace = undefined;
	if (typeof sites === "object") {
		host.callSite = getPrototypeOf(sites[0]);
		install("getFunction", () => undefined, host.callSite);
	}

	// Atomics wait and take locks outside of the heap; a guest is alone in its heap and needs neither.
	deleteProperty(globalThis, "Atomics");
	deleteProperty(globalThis, "SharedArrayBuffer");
})
