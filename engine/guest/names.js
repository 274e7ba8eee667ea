// The engine's own errors say "not a function" and not what is none. A cell that catches errors brings a table of what each
// place of its text would be about, which the host has made of the text; an error that the engine throws there gets its
// message of that. Loaded for such cells only. The hook is the engine's for stack traces, so it makes these too, as the
// engine itself would.
(function (host) {
	"use strict";

	const { isError, uncurry } = host;
	const { defineProperty, getOwnPropertyDescriptor } = host.reflect;
	const { create } = host.object;
	const isNative = uncurry(host.callSite.isNative), fileOf = uncurry(host.callSite.getFileName);
	const functionOf = uncurry(host.callSite.getFunctionName);
	const lineOf = uncurry(host.callSite.getLineNumber), columnOf = uncurry(host.callSite.getColumnNumber);

	const names = create(null);

	// place is where a frame is if it is the cell's, as the table has it.
	function place(site) {
		const file = fileOf(site);
		if (file !== "cell.js" && file !== "cell.ts") return undefined;
		const line = lineOf(site);
		return line > 0 ? line + ":" + columnOf(site) : "0:0";
	}

	function name(error, site) {
		const message = isError(error) ? getOwnPropertyDescriptor(error, "message") : undefined;
		if (message === undefined || typeof message.value !== "string" || isNative(site)) return;
		const text = names[message.value + "\n" + place(site)];
		if (text === undefined) return;
		const d = create(null);
		d.value = text;
		defineProperty(error, "message", d);
	}

	function shown(site) {
		const text = "    at " + (functionOf(site) || "<anonymous>");
		if (isNative(site)) return text + " (native)\n";
		const line = lineOf(site);
		return text + " (" + (fileOf(site) || "<null>") + (line >= 0 ? ":" + line + ":" + columnOf(site) : "") + ")\n";
	}

	host.nameErrors = (list) => {
		for (let i = 0; i + 1 < list.length; i += 2) names[list[i]] = list[i + 1];
		host.errors.Error.prepareStackTrace = (error, sites) => {
			let stack = "";
			for (let i = 0; i < sites.length; i++) stack += shown(sites[i]);
			if (sites.length > 0) name(error, sites[0]);
			return stack;
		};
	};
})
