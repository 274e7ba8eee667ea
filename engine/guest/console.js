// The parts of console that few cells use, and what errors are told with: their causes and reasons.
(function (host) {
	"use strict";

	const { output, stringify, isError, now, provide, uncurry } = host;
	const { create, keys } = host.object;
	const { String, Object } = host.globals;
	const slice = uncurry(host.text.slice), indexOf = uncurry(host.text.indexOf), repeat = uncurry(host.text.repeat), split = uncurry(host.text.split);
	const isArray = host.isArray;
	const LOG = 1, ERROR = 5;

	// ---- causes and reasons (contract B9)

	const MAX_REASONS = 16, MAX_DEPTH = 4, MAX_TEXT = 500;
	const clip = (s) => (s.length > MAX_TEXT ? slice(s, 0, MAX_TEXT) + "…" : s);

	function described(v) {
		try {
			if (isError(v)) {
				const name = String(v.name), message = String(v.message);
				return clip(name && message ? name + ": " + message : name + message);
			}
			return clip(typeof v === "string" ? v : stringify(v) ?? String(v));
		} catch (e) {
			return "a value that can't be shown as text";
		}
	}

	// reasons are the lines below an error: what caused it, and of an AggregateError its errors.
	function reasons(error) {
		let lines = "", left = MAX_REASONS;
		const path = create(null); // the errors around this one, so that one that causes itself is told once
		const walk = (e, indent, depth) => {
			path[depth] = e;
			let cause, errors;
			try {
				cause = e.cause;
				errors = e.errors;
			} catch (thrown) {
				return;
			}
			const line = (label, v) => {
				if (left-- <= 0) return;
				for (let i = 1; i <= depth; i++) {
					if (path[i] !== v) continue;
					lines += "\n" + indent + label + "[Circular]";
					return;
				}
				lines += "\n" + indent + label + described(v);
				if (isError(v) && depth < MAX_DEPTH) walk(v, indent + "  ", depth + 1);
			};
			if (cause !== undefined) line("caused by: ", cause);
			if (!isArray(errors)) return;
			const n = errors.length < 8 ? errors.length : 8;
			for (let i = 0; i < n; i++) line((i + 1) + ". ", errors[i]);
			if (errors.length > n && left > 0) lines += "\n" + indent + "and " + (errors.length - n) + " more";
		};
		walk(error, "  ", 1);
		return lines;
	}
	provide("reasons", reasons);

	// ---- console

	let indent = "";
	const counts = create(null), timers = create(null);

	const shown = (v) => {
		if (typeof v === "string") return v;
		if (typeof v === "function") return "[function]";
		if (typeof v === "symbol" || v === undefined) return String(v);
		if (isError(v)) return described(v) + reasons(v);
		return stringify(v);
	};

	// formatted puts arguments into the first one's places (%s, %d, %i, %f, %j, %o, %O, %c, %%), and the others behind it.
	function formatted(args) {
		let line = "", used = 0;
		if (typeof args[0] === "string" && args.length > 1) {
			const f = args[0];
			used = 1;
			let at = 0;
			for (let i; (i = indexOf(f, "%", at)) >= 0 && i + 1 < f.length;) {
				line += slice(f, at, i);
				const place = f[i + 1];
				at = i + 2;
				if (place === "%") line += "%";
				else if (indexOf("sdifjoOc", place) < 0 || used >= args.length) line += "%" + place;
				else line += put(place, args[used++]);
			}
			line += slice(f, at);
		}
		for (let i = used; i < args.length; i++) line += (i > 0 ? " " : "") + shown(args[i]);
		return line;
	}

	function put(place, v) {
		switch (place) {
		case "c": return "";
		case "d": case "f": return typeof v === "bigint" ? String(v) + "n" : typeof v === "object" || typeof v === "symbol" ? "NaN" : String(+v);
		case "i": {
			const n = typeof v === "object" || typeof v === "symbol" ? NaN_ : +v;
			return String(n < 0 ? -host.floor(-n) : host.floor(n));
		}
		case "s": return typeof v === "object" && v !== null && !isError(v) ? stringify(v) ?? "" : shown(v);
		}
		return stringify(v) ?? shown(v);
	}
	const NaN_ = 0 / 0;

	function write(level, line) {
		if (indent === "") return output(level, line);
		const lines = split(line, "\n");
		let out = "";
		for (let i = 0; i < lines.length; i++) out += (i > 0 ? "\n" : "") + indent + lines[i];
		output(level, out);
	}

	// ---- tables

	const MAX_ROWS = 100, MAX_COLUMNS = 20, MAX_CELL = 60;
	const isObject = (v) => typeof v === "object" && v !== null;
	const cell = (v) => {
		const s = v === undefined ? "" : shown(v) ?? "";
		const cells = split(s, "\n");
		return cells[0].length > MAX_CELL || cells.length > 1 ? slice(cells[0], 0, MAX_CELL) + "…" : s;
	};

	function table(data, only) {
		if (!isObject(data)) return write(LOG, shown(data));
		const rows = keys(data);
		const columns = [], known = create(null);
		const column = (name) => {
			if (known[name] === undefined && columns.length < MAX_COLUMNS) {
				known[name] = columns.length;
				host.define(columns, columns.length, name);
			}
		};
		if (isArray(only)) for (let i = 0; i < only.length; i++) column(String(only[i]));
		let values = false;
		const n = rows.length < MAX_ROWS ? rows.length : MAX_ROWS;
		for (let i = 0; i < n; i++) {
			const row = data[rows[i]];
			if (!isObject(row)) values = true;
			else if (!isArray(only)) for (let names = keys(row), k = 0; k < names.length && k < MAX_COLUMNS; k++) column(names[k]);
		}
		const head = ["(index)"];
		for (let i = 0; i < columns.length; i++) host.define(head, head.length, columns[i]);
		if (values) host.define(head, head.length, "Values");
		const lines = [head];
		for (let i = 0; i < n; i++) {
			const row = data[rows[i]], line = [rows[i]];
			for (let k = 0; k < columns.length; k++) host.define(line, line.length, isObject(row) ? cell(row[columns[k]]) : "");
			if (values) host.define(line, line.length, isObject(row) ? "" : cell(row));
			host.define(lines, lines.length, line);
		}
		write(LOG, drawn(lines) + (rows.length > n ? "\n… " + (rows.length - n) + " more rows" : ""));
	}

	function drawn(lines) {
		const widths = [];
		for (let i = 0; i < lines.length; i++) {
			for (let k = 0; k < lines[i].length; k++) if (widths[k] === undefined || lines[i][k].length > widths[k]) host.define(widths, k, lines[i][k].length);
		}
		let out = "";
		for (let i = 0; i < lines.length; i++) {
			for (let k = 0; k < widths.length; k++) out += (k > 0 ? " | " : "") + lines[i][k] + (k + 1 < widths.length ? repeat(" ", widths[k] - lines[i][k].length) : "");
			if (i === 0) {
				out += "\n";
				for (let k = 0; k < widths.length; k++) out += (k > 0 ? "-|-" : "") + repeat("-", widths[k]);
			}
			if (i + 1 < lines.length) out += "\n";
		}
		return out;
	}

	// ---- the methods

	const label = (v) => (v === undefined ? "default" : String(v));
	const methods = create(null);
	methods.table = (args) => table(args[0], args[1]);
	methods.dir = (args) => write(LOG, shown(args[0]));
	methods.dirxml = (args) => write(LOG, formatted(args));
	methods.group = methods.groupCollapsed = (args) => {
		if (args.length > 0) write(LOG, formatted(args));
		if (indent.length < 64) indent += "  ";
	};
	methods.groupEnd = () => {
		indent = slice(indent, 2);
	};
	methods.time = (args) => {
		timers[label(args[0])] = now();
	};
	methods.timeLog = methods.timeEnd = (args) => {
		const started = timers[label(args[0])];
		if (started === undefined) return write(LOG, "No such label '" + label(args[0]) + "' for console.time()");
		let line = label(args[0]) + ": " + (now() - started) + "ms";
		for (let i = 1; i < args.length; i++) line += " " + shown(args[i]);
		write(LOG, line);
	};
	methods.assert = (args) => {
		if (args[0]) return;
		const rest = [];
		for (let i = 1; i < args.length; i++) host.define(rest, i - 1, args[i]);
		write(ERROR, "Assertion failed" + (rest.length > 0 ? ": " + formatted(rest) : ""));
	};
	methods.trace = (args) => write(ERROR, args.length > 0 ? "Trace: " + formatted(args) : "Trace");
	methods.count = (args) => {
		const name = label(args[0]);
		counts[name] = (counts[name] ?? 0) + 1;
		write(LOG, name + ": " + counts[name]);
	};
	methods.countReset = (args) => {
		counts[label(args[0])] = 0;
	};
	methods.clear = () => {};

	provide("console", (method, args) => {
		const run = methods[method];
		if (run !== undefined) {
			run(args);
			if (method === "timeEnd") delete timers[label(args[0])];
		} else write(method, formatted(args));
	});
})
